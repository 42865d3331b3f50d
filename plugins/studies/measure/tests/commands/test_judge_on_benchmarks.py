"""`rewardlab judge --benchmark`: rows as they are published in, official scores out."""

import json
import statistics
from statistics import correlation
from textwrap import dedent

import pytest
from rewardlab_data.corrupted_answers import corrupted
from rewardlab_measure.judge_benchmarks.benchmark_format import BENCHMARKS
from rewardlab_measure.judge_benchmarks.benchmark_rows import read_benchmark
from rewardlab_training import kendall_tau_b

SCRIPTED = r"""
from rewardlab import Ask, Config, JudgeSpec, Reply, RewardSpec, Score, hookimpl

class Options(Config):
    seed: int | None = None
    how: str = "right"

class Grades(Config):
    judge: str
    reads: str = "good"

class Judge:
    def __init__(self, options):
        self.how, self.seed = options.how, options.seed
    async def ask(self, ask):
        a, b = ask.parts.get("a", ""), ask.parts.get("b", "")
        if "mumble" in ask.parts["query"]:
            return Reply(text="hard to say")
        if "down" in ask.parts["query"]:
            return Reply(error="the judge is down")
        if self.how == "first":
            return Reply(text="\\boxed{A}")
        if self.how == "seed" and self.seed is not None and self.seed >= 1000 and "odd" in a + b:
            a, b = b, a
        return Reply(text="\\boxed{A}" if a.count("good") > b.count("good") else "\\boxed{B}")

class Grade:
    def __init__(self, options):
        self.options = options
    async def score(self, items):
        return [self.one(s, c.text) for s, c in items]
    def one(self, sample, text):
        if "unclear" in text:
            return Score(error="no grade", info={"unparsable": 1, "failed": 0, "calls": 1})
        if "no score" in text:
            return Score(error="no score", info={"raw": None, "explanation": None})
        if "broken" in text:
            return Score(error="the judge is down", info={"unparsable": 0, "failed": 1, "calls": 1})
        if self.options.reads == "fields":
            return Score(value=0.0, reason=",".join(sorted(sample.fields)))
        return Score(value=min(1.0, text.count("good") / 4))

class Graded:
    "Grades from 1 to 7 as rubric/pairwise records them, one too friendly to whoever stands first."
    async def score(self, stream):
        texts = [""] * stream.size
        async for index, completion in stream:
            texts[index] = completion.text
        return [self.one(texts, first, 1 - first) for first in (0, 1)]
    def grade(self, one, other):
        return min(7, max(1, 3 + other.count("good") - one.count("good")))
    def one(self, texts, first, second):
        grade, turned = self.grade(texts[first], texts[second]), self.grade(texts[second], texts[first])
        value = ((7 - grade) / 6 + (turned - 1) / 6) / 2
        told = "tie" if grade == 4 else "A" if grade < 4 else "B"
        raw = {str(second): str(grade)}
        if "unclear" in texts[first]:
            told, raw = "unparsable", {}
        if "lost" in texts[first]:  # the call in the other order gives a value all the same
            told, raw = "failed", {}
        return Score(value=value, info={"verdicts": {str(second): told}, "raw": raw})

@hookimpl
def rewardlab_judges():
    return [JudgeSpec(name="judge", summary="does as told", config=Options, reads="parts", local=True,
                      build=lambda options, context: Judge(options))]

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="grade", summary="a share of good", config=Grades, judges=("judge",), runs="async",
                       build=lambda options, context: Grade(options)),
            RewardSpec(name="graded", summary="grades of pairs", config=Grades, judges=("judge",), runs="async",
                       scope="group", build=lambda options, context: Graded())]
"""

PAIRWISE = {"use": "pairwise/win_rate", "with": {"judge": "main"}, "max_missing": 1}
GRADED = {"use": "scripted/graded", "with": {"judge": "main"}, "max_missing": 1}
GRADE = {"use": "scripted/grade", "with": {"judge": "main"}, "max_missing": 1}


@pytest.fixture
def judge(main, write, offer):
    """`judge("rewardbench", rows)` is what the command prints as JSON about one component, or its error."""
    offer("scripted", SCRIPTED)

    def run(benchmark, rows, *arguments, component=PAIRWISE, how="right", code=0, name="rows.jsonl", local=True):
        judges = {"main": {"use": "scripted/judge", "with": {"how": how}}}
        reward = {"components": {"it": component}, "total": "it"}
        write("r.yaml", json.dumps({"version": 1, "judges": judges, "reward": reward}))
        if rows is not None:
            write(name, rows)
        files = ("r.yaml", *([name] if local else []))
        found, out, err = main("judge", *files, "--benchmark", benchmark, "--json", *arguments)
        assert found == code, err
        return json.loads(out)["components"]["it"] if code == 0 else err

    return run


def pair(number, subset, right=True, **more):
    better, worse = ("good good", "good") if right else ("good", "good good")
    texts = {"chosen": f"{better} {number}", "rejected": f"{worse} {number}"}
    models = {"chosen_model": "large", "rejected_model": "small"}
    return {"id": number, "prompt": f"? {number}", "subset": subset, **texts, **models, **more}


# --- RewardBench: the card of allenai/reward-bench


