"""The run directory: what was run, where it stands, and every scored completion."""

import json
import resource
import signal
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewardlab import Completion, Score
from rewardlab.errors import JobError, UserError
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import load
from rewardlab.scoring.composition import ScoredGroup
from rewardlab_training import run_directory
from rewardlab_training.ledger import Ledger
from rewardlab_training.run_directory import RunDirectory

COMMAND = ["rewardlab", "run", "r.yaml"]
RECIPE = """
version: 1
name: made
seed: 3
reward:
  components: {a: {use: mine/brevity}}
  total: a
"""
PLUGIN = """
from rewardlab import RewardSpec, hookimpl

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="brevity", summary="made", build=lambda options, context: None)]
"""


@pytest.fixture(autouse=True)
def plugin(offer):
    """The plugin `mine` 1.0; the folder of its distribution."""
    return offer("mine", PLUGIN)


@pytest.fixture
def plan(write):
    return lambda text=RECIPE, *overrides: make_plan(load(write("r.yaml", text), overrides), purpose="score")


def content(run, name):
    return json.loads((run.path / name).read_text(encoding="utf-8"))


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestANewRun:
    def test_has_a_folder_that_says_what_is_run(self, plan, tmp_path):
        run = RunDirectory.create(plan(RECIPE, "seed=4"), [*COMMAND, "seed=4"], root=tmp_path / "runs")
        assert run.path.parent == tmp_path / "runs"
        assert run.path.name.startswith("made-20")
        manifest = content(run, "manifest.json")
        assert manifest["plugins"] == {"mine": "mine-rewards 1.0"}
        assert manifest["seed"] == 4
        assert manifest["commands"] == ["rewardlab run r.yaml seed=4"]
        assert {"rewardlab", "python", "packages", "recipe_sha256"} <= manifest.keys()
        assert content(run, "state.json") == {"attempt": 0, "done": []}
        again = load(run.path / "recipe.resolved.yaml")
        assert again.raw == plan(RECIPE, "seed=4").document.raw

    def test_is_called_by_its_file_where_the_recipe_has_no_name(self, plan, tmp_path):
        run = RunDirectory.create(plan(RECIPE.replace("name: made\n", "")), COMMAND, root=tmp_path)
        assert run.path.name.startswith("r-20")

    def test_never_shares_its_folder(self, plan, tmp_path, monkeypatch):
        monkeypatch.setattr(run_directory.time, "strftime", lambda form: "20260101-120000")
        runs = [RunDirectory.create(plan(), COMMAND, root=tmp_path / "runs") for _ in range(3)]
        assert [run.path.name for run in runs] == [
            "made-20260101-120000",
            "made-20260101-120000-2",
            "made-20260101-120000-3",
        ]

    def test_writes_no_secret(self, plan, tmp_path, monkeypatch):
        monkeypatch.setenv("MY_SERVER", "https://me:s3cr3t-word@host/v1")
        monkeypatch.setenv("MY_NAME", "very-private")
        text = RECIPE + 'model: "${oc.env:MY_SERVER}"\nbackend: {secrets: ["${oc.env:MY_NAME}"]}\n'
        command = [*COMMAND, "name=very-private", "model=https://me:s3cr3t-word@host/v1"]
        run = RunDirectory.create(plan(text), command, root=tmp_path)
        written = b"".join(files(run.path).values()).decode()
        assert "s3cr3t-word" not in written
        assert "very-private" not in written
        assert "${oc.env:MY_SERVER}" in (run.path / "recipe.resolved.yaml").read_text()
        assert content(run, "manifest.json")["commands"] == [
            'rewardlab run r.yaml name="${MY_NAME}" model="${MY_SERVER}"'
        ]

    def test_keeps_a_command_as_one_could_type_it(self, plan, tmp_path):
        run = RunDirectory.create(plan(), ["rewardlab", "run", "my recipe.yaml"], root=tmp_path)
        assert content(run, "manifest.json")["commands"] == ["rewardlab run 'my recipe.yaml'"]

    def test_makes_folders_when_they_are_needed(self, plan, tmp_path):
        run = RunDirectory.create(plan(), COMMAND, root=tmp_path)
        assert run.folder("checkpoints", "1-rl") == run.path / "checkpoints" / "1-rl"
        assert run.folder("checkpoints", "1-rl").is_dir()


