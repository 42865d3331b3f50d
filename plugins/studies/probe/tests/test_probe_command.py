"""`rewardlab probe`: rows in, a table and an exit code out."""

import json
import os
import re
from xml.etree import ElementTree

import pytest
from helpers.paths import DOCS, TESTS

DATA = TESTS / "data" / "probe"

PLUGIN = r"""
from collections import Counter
from rewardlab import Ask, Config, JudgeSpec, NormalizerSpec, Reply, RewardSpec, Score, hookimpl

ENGLISH = {"three", "and", "four", "are", "seven", "so", "it", "is"}

class Shared:
    "words of the reference and the completion that are the same: Dice's coefficient"
    def score(self, items):
        return [Score(value=self.one(s.fields["reference"].lower().split(), c.text.lower().split())) for s, c in items]
    def one(self, wanted, there):
        return 2 * (Counter(wanted) & Counter(there)).total() / (len(wanted) + len(there))

class Foreign:
    "1 where few words are English"
    def score(self, items):
        return [Score(value=float(self.share(c.text.lower().replace(".", "").split()) < 0.3)) for _, c in items]
    def share(self, there):
        return sum(word in ENGLISH for word in there) / max(1, len(there))

class Fussy:
    "goes wrong with texts that hold `word`, or blank ones, as told"
    def __init__(self, options): self.options = options
    def score(self, items):
        return [self.one(c.text) for _, c in items]
    def one(self, text):
        if self.options.word in text if self.options.word else not text:
            failed = Score(error=f"no such text{self.options.where}")
            return failed if self.options.how == "fail" else Score(info={"reason": "not for me"})
        return Score(value=1.0)

class Asking:
    def __init__(self, judge): self.judge = judge
    async def score(self, items):
        replies = [await self.judge.ask(Ask(parts={"a": c.text})) for _, c in items]
        return [Score(error=reply.error) if reply.error else Score(value=float(reply.text)) for reply in replies]

class Best:
    "group scope: 1 for the longest; fails where a text appears twice"
    async def score(self, stream):
        texts = [c.text for c in (await stream.group()).completions]
        if len(set(texts)) < len(texts):
            raise ValueError("a text appears twice")
        return [Score(value=float(len(text) == max(map(len, texts)))) for text in texts]

class Bare:
    "1 where the row has no completions, as a host gives it"
    def score(self, items): return [Score(value=float("completions" not in s.fields)) for s, _ in items]

class Called:
    "1 where a tool was called"
    def score(self, items): return [Score(value=float(len(c.conversation()) > 1)) for _, c in items]

class Down:
    async def ask(self, ask): return Reply(error="the key s3cret is down")

class Wavering:
    "says another thing of one row each time"
    async def ask(self, ask): return Reply(text=str(ask.draw % 2 if ask.parts["a"].endswith("es zwei.") else 1))

class ByToken:
    def shape(self, totals, tokens, kept, seed): return [totals[i] / tokens[i] for i in kept]

class Trouble(Config):
    word: str = ""
    how: str = "fail"
    where: str = ""

class Asks(Config):
    judge: str

@hookimpl
def rewardlab_rewards():
    def spec(name, make, **more):
        return RewardSpec(name=name, summary=name, build=make, **{"runs": "inline", **more})
    return [
        spec("shared", lambda o, c: Shared(), requires=("reference",)),
        spec("foreign", lambda o, c: Foreign()),
        spec("fussy", lambda o, c: Fussy(o), config=Trouble),
        spec("best", lambda o, c: Best(), scope="group"),
        spec("called", lambda o, c: Called(), scope="trajectory"),
        spec("bare", lambda o, c: Bare()),
        spec("known", lambda o, c: Foreign(),
             abstains=lambda o, sample: None if sample.fields.get("language") == "de" else "not German"),
        spec("asking", lambda o, c: Asking(c.judges[o.judge]), config=Asks, judges=("judge",), runs="async",
             calls=lambda o, size: size),
    ]

@hookimpl
def rewardlab_judges():
    return [JudgeSpec(name="down", summary="fails", local=True, build=lambda o, c: Down()),
            JudgeSpec(name="wavering", summary="wavers", local=True, build=lambda o, c: Wavering()),
            JudgeSpec(name="far", summary="fails", build=lambda o, c: Down())]

@hookimpl
def rewardlab_normalizers():
    return [NormalizerSpec(name="by_token", summary="by token", needs_tokens=True, build=lambda o, c: ByToken())]
"""

