"""`rewardlab judge --biases`: scripted judges with a planted bias, asked about rows and their rewrites."""

import json

import pytest
from helpers.each_case import each_case

SCRIPTED = r"""
import re
from hashlib import sha256
from rewardlab import Ask, Config, JudgeSpec, Reply, RewardSpec, Score, hookimpl

class Options(Config):
    how: str = "fair"
    strength: float = 1.0
    model: str = "lab/Judge-7B"

class Grades(Config):
    judge: str

SIGNS = {
    "formatting": r"(?m)^## ", "authority": r"https?://", "sycophancy": "excellent question|hervorragende",
    "self_preference": "Judge-7B", "signature": "(?m)^— ",
}

class Judge:
    def __init__(self, how, strength):
        self.how, self.strength = how, strength
    def likes(self, text):
        if self.how == "length":
            return len(text) > 360
        return self.how in SIGNS and re.search(SIGNS[self.how], text) is not None
    async def ask(self, ask):
        a, b, query = ask.parts.get("a", ""), ask.parts.get("b", ""), ask.parts["query"]
        if not b:
            return Reply(text=str(self.likes(a)))
        if int(sha256(query.encode()).hexdigest()[:4], 16) / 2**16 >= self.strength:  # fair in so many rows
            return Reply(text="\\boxed{A}" if "good" in a else "\\boxed{B}")
        if self.how == "first":
            return Reply(text="\\boxed{A}")
        if self.how == "german" and "Frage" in query:  # wrong in one language
            return Reply(text="\\boxed{A}" if "bad" in a else "\\boxed{B}")
        if self.likes(a) != self.likes(b):
            return Reply(text="\\boxed{A}" if self.likes(a) else "\\boxed{B}")
        return Reply(text="\\boxed{A}" if "good" in a else "\\boxed{B}")

class Grade:
    def __init__(self, judge):
        self.judge = judge
    async def score(self, items):
        return [await self.one(c.text) for _, c in items]
    async def one(self, text):
        reply = await self.judge.ask(Ask(parts={"query": "", "a": text}))
        return Score(value=0.5 + 0.2 * (reply.text == "True"))

@hookimpl
def rewardlab_judges():
    return [JudgeSpec(name="judge", summary="does as told", config=Options, reads="parts", local=True,
                      build=lambda options, context: Judge(options.how, options.strength))]

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="grade", summary="a grade", config=Grades, judges=("judge",), runs="async",
                       calls=lambda options, size: size,
                       build=lambda options, context: Grade(context.judges[options.judge]))]
"""
WIN_RATE, GRADE = "pairwise/win_rate", "scripted/grade"
REWRITTEN = {"length", "self_preference", "formatting", "authority", "sycophancy"}


@pytest.fixture
def judge(offer, write, main):
    """`judge(how)` measures the biases of a scripted judge: (exit code, what it printed, the component's JSON)."""
    offer("scripted", SCRIPTED)

    def run(*arguments, how="fair", use=WIN_RATE, code=0, **options):
        components = {"quality": {"use": use, "with": {"judge": "main"}}}
        judges = {"main": {"use": "scripted/judge", "with": {"how": how, **options}}}
        reward = {"components": components, "total": "quality"}
        write("r.yaml", json.dumps({"version": 1, "judges": judges, "reward": reward}))
        ended, out, err = main("judge", "r.yaml", "rows.jsonl", "--biases", "--json", *arguments)
        assert ended == code, err
        return err, json.loads(out).get("biases", {}).get("quality")

    return run


MORE = " There is more to say about it, and each part of that has its place in the whole." * 3


def pairs(count, **columns):
    answers = [(f"This is good. It is {n}.{MORE}", f"This is bad. No {n}.{MORE}") for n in range(count)]
    return [
        {"id": n, "prompt": f"Question {n}?", "chosen": chosen, "rejected": rejected} | columns
        for n, (chosen, rejected) in enumerate(answers)
    ]


def verdicts(measured):
    return {bias["name"]: bias["verdict"] for bias in measured["biases"]}


