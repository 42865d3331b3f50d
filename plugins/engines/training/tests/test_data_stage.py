"""Stage `data`: steps that make rows of other rows with judges, whatever interrupts them."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from rewardlab.errors import JobError, UserError
from rewardlab.files import FileLock
from rewardlab.judging import JudgingSettings, Share, Usage
from rewardlab.recipe.loading import load
from rewardlab_training.check import check_recipe
from rewardlab_training.data_on_hosts import OpensAsking

PLUGIN = """
    import asyncio
    import os
    from pathlib import Path
    from rewardlab import Ask, Config, DatasetSpec, JudgeSpec, Reply, Sample, hookimpl
    from rewardlab.concurrency.gather import in_order
    from rewardlab.errors import JobError

    class Saying(Config):
        seconds: float = 0.0
        unreadable: bool = False
        url: str = "http://here"
        key_env: str | None = None

    class Judge:
        def __init__(self, options):
            self.options = options

        async def ask(self, ask):
            text = ask.messages[0]["content"]
            with Path("calls").open("a") as calls:
                calls.write(text + "\\n")
            await asyncio.sleep(self.options.seconds)
            if self.options.unreadable:
                return Reply(text="hm")
            return Reply(text=text.upper(), prompt_tokens=10, completion_tokens=5)

    class Shouting(Config):
        judge: str = "main"
        template: str | None = None
        against: list[str] = []

    class Shouted:
        def __init__(self, options, context):
            self.judge, self.source = context.judges[options.judge], context.source

        def __iter__(self):
            yield from in_order(self.source, self.made, at_once=4)

        async def made(self, sample):
            text = sample.prompt[-1]["content"]
            reply = await self.judge.ask(Ask(messages=({"role": "user", "content": text},)))
            if reply.error is not None:
                raise JobError(reply.error)
            self.judge.report_parsed(reply, reply.text == text.upper())
            fields = {**sample.fields, "shouts": sample.fields.get("shouts", 0) + 1}
            return Sample(id=f"{sample.id}!", prompt=({"role": "user", "content": reply.text},), fields=fields)

    @hookimpl
    def rewardlab_judges():
        made = {"config": Saying, "most_tokens": lambda options: 5, "build": lambda options, _: Judge(options)}
        made |= {"address": ("url",)}
        return [JudgeSpec(name="loud", summary="made", **made)]

    @hookimpl
    def rewardlab_datasets():
        made = {"config": Shouting, "judges": ("judge",), "step": True, "build": Shouted}
        return [DatasetSpec(name="shouted", summary="made", **made)]
"""
ROWS = [{"name": f"r{number}", "question": f"row {number}  ß", "more": number} for number in range(60)]
SOURCE = {"use": "data/jsonl", "with": {"path": "rows.jsonl"}, "fields": {"id": "name", "prompt": "question"}}
STEP = {"use": "mine/shouted", "from": SOURCE}


@pytest.fixture
def site(offer):
    """Where the plugin is installed."""
    return offer("mine", PLUGIN)


@pytest.fixture
def recipe(site, write, tmp_path, monkeypatch):
    """A recipe with one data stage, or the stages that are given, on 60 rows; its path."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))

    def made(dataset=STEP, judge=None, **more):
        judges = {"main": {"use": "mine/loud", **(judge or {})}}
        stages = [{"use": "data", "dataset": dataset, "to": "out/made.jsonl"}]
        content = {"version": 1, "name": "made", "judges": judges, "stages": stages, **more}
        return write("r.yaml", json.dumps(content))

    return made


@pytest.fixture
def made(tmp_path):
    """The rows that the stage wrote."""
    return lambda: [json.loads(line) for line in (tmp_path / "out" / "made.jsonl").read_text().splitlines()]


@pytest.fixture
def calls(tmp_path):
    """What the judge was asked, but for the probe."""

    def asked():
        lines = (tmp_path / "calls").read_text().splitlines() if (tmp_path / "calls").exists() else []
        return [line for line in lines if not line.startswith("Please reply")]

    return asked


