"""A rollout that failed is no answer: nothing is asked about it, and the others are scored as if it were not there."""

import asyncio
import json
import threading
from dataclasses import replace

import pytest
from helpers.each_case import each_case
from rewardlab import Completion, Group, GroupStream, Sample, load_reward
from rewardlab.cli import main
from rewardlab.data import to_group
from rewardlab.errors import JobError
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.scoring import MissingGuard, Scorer
from rewardlab_training import group_advantages, ledger_lines, metrics_of_step, refuse_step

COMPONENTS = """
    brief: {use: toy/brevity, with: {words: 2}, on_missing: MISSING}
    longest: {use: toy/longest, on_missing: MISSING}
"""
RECIPE = f"version: 1\nreward:\n  components:{COMPONENTS}  total: brief + longest\n  teach: {{flat: drop, by: brief}}\n"
DIED = "the sandbox died"
SAMPLE = Sample(id="one", prompt=({"role": "user", "content": "?"},))


def scorer_of(tmp_path, missing="group_mean", **options):
    (tmp_path / "r.yaml").write_text(RECIPE.replace("MISSING", missing))
    return Scorer(make_plan(load(tmp_path / "r.yaml"), purpose="score"), **options)


def completions(*texts):
    """Completions of these texts; of None a rollout that failed."""
    return [Completion(text="", error=DIED) if text is None else Completion(text=text) for text in texts]


@each_case("missing", ["fail", "group_mean", "zero_advantage", "'0'"])
def test_the_others_have_the_scores_that_they_have_without_it(toy, tmp_path, missing):
    """Whatever the recipe says of missing values: it is no answer that a reward had no value for."""
    with scorer_of(tmp_path, missing.strip("'")) as scorer:
        with_it, without = scorer.score_groups(
            Group(sample=SAMPLE, completions=completions(*texts))
            for texts in ((None, "a", "a b c d", "a b c d e"), ("a", "a b c d", "a b c d e"))
        )
    assert with_it.totals == [None, *without.totals]
    assert group_advantages("grpo", with_it) == [0.0, *group_advantages("grpo", without)]
    assert {scores[0].error for scores in with_it.components.values()} == {f"the rollout failed: {DIED}"}
    assert with_it.left_out == without.left_out is None
    assert metrics_of_step([with_it])["rollout/failed"] == 0.25
    assert f'"error": "{DIED}"'.encode() in ledger_lines(with_it)[0]
    assert b'"error": "' not in ledger_lines(without)[0]


def test_it_may_arrive_last_when_the_others_are_being_compared(toy, tmp_path):
    with scorer_of(tmp_path) as scorer:
        stream = GroupStream(SAMPLE, 3)

        async def arrive():
            scoring = asyncio.ensure_future(scorer.score(stream))
            for index, completion in enumerate(completions("a", "a b c", None)):
                stream.put(index, completion)
                await asyncio.sleep(0.01)
            return await scoring

        late = asyncio.run(arrive())
        (whole,) = scorer.score_groups([Group(sample=SAMPLE, completions=completions("a", "a b c", None))])
    assert late == whole
    assert [total is None for total in late.totals] == [False, False, True]


def test_no_judge_is_asked_about_it(toy, tmp_path, monkeypatch):
    """Though it came last, and with a text."""
    from toy_rewards.rewards import PoliteJudge

    asked, ask, begun = set(), PoliteJudge.ask, threading.Event()

    def noted(judge, question):
        asked.add(question.parts["a"])
        begun.set()
        return ask(judge, question)

    monkeypatch.setattr(PoliteJudge, "ask", noted)
    judged = RECIPE.replace("version: 1\n", "version: 1\njudges: {main: {use: toy/polite}}\n")
    judged = judged.replace("MISSING", "fail").replace(
        "  total:", "    polite: {use: toy/prefer, with: {judge: main}}\n  total:"
    )
    (tmp_path / "r.yaml").write_text(judged)
    with Scorer(make_plan(load(tmp_path / "r.yaml"), purpose="score")) as scorer:
        stream = GroupStream(SAMPLE, 3)
        scoring = scorer.home.submit(scorer.score(stream))
        for index, completion in enumerate([*completions("a", "a b c"), Completion(text="please", error=DIED)]):
            stream.put(index, completion)
            assert begun.wait(60), "it is asked about the first before the others are there"
        scored = scoring.result()
        assert [score.value is None for score in scored.components["polite"]] == [False, False, True]
    assert asked == {"a", "a b c"}


@each_case("missing", ["fail", "group_mean"])
def test_a_group_of_nothing_else_has_no_total_and_ends_a_job_that_has_no_other(toy, tmp_path, missing):
    with scorer_of(tmp_path, missing) as scorer:
        scored, half = scorer.score_groups(
            Group(sample=SAMPLE, completions=completions(*texts)) for texts in ((None, None), (None, "a"))
        )
        assert scored.totals == [None, None]
        if missing == "fail":  # as long as there is one answer
            refuse_step(scorer.composition.uses, [scored, half])
        with pytest.raises(JobError, match=f"brief.*has no value for 2 of the last 2 .*the rollout failed: {DIED}"):
            refuse_step(scorer.composition.uses, [scored])