class TestAResumedRun:
    def test_counts_attempts_and_knows_what_is_done(self, plan, tmp_path):
        run = RunDirectory.create(plan(), COMMAND, root=tmp_path)
        run.close()
        run.finish_stage(1)
        run.finish_stage(0)
        run.finish_stage(1)
        second = RunDirectory.resume(run.path, plan(), [*COMMAND, "--resume"])
        second.close()
        assert (second.path, second.attempt, second.done) == (run.path, 1, [0, 1])
        assert RunDirectory.resume(run.path, plan(), COMMAND).attempt == 2
        assert content(run, "manifest.json")["commands"] == [
            "rewardlab run r.yaml",
            "rewardlab run r.yaml --resume",
            "rewardlab run r.yaml",
        ]

    def test_refuses_another_recipe(self, plan, tmp_path):
        run = RunDirectory.create(plan(), COMMAND, root=tmp_path)
        run.close()
        before = files(run.path)
        for another in (plan(RECIPE, "seed=4"), plan(RECIPE.replace("total: a", "total: 2 * a"))):
            with pytest.raises(UserError, match=r"made-.* was made with another recipe .*start a new run"):
                RunDirectory.resume(run.path, another, COMMAND)
        assert files(run.path) == before
        RunDirectory.resume(run.path, plan(RECIPE + "\n# a comment\n"), COMMAND)

    def test_refuses_a_ledger_in_shards(self, plan, tmp_path):
        run = RunDirectory.create(plan(), COMMAND, root=tmp_path)
        run.close()
        run.folder("ledger").joinpath("0-1.index.jsonl").touch()
        before = files(run.path)
        with pytest.raises(
            UserError, match=r"ledger is in shards .* such as the one that wrote it, reads and resumes it"
        ):
            RunDirectory.resume(run.path, plan(), COMMAND)
        assert files(run.path) == before

    def test_refuses_another_version_of_a_plugin(self, plan, tmp_path, plugin):
        run = RunDirectory.create(plan(), COMMAND, root=tmp_path)
        run.close()
        [metadata] = plugin.glob("*/METADATA")
        metadata.write_text(metadata.read_text().replace("1.0", "1.1"))
        metadata.parent.rename(plugin / metadata.parent.name.replace("1.0", "1.1"))  # as pip names it
        told = "was made with mine: mine-rewards 1.0, now mine-rewards 1.1"
        with pytest.raises(UserError, match=told):
            RunDirectory.resume(run.path, plan(), COMMAND)
        with pytest.raises(UserError, match=r"another recipe .*; mine: mine-rewards 1.0"):
            RunDirectory.resume(run.path, plan(RECIPE, "seed=4"), COMMAND)

    def test_refuses_another_version_of_rewardlab(self, plan, tmp_path):
        run = RunDirectory.create(plan(), COMMAND, root=tmp_path)
        run.close()
        manifest = json.loads((run.path / "manifest.json").read_text())
        (run.path / "manifest.json").write_text(json.dumps(manifest | {"rewardlab": "0.0.9"}))
        before = files(run.path)
        with pytest.raises(UserError, match=r"was made with rewardlab: 0\.0\.9, now .*; resume with what it was made"):
            RunDirectory.resume(run.path, plan(), COMMAND)
        assert files(run.path) == before

    @pytest.mark.parametrize("name", ["state.json", "manifest.json"])
    @pytest.mark.parametrize(
        "content",
        ["", "{", "[]", "7", "[" * 200_000, '{"attempt": 0, "done": ["a"]}', '{"attempt": 0, "done": [[1]]}', "\xff"],
    )
    def test_with_a_corrupt_file_is_refused(self, plan, tmp_path, name, content):
        run = RunDirectory.create(plan(), COMMAND, root=tmp_path / "runs")
        run.close()
        (run.path / name).write_text(content, encoding="latin-1")
        with pytest.raises(UserError, match="is not the folder of a run: "):
            RunDirectory.resume(run.path, plan(), COMMAND)

    def test_is_no_other_folder(self, plan, tmp_path):
        run = RunDirectory.create(plan(), COMMAND, root=tmp_path / "runs")
        run.close()
        whole = files(run.path)

        def refused(path):
            with pytest.raises(UserError, match="is not the folder of a run: "):
                RunDirectory.resume(path, plan(), COMMAND)

        refused(tmp_path / "nowhere")
        refused(tmp_path)
        refused(run.path / "manifest.json")
        for name in ("state.json", "manifest.json"):
            for broken in (
                b"",
                b"{",
                b"\xff\xfe",
                b"{}",
                b"[]",
                b"7",
                b"null",
                b'{"attempt": "x", "done": []}',
            ):
                (run.path / name).write_bytes(broken)
                refused(run.path)
            (run.path / name).write_bytes(whole[run.path / name])
        assert RunDirectory.resume(run.path, plan(), COMMAND).attempt == 1

    def test_is_refused_while_another_process_is_at_it(self, plan, tmp_path):
        run = RunDirectory.create(plan(), COMMAND, root=tmp_path)
        with pytest.raises(UserError, match="another process is running in this folder"):
            RunDirectory.resume(run.path, plan(), COMMAND)
        run.close()
        assert RunDirectory.resume(run.path, plan(), COMMAND).attempt == 1


