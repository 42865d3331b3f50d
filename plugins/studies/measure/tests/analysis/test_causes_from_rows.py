"""`rewardlab causes RECIPE ROWS`: what moved the reward in rows that exist, and what is odd about its components."""

import json
import re
from dataclasses import replace

import pytest
from rewardlab import Completion, Group, Sample
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.scoring import Scorer
from rewardlab_training import Ledger

PLUGIN = """
from rewardlab import Ask, JudgeSpec, Reply, RewardSpec, Score, hookimpl
from rewardlab import Config

class Rule:
    def __init__(self, rule): self.rule = rule
    def score(self, items): return [self.one(completion.text) for _, completion in items]
    def one(self, text):
        if text == "broken":
            return Score(error="no luck")
        return Score(value=self.rule(text))

class Center:
    def shape(self, totals, tokens, kept, seed):
        return [totals[place] - sum(totals) / len(totals) for place in kept]

class Bonus:
    def shape(self, totals, tokens, kept, seed):
        return [totals[place] + place ** 2 for place in kept]

class Asks(Config):
    judge: str

class Asking:
    def __init__(self, judge): self.judge = judge
    async def score(self, items):
        return [Score(value=float((await self.judge.ask(Ask(messages=[{"role": "user", "content": c.text}]))).text))
                for _, c in items]

class Half:
    async def ask(self, ask): return Reply(text="0.5")

@hookimpl
def rewardlab_rewards():
    def spec(name, rule):
        return RewardSpec(name=name, summary="", runs="inline", build=lambda options, context: Rule(rule))
    asked = RewardSpec(name="asked", summary="", runs="async", config=Asks, judges=("judge",),
                       calls=lambda options, size: size,
                       build=lambda options, context: Asking(context.judges[options.judge]))
    return [spec("length", lambda text: len(text) / 100), spec("same", lambda text: len(text) / 100),
            spec("fixed", lambda text: 0.5), spec("vowels", lambda text: text.count("o") / 100), asked]

@hookimpl
def rewardlab_judges():
    return [JudgeSpec(name=name, summary="", local=name == "local", build=lambda options, context: Half())
            for name in ("half", "local")]

@hookimpl
def rewardlab_normalizers():
    from rewardlab import NormalizerSpec
    return [NormalizerSpec(name="center", summary="", build=lambda options, context: Center()),
            NormalizerSpec(name="bonus", summary="", build=lambda options, context: Bonus())]
"""
COMPONENTS = ["long: {use: mine/length}", "fixed: {use: mine/fixed}", "vowels: {use: mine/vowels}"]
ROWS = [{"id": f"r{n}", "prompt": "?", "completions": ["x" * n, "o" * 9, "xo" * (n % 5 + 1)]} for n in range(12)]


@pytest.fixture(autouse=True)
def plugin(offer):
    offer("mine", PLUGIN)


@pytest.fixture
def recipe(write):
    """A recipe with some components: `recipe("long + fixed")`."""

    def file(total="long + fixed", *more, head="", tail=""):
        components = "".join(f"    {line}\n" for line in [*COMPONENTS, *more])
        return write("r.yaml", f"version: 1\n{head}reward:\n  components:\n{components}  total: {total}\n{tail}")

    return file


@pytest.fixture
def causes(main):
    """`causes("rows.jsonl")`: (what --json says, stderr)."""

    def run(*arguments, code=0):
        ended, out, err = main("causes", "r.yaml", "--json", *arguments)
        assert ended == code, out + err
        return json.loads(out), err

    return run


def kinds(told):
    return [(finding["kind"], finding["components"]) for finding in told["findings"]]


def ledger(tmp_path, plan, groups, trained="yes", attempt=0, steps=(1,), phase="training"):
    """All groups in each of the steps."""
    book = Ledger(tmp_path / "ledger.jsonl", attempt=attempt)
    with Scorer(plan) as scorer:
        for step in steps:
            book.write(0, step, scorer.score_groups(groups), trained=trained, phase=phase)
    book.close()
    return tmp_path / "ledger.jsonl"


def group(row):
    completions = tuple(Completion(text=text) for text in row["completions"])
    return Group(sample=Sample(id=row["id"], prompt=({"role": "user", "content": "?"},)), completions=completions)