class TestRefusals:
    """`check` tells them, and pays for nothing."""

    @pytest.mark.parametrize(
        ("dataset", "place", "what"),
        [
            ({**STEP, "from": None}, "stages.0.dataset", "mine/shouted is a data step; say what it starts `from`"),
            (
                {"use": "data/arithmetic", "from": SOURCE},
                "stages.0.dataset.from",
                "data/arithmetic reads no other dataset; only a data step takes `from`",
            ),
            (
                {**STEP, "with": {"judge": "mian"}},
                "stages.0.dataset.with.judge",
                "no judge 'mian'; did you mean 'main'?",
            ),
            (
                {**STEP, "from": {**STEP, "with": {"judge": "mian"}}},
                "stages.0.dataset.from.with.judge",
                "no judge 'mian'; did you mean 'main'?",
            ),
            (
                {**STEP, "from": {**SOURCE, "use": "data/jsnl"}},
                "stages.0.dataset.from.use",
                "did you mean",
            ),
        ],
    )
    def test_of_what_cannot_be_made(self, recipe, dataset, place, what, calls):
        with pytest.raises(UserError) as told:
            check_recipe(load(recipe(dataset)))
        (problem,) = told.value.problems
        assert problem.where.endswith(f"r.yaml:1: {place}")
        assert what in problem.what
        assert calls() == []

    def test_of_a_step_where_its_rows_are_not_kept(self, recipe):
        with pytest.raises(UserError, match="mine/shouted is a data step; write its rows to a file in a stage `data`"):
            check_recipe(load(recipe(stages=[{"use": "sft", "dataset": STEP}], model={"use": "tiny"})), purpose="run")

    def test_a_step_that_is_right_is_checked_without_a_call(self, recipe, calls):
        assert check_recipe(load(recipe())).warnings == []
        assert calls() == []

    def test_of_a_file_that_is_something_else(self, recipe, main, tmp_path):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "made.jsonl").write_text("hello\n")
        code, _, err = main("run", recipe())
        assert code == 2
        assert "made.jsonl:1: not a row of a data stage; move this file away" in err
        assert (tmp_path / "out" / "made.jsonl").read_text() == "hello\n"

    def test_of_a_file_that_another_process_writes(self, recipe, main, tmp_path):
        (tmp_path / "out" / "made.jsonl.state").mkdir(parents=True)
        lock = FileLock(tmp_path / "out" / "made.jsonl.state" / "lock")
        try:
            code, _, err = main("run", recipe())
        finally:
            lock.close()
        assert code == 2
        assert "made.jsonl: another process is writing this file" in err


class TestRows:
    def test_are_made_of_those_of_from_with_their_fields_and_in_their_order(self, recipe, main, made):
        code, out, _ = main("run", recipe())
        assert code == 0
        assert "wrote 60 rows to out/made.jsonl" in out
        assert "judge main: 60 calls, 900 tokens" in out
        expected = [
            {
                "id": f"{row['name']}!",
                "prompt": [{"role": "user", "content": row["question"].upper()}],
                "more": row["more"],
                "shouts": 1,
            }
            for row in ROWS
        ]
        assert made() == expected

    def test_pass_through_one_step_after_the_other(self, recipe, main, made, calls):
        code, _, _ = main("run", recipe({**STEP, "from": STEP}))
        assert code == 0
        assert [(row["id"], row["shouts"]) for row in made()] == [(f"r{number}!!", 2) for number in range(60)]
        assert len(calls()) == 120

    def test_are_counted_on_stderr_every_so_often_where_nobody_sees_a_bar(self, recipe, main, monkeypatch):
        monkeypatch.setenv("REWARDLAB_PROGRESS_S", "0.000001")
        code, out, err = main("run", recipe())
        assert (code, "s a row" in out) == (0, False)
        assert "out/made.jsonl: 60 rows; " in err

    def test_need_no_judge_where_no_step_asks_one(self, recipe, main, made, tmp_path):
        assert main("run", recipe(SOURCE))[0] == 0
        assert [row["id"] for row in made()] == [row["name"] for row in ROWS]
        assert not (tmp_path / "out" / "made.jsonl.state" / "judges").exists()