SHARED, FOREIGN = {"use": "probed/shared"}, {"use": "probed/foreign"}
ROWS = [
    {
        "id": name,
        "prompt": f"{name}?",
        "language": "de",
        "response": f"Drei und vier sind seven. So ist es {name}.",
        "reference": f"Three and four are seven. So it is {name}.",
    }
    for name in ("eins", "zwei", "drei")
]


@pytest.fixture
def recipe(write, offer):
    """Write r.yaml with these components: `recipe("a * b", a=..., b=...)`."""
    offer("probed", PLUGIN)

    def file(total, judges=None, more=None, **components):
        reward = {"components": components, "total": total}
        return write("r.yaml", json.dumps({"version": 1, "judges": judges or {}, "reward": reward} | (more or {})))

    return file


@pytest.fixture
def probe(main, write):
    """`probe()` probes r.yaml with ROWS: (exit code, what --json prints, stderr)."""

    def run(*arguments, rows=ROWS):
        files = [] if rows is None else ["rows.jsonl"]
        if rows is not None:
            write("rows.jsonl", rows)
        code, out, err = main("probe", "r.yaml", *files, "--json", *arguments)
        return code, json.loads(out) if out else None, err

    return run


def of(found, family, name="all"):
    return found["slices"][name]["completions"][family]


def test_a_conversation_keeps_its_calls_behind_another_last_answer(recipe, probe):
    recipe("called", called={"use": "probed/called"})
    talk = [{"role": "tool", "content": "7"}, {"role": "assistant", "content": ROWS[0]["response"]}]
    code, found, err = probe(rows=[row | {"completions": [talk]} for row in ROWS])
    assert (code, err) == (1, "")
    assert [(of(found, name)["total"], of(found, name)["honest"]) for name in ("empty", "bare_guess")] == [(1, 1)] * 2


# --- the gate ---


def test_without_a_gate_the_english_reference_wins_and_the_similarity_is_to_blame(recipe, probe):
    recipe("near", near=SHARED)
    code, found, err = probe()
    assert (code, found["ok"], found["rows"], err) == (1, False, 3, "")
    english = of(found, "english_reference")
    assert (english["wins"], english["won"], english["total"], english["rows"]) == (True, 3, 1.0, 3)
    assert english["blame"]["component"] == "near"
    assert english["difference"] == english["blame"]["gain"] > 0


def test_a_gate_makes_it_lose_and_is_named_as_what_holds(recipe, probe):
    recipe("near * own", near=SHARED, own=FOREIGN)
    code, found, _ = probe()
    assert (code, found["ok"]) == (0, True)
    english = of(found, "english_reference")
    assert (english["wins"], english["total"], english["held_by"]) == (False, 0.0, ["own"])
    assert (english["values"]["near"], found["slices"]["all"]["honest"]["values"]["own"]) == (1.0, 1.0)


def test_the_table_shows_totals_components_and_who_wins(recipe, main, write):
    recipe("near", near=SHARED)
    write("rows.jsonl", ROWS)
    code, out, err = main("probe", "r.yaml", "rows.jsonl", "--limit", "1")
    lines = out.splitlines()
    assert (code, err) == (1, "")
    assert lines[:2] == ["total: near", "1 row (de 1)"]
    assert lines[3].split() == ["all", "rows", "total", "beside", "honest", "won", "near"]
    assert next(line for line in lines if line.startswith("english_reference ")).split()[1:3] == ["1", "1.000"]
    assert next(line for line in lines if line.startswith("english_reference ")).endswith("WINS")
    assert "english_reference wins: mean total 1.000 beside 0.333, not behind in 1 of 1 row (such as 'eins')" in lines
    assert "  to blame: near, +0.667 of +0.667; with the value of the honest one it would still tie" in lines
    assert "not tried, because there is no other row with another answer: other_answer" in lines


