"""`rewardlab judge`: how often judges are right, and how they err, on rows with gold."""

import json
from contextlib import closing
from textwrap import dedent

import pytest
from rewardlab.files import FileLock

RIGHT = "The sum of four and three is seven, so the answer is 7."
WRONG = "I like trains."
OVERLAP = {"main": {"use": "pairwise/overlap"}}
PREFERENCE = {"use": "pairwise/win_rate", "with": {"judge": "main", "privileged": "reference"}}

SCRIPTED = r"""
from rewardlab import Config, JudgeSpec, Reply, RewardSpec, Score, hookimpl

class Options(Config):
    how: str = "right"

class Grades(Config):
    judge: str

BEATS = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}

class Judge:
    def __init__(self, how):
        if how == "absent":
            raise OSError("no such judge")
        self.how = how
    async def ask(self, ask):
        a, b = ask.parts.get("a", ""), ask.parts.get("b", "")
        if self.how == "interrupts":
            __import__("signal").raise_signal(2)
            await __import__("asyncio").sleep(60)  # so that the command waits for an answer when it hears of it
        if self.how == "down" and "down" in ask.parts["query"]:
            return Reply(error="https://me:secret@host is down")
        if self.how == "mumbles" and "mumble" in ask.parts["query"]:
            return Reply(text="hard to say", prompt_tokens=7, completion_tokens=3)
        if self.how == "first":
            return Reply(text="\\boxed{A}", prompt_tokens=7, completion_tokens=3)
        if self.how == "flips":  # every other draw takes the worse one, where the question is open
            first = (a.count("good") > b.count("good")) != ("open" in ask.parts["query"] and ask.draw % 2)
            return Reply(text="\\boxed{A}" if first else "\\boxed{B}")
        if self.how == "game":
            return Reply(text="\\boxed{A}" if (a, b) in BEATS else "\\boxed{B}")
        return Reply(text="\\boxed{A}" if a.count("good") > b.count("good") else "\\boxed{B}", prompt_tokens=7,
                     completion_tokens=3)

class Grade:
    def __init__(self, judge):
        self.judge = judge
    async def score(self, items):
        return [await self.one(c.text) for _, c in items]
    async def one(self, text):
        reply = await self.judge.ask(__import__("rewardlab").Ask(parts={"query": "", "a": text}))
        info = {"calls": 1, "tokens": 10, "unparsable": int("unclear" in text), "failed": 0}
        return Score(value=None if "unclear" in text else min(1, text.count("good") / 4), info=info,
                     error="no grade" if "unclear" in text else None)

@hookimpl
def rewardlab_judges():
    return [JudgeSpec(name="judge", summary="does as told", config=Options, reads="parts", local=True,
                      build=lambda options, context: Judge(options.how))]

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="grade", summary="a share of good", config=Grades, judges=("judge",), runs="async",
                       build=lambda options, context: Grade(context.judges[options.judge]))]
"""


@pytest.fixture
def recipe(write):
    """Write r.yaml: `recipe(how)` asks the scripted judge, `recipe(judges=..., components=...)` what it is told."""

    def file(how=None, judges=OVERLAP, components=None, total=None, **more):
        if how is not None:
            judges = {"main": {"use": "scripted/judge", "with": {"how": how}}}
            components = components or {"preference": {"use": "pairwise/win_rate", "with": {"judge": "main"}}}
        components = components or {"preference": PREFERENCE}
        reward = {"components": components, "total": total or " + ".join(components)} | more.pop("reward", {})
        return write("r.yaml", json.dumps({"version": 1, "judges": judges, "reward": reward} | more))

    return file


@pytest.fixture
def scripted(offer):
    offer("scripted", SCRIPTED)


@pytest.fixture
def judge(main):
    """`judge()` is the measures of the component `preference` in rows.jsonl; more arguments as on a command line."""

    def run(*arguments, component="preference"):
        code, out, err = main("judge", "r.yaml", "rows.jsonl", "--json", *arguments)
        assert (code, err) == (0, "")
        return json.loads(out)["components"][component]

    return run


def pairs(count, query="?", chosen="good good", rejected="good", **columns):
    better, worse = ([f"{text} {number}" for number in range(count)] for text in (chosen, rejected))
    return [
        {"id": number, "prompt": f"{query} {number}", "chosen": better[number], "rejected": worse[number]} | columns
        for number in range(count)
    ]