class TestAnswers:
    def test_are_kept_beside_the_file_without_any_key(self, recipe, main, made, calls, tmp_path, monkeypatch):
        monkeypatch.setenv("LOUD_KEY", "sk-secret")
        path = recipe(judge={"with": {"key_env": "LOUD_KEY"}})
        assert main("run", path)[0] == 0
        judges = tmp_path / "out" / "made.jsonl.state" / "judges"
        usage, kept = sorted(file.name for file in judges.iterdir())
        assert (re.sub("@[0-9a-f]{12}", "@server", kept), usage) == ("main@server.answers.jsonl", "main.usage.json")
        first = made()
        (tmp_path / "out" / "made.jsonl").unlink()
        code, out, _ = main("run", path)
        assert code == 0
        assert made() == first
        assert len(calls()) == 60, "none is paid for twice"
        assert "judge main: 0 calls, 0 tokens, 60 answers reused (earlier attempts: 60 calls, 900 tokens)" in out
        for file in tmp_path.rglob("*"):
            assert not file.is_file() or b"sk-secret" not in file.read_bytes()

    def test_of_a_cassette_are_enough(self, recipe, main, made, calls, tmp_path):
        cassette = {"path": str(tmp_path / "c.jsonl")}
        assert main("run", recipe(judge={"cassette": cassette}))[0] == 0
        first = made()
        (tmp_path / "out" / "made.jsonl").unlink()
        (tmp_path / "calls").unlink()
        assert main("run", recipe(judge={"cassette": {**cassette, "mode": "strict"}}))[0] == 0
        assert made() == first
        assert not (tmp_path / "calls").exists()

    def test_that_nobody_can_read_end_the_run(self, recipe, main):
        code, _, err = main("run", recipe(judge={"with": {"unreadable": True}}))
        assert code == 1
        assert "of its first" in err
        assert "1. hm" in err

    def test_stop_at_the_budget_and_go_on_with_a_larger_one(self, recipe, main, made, calls, tmp_path):
        code, _, err = main("run", recipe(judge={"budget": {"tokens": 300}, "concurrency": 2}))
        assert code == 1
        assert "its budget of 300 tokens is used up" in err
        assert len(calls()) * 15 <= 300
        (folder,) = (tmp_path / "runs").iterdir()
        code, out, _ = main("run", recipe(judge={"budget": {"tokens": 10_000}}), "--resume", folder)
        assert code == 0
        assert len(calls()) == len(made()) == 60
        assert re.search(r"judge main: 4\d calls, 6\d\d tokens, 1\d answers reused \(earlier attempts: 1\d calls,", out)