def test_it_says_what_moved_the_reward_and_warns_of_what_is_odd(recipe, write, main):
    recipe("2 * long + fixed")
    write("rows.jsonl", ROWS)
    code, out, err = main("causes", "r.yaml", "rows.jsonl")
    assert code == 0
    assert out.splitlines() == [
        "what moved the reward, in 12 groups:",
        "  component  in the total     share of variance  constant in",
        "  long       weight 2         100.0%             0 of 12 groups",
        "  fixed      weight 1         0.0%               12 of 12 groups",
        "  vowels     no, only logged  –                  –",
    ]
    assert err.splitlines() == [
        "rows.jsonl: scoring 12 rows",
        "warning: fixed is the same for all completions of a prompt in every one of 12 groups: it is dead",
    ]


@pytest.mark.parametrize(
    ("total", "normalizer", "used"),
    [
        ("(long + vowels) * fixed", "mine/center", "gate"),
        ("long - 2 * vowels + fixed", "normalize/gdpo", "weight"),
    ],
)
def test_rows_scores_and_a_ledger_tell_the_same(recipe, write, main, causes, tmp_path, total, normalizer, used):
    path = recipe(total, tail=f"  normalize: [{normalizer}]\n")
    rows = write("rows.jsonl", ROWS)
    assert main("score", "r.yaml", "rows.jsonl", "-o", "scored.jsonl")[0] == 0
    book = ledger(tmp_path, make_plan(load(path), purpose="score"), [group(row) for row in ROWS])
    (scored, err), (recorded, _), (sampled, _) = causes("scored.jsonl"), causes(book), causes(rows)
    assert (scored["causes"], err) == (sampled["causes"], "")
    assert recorded["causes"] == scored["causes"]
    assert kinds(recorded) == kinds(scored) == kinds(sampled) == [("dead", ["fixed"])]
    assert [told["findings"][0]["what"].endswith(": it is dead, nothing is learned from it")
            for told in (recorded, scored, sampled)] == [True, False, False]  # fmt: skip
    assert scored["causes"]["components"]["fixed"]["uses"] == [used]


@pytest.mark.parametrize("shape", ["center", "bonus"])
@pytest.mark.parametrize(
    "total",
    [
        "long - 2 * vowels",
        "min(long, 2 * vowels) + clip(long, 0.02, 0.08) * again",
        "(long + vowels) * (again - vowels)",
    ],
)
def test_shares_are_of_the_variance_of_what_trained_and_add_up_to_1(recipe, causes, tmp_path, total, shape):
    path = recipe(total, "again: {use: mine/same}", tail=f"  normalize: [mine/{shape}]\n")
    book = ledger(tmp_path, make_plan(load(path), purpose="score"), [group(row) for row in ROWS])
    told = causes(book)[0]["causes"]
    shares = {name: component["share"] for name, component in told["components"].items()}
    assert sum(shares.values()) + told["rest_share"] == pytest.approx(1, abs=1e-9)
    lines = [json.loads(line) for line in book.read_text().splitlines()]
    products, squares = dict.fromkeys(shares, 0.0), 0.0
    for start in range(0, len(lines), 3):
        rows = lines[start : start + 3]
        centred = [row["shaped"] - sum(other["shaped"] for other in rows) / 3 for row in rows]
        squares += sum(value**2 for value in centred)
        for name in shares:
            products[name] += sum(
                v * row["components"][name]["contribution"] for v, row in zip(centred, rows, strict=True)
            )
    assert shares == pytest.approx({name: product / squares for name, product in products.items()}, abs=1e-9)


def test_components_that_say_the_same_are_named(recipe, write, causes):
    recipe("long + again", "again: {use: mine/same}")
    write("rows.jsonl", ROWS)
    assert kinds(causes("rows.jsonl")[0]) == [("duplicate", ["long", "again"])]


def test_of_a_few_groups_it_says_that_they_are_few(recipe, write, main):
    recipe()
    write("rows.jsonl", ROWS[:7])
    _, out, err = main("causes", "r.yaml", "rows.jsonl")
    assert "have two completions with a total; from 8 on, dead, dominating and duplicate components are named" in out
    assert "warning" not in err


def test_no_more_rows_are_scored_than_are_asked_for_and_questions_are_told_before(recipe, write, causes):
    head = "judges: {main: {use: mine/half}, near: {use: mine/local}}\n"
    asked = [f"asked{n}: {{use: mine/asked, with: {{judge: {judge}}}}}" for n, judge in enumerate(("main", "near"))]
    recipe("long + asked0 + asked1", *asked, head=head)
    write("rows.jsonl", ROWS)
    told, err = causes("rows.jsonl", "--limit", "10")
    assert told["causes"]["groups"] == 10
    first, asked, *summary = err.splitlines()
    assert first == "rows.jsonl: scoring the first 10 rows; --limit takes more"
    assert asked == "asked0 asks main up to 30 questions; fewer with --limit"
    assert [line.partition(" calls")[0] for line in summary] == ["judge main: 30"]


