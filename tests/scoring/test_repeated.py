"""A component that asks its judge several times, or several judges: one value of many, and their spread."""

import json
import sys

import pytest
from helpers.each_case import each_case
from rewardlab import Completion, Group, Sample
from rewardlab.errors import JobError, UserError
from rewardlab.judging import JudgingSettings
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import load
from rewardlab.scoring.scorer import Scorer
from rewardlab_measure.judge_agreement.retests import criterion_flips
from rewardlab_training import most_questions
from rewardlab_training.idle_settings import idle_settings

PLUGIN = '''
from rewardlab import Ask, Config, JudgeSpec, Reply, RewardSpec, Score, hookimpl

ASKED = []

class Says(Config):
    values: dict[str, list[float | None]]
    temperature: float | None = None
    seed: int | None = None

class Scripted:
    """Gives the value of the answer and draw."""
    def __init__(self, options, context):
        self._values = options.values
    async def ask(self, ask):
        ASKED.append((ask.parts.get("answer"), ask.draw, [m["content"] for m in ask.messages]))
        if "answer" not in ask.parts:
            down = "solve" in self._values
            return Reply(error="it is down") if down else Reply(text=f"four, in draw {ask.draw}")
        values = self._values[ask.parts["answer"]]
        value = values[ask.draw % len(values)]
        if value == -1:
            return Reply(text="a mumble")
        return Reply(error="it is down") if value is None else Reply(text=str(value))

class Options(Config):
    judge: str

class Two(Options):
    other: str

class Asking:
    def __init__(self, options, context):
        self._judge = context.judges[options.judge]
    async def score(self, items):
        return [await self._one(sample, c.text) for sample, c in items]
    async def _one(self, sample, text):
        question = {"role": "user", "content": text}
        reply = await self._judge.ask(Ask(messages=(question,), parts={"query": "2+2", "answer": text}))
        if reply.error:
            return Score(error=reply.error)
        self._judge.report_parsed(reply, "mumble" not in reply.text)
        if "mumble" in reply.text:
            return Score(error="no verdict")
        return Score(value=float(reply.text), info={"raw": reply.text, "tokens": 3})

class Critic(Asking):
    async def _one(self, sample, text):
        score = await super()._one(sample, text)
        return score if score.error else Score(value=score.value, info={"scores": {"short": score.value == 1}})

class InGroup(Asking):
    async def score(self, stream):
        group = await stream.group()
        return await super().score([(group.sample, c) for c in group.completions])

def question(options):
    return Ask(messages=({"role": "user", "content": "a"},), parts={"query": "", "answer": "a"})

def bare(options):
    return Ask(messages=({"role": "user", "content": "a"},), parts={"answer": "a"})

def spec(name, build, scope, question=question, config=Options, judges=("judge",)):
    return RewardSpec(name=name, summary="s", runs="async", scope=scope, config=config, judges=judges,
                      calls=lambda options, size: size, question=question, build=build)

@hookimpl
def rewardlab_rewards():
    own = RewardSpec(name="one", summary="s", runs="inline", build=lambda options, context: None)
    wordless = [spec("bare", Asking, "completion", bare), spec("unsaid", Asking, "completion", None)]
    wordless.append(spec("critic", Critic, "completion"))
    two = spec("two", Asking, "completion", config=Two, judges=("judge", "other"))
    return [spec("alone", Asking, "completion"), spec("group", InGroup, "group"), *wordless, two, own]

@hookimpl
def rewardlab_judges():
    return [JudgeSpec(name=name, summary="s", reads="parts" if name == "of_parts" else "messages",
                      local=name != "remote", config=Says, build=Scripted)
            for name in ("scripted", "remote", "of_parts")]
'''
ANSWERS = {"a": [1.0, 0.0, 1.0, 1.0, 1.0, 1.0], "b": [0.5], "d": [None, 1.0, 1.0], "c": [0.0, None, 0.0, 0.0, 0.0, 0.0]}
OTHER = {"a": [0.0], "b": [0.5], "c": [1.0]}
DEAF = {"a": [None], "b": [0.5], "c": [None]}
MUMBLED = [f"m{number}" for number in range(60)]