def kept(tmp_path, name="out.jsonl"):
    return [json.loads(line) for line in (tmp_path / name).read_text(encoding="utf-8").splitlines()]


# --- right and wrong ---


def test_accuracy_against_gold_by_language_and_by_kind(recipe, write, judge):
    recipe()
    shared = {"reference": RIGHT}
    right, turned = {"chosen": RIGHT, "rejected": WRONG}, {"chosen": WRONG, "rejected": RIGHT}
    rows = [
        {"id": 1, "prompt": "How much is 4 + 3?", "language": "de", "kind": "easy", **shared, **right},
        {"id": 2, "prompt": "And 3 + 4?", "lang": "de", "subset": "hard", **shared, **turned},
        {"id": 3, "prompt": "Is 4 + 3 even?", "language": "en", "category": "easy", **shared, **right},
    ]
    write("rows.jsonl", rows)
    found = judge()
    assert found["use"] == "pairwise/win_rate"
    assert (found["all"]["rows"], found["all"]["pairs"], found["all"]["accuracy"]) == (3, 3, 2 / 3)
    t = 4.3027  # Student's, of two degrees of freedom
    middle, half = (2 / 3 + t * t / 6) / (1 + t * t / 3), t * (2 / 27 + (t / 6) ** 2) ** 0.5 / (1 + t * t / 3)
    assert found["all"]["interval"] == pytest.approx([middle - half, middle + half], abs=5e-5)
    assert {name: m["accuracy"] for name, m in found["language"].items()} == {"de": 0.5, "en": 1.0}
    assert {name: m["accuracy"] for name, m in found["kind"].items()} == {"easy": 1.0, "hard": 0.0}


def in_languages(problems=40, languages=("de", "fr", "sw"), **columns):
    """Rows of which a problem's are right, or wrong, in all languages; each language asks in its own words."""
    return [
        {"id": f"{language}-{n}", "prompt": f"{n} in {language}?", "language": language, "reference": RIGHT}
        | ({"chosen": RIGHT, "rejected": WRONG} if n % 4 else {"chosen": WRONG, "rejected": RIGHT})
        | {name: value.format(n=n) for name, value in columns.items()}
        for language in languages
        for n in range(problems)
    ]


INTERVALS = (
    "interval",
    "kappa_interval",
    "order_agreement_interval",
    "position_bias_interval",
)


@pytest.mark.slow
@pytest.mark.parametrize("columns", [{"problem": "{n}"}, {"problem": "{n}", "task": "math"}, {"id": "{n}"}])
def test_translations_of_a_problem_say_no_more_than_one_of_them(recipe, write, judge, columns):
    """By `problem`, or by the id that all languages have."""
    recipe()
    write("rows.jsonl", in_languages(**columns))
    found = judge()
    whole, one = found["all"], found["language"]["de"]
    assert (whole["rows"], whole["clusters"], one["rows"], one["clusters"]) == (120, 40, 40, 40)
    assert {name: whole[name] for name in INTERVALS} == {name: pytest.approx(one[name]) for name in INTERVALS}
    alone = judge("--cluster", "none")["all"]
    assert alone["clusters"] == 120
    assert alone["interval"][1] - alone["interval"][0] < 0.7 * (whole["interval"][1] - whole["interval"][0])


def test_problems_of_two_tasks_are_two(recipe, write, judge):
    recipe()
    write("rows.jsonl", [row | {"task": row["language"]} for row in in_languages(problem="{n}")])
    assert judge()["all"]["clusters"] == 120


