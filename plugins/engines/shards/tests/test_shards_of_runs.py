"""`eval` of a served policy and data stages in shards: the whole runs on the shards' answers, and asks nothing anew."""

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rewardlab.judging import JudgingSettings, Share
from rewardlab_shards.elsewhere import ScorerElsewhere
from rewardlab_shards.host_actor import HostActor, versions
from rewardlab_shards.ray_scorer import Scoring
from rewardlab_shards.run_shards import Spread
from rewardlab_training import load_evaluation

RECIPE = """
    version: 1
    model: {{use: tiny}}
    judges:
      main: {{use: openai/chat, with: {{model: first, base_url: "{url}"}}, concurrency: 8, retries: 0}}
    dataset: {{use: toy/counting, with: {{rows: 40}}, holdout: 0.5}}
    reward:
      components: {{brevity: {{use: toy/brevity, with: {{words: 3}}}}}}
      total: brevity
    stages:
      - {{use: eval, samples: 2, policy: {{judge: main, max_missing: 0}}}}
    backend: {{use: toy}}
"""


@pytest.fixture
def server(judge_server, write, toy):
    def answer(request):
        return "one" + " two" * (len(request["messages"][-1]["content"]) % 3)

    with judge_server.Serving(judge_server.JudgeServer(answer=answer)) as running:
        write("r.yaml", RECIPE.format(url=running.url))
        yield running


def files(folder):
    names = ["ledger.jsonl", "evaluation/0-eval-results.json", "evaluation/0-eval-results.rows.jsonl"]
    return {name: re.sub(r'"attempt": ?\d+', "", (Path(folder) / name).read_text()) for name in names}


def test_an_evaluation_in_shards_is_one_on_all_their_answers(server, main, tmp_path):
    assert main("eval", "r.yaml", "--run-dir", "one")[0] == 0
    before = server.answered
    for part in (1, 2, 3):
        code, out, err = main("eval", "r.yaml", "--run-dir", "all", "--shard", f"{part}/3")
        assert code == 0, err
    asked = server.answered - before
    code, out, err = main("merge", "all")
    assert code == 0, err
    assert server.answered - before - asked <= 1  # the call that tries the server before a run
    assert f"{asked - 3} answers reused" in out  # each of the three tried the server first
    assert files(tmp_path / "all") == files(tmp_path / "one")


def test_an_unfinished_shard_is_named_and_goes_on(server, main, tmp_path):
    assert main("eval", "r.yaml", "--run-dir", "all", "--shard", "2/2")[0] == 0
    code, _, err = main("merge", "all")
    assert (code, "all: shards are missing: all.1-of-2" in err) == (2, True)
    asked = server.answered
    server.fault = lambda number, _: "500" if number > asked + 3 else None
    assert main("eval", "r.yaml", "--run-dir", "all", "--shard", "1/2")[0] == 1
    server.fault = None
    code, _, err = main("merge", "all")
    assert (code, "all.1-of-2: shard 1/2 is not finished; go on with it" in err) == (2, True)
    code, _, err = main("eval", "--resume", "all.1-of-2")
    assert (code, "this is shard 1/2; go on with --shard 1/2" in err) == (2, True)
    assert main("eval", "--resume", "all.1-of-2", "--shard", "1/2")[0] == 0
    assert main("merge", "all")[0] == 0


def test_a_merge_that_was_stopped_goes_on(server, main, tmp_path):
    assert main("eval", "r.yaml", "--run-dir", "one")[0] == 0
    asked = server.answered
    server.fault = lambda number, _: "500" if number > asked + 1 else None
    assert main("eval", "r.yaml", "--run-dir", "all")[0] == 1  # as far as a kill may leave it: nothing is copied yet
    server.fault = None
    for part in (1, 2):
        assert main("eval", "r.yaml", "--run-dir", "all", "--shard", f"{part}/2")[0] == 0
    code, _, err = main("merge", "all", "-o", "other")
    assert (code, "a merge of eval writes what that command writes" in err) == (2, True), err
    asked = server.answered
    for _ in range(2):
        code, _, err = main("merge", "all")
        assert code == 0, err
    assert server.answered - asked <= 2  # the calls that try the server
    assert files(tmp_path / "all") == files(tmp_path / "one")


def test_a_shard_without_a_prompt_is_one_of_the_whole(server, main, tmp_path):
    few = "stages.0.prompts=2"
    assert main("eval", "r.yaml", few, "--run-dir", "one")[0] == 0
    for part in range(1, 6):
        code, _, err = main("eval", "r.yaml", few, "--run-dir", "all", "--shard", f"{part}/5")
        assert code == 0, err
    assert main("merge", "all")[0] == 0
    assert files(tmp_path / "all") == files(tmp_path / "one")


def test_shards_of_two_recipes_are_named(server, main):
    assert main("eval", "r.yaml", "--run-dir", "all", "--shard", "1/2")[0] == 0
    assert main("eval", "r.yaml", "--run-dir", "all", "--shard", "2/2", "reward.total=2 * brevity")[0] == 0
    code, _, err = main("merge", "all")
    assert (code, "all.2-of-2: was made with another recipe than shard 1/2" in err) == (2, True)