def test_what_is_known_is_shown_and_ends_well(recipe, probe, main):
    known = {"english_reference": "no gate on purpose", "language_switch": "so, too"}
    recipe("near", near=SHARED, more={"probe": {"known": known}})
    code, found, _ = probe()
    assert (code, found["ok"], found["known"]) == (0, True, known)
    assert of(found, "english_reference")["wins"]
    code, out, _ = main("probe", "r.yaml", "rows.jsonl")
    assert code == 0
    assert "wins (known)" in out
    assert "  known: no gate on purpose" in out
    assert "no degenerate completion wins, but for what is known" in out


def test_what_is_known_and_loses_is_told(recipe, main, write):
    recipe("near * own", near=SHARED, own=FOREIGN, more={"probe": {"known": {"empty": "it did once"}}})
    write("rows.jsonl", ROWS)
    code, out, _ = main("probe", "r.yaml", "rows.jsonl")
    assert code == 0
    assert "empty is listed in probe.known and does not win; take it out of the recipe" in out


def test_a_known_name_that_there_is_not_is_the_users_mistake(recipe, probe):
    recipe("near", near=SHARED, more={"probe": {"known": {"emty": "?"}}})
    code, _, err = probe()
    assert (code, "no degenerate completion 'emty'; did you mean 'empty'?" in err) == (2, True)


def test_a_win_in_one_language_alone_counts_where_languages_are_told_apart(recipe, probe, main):
    recipe("near * own", near=SHARED, own=FOREIGN)
    other = {**ROWS[0], "id": "x", "language": "sw", "response": "three and four are seven"}  # the gate is shut for it
    rows = [*({**ROWS[0], "id": str(n)} for n in range(8)), other]
    assert probe(rows=rows)[0] == 0
    code, found, _ = probe("--by", "language", rows=rows)
    assert (code, of(found, "empty")["wins"], of(found, "empty", "language sw")["wins"]) == (1, False, True)
    _, out, _ = main("probe", "r.yaml", "rows.jsonl", "--by", "language")
    assert "empty wins in language sw" in out.splitlines()
    assert "no degenerate completion wins" not in out


def test_all_that_hold_alone_are_named(recipe, main, write):
    recipe("near + 0.5 * own + 0.5 * again", near=SHARED, own=FOREIGN, again=FOREIGN)
    write("rows.jsonl", ROWS)
    _, out, _ = main("probe", "r.yaml", "rows.jsonl")
    [line] = [line for line in out.splitlines() if line.startswith("english_reference ")]
    assert line.endswith("only own or again prevents it")


def test_what_thorough_rows_alone_try_is_told_and_a_field_that_no_row_has(recipe, main, write):
    recipe("own", own=FOREIGN)
    write("rows.jsonl", [{**ROWS[0], "response": r"I add both ways. \boxed{42 km}"}])
    _, out, err = main("probe", "r.yaml", "rows.jsonl", "--thorough", "0", "--by", "languag")
    [line] = [
        line for line in out.splitlines() if line.startswith("not tried, because it is of the groups of --thorough")
    ]
    assert "shortened" in line.partition(": ")[2].split(", ")
    assert "warning: --by languag: no row has this field" in err.splitlines()


def test_what_was_tried_in_no_row_is_told_with_the_most_common_reason(recipe, main, write):
    recipe("own", own=FOREIGN)
    english = [{**row, "language": "en"} for row in ROWS[:2]]
    write("rows.jsonl", [{**ROWS[2], "reference": None}, *english])
    told = "not tried, because the row is in English: english_reference, language_switch"
    assert told in main("probe", "r.yaml", "rows.jsonl")[1].splitlines()
    write("rows.jsonl", [ROWS[2], *english])
    assert "english_reference, language_switch" not in main("probe", "r.yaml", "rows.jsonl")[1]


# --- what is missing ---