def test_pairs_out_of_one_list_count_as_one(recipe, write, judge):
    """Whether they stand in a row as a list, or in rows of their own with the same prompt."""
    recipe()
    texts = [RIGHT, f"{RIGHT} I like trains.", "seven or so", WRONG]
    listed = [{"prompt": f"{n}?", "reference": RIGHT, "completions": texts, "scores": [3, 2, 1, 0]} for n in range(9)]
    write("rows.jsonl", listed)
    as_lists = judge()["all"]
    write(
        "rows.jsonl",
        [
            {"id": f"{n}/{i}/{j}", "prompt": f"{n}?", "reference": RIGHT, "chosen": texts[i], "rejected": texts[j]}
            for n in range(9)
            for i in range(4)
            for j in range(i + 1, 4)
        ],
    )
    as_pairs = judge()["all"]
    assert (as_lists["pairs"], as_lists["clusters"], as_pairs["pairs"], as_pairs["clusters"]) == (54, 9, 54, 9)
    assert as_lists["interval"] == pytest.approx(as_pairs["interval"])
    assert as_lists["kendall_tau_interval"] is not None


@pytest.mark.slow
def test_another_field_may_say_what_counts_as_one(recipe, write, main, judge):
    recipe()
    write("rows.jsonl", in_languages(text="{n}", problem="of its own"))
    assert (judge("--cluster", "text")["all"]["clusters"], judge()["all"]["clusters"]) == (40, 1)
    assert judge()["all"]["interval"] is None, "one problem does not say how much another would differ"
    code, out, _ = main("judge", "r.yaml", "rows.jsonl", "--cluster", "text")
    assert "95%: 120 rows of 40 problems; those of one problem count together (--cluster none: each by itself)" in out
    code, _, err = main("judge", "r.yaml", "rows.jsonl", "--cluster", "page")
    assert (code, "no field 'page'" in err) == (2, True)


def test_a_judge_that_is_always_right(recipe, write, judge, scripted):
    recipe("right")
    write("rows.jsonl", pairs(20))
    found = judge()["all"]
    assert [found[key] for key in ("accuracy", "missing", "ties", "kappa", "kappa_orders")] == [1.0, 0, 0, 1.0, 1.0]
    assert (found["position_bias"], found["order_agreement"], found["parse_failures"]) == (0.0, 1.0, 0.0)
    assert (found["calls"], found["tokens"], found["failed"]) == (40, 400, 0)
    assert (found["kendall_tau"], found["intransitivity"]) == (None, None)


def test_a_judge_that_takes_whoever_stands_first_knows_nothing(recipe, write, judge, scripted):
    recipe("first")
    write("rows.jsonl", pairs(20))
    found = judge()["all"]
    assert (found["accuracy"], found["ties"]) == (0.5, 20)
    assert (found["position_bias"], found["order_agreement"]) == (1.0, 0.0)
    assert (found["kappa"], found["kappa_orders"]) == (0.0, 0.0)


def test_where_a_row_has_its_better_answer_is_no_hint(recipe, write, judge, scripted):
    """A reward that favours places, as `a_only` does with this judge, finds gold first about as often as last."""
    options = {"judge": "main", "orders": "balanced"}
    recipe("first", components={"preference": {"use": "pairwise/win_rate", "with": options}})
    write("rows.jsonl", pairs(200))
    assert 0.4 < judge()["all"]["accuracy"] < 0.6


def test_what_fails_is_missing_and_never_wrong(recipe, write, judge, scripted):
    recipe("down", components={"preference": {**_asking("main"), "max_missing": 0.5}})
    rows = [*pairs(70), *({**row, "id": f"down {row['id']}"} for row in pairs(30, query="down"))]
    write("rows.jsonl", sorted(rows, key=lambda row: str(row["id"])[::-1]))
    found = judge()["all"]
    assert (found["pairs"], found["missing"], found["accuracy"], found["kappa"]) == (100, 30, 1.0, 1.0)
    assert (found["calls"], found["failed"], found["unparsable"]) == (200, 60, 0)


def _asking(name):
    return {"use": "pairwise/win_rate", "with": {"judge": name}}