@pytest.fixture
def planned(offer, write):
    """The plan of a recipe whose component `a` has these keys, beside judges main, second and third."""
    offer("mine", PLUGIN)

    def plan(keys, reward="alone", judge="main", of_judge="", host="", kind="scripted", of_reward="", more=""):
        judges = {
            "main": (ANSWERS, of_judge),
            "second": (OTHER, ""),
            "third": (ANSWERS, ""),
            "mute": ({**ANSWERS, "solve": []}, ""),
            "deaf": (DEAF, ""),
            "mumbler": ({text: [-1.0] for text in MUMBLED}, ""),
        }
        lines = ["version: 1", "judges:"]
        lines += [
            f"  {name}: {{use: mine/{kind}, with: {{values: {values}{own}}}{host}}}".replace("None", "null")
            for name, (values, own) in judges.items()
        ]
        with_ = "" if reward == "one" else f", with: {{judge: {judge}{more}}}"
        lines += ["reward:", "  components:", f"    a: {{use: mine/{reward}{with_}{keys}}}", "  total: a", of_reward]
        return make_plan(load(write("r.yaml", "\n".join(lines) + "\n")), purpose="score")

    return plan


@pytest.fixture
def scored(planned):
    """The scores of the answers, their totals, and what was asked: (answer, draw, messages)."""

    def score(keys, texts="abc", **more):
        with Scorer(planned(keys, **more)) as scorer:
            asked = sys.modules["plugin_mine_mine_rewards"].ASKED
            asked.clear()
            group = Group(
                sample=Sample(id="s", prompt=({"role": "user", "content": "2+2"},)),
                completions=[Completion(text=text) for text in texts],
            )
            (made,) = scorer.score_groups([group])
        return made.components["a"], made.totals, list(asked)

    return score


@pytest.mark.parametrize("reward", ["alone", "group"])
@each_case("combine, values", [("mean", [2 / 3, 0.5, 0.0]), ("median", [1.0, 0.5, 0.0]), ("majority", [1.0, 0.5, 0.0])])
def test_values_of_repeats_become_one_as_declared(scored, reward, combine, values):
    scores, totals, asked = scored(f", repeats: 3, combine: {combine}", reward=reward)
    assert sorted((text, draw) for text, draw, _ in asked) == [(text, draw) for text in "abc" for draw in range(3)]
    assert totals == [score.value for score in scores] == pytest.approx(values)


def test_the_spread_and_each_value_are_told_and_the_answer_that_decided_stays(scored):
    scores, _, _ = scored(", repeats: 3, combine: median")
    info = scores[0].info
    assert info["repeats"] == {"values": {"main": [1.0, 0.0, 1.0]}, "spread": pytest.approx(0.4714, abs=1e-4)}
    assert info["raw"] == "1.0"
    assert info["tokens"] == 9, "of all three"
    assert scores[2].info["repeats"]["values"] == {"main": [0.0, None, 0.0]}, "one that got no answer is no 0"
    assert scores[1].info["repeats"]["spread"] == 0.0


def test_of_a_group_all_that_is_told_comes_from_one_draw(scored):
    """Its verdicts name each other's answers: those of a draw that lost one are not read beside another draw's."""
    scores, _, _ = scored(", repeats: 2, on_missing: group_mean, max_missing: 1.0", reward="group", texts="ad")
    assert [score.info["repeats"]["values"] for score in scores] == [{"main": [1.0, 0.0]}, {"main": [None, 1.0]}]
    assert [score.info["raw"] for score in scores] == ["0.0", "1.0"], "the second draw, in which both have a value"