def test_rewardbench_weighs_subsets_in_sections_and_averages_those(judge):
    rows = [
        *(pair(n, "alpacaeval-easy", right=n < 3) for n in range(4)),  # 3 of 4, weight 100
        pair(4, "mt-bench-med", right=False),  # 0 of 1, weight 40
        pair(5, "mt-bench-hard"),
        pair(6, "donotanswer"),
        *(pair(n, "math-prm", right=n == 7) for n in (7, 8)),  # a half, weight 984
        pair(9, "hep-cpp"),  # 1, weight 164
    ]
    found = judge("rewardbench", rows)
    chat, reasoning = 0.75 * 100 / 140, (0.5 * 984 + 164) / (984 + 164)
    assert found["sections"] == pytest.approx({"Chat": chat, "Chat Hard": 1.0, "Safety": 1.0, "Reasoning": reasoning})
    assert found["score"] == pytest.approx((chat + 2 + reasoning) / 4)
    assert (found["all"]["cases"], found["all"]["accuracy"]) == (10, 0.7)
    assert found["slices"]["subset"]["math-prm"]["accuracy"] == 0.5
    assert "language" not in found["slices"]  # one language is no slice


def test_rewardbench_has_a_weight_for_each_of_its_subsets():
    weights = BENCHMARKS.load("rewardbench").average.weights
    assert {section: len(values) for section, values in weights.items()} == {
        "Chat": 5,
        "Chat Hard": 6,
        "Safety": 5,
        "Reasoning": 7,
    }
    total = sum(weight for values in weights.values() for weight in values.values())
    assert total - 984 + 447 == 2985  # the rows of the filtered split, of which 447 are math-prm


def test_the_form_of_mr3s_rows_is_read_too(judge):
    row = {"id": "a", "input": "?", "source": "donotanswer", "language": "en"}
    rows = [
        {**row, "response_1": "good", "response_2": "good good", "actual_score": "Assistant B"},
        {**row, "id": "b", "response_1": "good", "response_2": "good good", "actual_score": "Assistant A"},
    ]
    found = judge("rewardbench", rows)
    assert (found["score"], found["slices"]) == (0.5, {})


def test_a_reward_of_single_answers_is_measured_too_and_a_tie_is_wrong(judge):
    rows = [pair(0, "donotanswer"), pair(1, "donotanswer", right=False), pair(2, "donotanswer", rejected="good good x")]
    found = judge("rewardbench", rows, component=GRADE)
    assert (found["score"], found["all"]["ties"]) == (pytest.approx(1 / 3), 1)


def test_a_reply_without_a_verdict_is_wrong_and_a_failure_is_missing(judge):
    rows = [pair(0, "donotanswer"), pair(1, "donotanswer", prompt="mumble"), pair(2, "donotanswer", prompt="down")]
    found = judge("rewardbench", rows)
    assert found["all"]["accuracy"] == 0.5
    assert (found["all"]["missing"], found["all"]["unparsable"], found["all"]["accuracy_parsed"]) == (1, 1, 1.0)
    rows = [pair(0, "donotanswer"), pair(1, "donotanswer", chosen="no score"), pair(2, "donotanswer", chosen="broken")]
    assert judge("rewardbench", rows, component=GRADE)["all"]["unparsable"] == 1
    rows = [pair(0, "donotanswer"), pair(1, "donotanswer", chosen="unclear"), pair(2, "donotanswer", chosen="broken")]
    found = judge("rewardbench", rows, component=GRADE)
    assert (found["all"]["accuracy"], found["all"]["missing"], found["all"]["unparsable"]) == (0.5, 1, 1)


def test_a_pair_of_which_one_answer_failed_and_the_other_was_not_read_is_missing(judge):
    rows = [pair(0, "donotanswer", chosen="unclear", rejected="broken"), pair(1, "donotanswer")]
    found = judge("rewardbench", rows, component=GRADE)["all"]
    assert (found["missing"], found["unparsable"], found["accuracy"]) == (1, 0, 1.0)


def test_rewards_see_neither_gold_nor_the_models_names(write):
    path = write("rows.jsonl", [pair(0, "donotanswer")])
    ((_, case),), _ = read_benchmark("rewardbench", str(path))
    assert case.fields == {"subset": "donotanswer", "language": "en"}


# --- positions


def test_the_official_order_alternates_and_the_other_shows_a_judge_that_takes_the_first(judge):
    rows = [pair(n, "donotanswer") for n in range(10)]
    assert judge("rewardbench", rows, how="first")["score"] == 0.5  # chosen first in every second row
    found = judge("rewardbench", rows, "--positions", "both", how="first")
    assert (found["score"], found["all"]["in_both"]) == (0.5, 0.0)
    found = judge("rewardbench", rows[:1], how="first")
    assert (found["score"], found["all"]["in_both"]) == (1.0, None)
    found = judge("rewardbench", rows, "--positions", "both")
    assert (found["score"], found["all"]["in_both"]) == (1.0, 1.0)


def test_rows_with_two_answers_have_their_official_order(judge):
    row = {"input": "?", "source": "donotanswer", "response_1": "one", "response_2": "two"}
    rows = [{**row, "id": n, "actual_score": f"Assistant {'AAB'[n]}"} for n in range(3)]
    assert judge("rewardbench", rows, how="first")["score"] == pytest.approx(2 / 3)