def test_too_many_failures_stop_the_job_with_what_was_judged(recipe, write, main, scripted, tmp_path):
    recipe("down")  # max_missing is 0.05, on_missing is fail: judged by max_missing all the same
    write("rows.jsonl", pairs(40, query="down"))
    code, out, err = main("judge", "r.yaml", "rows.jsonl", "-o", "out.jsonl")
    assert (code, out) == (1, "")
    assert "component 'preference' (pairwise/win_rate) has no value for 50 of the last 50 completions" in err
    assert "https://***@host is down" in err
    assert "0 of 40 rows were judged; their values are in out.jsonl, and --resume asks for the others" in err
    assert len(kept(tmp_path)) == 25
    assert all("https://***@host is down" in error for row in kept(tmp_path) for error in row["error"])
    assert {row["won"] for row in kept(tmp_path)} == {None}
    write("rows.jsonl", pairs(2, query="down"))
    code, out, err = main("judge", "r.yaml", "rows.jsonl")
    assert (code, out) == (1, ""), "too few for a share, yet nothing was judged"
    assert "component 'preference' (pairwise/win_rate) has no value for any of 4 completions; last: " in err
    assert err.splitlines()[-1] == "error: 0 of 2 rows were judged"
    code, _, err = main("judge", "r.yaml", "rows.jsonl", "-o", "out.jsonl")
    assert (code, err) == (2, "error: out.jsonl: exists already; give -o another name, or go on with --resume\n")


def test_an_interrupted_measurement_says_how_it_goes_on(recipe, write, main, scripted):
    recipe("interrupts")
    write("rows.jsonl", pairs(3))
    code, out, err = main("judge", "r.yaml", "rows.jsonl", "-o", "out.jsonl")
    ending = "their values are in out.jsonl, and --resume asks for the others"
    assert (code, out, err) == (130, "", f"error: stopped\nerror: 0 of 3 rows were judged; {ending}\n")


def test_rows_that_were_judged_before_it_stopped_are_counted(recipe, write, main, scripted):
    recipe("down")
    write("rows.jsonl", [*pairs(25), *({**row, "id": f"d{row['id']}"} for row in pairs(25, query="down"))])
    _, _, err = main("judge", "r.yaml", "rows.jsonl")
    assert err.splitlines()[-1] == "error: 25 of 50 rows were judged"


def test_replies_without_a_verdict_are_parse_failures(recipe, write, judge, scripted):
    recipe("mumbles")
    rows = [*pairs(3), *({**row, "id": f"m{row['id']}"} for row in pairs(1, query="mumble"))]
    write("rows.jsonl", rows)
    found = judge()["all"]
    assert (found["calls"], found["unparsable"], found["parse_failures"]) == (8, 2, 0.25)
    assert (found["accuracy"], found["ties"], found["kappa"]) == (3.5 / 4, 1, 1.0)  # half, by the reward's policy


# --- lists ---


def test_a_list_is_compared_by_kendalls_tau_and_pair_by_pair(recipe, write, judge, scripted, tmp_path):
    recipe("right")
    completions = ["good good good", "good good", "good", "bad"]
    rows = [
        {"id": "right", "prompt": "?", "completions": completions, "scores": [4, 3, 2, 1]},
        {"id": "swapped", "prompt": "??", "completions": completions, "scores": [4, 2, 3, 1]},
        {"id": "alike", "prompt": "?", "completions": completions, "scores": [1, 1, 1, 1]},
    ]
    write("rows.jsonl", rows)
    found = judge("-o", "out.jsonl")["all"]
    assert (found["rows"], found["pairs"], found["accuracy"]) == (3, 12, 11 / 12)
    assert (found["kendall_tau"], found["tau_rows"]) == (pytest.approx((1 + 4 / 6) / 2), 2)
    assert (found["triples"], found["intransitive"], found["intransitivity"]) == (12, 0, 0.0)
    assert [row["won"] for row in kept(tmp_path)] == [1.0, pytest.approx(5 / 6), None]


def test_where_gold_knows_no_better_one_no_verdict_is_wrong(recipe, write, judge, scripted):
    recipe("right")
    completions = ["good good good good", "good good", "good good good", "bad"]
    write("rows.jsonl", [{"prompt": "?", "completions": completions, "scores": [1, 1, 1, 0]}])
    found = judge()["all"]
    assert (found["pairs"], found["accuracy"], found["kappa"]) == (3, 1.0, 1.0)


def test_cycles_are_intransitive(recipe, write, judge, scripted):
    recipe("game")
    rows = [
        {"prompt": "play", "completions": ["rock", "paper", "scissors"], "scores": [1, 2, 3]},
        {"prompt": "play on", "completions": ["rock", "scissors"], "scores": [1, 0]},
    ]
    write("rows.jsonl", rows)
    found = judge()["all"]
    assert (found["triples"], found["intransitive"], found["intransitivity"]) == (1, 1, 1.0)
    assert found["intransitive_rows"] == 1.0  # of the rows that have triples
    assert found["intransitive_by_size"] == {"3": 1.0}