def test_a_completion_that_would_end_a_run_is_no_loser(recipe, probe, main):
    recipe("near * own * fussy", near=SHARED, own=FOREIGN, fussy={"use": "probed/fussy"})
    code, found, _ = probe()
    empty = of(found, "empty")
    assert (code, empty["fatal"], empty["wins"], empty["total"]) == (1, 3, False, None)
    assert empty["why"] == "fussy fails: no such text"
    assert of(found, "prompt_copy")["rows"] == 3
    _, out, _ = main("probe", "r.yaml", "rows.jsonl")
    assert next(line for line in out.splitlines() if line.startswith("empty ")).endswith("NO SCORE")
    assert "empty would end a run (3 rows): fussy fails: no such text" in out.splitlines()
    known = dict.fromkeys(("empty", "bare_form"), "nobody sees it")
    fussy = {"use": "probed/fussy"}
    recipe("near * own * fussy", near=SHARED, own=FOREIGN, fussy=fussy, more={"probe": {"known": known}})
    code, out, _ = main("probe", "r.yaml", "rows.jsonl")
    assert code == 0
    assert "no score (known)" in out
    assert "  known: nobody sees it" in out.splitlines()


def test_a_reason_is_told_without_secrets(recipe, probe):
    fussy = {"use": "probed/fussy", "with": {"where": " at http://me:secret@host"}}
    recipe("near * own * fussy", near=SHARED, own=FOREIGN, fussy=fussy)
    assert of(probe()[1], "empty")["why"] == "fussy fails: no such text at http://***@host"


def test_abstaining_where_the_recipe_lets_it_fail_is_the_same(recipe, probe):
    for policy in ({}, {"on_missing": 0.0}):  # which is for failures
        fussy = {"use": "probed/fussy", "with": {"how": "abstain"}, **policy}
        recipe("near * own * fussy", near=SHARED, own=FOREIGN, fussy=fussy)
        code, found, _ = probe()
        assert (code, of(found, "empty")["why"]) == (1, "fussy abstains: not for me")


@pytest.mark.parametrize("policy", [{"on_missing": 0.0}, {"on_missing": "zero_advantage"}])
def test_a_failure_that_the_recipe_provides_for_is_none_of_these(recipe, probe, policy):
    recipe("near * own * fussy", near=SHARED, own=FOREIGN, fussy={"use": "probed/fussy", **policy})
    code, found, _ = probe()
    assert (code, of(found, "empty")["fatal"]) == (0, 0)
    assert of(found, "empty")["total"] == (0.0 if policy["on_missing"] == 0.0 else None)


def test_a_stand_in_by_which_a_failure_wins_is_found(recipe, probe):
    recipe("fussy + 0.1 * near", near=SHARED, fussy={"use": "probed/fussy", "on_missing": 2.0})
    code, found, _ = probe()
    assert (code, of(found, "empty")["wins"], of(found, "empty")["blame"]["component"]) == (1, True, "fussy")


def test_a_row_whose_honest_completion_fails_counts_nowhere(recipe, probe):
    fussy = {"use": "probed/fussy", "with": {"word": "zwei."}, "on_missing": 1.0, "max_missing": 0.4}
    recipe("near * own * fussy", near=SHARED, own=FOREIGN, fussy=fussy)
    _, found, _ = probe()
    assert (found["rows"], found["dropped"]) == (2, 1)


@pytest.mark.parametrize("policy", [{"on_missing": 1.0, "max_missing": 0.3}, {"max_missing": 0.9}])
def test_more_of_them_than_the_recipe_lets_be_missing_prove_nothing(recipe, probe, policy):
    """Under `fail`, which `max_missing` does not touch, one is too many."""
    recipe("near * own * fussy", near=SHARED, own=FOREIGN,
           fussy={"use": "probed/fussy", "with": {"word": "zwei."}, **policy})  # fmt: skip
    code, found, err = probe()
    assert (code, found["ok"]) == (1, False)
    assert "fussy (probed/fussy) has no value for 1 of 3 honest completions" in err
    assert "last: fussy fails: no such text" in err