def test_a_reward_that_asks_in_one_order_is_refused(judge):
    component = {"use": "pairwise/win_rate", "with": {"judge": "main", "orders": "balanced"}}
    error = judge("rewardbench", [pair(0, "donotanswer")], component=component, code=2)
    assert "it: `orders: balanced` asks in one order that it draws; --positions official needs both" in error


# --- RM-Bench: the card of THU-KEG/RM-Bench


def test_rm_bench_makes_nine_pairs_of_a_row_and_averages_easy_normal_and_hard(judge):
    def row(name, domain, chosen, rejected):
        texts = {"chosen": chosen, "rejected": rejected}
        return {"id": name, "prompt": f"? {name}", "domain": domain, "error": "a planted mistake", **texts}

    plain, longer, ornate = "good a", "good good b", "good good good c"
    rows = [
        row("chat/1", "chat", [plain, longer, ornate], ["good d", "good good e", "good good good f"]),
        row("safety-refuse/1", "safety-refuse", ["good " * 4] * 3, [plain, longer, ornate]),
        row("safety-response/1", "safety-response", [plain, longer, ornate], ["good " * 4] * 3),
    ]
    found = judge("rm_bench", rows, component=GRADE)
    # style alone: easy pairs are won, normal ones tie, hard ones are lost
    assert found["slices"]["domain"]["chat"]["score"] == pytest.approx(1 / 3)
    assert found["slices"]["domain"]["safety"]["score"] == 0.5
    assert found["score"] == pytest.approx((1 / 3 + 0.5) / 2)
    assert {name: values["cases"] for name, values in found["slices"]["difficulty"].items()} == {
        "easy": 9,
        "normal": 9,
        "hard": 9,
    }
    chat_only = judge("rm_bench", rows[:1], component=GRADE)["slices"]["difficulty"]
    assert [chat_only[name]["accuracy"] for name in ("easy", "normal", "hard")] == [1.0, 0.0, 0.0]


# --- M-RewardBench: the card of CohereLabsCommunity/multilingual-reward-bench


def test_m_rewardbench_averages_sections_in_each_language_and_then_languages(judge):
    rows = [
        *(pair(n, "donotanswer", right=n == 0, language="deu_Latn") for n in (0, 1)),
        pair(2, "hep-cpp", language="deu_Latn"),
        pair(0, "donotanswer", language="ind_Latn"),
        pair(0, "math-prm", right=False, language="heb_Hebr"),
    ]
    found = judge("m_rewardbench", rows)
    assert {name: values["score"] for name, values in found["slices"]["language"].items()} == {
        "de": 0.75,
        "he": 0.0,
        "id": 1.0,
    }
    assert found["score"] == pytest.approx(1.75 / 3)
    assert found["sections"] == {"Chat": None, "Chat Hard": None, "Safety": 0.75, "Reasoning": 0.5}
    resources = {name: (values["cases"], values["score"]) for name, values in found["slices"]["resources"].items()}
    assert resources == {"high": (3, 0.75), "medium": (2, 0.5)}
    assert "english" not in found["slices"]  # none of these is English


def test_some_languages_and_some_rows_of_each(judge):
    rows = [pair(n, "donotanswer", language=code) for code in ("deu_Latn", "ind_Latn", "arb_Arab") for n in range(3)]
    found = judge("m_rewardbench", rows, "--languages", "de,id", "--limit", "2")
    assert {name: values["cases"] for name, values in found["slices"]["language"].items()} == {"de": 2, "id": 2}
    error = judge("m_rewardbench", rows, "--languages", "dd", code=2)
    assert "m_rewardbench: no rows in 'dd'" in error


# --- what is wrong


def test_a_row_of_another_form_is_named_with_its_line_before_anything_is_asked(judge):
    rows = [pair(0, "donotanswer"), {"id": 1, "promt": "?", "chosen": "a", "rejected": "b", "subset": "hep-cpp"}]
    error = judge("rewardbench", rows, code=2)
    assert "rows.jsonl:2: no column 'prompt'; did you mean 'promt'?" in error
    error = judge("rewardbench", [pair(0, "x"), pair(0, "x")], code=2)
    assert "rows.jsonl:2: the id 'en/x/0' is already used by rows.jsonl:1" in error
    error = judge("rewardbench", [pair(0, "x", chosen="same", rejected="same")], code=2)
    assert "rows.jsonl:1: columns 'chosen' and 'rejected' hold the same text" in error
    row = {"id": 1, "input": "?", "source": "x", "response_1": "a", "response_2": "b", "actual_score": "B"}
    error = judge("rewardbench", [row], code=2)
    assert "rows.jsonl:1: column 'actual_score' is 'B', not one of 'Assistant A', 'Assistant B'" in error


def test_bad_rows_can_be_left_out(judge, main):
    rows = [pair(0, "donotanswer"), {"id": 1}]
    judge("rewardbench", rows, code=2)
    code, out, err = main("judge", "r.yaml", "rows.jsonl", "--benchmark", "rewardbench", "--skip-bad", "--json")
    assert code == 0
    assert json.loads(out)["components"]["it"]["all"]["cases"] == 1
    assert "1 bad row left out" in err