def test_single_answers_with_a_grade_each(recipe, write, judge, scripted):
    """A reward that grades one answer at a time, on rows of one answer each."""
    recipe("right", components={"preference": {"use": "scripted/grade", "with": {"judge": "main"}, "max_missing": 1}})
    rows = [
        {"prompt": "p", "response": "good good", "score": 5, "language": "de"},
        {"prompt": "p", "response": "good unclear", "score": 4, "language": "de"},
        {"prompt": "p", "response": "bad", "score": 1, "language": "de"},
        {"prompt": "p", "response": "good", "score": 1, "language": "sw"},
        {"prompt": "p", "completion": {"text": "bad"}, "score": 3, "language": "sw"},
    ]
    write("rows.jsonl", rows)
    found = judge()
    assert (found["all"]["rows"], found["all"]["pairs"], found["all"]["missing"]) == (2, 4, 2)
    assert (found["all"]["calls"], found["all"]["tokens"], found["all"]["parse_failures"]) == (5, 50, 0.2)
    assert {name: m["kendall_tau"] for name, m in found["language"].items()} == {"de": 1.0, "sw": -1.0}
    assert found["all"]["position_bias"] is None


# --- what is measured ---


def test_all_components_that_ask_a_judge_are_measured_and_no_other_is_built(recipe, write, main, scripted):
    components = {
        "right": _asking("good"),
        "first": _asking("bad"),
        "broken": {"use": "toy/faulty", "with": {"how": "raise", "when": ""}},
    }
    judges = {
        "good": {"use": "scripted/judge"},
        "bad": {"use": "scripted/judge", "with": {"how": "first"}},
        "unasked": {"use": "scripted/judge", "with": {"how": "absent"}},
    }
    recipe(judges=judges, components=components)
    write("rows.jsonl", pairs(4))
    code, out, err = main("judge", "r.yaml", "rows.jsonl", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)["components"]
    assert {name: m["all"]["accuracy"] for name, m in found.items()} == {"right": 1.0, "first": 0.5}
    code, out, _ = main("judge", "r.yaml", "rows.jsonl", "--json", "--component", "first")
    assert (code, list(json.loads(out)["components"])) == (0, ["first"])


def test_the_component_by_which_groups_are_left_out_need_not_be_measured(recipe, write, judge):
    components = {"preference": PREFERENCE, "short": {"use": "toy/brevity", "with": {"words": 1}}}
    recipe(components=components, reward={"correctness": "short", "teach": {"flat": "drop"}})
    write("rows.jsonl", [{"prompt": "?", "chosen": RIGHT, "rejected": WRONG, "reference": RIGHT}])
    assert judge()["all"]["accuracy"] == 1.0


def test_a_component_without_a_judge_is_measured_when_it_is_named(recipe, write, main):
    recipe(components={"short": {"use": "toy/brevity", "with": {"words": 1}}}, judges={})
    write("rows.jsonl", [{"prompt": "?", "chosen": "yes", "rejected": "well yes and no"}])
    code, out, err = main("judge", "r.yaml", "rows.jsonl")
    assert (code, out) == (2, "")
    assert err == "error: no component asks a judge; name one of short (toy/brevity) with --component\n"
    code, out, _ = main("judge", "r.yaml", "rows.jsonl", "--json", "--component", "short")
    measured = json.loads(out)["components"]["short"]["all"]
    assert (code, measured["accuracy"], measured["calls"]) == (0, 1.0, None)
    assert main("judge", "r.yaml", "rows.jsonl", "--component", "shrot") == (
        2,
        "",
        "error: --component shrot: no component 'shrot'; did you mean 'short'?\n",
    )


# --- what comes out ---