def test_rows_of_which_each_lacks_something_prove_nothing(recipe, probe):
    lacking = {"use": "probed/fussy", "on_missing": 1.0, "max_missing": 0.7}
    parts = {word: lacking | {"with": {"word": f"{word}."}} for word in ("eins", "zwei", "drei")}
    recipe("eins + zwei + drei", **parts)
    code, _, err = probe()
    assert (code, "none of 3 honest completions has a total; last: drei fails: no such text" in err) == (1, True)


@pytest.mark.parametrize(("most", "code"), [(0.4, 0), (0.3, 1)])
def test_an_honest_completion_on_which_repeats_differ_is_left_out_like_a_failure(recipe, probe, most, code):
    asking = {"use": "probed/asking", "with": {"judge": "main"}, "repeats": 2, "max_missing": most}
    asking["on_unstable"] = {"spread": 0.4, "then": "zero_advantage"}
    judges = {"main": {"use": "probed/wavering"}}
    recipe("near * own * asking", near=SHARED, own=FOREIGN, asking=asking, judges=judges)
    _, found, err = probe()
    assert ("asking (probed/asking) has no value for 1 of 3 honest completions" in err) is bool(code)
    assert code or (found["rows"], found["dropped"]) == (2, 1)


@pytest.mark.parametrize("policy", ["fail", "group_mean", "zero_advantage", 0.0])
def test_a_judge_that_is_down_says_nothing_of_anybody(recipe, probe, policy):
    asking = {"use": "probed/asking", "with": {"judge": "main"}, "on_missing": policy, "max_missing": 1.0}
    recipe("near + asking", near=SHARED, asking=asking, judges={"main": {"use": "probed/down"}})
    code, found, err = probe()
    assert (code, found["ok"]) == (1, False)
    assert "asking (probed/asking) has no value for 3 of 3 honest completions" in err
    assert "asking fails: the key s3cret is down" in err
    assert "questions" not in err, "a local one costs nothing"


def test_how_often_a_paid_judge_is_asked_is_told(recipe, probe):
    asking = {"use": "probed/asking", "with": {"judge": "main"}}
    recipe("near + asking", near=SHARED, asking=asking, judges={"main": {"use": "probed/far", "retries": 0}})
    # what plain prose has of the families in a group of 23, and all variants in three more; a bare form is an empty one
    asked = [
        re.search(r"asking asks main up to (\d+) questions; fewer with --limit and --thorough", probe(*some)[2])
        for some in (["--thorough", "0"], ["--thorough", "1"], [])
    ]
    few, one, all_rows = (int(found[1]) for found in asked)
    assert 3 * 15 < few <= 3 * 23
    assert 3 * (one - few) == all_rows - few > 3 * 23
    err = probe()[2]
    assert "\njudge main: " in err, "and how often it was"


# --- groups ---


def test_a_groups_reward_sees_all_at_once_and_no_text_twice(recipe, probe, main):
    plain = [{**row, "response": "Sieben"} for row in ROWS[:1]]  # its bare form is as empty as the empty one
    recipe("best", best={"use": "probed/best"})
    code, found, _ = probe("--long", "9000", rows=plain)
    assert code == 1
    assert of(found, "very_long")["wins"]
    _, out, _ = main("probe", "r.yaml", "rows.jsonl", "--long", "9000")
    assert "very_long wins: mean total 1.000 beside 0.000, ahead in 1 of 1 row (such as 'eins')" in out.splitlines()
    assert found["slices"]["all"]["honest"]["total"] == 0.0
    assert of(found, "empty")["rows"] == of(found, "bare_form")["rows"] == 1


def test_normalizers_do_not_count(recipe, probe):
    recipe("near * own", near=SHARED, own=FOREIGN)
    plain = probe()[1]
    path = recipe("near * own", near=SHARED, own=FOREIGN)
    content = json.loads(path.read_text())
    content["reward"]["normalize"] = ["probed/by_token"]  # and a completion that nobody sampled has no tokens
    path.write_text(json.dumps(content))
    assert probe()[1] == plain


# --- rows ---