def test_rows_that_are_not_read_are_not_told(recipe, write, causes):
    recipe()
    write("rows.jsonl", [{"id": n} for n in range(5)])
    one, count = causes("rows.jsonl", "--limit", "2", code=2)[0]["problems"]
    assert one["what"].endswith("(2 rows, this is the first)")
    assert count["what"] == "2 bad rows; fix them"


def test_rows_may_have_a_column_called_components(recipe, write, causes):
    recipe()
    write("rows.jsonl", [row | {"components": 3} for row in ROWS])
    assert causes("rows.jsonl")[0]["causes"]["groups"] == 12


def test_a_policy_that_says_fail_ends_it(recipe, write, main):
    recipe()
    write("rows.jsonl", [*ROWS, {"id": "bad", "prompt": "?", "completions": ["broken"]}])
    code, _, err = main("causes", "r.yaml", "rows.jsonl")
    assert code == 1
    assert "component 'long' (mine/length) failed on sample 'bad' (rows.jsonl:13), completion 0: no luck" in err


def test_a_component_that_only_fails_ends_it_however_few_rows_there_are(recipe, write, main):
    recipe("again", "again: {use: mine/same, on_missing: 0.0, max_missing: 0.5}")
    write("rows.jsonl", [{"id": "bad", "prompt": "?", "completions": ["broken", "broken"]}])
    code, _, err = main("causes", "r.yaml", "rows.jsonl")
    assert code == 1
    assert "component 'again' (mine/same) has no value for any of 2 completions" in err


def test_a_component_that_fails_too_often_ends_it(recipe, write, main):
    recipe("again", "again: {use: mine/same, on_missing: 0.0, max_missing: 0.5}")
    write("rows.jsonl", [{"id": n, "prompt": "?", "completions": ["broken"] * 40 + ["x"] * 25} for n in range(4)])
    code, _, err = main("causes", "r.yaml", "rows.jsonl")
    assert code == 1
    assert "component 'again' (mine/same) has no value for 40 of the last 65 completions" in err


def test_a_ledger_counts_what_was_trained_on_and_else_evaluations(recipe, causes, tmp_path):
    plan = make_plan(load(recipe()), purpose="score")
    book = ledger(tmp_path, plan, [group(row) for row in ROWS], trained="no", phase="during")
    told, err = causes(book)
    assert (told["causes"]["groups"], err) == (12, f"{book}: 12 groups of evaluations\n")
    told, err = causes(ledger(tmp_path, plan, [group(ROWS[3])]))
    assert (told["causes"]["groups"], err) == (1, f"{book}: 1 group of training\n")


def test_steps_that_a_resumed_run_took_again_count_once(recipe, causes, tmp_path):
    plan = make_plan(load(recipe()), purpose="score")
    groups = [group(row) for row in ROWS[:2]]
    ledger(tmp_path, plan, groups, steps=(1, 2, 3, 4))
    book = ledger(tmp_path, plan, groups, attempt=1, steps=(3,))  # from the checkpoint of step 2; step 4 is lost
    told, err = causes(book)
    assert (told["causes"]["groups"], err) == (6, f"{book}: 6 groups of training\n")


def test_what_was_discarded_does_not_count_and_is_told(recipe, causes, tmp_path):
    plan = make_plan(load(recipe()), purpose="score")
    book = Ledger(tmp_path / "ledger.jsonl", attempt=0)
    with Scorer(plan) as scorer:
        [kept, dropped] = scorer.score_groups([group(ROWS[3]), group(ROWS[4])])
    left = replace(dropped, components={}, totals=[None] * 3, shaped=(), causes=None)
    for scored, trained in ((left, "no"), (kept, "yes"), (dropped, "no")):
        book.write(0, 1, [scored], trained)
    book.close()
    told, err = causes(tmp_path / "ledger.jsonl")
    assert told["causes"]["groups"] == 1
    assert "ledger.jsonl: 1 group of training; 6 completions that were not trained on do not count" in err


def test_a_ledgers_line_that_a_kill_cut_off_does_not_count(recipe, causes, tmp_path):
    book = ledger(tmp_path, make_plan(load(recipe()), purpose="score"), [group(ROWS[3])])
    whole = book.read_text()
    book.write_text(whole + whole[:50])
    told, err = causes(book)
    assert told["causes"]["groups"] == 1
    assert f"warning: {book}:4 is cut off, as a run leaves it that is going on or was killed" in err
    book.write_text(whole[:50] + "\n" + whole)  # in the middle no kill leaves one
    assert "the JSON is cut off" in causes(book, code=2)[0]["problems"][0]["what"]
    book.write_text(whole + whole[:50] + "\n")  # nor does it end one
    assert "the JSON is cut off" in causes(book, code=2)[0]["problems"][0]["what"]