def test_a_judge_that_is_asked_again_shows_how_often_its_verdict_flips(recipe, write, judge, main, scripted, tmp_path):
    recipe("flips")
    write("rows.jsonl", pairs(4, query="open", language="de") + pairs(4, query="clear", language="en"))
    once = judge()
    assert (once["all"]["retests"], once["all"]["retest_flips"], once["all"]["spread"]) == (0, None, None)
    found = judge("--repeats", "3")
    assert (found["all"]["retests"], found["all"]["retest_flips"]) == (8, pytest.approx(1 / 3))
    low, high = found["all"]["retest_flips_interval"]
    assert low < 1 / 3 < high
    by_language = {name: (m["retest_flips"], m["accuracy"]) for name, m in found["language"].items()}
    assert by_language == {"de": (pytest.approx(2 / 3), 1.0), "en": (0.0, 1.0)}, "the mean of three is right"
    code, out, _ = main("judge", "r.yaml", "rows.jsonl", "--repeats", "3")
    assert code == 0
    head, *rows = [line for line in out.splitlines() if "retest flips" in line or line.startswith("language")]
    assert "retest flips" in head
    assert ["0.67" in row for row in rows] == [True, False]
    assert found["all"]["calls"] == 3 * once["all"]["calls"]
    judge("--repeats", "2", "-o", "out.jsonl")
    assert [row["repeats"][0] for row in kept(tmp_path)] == [{"main": [1.0, 0.0]}] * 4 + [{"main": [1.0, 1.0]}] * 4


def test_repeats_of_a_judge_that_gives_one_answer_are_told_before_they_are_paid(recipe, write, main):
    recipe("flips")
    write("rows.jsonl", pairs(2, query="open"))
    nobody = "{model: m, base_url: 'http://127.0.0.1:9/v1', temperature: 0}"
    greedy = f"judges.main={{use: openai/chat, with: {nobody}, retries: 0}}"
    _, _, err = main("judge", "r.yaml", "rows.jsonl", "--repeats", "2", greedy)
    assert "judges.main has temperature 0 and no seed: 2 repeats will most likely be one answer" in err
    assert "has temperature 0" not in main("judge", "r.yaml", "rows.jsonl", greedy)[2]


def test_the_table_that_people_read(recipe, write, main, scripted):
    recipe("right")
    write("rows.jsonl", [{**row, "language": "de" if row["id"] else "sw"} for row in pairs(9)])
    code, out, err = main("judge", "r.yaml", "rows.jsonl")
    assert (code, err) == (0, "")
    assert out == dedent("""\
        preference (pairwise/win_rate)
                     rows  pairs  missing  ties  accuracy        95%              kappa  bias  orders agree  unparsable
        all             9      9        0     0      1.00  0.70-1.00  1.00 (0.40, 1.00)  0.00          1.00        0.00
        language de     8      8        0     0      1.00  0.68-1.00  1.00 (0.35, 1.00)  0.00          1.00        0.00
        language sw     1      1        0     0      1.00          -               1.00  0.00          1.00        0.00
        18 calls, 0 unparsable, 0 failed, 180 tokens
        """)


@pytest.mark.parametrize("flags", [[], ["--resume"]])
def test_an_output_that_another_process_writes_is_left_alone(recipe, write, main, scripted, tmp_path, flags):
    recipe("right")
    write("rows.jsonl", pairs(8))
    assert main("judge", "r.yaml", "rows.jsonl", "-o", "out.jsonl")[0] == 0
    before = (tmp_path / "out.jsonl").read_bytes()
    if not flags:  # both saw no file at first
        (tmp_path / "out.jsonl").unlink()
    with closing(FileLock(tmp_path / "out.jsonl.state" / "lock")):
        code, _, err = main("judge", "r.yaml", "rows.jsonl", "-o", "out.jsonl", *flags)
    assert (code, err.splitlines()[-1]) == (2, "error: out.jsonl: another process is writing it")
    assert not flags or (tmp_path / "out.jsonl").read_bytes() == before


def test_each_row_is_written_in_its_own_order(recipe, write, main, scripted, tmp_path):
    recipe("right")
    rows = [{"id": "list", "prompt": "?", "completions": ["bad", "good good", "good"], "scores": [0, 2, 1]}, *pairs(8)]
    write("rows.jsonl", rows)
    assert main("judge", "r.yaml", "rows.jsonl", "-o", "out.jsonl")[0] == 0
    listed, *paired = kept(tmp_path)
    assert listed == {
        "id": "list",
        "language": None,
        "kind": None,
        "component": "preference",
        "gold": [0.0, 2.0, 1.0],
        "values": [0.0, 1.0, 0.5],
        "won": 1.0,
        "verdicts": [{"1": "B", "2": "B"}, {"0": "A", "2": "A"}, {"0": "A", "1": "B"}],
        "error": [None, None, None],
    }
    assert [row["id"] for row in paired] == list(range(8))
    assert all(row["values"] == [1.0, 0.0] and row["verdicts"] == [{"1": "A"}, {"0": "B"}] for row in paired)