def test_rows_are_taken_in_turn_from_each_language(recipe, probe):
    recipe("near * own", near=SHARED, own=FOREIGN)
    rows = [{**ROWS[0], "id": f"de{n}"} for n in range(9)] + [
        {**ROWS[0], "id": f"sw{n}", "language": "sw"} for n in (1, 2)
    ]
    _, found, _ = probe("--limit", "4", "--by", "language", rows=rows)
    assert {name: one["rows"] for name, one in found["slices"].items()} == {
        "all": 4,
        "language de": 2,
        "language sw": 2,
    }


def test_the_honest_completion_is_where_it_is_said_or_in_one_of_three_columns(recipe, probe):
    recipe("near", near=SHARED)
    row = {key: value for key, value in ROWS[0].items() if key != "response"}
    columns = {"honest": "a", "completions": ["three", "three and"], "response": "three and", "mine": "three and four"}
    totals = []
    for keys in (["honest", "completions", "response"], ["completions", "response"], ["response"]):
        found = probe(rows=[row | {key: columns[key] for key in keys}])[1]
        totals.append(found["slices"]["all"]["honest"]["total"])
    assert totals == pytest.approx([0, 2 / 10, 4 / 11])
    found = probe("--honest", "mine", rows=[row | columns])[1]
    assert found["slices"]["all"]["honest"]["total"] == pytest.approx(6 / 12)


def test_the_honest_completion_of_a_sampled_row_is_no_field_of_it(recipe, probe):
    recipe("bare", bare={"use": "probed/bare"})
    assert probe(rows=[{"prompt": "?", "completions": ["yes"]}])[1]["slices"]["all"]["honest"]["total"] == 1.0


def test_columns_are_read_as_the_recipe_names_them(recipe, probe):
    dataset = {"use": "data/jsonl", "with": {"path": "rows.jsonl"}, "fields": {"reference": "english"}}
    recipe("near", near=SHARED, more={"dataset": dataset})
    rows = [{("english" if key == "reference" else key): value for key, value in row.items()} for row in ROWS]
    assert of(probe(rows=rows)[1], "english_reference")["rows"] == 3


def test_a_blank_reference_is_none(recipe, probe):
    recipe("own", own=FOREIGN)
    found = probe(rows=[{**ROWS[0], "reference": " "}])[1]
    assert of(found, "english_reference")["absent"] == {"the row has no reference": 1}


def test_the_recipes_seed_draws_the_other_rows(recipe, probe):
    seen = set()
    rows = [{**row, "response": f"{row['response']} {' drei' * length}"} for length, row in enumerate(ROWS)]
    for seed in range(4):
        recipe("near", near=SHARED, more={"seed": seed})
        seen.add(of(probe(rows=rows)[1], "other_answer")["total"])
    assert len(seen) > 1


@pytest.mark.parametrize(("total", "known"), [("near + known", {"on_abstain": 0.5}), ("near", {})])
def test_a_row_that_a_component_may_abstain_on_fits(recipe, probe, total, known):
    recipe(total, near=SHARED, known={"use": "probed/known", **known})
    assert probe(rows=[{**ROWS[0], "language": "sw"}])[1]["rows"] == 1


def test_one_bad_row_is_one(recipe, probe):
    recipe("near", near=SHARED)
    code, _, err = probe(rows=[*ROWS[:2], {**ROWS[2], "response": " "}])
    assert (code, "rows.jsonl: 1 bad row; fix them, or leave them out" in err) == (2, True)
    code, _, err = probe(rows=[{**ROWS[2], "response": " "}])
    assert (code, "rows.jsonl: 1 bad row; fix them, or leave them out" in err) == (2, True)


def test_in_an_english_row_the_reference_is_honest(recipe, probe):
    recipe("near", near=SHARED)
    row = {"prompt": "?", "language": "en", "reference": "Three and four are seven."}
    code, found, _ = probe(rows=[row])
    assert (code, found["slices"]["all"]["honest"]["total"]) == (0, 1.0)
    assert of(found, "english_reference")["absent"] == {"the row is in English": 1}