def start(path, site, folder, *arguments):
    paths = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    command = [sys.executable, "-m", "rewardlab.cli", "run", str(path), *map(str, arguments)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": paths}, text=True, **quiet)


def written(file):
    return file.read_bytes().count(b"\n") if file.exists() else 0


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_killed_stage_goes_on_and_ends_as_one_that_was_not(recipe, site, main, made, calls, tmp_path, ending):
    path, file = recipe(judge={"with": {"seconds": 0.02}}), tmp_path / "out" / "made.jsonl"
    for attempt in (1, 2):
        again = ["--resume", *(tmp_path / "runs").iterdir()] if attempt > 1 else []
        process = start(path, site, tmp_path, *again)
        deadline = time.monotonic() + 30
        while written(file) < 12 * attempt and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(ending)
        err = process.communicate(timeout=30)[1]
        assert process.returncode == (-ending if ending == signal.SIGKILL else 128 + ending), err
        assert 12 * attempt <= written(file) < 60
    if ending == signal.SIGKILL:
        with file.open("ab") as torn:
            torn.write(b'{"id": "r59!", "prom')
    (folder,) = (tmp_path / "runs").iterdir()
    code, out, _ = main("run", path, "--resume", folder)
    assert code == 0
    assert "were there)" in out
    assert [row["id"] for row in made()] == [f"r{number}!" for number in range(60)]
    assert set(calls()) == {row["question"] for row in ROWS}
    assert len(calls()) <= 60 + 2 * 4, "only what was under way is paid for again"


class TestRowsOfAnotherMaking:
    """What a file is made from is noted beside it; what was made otherwise does not join the rows that are there."""

    @pytest.fixture
    def begun(self, recipe, main, tmp_path):
        """A file with rows whose step names three files; `begun(...)` runs a recipe on it again: (code, stderr)."""
        for name in ("template.txt", "a.jsonl", "b.jsonl"):
            (tmp_path / name).write_text(name)

        def run(judge=None, step=(), **more):
            options = {"template": "template.txt", "against": ["a.jsonl", "b.jsonl", "absent.jsonl"], **dict(step)}
            judge = {"with": {"url": "http://here"}, **(judge or {})}
            code, _, err = main("run", recipe({**STEP, "from": {**STEP, "with": options}}, judge, **more))
            return code, err

        assert run() == (0, "")
        return run

    def test_the_same_again_adds_nothing(self, begun, made):
        assert begun() == (0, "")
        assert len(made()) == 60

    @pytest.mark.parametrize(
        ("change", "what"),
        [
            ({"judge": {"with": {"seconds": 0.001}}}, "judge main"),
            ({"judge": {"use": "pairwise/overlap", "with": {}}}, "judge main"),
            ({"seed": 7}, "the seed (0 then)"),
            ({"step": {"against": ["a.jsonl", "b.jsonl"]}}, "the dataset"),
            ({"seed": 7, "judge": {"with": {"seconds": 0.001}}}, "the seed (0 then), judge main"),
        ],
    )
    def test_is_refused_by_what_differs_and_before_anyone_is_asked(self, begun, change, what, made, calls):
        before, asked = made(), len(calls())
        code, err = begun(**change)
        assert code == 2
        assert (
            "out/made.jsonl: holds rows that were made in another way (out/made.jsonl.state/origin.json says how)"
        ) in err
        assert f"It differs in {what}; name another file, or move this one away" in err
        assert (made(), len(calls())) == (before, asked)

    @pytest.mark.parametrize(
        ("name", "option"),
        [("template.txt", "template"), ("b.jsonl", "against.1"), ("absent.jsonl", "against.2")],
    )
    def test_the_content_of_the_files_that_a_step_names_counts(self, begun, name, option, tmp_path):
        (tmp_path / name).write_text("other")
        code, err = begun()
        assert code == 2
        assert f"It differs in the content of the file of dataset.from.with.{option}; name" in err

    def test_a_refusal_does_not_become_what_is_noted(self, begun):
        assert [begun(seed=7)[0] for _ in range(2)] == [2, 2]
        assert begun() == (0, "")

    def test_rows_may_be_added_to_the_source(self, begun, made, tmp_path):
        with (tmp_path / "rows.jsonl").open("a") as rows:
            rows.write(json.dumps({"name": "late", "question": "late row", "more": 0}) + "\n")
        assert begun() == (0, "")
        assert [row["id"] for row in made()[60:]] == ["late!!"]

    @pytest.mark.parametrize(
        "judge", [{"concurrency": 2, "budget": {"tokens": 10_000}}, {"with": {"url": "http://there"}}]
    )
    def test_how_and_where_a_judge_is_asked_may_change(self, begun, judge):
        assert begun(judge=judge) == (0, "")

    def test_a_note_of_an_older_version_says_too_little(self, begun, tmp_path):
        note = tmp_path / "out" / "made.jsonl.state" / "origin.json"
        note.write_text(json.dumps(json.loads(note.read_text())["dataset"]))
        code, err = begun()
        assert code == 2
        assert "It differs in the form of the note, which is of another version; name" in err

    def test_no_secret_is_noted(self, recipe, main, tmp_path, monkeypatch):
        (tmp_path / "hidden-place").mkdir()
        (tmp_path / "hidden-place" / "a.jsonl").write_text("a")
        monkeypatch.setenv("SETS", "hidden-place")
        options = {"against": ["${oc.env:SETS}/a.jsonl", "http://me:hidden-word@host/b.jsonl"]}
        judge = {"with": {"url": "http://me:hidden-word@host"}, "cassette": {"path": "c.jsonl"}}
        assert main("run", recipe({**STEP, "with": options}, judge))[0] == 0
        note = (tmp_path / "out" / "made.jsonl.state" / "origin.json").read_text()
        assert "hidden" not in note
        assert json.loads(note)["judges"] == {"main": {"use": "mine/loud", "with": {}}}
        assert list(json.loads(note)["files"]) == ["dataset.with.against.0"]


class TestShards:
    def test_ask_about_each_row_once_and_the_merge_about_none(self, recipe, main, made, calls, tmp_path):
        path = recipe({**STEP, "from": STEP})
        assert main("run", path)[0] == 0
        alone = (tmp_path / "out" / "made.jsonl").read_bytes()
        (tmp_path / "out").rename(tmp_path / "alone")
        (tmp_path / "calls").unlink()
        for part in (1, 2, 3):
            assert main("run", path, "--stage", "0", "--shard", f"{part}/3")[0] == 0
        shards = [tmp_path / "out" / f"made.{part}-of-3.jsonl" for part in (1, 2, 3)]
        assert sorted(b"".join(shard.read_bytes() for shard in shards).splitlines()) == sorted(alone.splitlines())
        assert len(calls()) == 120
        code, out, err = main("merge", "out/made.jsonl")
        assert code == 0, err
        assert (tmp_path / "out" / "made.jsonl").read_bytes() == alone
        assert len(calls()) == 120
        assert "120 answers reused" in out
        (tmp_path / "out" / "made.jsonl").write_bytes(alone[: len(alone) // 2])  # a merge that was killed
        assert main("merge", "out/made.jsonl")[0] == 0
        assert (tmp_path / "out" / "made.jsonl").read_bytes() == alone
        assert len(calls()) == 120

    def test_that_stopped_are_named_and_go_on(self, recipe, main, calls, tmp_path):
        small, large = ({"budget": {"tokens": tokens}, "concurrency": 2} for tokens in (60, 10_000))
        assert main("run", recipe(judge=large), "--shard", "1/2")[0] == 0
        assert main("run", recipe(judge=small), "--shard", "2/2")[0] == 1
        code, _, err = main("merge", "out/made.jsonl")
        assert (code, "made.2-of-2.jsonl: shard 2/2 is not finished" in err) == (2, True)
        before = len(calls())
        assert main("run", recipe(judge=large), "--shard", "2/2")[0] == 0
        assert len(calls()) == 60
        assert before < 60
        assert main("merge", "out/made.jsonl")[0] == 0
        assert len(calls()) == 60

    def test_of_another_recipe_than_the_merge_would_have_are_named(self, recipe, main, calls, tmp_path):
        assert main("run", recipe(), "--shard", "1/1")[0] == 0
        asked = len(calls())
        recipe(seed=3)
        code, _, err = main("merge", "out/made.jsonl")
        assert (code, "was made with another seed than the whole would be now" in err) == (2, True), err
        assert len(calls()) == asked
        recipe()
        assert main("merge", "out/made.jsonl")[0] == 0


class HostsHere:
    """Two hosts in this process, as a pool of actors without Ray; the shards that were asked for are in `asked`."""

    hosts, asked, most = 2, [], 99

    def __init__(self, work, judging):
        assert work.asked == ["main"]
        shares = [Share(part, self.hosts) for part in (1, 2)]
        self._open = [work.opens(work.plan, replace(judging, share=share)) for share in shares]
        self._one_at_a_time = asyncio.Lock()

    async def result(self, share):
        async with self._one_at_a_time:
            if len(self.asked) >= self.most:
                raise JobError("the cluster is gone")
            await self._open[share.part % self.hosts].results([share])
            self.asked.append(str(share))

    def usage(self):
        sums = Usage()
        for host in self._open:
            sums.add(host.usage().get("main", Usage()))
        return {"main": sums}

    def close(self):
        for host in self._open:
            host.close()


@pytest.fixture
def hosts(monkeypatch):
    monkeypatch.setattr(HostsHere, "asked", [])
    monkeypatch.setattr("rewardlab_training.commands.run.pool_on", lambda address: HostsHere)
    return HostsHere


@pytest.fixture
def alone(recipe, main, tmp_path):
    """What one machine writes, with questions of two steps about each row."""
    path = recipe({**STEP, "from": STEP})
    assert main("run", path)[0] == 0
    rows = (tmp_path / "out" / "made.jsonl").read_bytes()
    (tmp_path / "out").rename(tmp_path / "alone")
    (tmp_path / "calls").unlink()
    return rows


class TestOnHosts:
    def test_ask_about_each_row_once_and_the_driver_about_none(self, recipe, main, alone, calls, hosts, tmp_path):
        code, out, err = main("run", recipe({**STEP, "from": STEP}), "--on", "ray")
        assert code == 0, err
        assert sorted(hosts.asked) == [f"{part}/8" for part in range(1, 9)]
        assert (tmp_path / "out" / "made.jsonl").read_bytes() == alone
        assert (len(calls()), len({*calls()})) == (120, 120)
        assert "asks on 2 hosts of Ray: 8 of 8 shards" in out
        assert "hosts: judge main: 120 calls" in out
        assert "judge main: 0 calls, 0 tokens, 120 answers reused" in out
        state = tmp_path / "out" / "made.jsonl.state"
        assert json.loads((state / "judges" / "main.usage.json").read_text())["calls"] == 120  # of all, for a budget
        assert sorted(file.name for file in state.iterdir()) == ["judges", "lock", "origin.json"]

    def test_that_were_stopped_go_on_with_the_shards_that_are_left(
        self, recipe, main, alone, calls, hosts, monkeypatch, tmp_path
    ):
        path = recipe({**STEP, "from": STEP})
        monkeypatch.setattr(hosts, "most", 3)
        code, _, err = main("run", path, "--on", "ray")
        assert (code, "the cluster is gone" in err) == (1, True), err
        assert "--on ray --resume" in err
        note = tmp_path / "out" / "made.jsonl.state" / "on_hosts.json"
        done = json.loads(note.read_text())["done"]
        monkeypatch.setattr(hosts, "most", 99)
        before = len(hosts.asked)
        code, out, err = main("run", path, "--resume", "latest", "--on", "ray")
        assert code == 0, err
        assert f"asks on 2 hosts of Ray: {8 - len(done)} of 8 shards" in out
        assert {int(name.partition("/")[0]) for name in hosts.asked[before:]} == {*range(1, 9)} - {*done}
        assert (tmp_path / "out" / "made.jsonl").read_bytes() == alone
        assert len(calls()) == 120
        assert not note.exists()

    def test_of_another_recipe_begin_anew(self, recipe, main, alone, hosts, monkeypatch, tmp_path):
        monkeypatch.setattr(hosts, "most", 3)
        assert main("run", recipe({**STEP, "from": STEP}), "--on", "ray")[0] == 1
        monkeypatch.setattr(hosts, "most", 99)
        code, out, err = main("run", recipe({**STEP, "from": STEP}, seed=3), "--on", "ray")
        assert (code, "8 of 8 shards" in out) == (0, True), err

    def test_that_have_asked_for_all_are_not_started_again(self, recipe, main, alone, hosts, monkeypatch, tmp_path):
        path, note = recipe({**STEP, "from": STEP}), tmp_path / "out" / "made.jsonl.state" / "on_hosts.json"
        monkeypatch.setattr("rewardlab_training.data_stage.HostedQuestions.forget", lambda self: None)  # a kill
        assert main("run", path, "--on", "ray")[0] == 0
        assert len(json.loads(note.read_text())["done"]) == 8
        (tmp_path / "out" / "made.jsonl").write_bytes(alone[: len(alone) // 2])
        code, out, err = main("run", path, "--on", "ray")
        assert (code, "asks on" in out, len(hosts.asked)) == (0, False, 8), err
        assert (tmp_path / "out" / "made.jsonl").read_bytes() == alone
        note.write_text("{}")
        code, _, err = main("run", path, "--on", "ray")
        assert (code, "on_hosts.json is damaged; remove it" in err) == (1, True), err

    def test_that_do_not_see_what_the_driver_sees_are_named(self, recipe, tmp_path):
        plan = check_recipe(load(recipe(), []), purpose="run")
        place, judging = ("stages", 0, "dataset"), JudgingSettings(folder=tmp_path / "judges")
        with pytest.raises(UserError, match=r"node .* has no folder .*gone, where this command runs"):
            OpensAsking(place, tmp_path / "gone")(plan, judging)
        (tmp_path / "rows.jsonl").unlink()
        with pytest.raises(UserError, match=r"node .* cannot read the rows: .*rows\.jsonl"):
            OpensAsking(place, tmp_path)(plan, judging)

    def test_are_refused_where_they_have_nothing_to_do(self, recipe, main, hosts, tmp_path):
        for path, words, told in (
            (recipe(), ["--on", "ray", "--shard", "1/2"], "--on: goes without --shard"),
            (recipe(), ["--on", "rey"], "nothing here scores on 'rey'"),
            (recipe(), ["--on", "ray,nodes=1"], "'nodes=1' is none of hosts=N"),
            (recipe(SOURCE), ["--on", "ray"], "stages.0: its steps ask no served judge"),
        ):
            code, _, err = main("run", path, *words)
            assert (code, told in err) == (2, True), err
        assert not (tmp_path / "out").exists()