def test_an_unknown_benchmark_and_options_without_one(judge, main):
    assert "no judge benchmark 'rewardbnch'; did you mean 'rewardbench'?" in judge("rewardbnch", [], code=2)
    code, _, err = main("judge", "r.yaml", "rows.jsonl", "--positions", "both")
    assert (code, "--positions goes only with --benchmark" in err) == (2, True)
    code, _, err = main("judge", "r.yaml", "rows.jsonl", "--benchmark", "rewardbench", "--graft", "x", "-o", "y")
    assert (code, "leave --benchmark out" in err) == (2, True)


OWN = """
version: 1
about: a benchmark of our own
measure: pairs
forms:
  - prompt: $question
    answers: [a, b]
    better: winner
    better_is: {left: 1, right: 2}
slices: {topic: $topic}
average: {over: [topic]}
"""


def test_a_benchmark_of_ones_own_is_a_file(judge, write):
    write("own.yaml", OWN)
    row = {"question": "?", "a": "good", "b": "bad", "winner": "left", "topic": "art"}
    rows = [row, {**row, "winner": "right"}, {**row, "topic": "law"}]
    found = judge("own.yaml", rows)
    assert (found["score"], found["all"]["accuracy"]) == (0.75, pytest.approx(2 / 3))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("better: winner", "beter: winner", "own.yaml:8: forms.0.beter"),
        ("over: [topic]", "over: [topc]", "no slice 'topc'; did you mean 'topic'?"),
        ("measure: pairs", "measure: score", "measure score needs response and gold"),
        ("$question", "$ question", "a $ stands before no name"),
        ("right: 2", "right: 1", "better_is says what column 'winner' holds"),
        ("version: 1", "version: 2", "own.yaml:2: version"),
        ("measure: pairs", "measure: [", "own.yaml:"),
    ],
)
def test_what_is_wrong_in_such_a_file_is_named_with_its_line(judge, write, old, new, told):
    write("own.yaml", dedent(OWN).replace(old, new))
    error = judge("own.yaml", [], code=2)
    assert told in error
    assert "own.yaml:" in error


# --- the other benchmarks, each in its published forms


def test_mm_eval_is_the_mean_of_its_subsets_without_the_resource_one(judge):
    rows = [
        *(pair(n, "chat", right=n == 0, language="de", __index_level_0__=n) for n in range(4)),
        pair(0, "linguistics", language="sw"),
        pair(0, "lang_res", right=False, language="zu"),
    ]
    found = judge("mm_eval", rows)
    assert (found["score"], found["all"]["cases"]) == ((0.25 + 1) / 2, 5)
    assert {name: values["cases"] for name, values in found["slices"]["resources"].items()} == {"high": 4, "low": 1}


def test_indopref_is_the_mean_of_its_domains(judge):
    row = {"language": "id", "input": "?", "response_1": "good", "response_2": "bad", "actual_score": "Assistant A"}
    rows = [{**row, "id": n, "domain": "math"} for n in range(3)]
    rows.append({**row, "id": 3, "domain": "summarization", "actual_score": "Assistant B"})
    assert judge("indopref", rows)["score"] == 0.5


def helpsteer(grade, one, other, **more):
    turns = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hi"},
        {"role": "user", "content": "?"},
    ]
    single = [{"score": grade, "reasoning": "so it is"}]
    answers = {"response1": one, "response2": other, "overall_preference": grade, "individual_preference": single}
    return {"domain": "general", "language": "english", "context": turns, **answers, **more}


def test_helpsteer3_compares_grades_by_rank(judge):
    rows = [
        helpsteer(-3, "good good good good", "bad"),
        helpsteer(0, "good a", "good b"),
        helpsteer(2, "bad", "good good good good", language="korean", domain="code"),  # says 3
        helpsteer(1, "good good good", "good", language="python"),  # says -2, rounded
    ]
    found = judge("helpsteer3", rows, component=GRADE)
    said, gold = [-3, 0, 3, -1.5], [-3, 0, 2, 1]
    assert found["score"] == pytest.approx(kendall_tau_b(said, gold))
    assert found["all"]["pearson"] == pytest.approx(correlation(said, gold))
    assert (found["all"]["accuracy"], found["all"]["ties"]) == (0.5, 1)
    assert {name: values["accuracy"] for name, values in found["slices"]["domain"].items()} == {
        "code": 0.0,
        "general": pytest.approx(2 / 3),
    }
    assert set(found["slices"]["language"]) == {"en", "ko"}


def test_helpsteer3_counts_a_reply_that_cannot_be_read_as_the_published_code_does(judge):
    rows = [helpsteer(-2, "good good", "bad"), helpsteer(1, "unclear", "good"), helpsteer(3, "bad", "good good good")]
    found = judge("helpsteer3", rows, component=GRADE)
    assert (found["all"]["unparsable"], found["score"]) == (
        1,
        pytest.approx(1 / 3),
    )  # below all: one pair is discordant
    assert found["all"]["accuracy_parsed"] == 0.5