def test_rows_without_an_honest_completion_name_the_column_that_is_nearest(recipe, probe):
    recipe("near", near=SHARED)
    rows = [{"prompt": "?", "language": "sw", "reference": "Three.", "respons": "Tatu."}] * 30
    code, _, err = probe(rows=rows)
    assert code == 2
    assert (
        "rows.jsonl:1: no honest completion: a good response in the row's own language, in a column 'response'" in err
    )
    assert "did you mean 'respons'?" in err
    assert "(30 rows, this is the first)" in err
    assert "rows.jsonl: 30 bad rows; fix them" in err
    assert err.count("\n") == 2
    code, _, err = probe("--honest", "respnse", rows=rows)
    assert (code, "no column 'respnse' for the honest completion; did you mean 'respons'?" in err) == (2, True)


def test_bad_rows_stop_it_before_anything_is_scored(recipe, probe, main, tmp_path):
    recipe("near + known", near=SHARED, known={"use": "probed/known"})
    rows = [ROWS[0], {**ROWS[1], "reference": None}, {**ROWS[2], "language": "sw"}]
    rows += [{**ROWS[2], "id": "x", "response": " "}, {**ROWS[0]}]
    code, found, err = probe(rows=rows)
    assert (code, found["ok"], len(found["problems"])) == (2, False, 5)
    assert "rows.jsonl:2: field 'reference' is needed by near (probed/shared), but it is null" in err
    assert "rows.jsonl:3: known (probed/known) will abstain: not German" in err
    assert "rows.jsonl:4: the honest completion in 'response' must be a text that is not blank" in err
    assert "rows.jsonl:5: the id 'eins' is already used by rows.jsonl:1" in err
    code, found, err = probe("--skip-bad", rows=rows)
    assert (found["rows"], "4 bad rows left out" in err) == (1, True)
    (tmp_path / "rows.jsonl").write_bytes(b'{"prompt": "?", "response": "\xe9"}\n')
    code, _, err = main("probe", "r.yaml", "rows.jsonl")
    assert (code, "rows.jsonl:1: not UTF-8: byte 0xe9" in err) == (2, True)


def test_without_rows_the_recipes_dataset_is_read_its_held_out_rows_where_there_are_any(recipe, probe, write):
    write("data.jsonl", [{**ROWS[0], "id": "a"}, {**ROWS[1], "id": "b", "split": "test"}, {**ROWS[2], "id": "c"}])
    data = {"use": "data/jsonl", "with": {"path": "data.jsonl"}}
    recipe("near * own", near=SHARED, own=FOREIGN, more={"dataset": data})
    _, found, _ = probe(rows=None)
    assert (found["rows"], of(found, "empty")["example"]) == (1, "b")
    write("data.jsonl", ROWS)
    assert probe(rows=None)[1]["rows"] == 3
    recipe("near", near=SHARED)
    code, _, err = probe(rows=None)
    assert (code, "the recipe has no dataset; name a file" in err) == (2, True)


def test_a_reward_that_cannot_be_passed_by_anything_is_told(recipe, probe):
    recipe("near * own", near=SHARED, own=FOREIGN)
    code, _, err = probe(rows=[{**ROWS[0], "response": "seven so it is"}])
    assert code == 1
    assert "every honest completion gets 0, the least that the total can be" in err
    _, _, err = probe(rows=[{**ROWS[0], "response": "seven so it is"}, *ROWS[1:]])
    assert "every honest completion" not in err


@pytest.mark.parametrize(
    "wrong", [["--limit", "0"], ["--max-won", "2"], ["--tolerance", "-1"], ["--long", "x"], ["x", "y"]]
)
def test_arguments_that_make_no_sense_are_the_users_mistake(recipe, probe, wrong):
    recipe("near", near=SHARED)
    assert probe(*wrong)[0] == 2


def test_nothing_is_written_and_the_same_comes_out_again(recipe, probe, tmp_path):
    recipe("near * own", near=SHARED, own=FOREIGN)
    first = probe()
    before = sorted(os.listdir(tmp_path))
    assert probe() == first
    assert sorted(os.listdir(tmp_path)) == before


# --- the page ---