@pytest.mark.slow
@each_case(
    "how, use, biased",
    [
        ("length", WIN_RATE, {"length"}),
        ("formatting", WIN_RATE, {"formatting"}),
        ("authority", WIN_RATE, {"authority"}),
        ("sycophancy", WIN_RATE, {"sycophancy"}),
        ("self_preference", WIN_RATE, {"self_preference"}),
        ("signature", WIN_RATE, set()),
        ("first", WIN_RATE, {"position"}),
        ("fair", WIN_RATE, set()),
        ("formatting", GRADE, {"formatting"}),
        ("self_preference", GRADE, {"self_preference"}),
        ("fair", GRADE, set()),
    ],
)
def test_the_planted_bias_is_named_and_no_other(judge, write, how, use, biased):
    write("rows.jsonl", pairs(40))
    _, measured = judge(how=how, use=use)
    assert {name for name, verdict in verdicts(measured).items() if verdict == "biased"} == biased
    assert set(verdicts(measured)) == REWRITTEN | ({"position"} if use == WIN_RATE else set())
    assert {bias["rows"] for bias in measured["biases"]} == {measured["rows"]} == {40}


@pytest.mark.slow
@each_case(
    "strength, how, name",
    [
        (strength, how, how.replace("first", "position").replace("german", "language de"))
        for strength in (0.3, 0.6, 1.0)
        for how in (*sorted(REWRITTEN), "first", "german")
    ],
)
def test_each_bias_is_named_at_three_strengths(judge, write, strength, how, name):
    rows = [row | {"language": language} for language in ("en", "de") for row in pairs(120)]
    for row in rows[120:]:
        row["prompt"] = f"Frage {row['id']}?"
    write("rows.jsonl", rows)
    _, measured = judge(how=how, strength=strength)
    assert verdicts(measured)[name] == "biased"


def test_a_pointwise_bias_is_the_mean_change_of_the_score(judge, write):
    write("rows.jsonl", pairs(40))
    _, measured = judge(how="authority", use=GRADE)
    found = {bias["name"]: bias for bias in measured["biases"]}
    assert found["authority"]["change"] == pytest.approx(0.2)
    assert found["length"]["change"] == 0


def test_rows_need_no_gold_and_of_single_answers_no_second(judge, write):
    write("rows.jsonl", [{"prompt": f"Question {n}?", "completions": [f"This is it: {n}. Yes."]} for n in range(30)])
    _, measured = judge(how="length", use=GRADE)
    assert verdicts(measured)["length"] == "none seen"  # the longer one still has fewer characters than it likes
    _, measured = judge(how="formatting", use=GRADE)
    assert verdicts(measured)["formatting"] == "biased"


@pytest.mark.slow
def test_a_judge_that_errs_in_one_language_is_named_and_one_that_does_not_is_not(judge, write):
    rows = [row | {"language": "en"} for row in pairs(40)]
    german = [row | {"language": "de", "prompt": f"Frage {row['id']}?"} for row in pairs(40)]
    write("rows.jsonl", rows + german)
    _, measured = judge(how="german")
    found = {bias["name"]: bias for bias in measured["biases"]}
    assert found["language de"]["verdict"] == "biased"
    assert found["language de"]["change"] == -1
    assert found["language de"]["rows"] == 40
    assert measured["same"]["same"] == 0
    _, measured = judge(how="fair")
    assert verdicts(measured)["language de"] == "none seen"
    assert measured["same"]["same"] == 1


@pytest.mark.slow
def test_of_three_languages_the_orders_of_a_problem_count(judge, write):
    rows = [row | {"language": language} for language in ("en", "de", "sw") for row in pairs(40)]
    for row in rows[40:80]:
        row["prompt"] = f"Frage {row['id']}?"
    write("rows.jsonl", rows)
    _, measured = judge(how="german")
    found = {bias["name"]: bias for bias in measured["biases"]}
    assert (found["language de"]["change"], found["language en"]["change"]) == (-1, 0.5)
    assert found["language de"]["verdict"] == "biased"
    assert found["language en"]["p"] > (2 / 3) ** 40  # in two of three orders English is not the one that is wrong