def test_helpsteer3_takes_the_grade_of_the_call_in_its_order_or_the_mean_of_both(judge):
    rows = [helpsteer(-1, "good a", "good b"), helpsteer(0, "good c", "good d"), helpsteer(2, "bad", "good good")]
    assert judge("helpsteer3", rows, component=GRADED)["all"]["accuracy"] == pytest.approx(1 / 3)
    found = judge("helpsteer3", rows, "--positions", "both", component=GRADED)
    assert found["all"]["accuracy"] == pytest.approx(2 / 3)
    found = judge("helpsteer3", [helpsteer(1, "unclear", "good"), *rows], component=GRADED)
    assert (found["all"]["unparsable"], found["all"]["accuracy"]) == (1, 0.25)
    found = judge("helpsteer3", [helpsteer(1, "lost", "good"), *rows], component=GRADED)
    assert (found["all"]["missing"], found["all"]["accuracy"]) == (1, pytest.approx(1 / 3))


def test_a_verdict_that_names_neither_is_a_tie_and_wrong(judge):
    rows = [pair(0, "donotanswer"), pair(1, "donotanswer")]  # the second with the worse answer first
    found = judge("rewardbench", rows, component=GRADED)
    assert (found["all"]["ties"], found["all"]["unparsable"], found["all"]["accuracy"]) == (1, 0, 0.5)


def test_helpsteer3_in_mr3s_form_and_with_a_reward_that_compares(judge):
    row = helpsteer(0, "good", "bad", actual_score=-3, id="a")
    found = judge("helpsteer3", [row])
    assert found["all"]["accuracy"] == 1.0


def test_helpsteer3_refuses_a_grade_off_its_scale(judge):
    error = judge("helpsteer3", [helpsteer(7, "good", "bad")], code=2)
    assert "rows.jsonl:1: column 'overall_preference' is 7, and not from -3 to 3" in error


def feedback(number, score, response, **more):
    levels = {f"orig_score{n}_description": f"level {n}" for n in range(1, 6)}
    texts = {"orig_criteria": "Is it good?", "orig_reference_answer": "the best", "orig_instruction": f"? {number}"}
    hidden = {"orig_feedback": "so it is", "output": f"so it is [RESULT] {score}", "instruction": "the whole prompt"}
    return {"id": number, "orig_response": response, "orig_score": str(score), **levels, **texts, **hidden, **more}


def test_feedback_bench_compares_scores_over_all_rows(judge):
    rows = [
        feedback(0, 1, "bad"),
        feedback(1, 5, "good good good good"),
        feedback(2, 2, "good good"),  # says 3
        feedback(3, 4, "unclear"),
        feedback(4, 2, "good"),
    ]
    found = judge("feedback_bench", rows, component=GRADE)
    said, gold = [1, 5, 3, 2], [1, 5, 2, 2]
    assert found["score"] == pytest.approx(kendall_tau_b(said, gold))
    assert found["all"]["pearson"] == pytest.approx(correlation(said, gold))
    assert (found["all"]["accuracy"], found["all"]["accuracy_parsed"]) == (0.6, 0.75)


def test_feedback_bench_gives_its_rubric_and_reference_and_hides_the_feedback(write):
    ((_, case),), _ = read_benchmark("feedback_bench", str(write("rows.jsonl", [feedback(0, 3, "good")])))
    levels = {str(n): f"level {n}" for n in range(1, 6)}
    assert case.fields == {
        "rubric": {"description": "Is it good?", "scoring": levels},
        "reference": "the best",
        "language": "en",
    }
    assert (case.answers, case.gold) == (("good",), (3.0,))


def test_a_reward_that_compares_is_refused_where_single_answers_are_judged(judge):
    error = judge("feedback_bench", [feedback(0, 3, "good")], code=2)
    assert "it: feedback_bench asks about single answers, and pairwise/win_rate compares several" in error


XSUM = """\
article,summary,faithfulness,coherence,relevance
A long story,good good good good,1,5,4
A long story,bad,0,1,1
"Another story, with a comma",good good good,0,4,4
"""


@pytest.mark.parametrize(
    ("name", "accuracy", "tau"),
    [("xsum_faithfulness", 2 / 3, None), ("xsum_coherence", 1.0, 1.0), ("xsum_relevance", 2 / 3, 0.816)],
)
def test_xsum_is_three_benchmarks_of_one_table(judge, name, accuracy, tau):
    found = judge(name, XSUM, component=GRADE, name="xsum_scores_annotated.csv")
    assert found["all"]["accuracy"] == pytest.approx(accuracy)
    assert found["all"]["kendall_tau"] == (None if tau is None else pytest.approx(tau, abs=1e-3))
    assert found["score"] == (found["all"]["accuracy"] if tau is None else found["all"]["kendall_tau"])


def test_bbh_shows_each_target_and_a_wrong_one_of_its_kind(judge, write):
    options = "Which one?\nOptions:\n(A) this\n(B) that\n(C) none"
    rows = [
        {"input": options, "target": "(B)"},
        {"input": "not ( True ) is", "target": "False"},
        {"input": "Is it so?", "target": "yes"},
        {"input": "How many?", "target": "7"},
        {"input": "How many now?", "target": "3"},
        {"input": "Complete: [ < (", "target": ") > ]"},
        {"input": "Sort: c a b", "target": "a b c"},
    ]
    path = str(write("bbh.jsonl", rows))
    cases, bad = read_benchmark("bbh_binary", path)
    assert bad.count == 0
    wrong = [case.answers[0] for _, case in cases if case.gold == (0.0,)]
    assert [case.answers[0] for _, case in cases if case.gold == (1.0,)] == [row["target"] for row in rows]
    assert wrong[0] in ("(A)", "(C)")
    assert wrong[1:3] == ["True", "no"]
    assert wrong[3].isdigit()
    assert wrong[5] != ") > ]"
    assert set(wrong[5].split()) <= {")", ">", "]"}
    assert (sorted(wrong[6].split()), wrong[6] != "a b c") == (["a", "b", "c"], True)
    again, _ = read_benchmark("bbh_binary", path)
    assert [case for _, case in again] == [case for _, case in cases]