@pytest.mark.nightly
def test_the_page_about_the_language_gate_is_true(rewardlab):
    """docs/pb_rlsvr.md, with the rewards that it names."""
    files = (DATA / "pb_rlsvr.yaml", DATA / "rows.jsonl")
    without = rewardlab("probe", *files)
    gated = rewardlab("probe", *files, "reward.total=similarity * format * language")
    assert (without.returncode, gated.returncode) == (1, 0), without.stderr + gated.stderr
    page = (DOCS / "pb_rlsvr.md").read_text(encoding="utf-8")
    assert without.stdout in page
    assert gated.stdout in page
    english = [re.findall(r"(?m)^english_reference .*$", table.stdout)[0] for table in (without, gated)]
    assert english[0].endswith(" WINS")
    assert english[1].endswith("only language prevents it")


def test_what_is_paid_for_in_vain_and_which_licence_is_not_asked_for_are_said_first(main, write):
    write(
        "r.yaml",
        """
version: 1
judges:
  main:
    use: openai/chat
    with: {model: m, base_url: "http://127.0.0.1:9/v1", temperature: 0}
    require: {labels: labels.jsonl, min_accuracy: 0.8}
reward:
  components: {wins: {use: pairwise/win_rate, with: {judge: main}, repeats: 3}}
  total: wins
""",
    )
    code, _, err = main("probe", "r.yaml", "no rows")
    assert code == 2
    repeats, licence, problem = err.splitlines()
    assert "reward.components.wins: judges.main has temperature 0 and no seed: 3 repeats will most likely" in repeats
    assert licence.endswith(
        "judges.main.require: is not asked for here; `rewardlab check` says how this licence stands"
    )
    assert "no rows" in problem


def test_what_wins_is_written_for_ci(recipe, probe, main, write, tmp_path):
    recipe("near", near=SHARED, more={"probe": {"known": {"very_long": "an ablation"}}})
    code, found, _ = probe("--report", "out.sarif")
    wins = {name for name, one in found["slices"]["all"]["completions"].items() if one["wins"]}
    assert (code, "english_reference" in wins) == (1, True)
    (ran,) = json.loads((tmp_path / "out.sarif").read_text())["runs"]
    results = {result["ruleId"]: result for result in ran["results"]}
    assert {*results} == wins
    english = results["english_reference"]
    assert english["message"]["text"].startswith("english_reference wins 3 of 3 rows (mean 1 beside ")
    (place,) = english["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == (tmp_path / "r.yaml").as_uri()
    assert place["logicalLocations"] == [{"fullyQualifiedName": "r.yaml"}]
    assert probe("--report", "out.xml")[0] == 1
    suite = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert {case.get("name") for case in suite if case.find("failure") is not None} == wins - {"very_long"}
    known = {"probe": {"known": dict.fromkeys(wins, "an ablation")}}
    recipe("near", near=SHARED, more=known)
    assert probe("--report", "known.xml")[0] == 0
    assert ElementTree.parse(tmp_path / "known.xml").getroot().get("failures") == "0"


def test_what_ends_a_run_is_written_for_ci(recipe, probe, tmp_path):
    recipe("fussy * foreign", fussy={"use": "probed/fussy"}, foreign=FOREIGN)
    assert probe("--report", "out.sarif")[0] == 1
    (ran,) = json.loads((tmp_path / "out.sarif").read_text())["runs"]
    texts = [result["message"]["text"] for result in ran["results"] if result["ruleId"] == "empty"]
    assert texts == ["empty would end a run (3 rows): fussy fails: no such text"]


def test_a_report_of_a_part_or_of_no_known_form_is_refused(main):
    for words, problem in {
        ("--report", "x.txt"): "x.txt: the name ends in .sarif or .xml, which says the form",
        ("--report", "no/x.xml"): "there is no folder no; make it first",
        ("--report", "x.xml", "--shard", "1/2", "-o", "o.jsonl"): "--report says what wins on all rows",
    }.items():
        code, _, err = main("probe", "quickstart", *words)
        assert (code, problem in err) == (2, True), err