def test_the_first_group_of_many_calls_may_have_nothing_else(toy, tmp_path):
    """A guard of many calls, as those of doors, waits for 50."""
    rows = [{"prompt": "?", "completions": [{"error": DIED}] * 2}]
    (tmp_path / "r.yaml").write_text(RECIPE.replace("MISSING", "group_mean"))
    with load_reward(tmp_path / "r.yaml") as reward:
        guard = MissingGuard.over_rows(reward.plan.guarded_uses)
        for score in (reward.score, lambda *given, **like: asyncio.run(reward.ascore(*given, **like))):
            assert score(rows, guard=guard)[0].totals == [None, None]
        with pytest.raises(JobError, match="no value for any of 2"):
            reward.score(rows)


def test_a_resumed_file_of_scores_does_not_score_it_again(toy, tmp_path, capsys, monkeypatch):
    (tmp_path / "r.yaml").write_text(RECIPE.replace("MISSING", "fail"))
    row = {"prompt": "?", "completions": ["a", {"error": DIED}, "a b c d"]}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    monkeypatch.chdir(tmp_path)
    score = ["score", "r.yaml", "rows.jsonl", "--output", "scored.jsonl"]
    assert main(score) == 0
    first = (tmp_path / "scored.jsonl").read_bytes()
    assert main([*score, "--resume"]) == 0
    out = "".join(capsys.readouterr())
    assert "1 of 1 rows have scores" in out
    assert " again, in which a part of a total is missing" not in out
    assert (tmp_path / "scored.jsonl").read_bytes() == first


def test_it_needs_no_count_of_tokens(toy):
    """No normalizer counts it."""
    reward = {"components": {"brief": {"use": "toy/brevity"}}, "total": "brief"}
    reward["normalize"] = [{"use": "normalize/length", "with": {"reference_length": 4}}]
    counted = [{"text": "a", "token_count": 3}, {"text": "a b c d", "token_count": 9}]
    with load_reward({"version": 1, "reward": reward}) as loaded:
        (group,) = loaded.score([{"prompt": "?", "completions": [*counted, {"error": DIED}]}])
        (alone,) = loaded.score([{"prompt": "?", "completions": counted}])
    assert list(group.shaped[:2]) == list(alone.shaped)


def test_one_that_was_cut_as_well_has_no_total_of_0(toy, tmp_path):
    cut = [replace(completion, truncated=True) for completion in completions(None, "a b c")]
    with scorer_of(tmp_path, zero_truncated=True) as scorer:
        (scored,) = scorer.score_groups([Group(sample=SAMPLE, completions=[*cut, *completions("a")])])
    assert scored.totals[:2] == [None, 0.0]


@each_case("total", ["1", "0.5 + 0.5", "0 * brief", "progress"])
def test_a_total_that_no_answer_changes_is_none_of_it(toy, total):
    reward = {"components": {"brief": {"use": "toy/brevity"}}, "total": total}
    with load_reward({"version": 1, "reward": reward}) as loaded:
        (group,) = loaded.score([{"prompt": "?", "completions": ["a", {"error": DIED}]}])
    assert [value is None for value in group.totals] == [False, True]


@each_case(
    "completion, failure",
    [
        ({"text": "", "token_count": 0}, "the policy sampled no token"),
        ({"text": "", "token_count": 1}, None),  # an end alone is an answer
        ({"text": ""}, None),
        ({"text": "a", "token_count": 0}, None),
        ({"error": DIED}, DIED),
        ({"text": "a", "error": DIED, "seconds": 2}, DIED),
        ({"messages": [{"role": "user", "content": "it is dark"}], "error": DIED}, DIED),
    ],
)
def test_the_sign_is_an_error_or_no_token_at_all(completion, failure):
    group = to_group({"prompt": "?", "completions": [completion]}, {})
    assert group.completions[0].failure == failure
    assert Completion(**group.completions[0].as_dict()).as_dict() == group.completions[0].as_dict()


@each_case(
    "completion, problem",
    [
        ({"text": "a", "error": ""}, r"completions\[0\].error must be a text that says why the rollout failed"),
        ({"text": "a", "error": True}, "error must be a text"),
        ({"text": "a", "seconds": -1}, "seconds must be a number of 0 or more"),
        ({"text": "a", "seconds": float("nan")}, "seconds must be a number of 0 or more"),
        ({"error": None}, "text must be a text; it is absent"),
        ({"messages": [{"role": "user", "content": "it is dark"}]}, "has no assistant message"),
    ],
)
def test_bad_signs_are_refused(completion, problem):
    with pytest.raises(ValueError, match=problem):
        to_group({"prompt": "?", "completions": [completion]}, {})


def test_people_read_why(toy):
    recipe = {"version": 1, "reward": {"components": {"brief": {"use": "toy/brevity"}}, "total": "brief"}}
    with load_reward(recipe) as reward:
        (group,) = reward.score([{"prompt": "?", "completions": ["a", {"error": DIED}]}])
    assert group.by_completion()[1].components["brief"].reason == f"the rollout failed: {DIED}"