def test_scores_that_end_in_the_middle_of_a_line_are_no_scores(recipe, write, causes):
    """`score` writes them anew, `--resume` goes on with them."""
    recipe()
    write("scored.jsonl", json.dumps(SCORED) + "\n" + json.dumps(SCORED)[:50])
    assert "the JSON is cut off" in causes("scored.jsonl", code=2)[0]["problems"][0]["what"]


def test_of_a_completion_without_a_total_scores_say_nothing(recipe, write, main, causes, tmp_path):
    policy = "on_missing: zero_advantage, max_missing: 0.5"
    recipe("again + one", f"again: {{use: mine/same, {policy}}}", f"one: {{use: mine/fixed, {policy}}}")
    write("rows.jsonl", [row | {"completions": [*row["completions"], "broken"]} for row in ROWS])
    assert main("score", "r.yaml", "rows.jsonl", "-o", "scored.jsonl")[0] == 0
    told = causes("scored.jsonl")[0]
    assert told["causes"]["components"] == causes("rows.jsonl")[0]["causes"]["components"]
    assert kinds(told) == [("dead", ["one"])]
    rows = [json.loads(line) for line in (tmp_path / "scored.jsonl").read_text().splitlines()]
    write("scored.jsonl", [row | {"total": [*row["total"][:3], 0.0]} for row in rows])
    assert "total[3] is not what this recipe makes" in causes("scored.jsonl", code=2)[0]["problems"][0]["what"]


def test_what_a_normalizer_adds_of_its_own_is_told(recipe, write, main):
    recipe("long + vowels", tail="  normalize: [mine/bonus]\n")
    write("rows.jsonl", "".join(f"{json.dumps(row)}\n" for row in ROWS))
    _, out, _ = main("causes", "r.yaml", "rows.jsonl")
    assert "% of the variance is the rest: what normalizers add of their own" in out


SCORED = {
    "id": 1,
    "total": [0.6],
    "shaped": [0.6],
    "components": {
        name: {"value": [value], "error": [None], "info": [{}]}
        for name, value in {"long": 0.1, "fixed": 0.5, "vowels": 0.0}.items()
    },
}


def entry(name, **changed):
    return SCORED | {"components": SCORED["components"] | {name: SCORED["components"][name] | changed}}


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("{", "the JSON is cut off"),
        (SCORED | {"total": [0.7]}, "total[0] is not what this recipe makes of the values"),
        (SCORED | {"total": [None]}, "total[0] is not what this recipe makes of the values"),
        (SCORED | {"total": [0.6 + 1e-6]}, "total[0] is not what this recipe makes of the values"),
        (SCORED | {"total": 3}, "total must be a list, not the number 3"),
        (SCORED | {"total": ["x"]}, "total: expected a number or null, found a text"),
        (SCORED | {"shaped": [None]}, "shaped holds null"),
        (SCORED | {"shaped": []}, "shaped has 0 entries for 1 totals"),
        (SCORED | {"components": {}}, "the recipe's long, fixed, vowels; are these scores of this recipe?"),
        (SCORED | {"components": {"long": 3}}, "components must be an object of objects"),
        (
            SCORED | {"components": SCORED["components"] | {"more": SCORED["components"]["long"]}},
            "components are long, fixed, vowels, more, the recipe's long, fixed, vowels",
        ),
        (entry("long", value=[0.1, 0.2]), "components.long.value has 2 entries for 1 totals"),
        (entry("long", value=[True]), "long: expected a number or null, found true"),
        (entry("long", value=[None], error=["no luck"]), "component 'long' (mine/length) failed on sample '1'"),
    ],
)
def test_a_row_of_scores_that_does_not_fit_is_told_by_its_line(recipe, write, causes, row, complaint):
    recipe()
    near = SCORED | {"total": [0.6 + 1e-12]}  # from another machine
    rows = [json.dumps(near), row if isinstance(row, str) else json.dumps(row)]
    write("scored.jsonl", "".join(f"{line}\n" for line in rows))
    [told, last] = causes("scored.jsonl", code=2)[0]["problems"]
    assert told["where"] == "scored.jsonl:2"
    assert complaint in told["what"]
    assert last["what"].startswith("1 bad row; fix them, or give a file that `rewardlab score` or a run")