def scored(group_of, *texts, id="s1", error=None, info=None):
    group = group_of(*(Completion(text=t, token_count=len(t), truncated=t == "cut") for t in texts), id=id)
    return ScoredGroup(
        sample=group.sample,
        completions=group.completions,
        components={
            "a": [Score(value=0.1 + 0.2, info=info or {}) for _ in texts],
            "b": [Score(error=error) for _ in texts],
        },
        totals=[1 / 3 for _ in texts],
        shaped=[0.0 for _ in texts],
    )


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class TestTheLedger:
    @pytest.fixture
    def path(self, tmp_path):
        return tmp_path / "ledger.jsonl"

    def test_names_judges_that_an_attempt_asks_without_their_licence(self, plan, tmp_path, group_of):
        """Also in an attempt that an engine begins by itself; a resume with a licence says so."""
        run = RunDirectory.create(plan(), COMMAND, folder=tmp_path / "run")
        run.note_unlicensed({})
        assert "unlicensed" not in content(run, "manifest.json")
        run.note_unlicensed({"main": "why", "second": "why"})
        run.begin_attempt()
        run.begin_attempt()
        run.note_unlicensed({})
        columns = []
        for attempt in range(3):
            path = tmp_path / "run" / "ledger.jsonl"
            book = Ledger(path, attempt)
            book.write(0, 1, [scored(group_of, "x")], trained="yes")
            book.close()
            columns.append(lines(path)[-1].get("unlicensed"))
        assert columns == ["main, second", "main, second", None]
        run.close()

    def test_has_a_line_a_completion(self, path, group_of):
        book = Ledger(path, attempt=2)
        book.write(1, 7, [scored(group_of, "x", "cut", error="no luck", info={"raw": "NaN"})], trained="yes")
        assert lines(path)[1] == {
            "version": 2,
            "attempt": 2,
            "stage": 1,
            "step": 7,
            "group": 0,
            "index": 1,
            "trained": "yes",
            "phase": "training",
            "id": "s1",
            "completion": "cut",
            "tokens": 3,
            "truncated": True,
            "components": {
                "a": {"value": 0.1 + 0.2, "error": None, "info": {"raw": "NaN"}},
                "b": {"value": None, "error": "no luck", "info": {}},
            },
            "total": 1 / 3,
            "shaped": 0.0,
        }
        book.close()
        book.close()

    def test_has_the_messages_of_a_conversation_alone(self, path, group_of):
        talk = ({"role": "assistant", "content": "x"}, {"role": "user", "content": "so?"})
        made = scored(group_of, "x", "y")
        made = replace(made, completions=[Completion.of(talk), made.completions[1]])
        book = Ledger(path, attempt=0)
        book.write(0, 3, [made], trained="yes")
        book.close()
        assert [(row["completion"], row.get("messages")) for row in lines(path)] == [("x", [*talk]), ("y", None)]

    def test_has_the_prompt_and_the_fields_once_a_group(self, path, group_of):
        prompt = ({"role": "user", "content": "1+1?"},)
        fields = {"answer": "2", "odd": [float("nan"), {"when": date(2026, 1, 2)}], "big": 10**30}
        made = scored(group_of, "x", "y")
        made = replace(made, sample=replace(made.sample, prompt=prompt, fields=fields))
        book = Ledger(path, attempt=0)
        book.write(0, 3, [made, made], trained="no", phase="during")
        book.close()
        kept = {"answer": "2", "odd": [None, {"when": "2026-01-02"}], "big": 10**30}
        assert [(row.get("prompt"), row.get("fields")) for row in lines(path)] == [([*prompt], kept), (None, None)] * 2
        assert {(row["phase"], row["step"]) for row in lines(path)} == {("during", 3)}

    def test_knows_its_phases(self, path, group_of):
        with pytest.raises(ValueError, match="no phase 'later'"):
            Ledger(path, attempt=0).write(0, 1, [scored(group_of, "x")], trained="no", phase="later")

    def test_is_there_when_write_returns_and_only_grows(self, path, group_of):
        book, seen = Ledger(path, attempt=0), b""
        for step in (1, None):
            book.write(0, step, [scored(group_of, "x"), scored(group_of, "y", id="s2")], trained="unknown")
            assert path.read_bytes().startswith(seen)
            seen = path.read_bytes()
        assert [(row["group"], row["step"], row["id"]) for row in lines(path)] == [
            (0, 1, "s1"),
            (1, 1, "s2"),
            (2, None, "s1"),
            (3, None, "s2"),
        ]
        book.close()

    def test_of_another_attempt_is_the_same_file(self, path, group_of):
        for attempt in (0, 1):
            book = Ledger(path, attempt)
            book.write(0, 1, [scored(group_of, "x")], trained="no")
            book.close()
        keys = [(row["attempt"], row["stage"], row["group"], row["index"]) for row in lines(path)]
        assert keys == [(0, 0, 0, 0), (1, 0, 0, 0)]

    def test_takes_any_text(self, path, group_of):
        text = "ü\n\u2028\x00\ud800"
        book = Ledger(path, attempt=0)
        book.write(0, 1, [scored(group_of, text, error=text)], trained="no")
        book.close()
        [row] = lines(path)
        assert row["completion"] == row["components"]["b"]["error"] == text

    def test_of_nothing_has_no_line(self, path):
        book = Ledger(path, attempt=0)
        book.write(0, 1, [], trained="no")
        book.close()
        assert path.read_bytes() == b""

    def test_hides_secrets_in_errors(self, path, group_of):
        book = Ledger(path, attempt=0)
        book.write(0, 1, [scored(group_of, "x", error="401 from https://me:s3cr3t@host/v1")], trained="no")
        book.close()
        assert lines(path)[0]["components"]["b"]["error"] == "401 from https://***@host/v1"

    @given(st.lists(st.text("ab{", max_size=9), max_size=4), st.text("ab{", max_size=30))
    def test_loses_a_torn_last_line_and_nothing_else(self, tmp_path_factory, whole, torn):
        path = tmp_path_factory.mktemp("torn") / "ledger.jsonl"
        kept = "".join(f"{line}\n" for line in whole)
        path.write_text(kept + torn)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("rewardlab.files._BLOCK", 4)
            Ledger(path, attempt=1).close()
        assert path.read_text() == kept

    def test_stays_readable_when_the_disk_is_full(self, path, group_of):
        book = Ledger(path, attempt=0)
        book.write(0, 1, [scored(group_of, "x")], trained="yes")
        before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
        old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50, limits[1]))
        try:
            with pytest.raises(JobError, match=r"ledger.jsonl cannot be written: File too large"):
                book.write(0, 2, [scored(group_of, "y")], trained="yes")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, old)
        assert path.read_bytes() == before
        book.write(0, 2, [scored(group_of, "y")], trained="yes")
        assert [(row["group"], row["step"]) for row in lines(path)] == [(0, 1), (1, 2)]
        book.close()

    def test_holds_numbers_only_that_json_knows(self, path, group_of):
        book = Ledger(path, attempt=0)
        with pytest.raises(ValueError, match="not JSON compliant"):
            book.write(0, 1, [replace(scored(group_of, "x"), totals=[float("nan")])], trained="no")
        book.close()
        assert path.read_bytes() == b""