def test_a_recipe_that_has_changed_since_is_no_recipe_of_the_merge(server, main, write, tmp_path):
    assert main("eval", "r.yaml", "--run-dir", "all", "--shard", "1/1")[0] == 0
    asked = server.answered
    write("r.yaml", RECIPE.format(url=server.url).replace("words: 3", "words: 4"))
    code, _, err = main("merge", "all")
    assert (code, "all.1-of-1: was made with another recipe than the whole would be now" in err) == (2, True), err
    assert server.answered - asked <= 1  # the call that tries the server
    assert not (tmp_path / "all").exists()
    write("r.yaml", RECIPE.format(url=server.url))
    assert main("merge", "all")[0] == 0


def test_a_merge_that_comes_again_has_all_answers(tmp_path):
    """A copy that was cut by a kill, or is older than what its shard has by now, is no longer used."""
    shard, job = tmp_path / "shard", tmp_path / "job"
    for folder, text in ((shard, "one\ntwo\n"), (job, "on")):
        folder.mkdir()
        (folder / "main.1-of-2.answers.jsonl").write_text(text)
    Spread(answers=[shard]).gather(job)
    assert [(file.name, file.read_text()) for file in job.iterdir()] == [("main.1-of-2.answers.jsonl", "one\ntwo\n")]


def test_what_trains_is_not_divided(server, main, write):
    write(
        "t.yaml",
        RECIPE.format(url=server.url).replace(
            "- {use: eval, samples: 2, policy: {judge: main, max_missing: 0}}",
            "- {use: rl, algorithm: grpo, group_size: 2, batch_size: 2, steps: 1}",
        ),
    )
    code, _, err = main("run", "t.yaml", "--shard", "1/2")
    assert (code, "--shard divides data stages" in err) == (2, True), err


def test_an_evaluation_in_shards_has_a_folder_to_be_named_after(server, main):
    code, _, err = main("eval", "r.yaml", "--shard", "1/2")
    assert (code, "--shard of an evaluation goes with --run-dir DIR" in err) == (2, True)


def test_only_a_served_policy_is_scored_on_other_machines(server, main, write, tmp_path):
    write("m.yaml", RECIPE.format(url=server.url).replace(", policy: {judge: main, max_missing: 0}", ""))
    for words, told in (
        (["--on", "ray", "--shard", "1/2", "--run-dir", "d"], "--on: goes without --shard: it divides the rows itself"),
        (["--on", "rey"], "nothing here scores on 'rey'"),
        (["--on", "ray"], "m.yaml:11: stages.0: --on is for data stages and evaluations of a served policy alone"),
        (["--on", "http://head:8265"], "ray job submit --address http://head:8265"),
    ):
        code, _, err = main("eval", "m.yaml" if told.startswith("m.yaml") else "r.yaml", *words)
        assert (code, told in err) == (2, True), err
    assert server.answered <= 4  # calls that try the policy


class HostHere:
    """A host in this process, a `ScoreSource`: what an actor does, without Ray."""

    hosts = 1

    def __init__(self, plan, folder):
        cloudpickle = pytest.importorskip("cloudpickle")  # which Ray has in itself
        judging = JudgingSettings(folder=folder, share=Share(1, 2), stop_on_unparsable=True)
        self.host = HostActor(cloudpickle.dumps((Scoring, plan)), judging, versions([]))
        self.seen = {}

    async def scores(self, group):
        part = await self.host.results([group])
        self.seen = part.usage
        return part.results[0]

    def usage(self):
        return self.seen

    def close(self):
        asyncio.run(self.host.close())


JUDGED = """
    reward:
      components:
        safe:
          use: rubric/binary
          with: {judge: helper, rubric: {description: "Is it safe?", scoring: {true: It is., false: It is not.}}}
      total: safe
"""


def test_hosts_score_what_the_driver_asks_a_policy(server, main, write, tmp_path):
    """The policy has its whole limits here, and a host its part of those of the reward's judge."""
    helper = f'helper: {{use: openai/chat, with: {{model: second, base_url: "{server.url}"}}, concurrency: 8}}'
    recipe = RECIPE.format(url=server.url).replace("    dataset:", f"      {helper}\n    dataset:")
    write("j.yaml", re.sub(r"    reward:.*?(?=    stages:)", JUDGED.lstrip("\n"), recipe, flags=re.S))
    policy, verdict = server.answer, json.dumps({"explanation": "It is.", "score": True})
    server.answer = lambda request: verdict if "Is it safe?" in str(request) else policy(request)
    assert main("eval", "j.yaml", "--run-dir", "one")[0] == 0
    opened = []

    def on_a_host(plan, judging, asked):
        assert asked == ["main"]
        of_host = replace(plan, judges={"helper": plan.judges["helper"]})
        opened.append(ScorerElsewhere(plan, HostHere(of_host, judging.folder), asked, judging))
        return opened[0]

    lines = []
    job = load_evaluation("j.yaml", folder=tmp_path / "two", say=lines.append)
    job.spread = Spread(open_scorer=on_a_host)
    job.run()
    assert files(tmp_path / "two") == files(tmp_path / "one")
    assert {name for name, usage in opened[0].judges.usage().items() if usage.asked} == {"main", "helper"}
    assert [line.split(":")[0] for line in lines if line.startswith("judge ")] == ["judge main", "judge helper"]
    kept = {re.sub("@[0-9a-f]+", "", file.name) for file in (tmp_path / "two" / "judges").glob("*.answers.jsonl")}
    assert kept == {"main.answers.jsonl", "helper.1-of-2.answers.jsonl"}