def test_a_ledgers_line_that_does_not_fit_is_told_by_its_line(recipe, causes, tmp_path):
    plan = make_plan(load(recipe()), purpose="score")
    book = ledger(tmp_path, plan, [group(ROWS[3])])
    first, *others = [json.loads(line) for line in book.read_text().splitlines()]

    def told(line):
        book.write_text("".join(json.dumps(row) + "\n" for row in [first, line, *others]))
        return causes(book, code=2)[0]["problems"][0]

    without = {name: {**entry, "contribution": 0} for name, entry in first["components"].items()}
    assert "contributions are those of fixed, long, vowels" in told(first | {"components": without})["what"]
    assert told({k: v for k, v in first.items() if k != "group"})["where"] == f"{book}:2"
    assert "attempt must be a whole number, not a text" in told(first | {"attempt": "0"})["what"]
    assert "group must be a whole number, not true" in told(first | {"group": True})["what"]
    less = {name: {k: v for k, v in entry.items() if name != "long" or k != "contribution"}
            for name, entry in first["components"].items()}  # fmt: skip
    assert "contributions are those of fixed; are these" in told(first | {"components": less})["what"]
    assert "step must be a whole number or null, not a text" in told(first | {"step": "1"})["what"]
    assert "no rest" in told({k: v for k, v in first.items() if k != "rest"})["what"]
    wrong = first["components"] | {"long": {"value": "x", "contribution": 0}}
    assert (
        "value of the component 'long' must be a number or null, not a text"
        in told(first | {"components": wrong})["what"]
    )


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "rows.jsonl: it has no rows"),
        ('{"id": 1, "prompt": "?"}\n', "rows.jsonl:1: no completions"),
        ('{"id": 1, "prompt": "?", "completions": ["x"]}\n' * 2, "rows.jsonl:2: the id '1' is already used by"),
        (None, "rows.jsonl: no such file"),
    ],
)
def test_rows_that_cannot_be_scored_are_the_users_mistake(recipe, write, main, content, complaint):
    recipe()
    if content is not None:
        write("rows.jsonl", content)
    code, _, err = main("causes", "r.yaml", "rows.jsonl")
    assert code == 2
    assert f"error: {complaint}" in err


def test_rows_that_can_be_read_only_once_are_refused(recipe, main):
    recipe()
    told = "error: /dev/null: rows are read twice, so they must be a regular file\n"
    assert main("check", "r.yaml", "/dev/null") == (2, "", told)


def test_a_recipe_without_a_reward_has_no_causes(write, main):
    write("r.yaml", "version: 1\nmodel: {use: tiny}\n")
    write("rows.jsonl", ROWS)
    code, _, err = main("causes", "r.yaml", "rows.jsonl")
    assert (code, "r.yaml:1: reward: missing; say which components score" in err) == (2, True), err


def test_two_files_of_rows_are_one_too_many(main):
    code, _, err = main("causes", "r.yaml", "rows.jsonl", "more.jsonl")
    assert code == 2
    assert "it takes RECIPE and ROWS.jsonl and no more, found r.yaml, rows.jsonl, more.jsonl" in err


def test_score_says_it_at_its_end_resumed_or_not(recipe, write, main):
    recipe()
    write("rows.jsonl", ROWS)
    code, _, err = main("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl")
    note = "note: fixed is the same for all completions of a prompt in every one of 12 groups: it is dead"
    assert (code, [line[: len(note)] for line in err.splitlines() if line.startswith("note")]) == (0, [note])
    code, out, _ = main("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--resume", "--json")
    [finding] = json.loads(out)["findings"]
    assert finding == {
        "kind": "dead",
        "components": ["fixed"],
        "amount": 1.0,
        "groups": 12,
        "what": note.removeprefix("note: "),
    }


def test_check_says_whether_rows_can_be_scored_and_scores_none(recipe, write, main):
    recipe()
    write("rows.jsonl", ROWS)
    code, out, _ = main("check", "r.yaml", "rows.jsonl")
    assert code == 0
    assert re.search(r"rows\.jsonl: 12 rows with \d+ completions have what the reward needs", out)


def test_check_tells_the_causes_of_rows_that_are_scored(recipe, write, main):
    recipe()
    write("rows.jsonl", ROWS)
    assert main("score", "r.yaml", "rows.jsonl", "-o", "scored.jsonl")[0] == 0
    _, expected, _ = main("causes", "r.yaml", "scored.jsonl")
    code, out, _ = main("check", "r.yaml", "scored.jsonl")
    assert code == 0
    assert out.splitlines()[2:] == expected.splitlines()