def test_a_value_of_one_half_says_neither_true_nor_false(judge):
    rows = [{"input": "?", "target": "good good a", "random_negative": "good good b"}]
    found = judge("bbh_binary", rows, component=GRADE)
    assert (found["score"], found["all"]["ties"]) == (0.0, 2)


def test_no_draw_of_a_wrong_answer_is_the_right_one():
    question = "Which one?\nOptions:\n(A) this\n(B) that"
    brackets = {corrupted("] >", "Complete: < [", str(n)) for n in range(99)}
    assert {corrupted("(B)", question, str(n)) for n in range(99)} == {"(A)"}
    assert "] >" not in brackets
    assert {len(answer.split()) for answer in brackets} == {1, 2, 3}  # one left out, two swapped, one added
    assert {corrupted("a a b", "Sort: b a a", str(n)) for n in range(99)} == {"b a a", "a b a"}


def test_wrong_numbers_are_of_the_distribution_of_their_tasks_right_ones(write, tmp_path):
    """R3's appendix H, by mean and deviation; a count is none below 0, and a task's numbers are its own."""
    tasks = BENCHMARKS.load("bbh_binary").hub.configurations
    answers = {task: ["yes"] for task in tasks}
    answers |= {"object_counting": range(21), "multistep_arithmetic_two": range(-2000, 2001, 100)}
    for task, targets in answers.items():
        rows = [{"input": f"{task} {n}?", "target": str(target)} for n in range(40) for target in targets]
        write(f"{task}.jsonl", rows if len(targets) > 1 else rows[:1])
    cases, bad = read_benchmark("bbh_binary", str(tmp_path / "{configuration}.jsonl"))
    assert bad.count == 0

    def wrong(task):
        return [int(case.answers[0]) for _, case in cases if case.slices["task"] == task and case.gold == (0.0,)]

    counts, sums = wrong("object_counting"), wrong("multistep_arithmetic_two")
    assert min(counts) >= 0
    assert statistics.fmean(counts) == pytest.approx(10.5, abs=0.8)  # 10 without those below 0
    assert statistics.pstdev(sums) == pytest.approx(1183, rel=0.1)
    assert statistics.fmean(sums) == pytest.approx(0, abs=120)
    shown = [case.answers[0] for _, case in cases if case.slices["task"] == "object_counting"]
    assert all(right != other for right, other in zip(shown[::2], shown[1::2], strict=True))


def test_a_text_is_no_words_to_swap():
    """A target of BBH's movie_recommendation is an option's text; as words, "Inc Monsters," was the wrong answer."""
    question = "Find a movie similar to Shrek:\nOptions:\n(A) Monsters, Inc\n(B) Town & Country"
    assert {corrupted("Monsters, Inc", question, str(n)) for n in range(9)} == {"Town & Country"}
    with pytest.raises(ValueError, match="no wrong answer can be made of 'Monsters, Inc'"):
        corrupted("Monsters, Inc", "Find a movie similar to Shrek.", "0")


def test_bbh_takes_wrong_answers_that_a_file_has_and_its_tasks(judge, write, tmp_path):
    folder = "{configuration}.json"
    for task in BENCHMARKS.load("bbh_binary").hub.configurations:
        row = {"input": f"of {task}", "target": "good good good", "random_negative": "bad"}
        write(f"{task}.json", json.dumps([row, row]))  # rows without a name have a number
    found = judge("bbh_binary", None, component=GRADE, name=folder)
    assert (found["score"], found["all"]["cases"], len(found["slices"]["task"])) == (1.0, 108, 27)


def test_a_target_without_a_wrong_answer_is_named(judge):
    error = judge("bbh_binary", [{"input": "?", "target": "unique"}], component=GRADE, code=2)
    assert "rows.jsonl:1: no wrong answer can be made of 'unique'; give one in a column" in error


def test_mmlu_stem_shows_the_right_option_and_another(judge, write):
    row = {"question": "2 + 2?", "choices": ["3", "4", "5", "6"], "answer": 1, "subject": "elementary_mathematics"}
    cases, _ = read_benchmark("mmlu_stem_binary", str(write("rows.jsonl", [row])))
    (_, right), (_, wrong) = cases
    assert right.prompt == "2 + 2?\nOptions:\n(A) 3\n(B) 4\n(C) 5\n(D) 6"
    assert (right.answers, right.gold, wrong.gold) == (("(B)",), (1.0,), (0.0,))
    assert wrong.answers[0] in ("(A)", "(C)", "(D)")
    made = {"id": "0-true", "input": "2 + 2?", "response": "(B) good good good", "score": "true", "subject": "x"}
    rows = [made, {**made, "id": "0-false", "response": "(A) bad", "score": "false", "subject": "y"}]
    found = judge("mmlu_stem_binary", rows, component=GRADE)
    assert (found["score"], set(found["slices"]["subject"])) == (1.0, {"x", "y"})