def test_each_draw_says_of_each_criterion_whether_it_is_met(scored):
    """By which `rewardlab judge --repeats` says how often the verdict on a criterion flips."""
    scores, _, _ = scored(", repeats: 3", reward="critic", texts="ac")
    kept = [score.info["repeats"]["scores"]["main"] for score in scores]
    assert kept == [[{"short": True}, {"short": False}, {"short": True}], [{"short": False}, None, {"short": False}]]
    flips = criterion_flips((score, at) for at, score in enumerate(scores))
    assert flips["short"]["retests"] == 2
    assert flips["short"]["retest_flips"] == pytest.approx(1 / 3)


def test_a_judge_says_how_often_it_is_asked_unless_the_component_does(planned):
    assert planned("").draws("a") == {"main": 1}
    assert planned("", host=", repeats: 4").draws("a") == {"main": 4}
    assert planned(", repeats: 2", host=", repeats: 4").draws("a") == {"main": 2}


def test_without_repeats_nothing_changes(scored):
    scores, _, asked = scored("", texts="ab")
    assert [(score.value, dict(score.info)) for score in scores] == [
        (1.0, {"raw": "1.0", "tokens": 3}),
        (0.5, {"raw": "0.5", "tokens": 3}),
    ]
    assert [draw for _, draw, _ in asked] == [0, 0]


class TestUnstable:
    def test_it_is_missing_and_the_policy_applies(self, scored):
        keys = ", repeats: 3, on_missing: 0.25, max_missing: 1.0, on_unstable: {spread: 0.3, then: missing}"
        scores, totals, _ = scored(keys)
        assert scores[0].value is None
        assert scores[0].error == "unstable: its values spread by 0.471, more than on_unstable.spread: 0.3"
        assert totals == [0.25, 0.5, 0.0]

    @pytest.mark.parametrize("missing", ["fail", "group_mean", "0.7"])
    def test_it_teaches_nothing_whatever_failures_become(self, scored, missing):
        keys = f", repeats: 3, on_missing: {missing}, max_missing: 1.0"
        scores, totals, _ = scored(f"{keys}, on_unstable: {{spread: 0.3, then: zero_advantage}}")
        assert scores[0].info["unstable"] is True
        assert totals == [None, 0.5, 0.0]

    def test_an_outcome_that_is_unstable_has_no_vote_and_ends_no_job(self, scored):
        keys = ", repeats: 3, on_unstable: {spread: 0.3, then: zero_advantage}"
        _, totals, _ = scored(keys, of_reward="  correctness: a\n  teach: {flat: drop}")
        assert totals == [None, 0.5, 0.0]

    def test_of_a_panel_those_are_asked_again_who_were_asked(self, scored):
        keys = ", repeats: 3, escalate: {apart: 0.5}, on_unstable: {spread: 0.4, then: ask_more}"
        scores, _, asked = scored(keys, judge="[main, second]", texts="a")
        assert scores[0].info["repeats"]["values"] == {"main": [1.0, 0.0, 1.0, 1.0, 1.0, 1.0]}
        assert sorted(draw for _, draw, _ in asked) == [0, 1, 2, 3, 4, 5]

    @pytest.mark.parametrize(("reward", "more"), [("alone", "a"), ("group", "abc")])
    def test_more_is_asked_about_it_once(self, scored, reward, more):
        scores, totals, asked = scored(", repeats: 3, on_unstable: {spread: 0.4, then: ask_more}", reward=reward)
        assert totals[0] == pytest.approx(5 / 6)
        assert sorted((text, draw) for text, draw, _ in asked if draw > 2) == [(t, d) for t in more for d in (3, 4, 5)]
        assert "unstable" not in scores[0].info, "0.37 is below 0.4"
        assert scored(", repeats: 3, on_unstable: {spread: 0.2, then: ask_more}")[0][0].info["unstable"] is True