@pytest.mark.slow
@each_case("arguments, code", [(("--max-bias", "0.1"), 1), (("--max-bias", "0.9"), 0), ((), 0)])
def test_a_bias_beyond_its_tolerance_fails_it(judge, write, arguments, code):
    write("rows.jsonl", pairs(40))
    _, measured = judge(*arguments, how="length", code=code)
    (length,) = (bias for bias in measured["biases"] if bias["name"] == "length")
    assert length["beyond"] == ({"--max-bias": code == 1}[arguments[0]] if arguments else None)


def test_too_few_rows_for_a_bias_do_not_pass_its_tolerance(judge, write, main):
    """As an undecided licence, it is no pass; without a tolerance nothing is asked of it."""
    write("rows.jsonl", pairs(3))
    judge(how="fair", code=0)
    code, out, _ = main("judge", "r.yaml", "rows.jsonl", "--biases", "--max-bias", "0.9")
    assert code == 1
    assert out.splitlines()[-1].startswith("not decided, for want of rows: quality: position, quality: length,")


def test_the_questions_are_printed_before_they_are_asked(judge, write, main):
    write("rows.jsonl", pairs(30, language="en") + [row | {"language": "de"} for row in pairs(3)])
    err, measured = judge("--limit", "2", how="fair")
    # 4 rows: the original, and six texts, the other signature among them, in two orders each
    assert measured["questions"] == {"main": 56}
    assert "quality asks main at most 56 questions about 4 rows and their rewrites" in err
    assert verdicts(measured)["length"] == "too few rows"


def test_what_it_prints(judge, write, main):
    write("rows.jsonl", pairs(40))
    judge(how="length")
    code, out, _ = main("judge", "r.yaml", "rows.jsonl", "--biases", "--max-bias", "0.1")
    assert code == 1
    lines = out.splitlines()
    assert lines[0] == "quality (pairwise/win_rate), 40 rows"
    assert lines[1].split() == ["rows", "change", "95%", "together", "Holm's", "p"]
    (length,) = (line for line in lines if line.startswith("length"))
    assert length.endswith("p < 0.001  biased, beyond 0.1")
    assert "no language: no rows in several languages share a `problem`, an id or --cluster FIELD" in lines


def test_a_judge_without_a_name_has_no_self_preference(judge, write):
    write("rows.jsonl", pairs(20))
    err, measured = judge(model="")
    assert "no self_preference" in err
    assert "self_preference" not in verdicts(measured)


def test_what_was_asked_is_kept_and_gone_on_with(judge, write, tmp_path):
    write("rows.jsonl", pairs(3))
    judge("-o", "out.jsonl")
    kept = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["kind"] for row in kept if row["id"] == 1} == REWRITTEN | {"original", "other_signature"}
    judge("-o", "out.jsonl", "--resume")


@each_case(
    "arguments, says",
    [
        (("--max-bias", "0.1"), "--max-bias goes only with --biases"),
        (("--biases", "--licence"), "--biases is a measurement of its own; leave out --licence"),
        (("--biases",), "--biases rewrites the answers of rows; name a file of them"),
        (("--limit", "3"), "--limit goes only with --benchmark or --biases"),
    ],
)
def test_what_does_not_go_together(write, main, arguments, says):
    write("r.yaml", "{}")
    code, _, err = main("judge", "r.yaml", *arguments)
    assert code == 2
    assert says in err


def test_a_row_with_nothing_to_compare_is_named_and_can_be_left_out(judge, write):
    write("rows.jsonl", [*pairs(20), {"id": "one", "prompt": "?", "completions": ["alone"]}])
    err, _ = judge(code=2)
    assert "rows.jsonl:21: quality compares answers, and the row has no two different ones" in err
    _, measured = judge("--skip-bad")
    assert measured["rows"] == 20