def test_the_same_rows_give_the_same_bytes(recipe, write, main, tmp_path):
    recipe()
    write("rows.jsonl", [{**row, "reference": RIGHT} for row in pairs(12, chosen=RIGHT, rejected=WRONG)])
    for name in ("one.jsonl", "two.jsonl"):
        assert main("judge", "r.yaml", "rows.jsonl", "-o", name)[0] == 0
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


@pytest.mark.slow
def test_as_a_user_runs_it(rewardlab, recipe, write):
    recipe()
    write("rows.jsonl", [{"prompt": "4 + 3?", "chosen": RIGHT, "rejected": WRONG, "reference": RIGHT}])
    done = rewardlab("judge", "r.yaml", "seed=3", "rows.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("preference (pairwise/win_rate)\n")


# --- what is refused ---


def test_bad_rows_are_listed_or_left_out(recipe, write, main, scripted):
    recipe("right")
    write("rows.jsonl", [*pairs(2), {"prompt": "?", "chosen": "good"}, {"prompt": "?", "chosen": "a", "rejected": "a"}])
    code, out, err = main("judge", "r.yaml", "rows.jsonl")
    assert (code, out) == (2, "")
    assert [line.split(": ")[1].rpartition("/")[2] for line in err.splitlines()] == [
        "rows.jsonl:3",
        "rows.jsonl:4",
        "rows.jsonl",
    ]
    assert "2 bad rows; fix them, or leave them out with --skip-bad" in err
    code, out, err = main("judge", "r.yaml", "rows.jsonl", "--skip-bad", "--json")
    assert (code, json.loads(out)["components"]["preference"]["all"]["rows"]) == (0, 2)
    assert err.splitlines()[-1] == "warning: rows.jsonl: 2 bad rows left out"


def test_a_field_that_the_reward_needs_is_missed_before_anything_is_asked(recipe, write, main):
    recipe()
    write("rows.jsonl", pairs(1))
    code, _, err = main("judge", "r.yaml", "rows.jsonl")
    assert code == 2
    assert "field 'reference' is needed by preference (pairwise/win_rate), but the row has none" in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["r.yaml"], "no rubric has goldens; add some, or name a file of rows with gold or a published benchmark"),
        (["r.yaml", "-o", "out.jsonl"], "-o is for rows with gold, or a published benchmark"),
        (["r.yaml", "none.jsonl"], "none.jsonl: no such file"),
        (["r.yaml", "empty.jsonl"], "empty.jsonl: it has no rows"),
        (["r.yaml", "rows.jsonl", "-o", "rows.jsonl"], "rows.jsonl: exists already; give -o another name"),
        (["r.yaml", "rows.jsonl", "-o", "no/out.jsonl"], "there is no folder no; make it first"),
        (
            ["r.yaml", "rows.jsonl", "--graft", "x", "--component", "y"],
            "--graft measures nothing; leave --component out",
        ),
        (["r.yaml", "rows.jsonl", "--correctness", "x"], "--correctness goes only with --graft"),
        (
            ["r.yaml", "--benchmark", "rewardbench", "--repeats", "2"],
            "--repeats goes without --benchmark, whose runs --seeds",
        ),
        (["r.yaml", "rows.jsonl", "--repeats", "101"], "--repeats is at most 100"),
        (["r.yaml", "rows.jsonl", "--graft", "x", "--repeats", "2"], "--graft asks nothing; leave --repeats out"),
    ],
)
def test_mistakes(recipe, write, main, scripted, arguments, says):
    recipe("right")
    write("rows.jsonl", pairs(1))
    write("empty.jsonl", "")
    code, out, err = main("judge", *arguments)
    assert (code, out) == (2, "")
    assert says in err