class TestPanel:
    def test_its_judges_count_alike(self, scored, planned):
        scores, totals, _ = scored("", judge="[main, second]", texts="ab")
        assert totals == [0.5, 0.5]
        assert scores[0].info["repeats"]["values"] == {"main": [1.0], "second": [0.0]}
        assert scores[0].info["raw"] == "1.0", "that of the value that is nearest, the first of two"
        assert planned("", judge="[main, second]").draws("a") == {"main": 1, "second": 1}

    def test_each_judge_is_asked_as_often_as_it_says(self, scored):
        scores, totals, _ = scored(", repeats: 2", judge="[second, third]", texts="a")
        assert scores[0].info["repeats"]["values"] == {"second": [0.0, 0.0], "third": [1.0, 0.0]}
        assert totals == [0.25]

    def test_the_next_is_asked_only_where_there_is_doubt(self, scored):
        keys = ", escalate: {unsure: [0.4, 0.6], apart: 0.1}"
        scores, totals, _ = scored(keys, judge="[second, main, third]", texts="abc")
        judges = [list(score.info.get("repeats", {}).get("values", {"second": 1})) for score in scores]
        assert judges == [["second"], ["second", "main"], ["second"]], "only b is unsure, and main says the same"
        assert totals == [0.0, 0.5, 1.0]
        keys = ", escalate: {unsure: [0.0, 1.0], apart: 0.1}"
        scores, totals, _ = scored(keys, judge="[second, main, third]", texts="ab")
        assert list(scores[0].info["repeats"]["values"]) == ["second", "main", "third"], "the first two differ on a"
        assert totals == [pytest.approx(2 / 3), 0.5]

    @pytest.mark.parametrize("reward", ["alone", "group"])
    def test_without_one_of_its_judges_a_value_is_missing(self, scored, reward):
        """The others alone are another instrument: one that is down would raise or lower whom it was not asked of."""
        keys = ", repeats: 2, on_missing: 0.25, max_missing: 1.0"
        scores, totals, _ = scored(keys, judge="[main, deaf]", reward=reward)
        assert [score.error for score in scores] == [
            "judge 'deaf' of the panel gives no value: it is down",
            None,
            "judge 'deaf' of the panel gives no value: it is down",
        ]
        assert totals == [0.25, 0.5, 0.25]
        assert scores[0].info["repeats"]["values"] == {"main": [1.0, 0.0], "deaf": [None, None]}

    @each_case(
        "judge, escalate, total",
        [
            ("[deaf, main]", "{}", 1.0),
            ("[main, deaf]", "{unsure: [0.0, 0.5]}", 1.0),
            ("[main, deaf]", "{unsure: [0.0, 1.0]}", 0.25),
            ("[main, deaf, third]", "{unsure: [0.0, 1.0]}", 1.0),
            ("[main, deaf, second]", "{unsure: [0.0, 1.0]}", 0.25),
            ("[main, deaf, second]", "{unsure: [0.0, 1.0], apart: 1.0}", 0.5),
        ],
    )
    def test_the_next_judge_stands_in_where_it_leaves_no_doubt(self, scored, judge, escalate, total):
        keys = f", on_missing: 0.25, max_missing: 1.0, escalate: {escalate}"
        assert scored(keys, judge=judge, texts="a")[1] == [total]

    def test_another_judge_of_the_reward_is_none_of_it(self, scored, planned):
        more = {"reward": "two", "judge": "[main, second]", "more": ", other: third"}
        assert planned(", repeats: 2", **more).draws("a") == {"main": 2, "third": 4, "second": 2}
        scores, _, _ = scored(", repeats: 2", texts="a", **more)
        assert list(scores[0].info["repeats"]["values"]) == ["main", "second"]

    def test_a_draw_that_is_lost_leaves_the_others(self, scored):
        scores, totals, _ = scored(", repeats: 2, escalate: {}", judge="[main, second]", texts="c")
        assert scores[0].info["repeats"]["values"] == {"main": [0.0, None]}
        assert totals == [0.0]