def test_mgsm_leaves_other_languages_out_and_tells_english_from_the_others(judge):
    row = {"question": "?", "answer": "good good good", "actual_score": "true"}
    rows = [
        {**row, "id": "1", "language": "en"},
        {**row, "id": "2", "language": "sw", "actual_score": "false"},
        {**row, "id": "3", "language": "te"},
        {**row, "id": "4", "language": "yo"},
    ]
    found = judge("mgsm_binary", rows, component=GRADE)
    assert (found["score"], found["all"]["cases"]) == (pytest.approx(2 / 3), 3)
    english = {name: values["accuracy"] for name, values in found["slices"]["english"].items()}
    assert english == {"en": 1.0, "other": 0.5}
    assert {name: v["cases"] for name, v in found["slices"]["resources"].items()} == {"high": 1, "low": 2}


def test_include_is_right_where_the_right_option_alone_is_highest(judge):
    row = {"language": "Indonesian", "domain": "Arts", "subject": "x", "regional_feature": "agnostic", "country": "id"}
    options = {"option_a": "good", "option_b": "good good", "option_c": "bad", "option_d": "worse"}
    rows = [
        {**row, "question": "one", **options, "answer": 1},
        {**row, "question": "two", **options, "answer": 0, "language": "Uzbek"},
        {**row, "question": "three", **{**options, "option_a": "good good"}, "answer": 1},
    ]
    found = judge("include", rows, component=GRADE)
    assert (found["score"], found["all"]["ties"]) == (pytest.approx(1 / 3), 1)
    assert {name: values["accuracy"] for name, values in found["slices"]["language"].items()} == {"id": 0.5, "uz": 0.0}
    made = {
        "id": "a",
        "language": "id",
        "question": "?",
        "options_str": "A. bad\nB. good\nC. bad\nD. no",
        "actual_score": "B",
    }
    assert judge("include", [made], component=GRADE)["score"] == 1.0
    assert judge("include", [made])["score"] == 1.0  # a reward that compares answers, too


def test_rtp_lx_calls_a_completion_toxic_above_one(judge):
    row = {"Prompt": "?", "Completion": "good good good", "Locale": "de"}
    rows = [
        {**row, "ID": 1, "CompletionAnnotations": {"Toxicity": 3.0, "Bias": 1}, "PromptAnnotations": {"Toxicity": 5}},
        {**row, "ID": 2, "CompletionAnnotations": {"Toxicity": 1.0}, "Completion": "bad", "Locale": "sw"},
        {**row, "ID": 3, "CompletionAnnotations": {"Toxicity": 1.0}, "Locale": "sw"},
    ]
    found = judge("rtp_lx", rows, component=GRADE)
    assert found["score"] == pytest.approx(2 / 3)
    made = {"language": "de", "input": "good good good", "actual_score": "true"}
    rows = [{**made, "id": "1-completion"}, {**made, "id": "1-prompt", "actual_score": "false"}]
    found = judge("rtp_lx", rows, component=GRADE)
    assert (found["score"], found["all"]["cases"]) == (1.0, 1)


def test_every_shipped_benchmark_says_where_its_columns_are_documented():
    assert len(BENCHMARKS.packaged) == 15
    for name in BENCHMARKS.packaged:
        benchmark = BENCHMARKS.load(name)
        assert benchmark.source.startswith("https://"), name
        assert benchmark.about, name


# --- seeds


def test_five_seeds_give_the_mean_and_the_deviation_of_every_number(judge, tmp_path):
    rows = [pair(0, "donotanswer"), pair(1, "donotanswer", chosen="good good odd")]
    found = judge("rewardbench", rows, "--seeds", "5", how="seed")
    # the first run is right about both rows, the four others about one
    assert (found["seeds"], found["score"]) == (5, pytest.approx(0.6))
    assert found["deviation"]["score"] == pytest.approx(0.2)  # of the population
    assert found["deviation"]["sections"]["Safety"] == pytest.approx(0.2)
    assert (found["all"]["cases"], found["deviation"]["all"]["cases"]) == (2, 0.0)
    assert found["sections"]["Chat"] is None
    assert judge("rewardbench", rows, how="seed")["deviation"] is None


def test_each_seed_keeps_a_file_of_its_own_and_a_resumed_one_pays_for_nothing_twice(judge, main, tmp_path):
    rows = [pair(0, "donotanswer"), pair(1, "donotanswer", chosen="good good odd")]
    first = judge("rewardbench", rows, "--seeds", "3", "-o", "out.jsonl", how="seed")
    files = sorted(path.name for path in tmp_path.glob("out*.jsonl"))
    assert files == ["out.seed-0.jsonl", "out.seed-1.jsonl", "out.seed-2.jsonl"]
    won = [[json.loads(line)["won"] for line in (tmp_path / name).read_text().splitlines()] for name in files]
    assert won == [[1.0, 1.0], [1.0, 0.0], [1.0, 0.0]]
    assert judge("rewardbench", rows, "--seeds", "3", "-o", "out.jsonl", "--resume", how="seed") == first
    assert "exists already" in judge("rewardbench", rows, "--seeds", "3", "-o", "out.jsonl", how="seed", code=2)


def test_seeds_that_no_judge_has_are_refused(judge, write, main):
    component = {"use": "pairwise/win_rate", "with": {"judge": "main"}}
    reward = {"components": {"it": component}, "total": "it"}
    recipe = {"version": 1, "judges": {"main": {"use": "pairwise/overlap"}}, "reward": reward}
    write("o.yaml", json.dumps(recipe))
    write("rows.jsonl", [pair(0, "donotanswer")])
    code, _, err = main("judge", "o.yaml", "rows.jsonl", "--benchmark", "rewardbench", "--seeds", "5")
    assert (code, "no judge has an option `seed`: main (pairwise/overlap)" in err) == (2, True)


def test_the_seeds_reach_the_server(main, write, judge_server):
    with judge_server.Serving(judge_server.JudgeServer()) as server:
        judges = {"main": {"use": "openai/chat", "with": {"model": "m", "base_url": server.url, "seed": 7}}}
        reward = {"components": {"it": PAIRWISE}, "total": "it"}
        write("s.yaml", json.dumps({"version": 1, "judges": judges, "reward": reward}))
        write("rows.jsonl", [pair(0, "donotanswer")])
        code, _, err = main("judge", "s.yaml", "rows.jsonl", "--benchmark", "rewardbench", "--seeds", "3")
        assert code == 0, err
        assert sorted(request["seed"] for request in server.requests) == [7, 7, 1007, 1007, 2007, 2007]


def test_the_table_that_people_read(main, judge):
    rows = [
        *(pair(n, "donotanswer", right=n == 0, language="deu_Latn") for n in (0, 1)),
        pair(2, "hep-cpp", language="swh_Latn", chosen="good good odd"),
    ]
    judge("m_rewardbench", rows, how="seed")
    code, out, _ = main("judge", "r.yaml", "rows.jsonl", "--benchmark", "m_rewardbench")
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert out.startswith("it (pairwise/win_rate) on m_rewardbench: accuracy 0.7500\n")
    assert ["Safety", "0.5000"] in lines
    assert ["language", "de", "2", "0.5000", "0.5000", "0.00-1.00"] in lines
    code, out, _ = main("judge", "r.yaml", "rows.jsonl", "--benchmark", "m_rewardbench", "--seeds", "2")
    assert "on m_rewardbench: accuracy 0.5000±0.2500, mean of 2 seeds" in out


def test_cases_of_a_row_and_its_translations_count_as_one(judge):
    """Nine pairs of a row are one problem, and so are a problem's rows in all languages, by the id that they share."""
    styles = {"chosen": ["good good", "good good.", "good good!"], "rejected": ["good", "good.", "poor"]}
    rows = [{"id": n, "domain": "math", "prompt": f"{n}?", **styles} for n in range(8)]
    nine = judge("rm_bench", rows)["all"]
    assert (nine["cases"], nine["clusters"]) == (72, 8)
    one = judge("rm_bench", rows, "--cluster", "none")["all"]
    assert one["clusters"] == 72
    assert one["interval"][0] > nine["interval"][0]
    rows = [pair(n, "hep-cpp", language=code) for n in range(8) for code in ("deu_Latn", "swh_Latn")]
    translated = judge("m_rewardbench", [row | {"prompt": f"{row['prompt']} {row['language']}"} for row in rows])
    assert (translated["all"]["cases"], translated["all"]["clusters"]) == (16, 8)
    assert translated["slices"]["language"]["de"]["interval"] == pytest.approx(translated["all"]["interval"])


# --- the hub, which in a test is a folder


HUB = """
version: 1
measure: pairs
hub: {{path: "{folder}", split: filtered, configurations: [deu_Latn, swh_Latn]}}
forms: [{{prompt: $prompt, chosen: chosen, rejected: rejected}}]
id: [id]
language: $configuration
names: {{language: {{deu_Latn: de, swh_Latn: sw}}}}
"""


@pytest.mark.slow  # importing `datasets` takes as long as some hundred of the quick tests
def test_rows_of_the_hub_are_read_configuration_by_configuration(judge, write, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    names = ("deu_Latn", "swh_Latn")
    files = "".join(
        f"  - config_name: {name}\n    data_files: [{{split: filtered, path: {name}/filtered.jsonl}}]\n"
        for name in names
    )
    write("set/README.md", f"---\nconfigs:\n{files}---\n")
    for number, name in enumerate(names):
        write(f"set/{name}/filtered.jsonl", [pair(n, "x", right=n < 2 - number) for n in range(2)])
    write("hub.yaml", HUB.format(folder=tmp_path / "set"))
    found = judge("hub.yaml", None, local=False)
    assert {name: values["accuracy"] for name, values in found["slices"]["language"].items()} == {"de": 1.0, "sw": 0.5}
    write("set/swh_Latn/filtered.jsonl", [{"id": 1, "prompt": "?", "chosen": "a"}])
    error = judge("hub.yaml", None, local=False, code=2)
    assert "set swh_Latn row 1: no column 'rejected'" in error


def test_a_benchmark_that_is_on_no_hub_needs_a_file(judge):
    error = judge("xsum_coherence", None, local=False, component=GRADE, code=2)
    assert "xsum_coherence: is on no hub; name a file of its rows" in error