def test_a_judge_that_commits_solves_first_and_sees_its_answer(scored):
    _, _, asked = scored(", repeats: 2, commit_first: true", texts="a")
    solved = [messages for answer, _, messages in asked if answer is None]
    assert len(solved) == 2
    assert all("2+2" in messages[0] for messages in solved)
    judged = {draw: messages for answer, draw, messages in asked if answer == "a"}
    assert {draw: messages[1:] for draw, messages in judged.items()} == {
        0: ["four, in draw 0", "a"],
        1: ["four, in draw 1", "a"],
    }, "each draw has an answer of its own"


@each_case(
    "keys, judge, most",
    [
        ("", "main", {"main": 4}),
        (", repeats: 3", "main", {"main": 12}),
        (", repeats: 3, on_unstable: {spread: 1, then: ask_more}", "main", {"main": 24}),
        (", repeats: 3, commit_first: true", "main", {"main": 15}),
        (", repeats: 2", "[main, second]", {"main": 8, "second": 8}),
    ],
)
def test_the_plan_counts_every_question(planned, keys, judge, most):
    assert most_questions(planned(keys, judge=judge), "a", 4) == most


@each_case(
    "keys, judge, reward, problem",
    [
        ("", "[main]", "alone", "with.judge: a panel has two judges or more; of one write judge: main, and "
         "`repeats`"),
        ("", "[main, main]", "alone", "with.judge: a panel names a judge twice; `repeats: 2` asks each of them twice"),
        ("", "[main, secnd]", "alone", "with.judge: no judge 'secnd'; did you mean 'second'?"),
        ("", "[secnd, main]", "alone", "with.judge: no judge 'secnd'; did you mean 'second'?"),
        (", repeats: 2", "main", "one", "repeats: mine/one asks no judge, so that nothing uses `repeats`; leave it "
         "out"),
        (", on_unstable: {spread: 1, then: ask_more}", "main", "alone", "on_unstable: one value has no spread; set "
         "`repeats: 3` or more, or a panel of judges"),
        (", escalate: {}", "main", "alone", "escalate: asks one judge after another, and there is one; list several "
         "under `with`"),
        (", escalate: {unsure: [0.6, 0.4]}", "[main, second]", "alone", "escalate.unsure: the lower end comes first"),
        (", commit_first: true", "main", "bare", "commit_first: the questions of mine/bare have no part `query`, the "
         "task to solve first"),
        (", commit_first: true", "main", "unsaid", "commit_first: mine/unsaid does not say what it asks: its spec has "
         "no `question`"),
        (", repeats: 2, on_unstable: {spread: 1, then: missing}", "main", "alone", "on_unstable: `then: missing` would "
         "end the job at the first unstable value, since `on_missing` is fail; set on_missing: group_mean, or take "
         "then: zero_advantage"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_error_with_its_remedy(planned, keys, judge, reward, problem):
    with pytest.raises(UserError) as error:
        planned(keys, judge=judge, reward=reward)
    (line,) = str(error.value).splitlines()
    assert line.partition("reward.components.a.")[2] == problem


def test_a_judge_that_reads_parts_solves_no_task(planned):
    with pytest.raises(UserError, match=r"a\.commit_first: one of its judges is no chat model"):
        planned(", commit_first: true", kind="of_parts")


def test_keys_that_do_nothing_are_told(planned):
    def told(keys, **more):
        return [(place[-1], why) for place, why in idle_settings(planned(keys, **more)) if place[1:3] != ("main",)]

    def of_a(keys, **more):
        return [(key, why) for key, why in told(keys, **more) if key in ("combine", "escalate")]

    assert of_a(", combine: median") == [("combine", "there is one value to combine; set `repeats`, or leave it out")]
    assert of_a(", combine: median", judge="[main, second]") == of_a(", combine: median, repeats: 2") == []
    ((key, why),) = of_a(", escalate: {apart: 0.2}", judge="[main, second]")
    assert (key, why[:60]) == ("escalate", "its second judge is asked only where the first fails, as `un")
    assert of_a(", repeats: 2, escalate: {}", judge="[main, second]") == []


def test_repeats_of_one_answer_are_told(planned):
    def told(keys, of_judge):
        return planned(keys, of_judge=of_judge).notes

    (warning,) = told(", repeats: 3", ", temperature: 0")
    assert "judges.main has temperature 0 and no seed: 3 repeats will most likely be one answer" in warning
    assert told(", repeats: 3", ", temperature: 0, seed: 1") == told("", ", temperature: 0") == []


def test_an_own_answer_serves_the_completions_that_come_later(planned):
    with Scorer(planned(", commit_first: true", kind="remote")) as scorer:
        asked = sys.modules["plugin_mine_mine_rewards"].ASKED
        asked.clear()
        for text in "ab":
            scorer.score_groups([Group(sample=Sample(id="s"), completions=[Completion(text=text)])])
        assert [answer for answer, _, _ in asked] == [None, "a", "b"]


def test_own_answers_do_not_hide_that_no_verdict_can_be_read(planned):
    keys = ", commit_first: true, on_missing: 0.5, max_missing: 1.0"
    group = Group(sample=Sample(id="s"), completions=[Completion(text=text) for text in MUMBLED])
    judging = JudgingSettings(stop_on_unparsable=True)
    plan = planned(keys, judge="mumbler", kind="remote")
    with Scorer(plan, judging=judging) as scorer, pytest.raises(JobError, match="do not have the form"):
        scorer.score_groups([group])


def test_an_own_answer_that_fails_is_no_low_score(scored):
    keys = ", commit_first: true, on_missing: 0.5, max_missing: 1.0"
    scores, totals, asked = scored(keys, judge="mute", texts="b")
    assert (scores[0].value, scores[0].error, totals) == (None, "it is down", [0.5])
    assert [answer for answer, _, _ in asked] == [None], "nothing is judged without it"


def test_kept_answers_keep_each_repeat_and_each_is_counted(planned, tmp_path):
    group = Group(sample=Sample(id="s"), completions=[Completion(text=text) for text in "aab"])

    def asked(repeats):
        settings = JudgingSettings(folder=tmp_path / "judges")
        with Scorer(planned(f", repeats: {repeats}", kind="remote"), judging=settings) as scorer:
            new = sys.modules["plugin_mine_mine_rewards"].ASKED
            new.clear()
            (scored,) = scorer.score_groups([group])
            return sorted((text, draw) for text, draw, _ in new), scored, scorer.judges.usage()["main"].calls

    assert asked(2)[0] == [("a", 0), ("a", 1), ("b", 0), ("b", 1)], "equal completions are one question in each draw"
    more, scored, calls = asked(3)
    assert (more, calls) == ([("a", 2), ("b", 2)], 6), "the first two draws are kept"
    assert scored.components["a"][0].info["repeats"]["values"] == {"main": [1.0, 0.0, 1.0]}
    assert asked(3)[0] == []


def test_score_writes_what_each_draw_said(planned, main, write, tmp_path):
    planned(", repeats: 3, combine: median")
    write("rows.jsonl", [{"id": "1", "prompt": "?", "completions": ["a", "b"]}])
    code, _, err = main("score", "r.yaml", "rows.jsonl", "-o", str(tmp_path / "out.jsonl"))
    assert code == 0, err
    line = json.loads((tmp_path / "out.jsonl").read_text())
    assert line["total"] == [1.0, 0.5]
    assert [info["repeats"]["values"] for info in line["components"]["a"]["info"]] == [
        {"main": [1.0, 0.0, 1.0]},
        {"main": [0.5, 0.5, 0.5]},
    ]
