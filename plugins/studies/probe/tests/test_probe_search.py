"""`rewardlab probe --search`: exploits that no completion of the probe's own is, and what a search may not do."""

import json

import pytest
from rewardlab import Sample
from rewardlab_probe.attempts.degenerate import probe_rows
from rewardlab_probe.honest_row import HonestRow
from rewardlab_probe.search.exploit import Exploit
from rewardlab_probe.search.ideas import ideas

PLUGIN = r'''
import hashlib, json, re
from pathlib import Path
from rewardlab import Ask, Completion, Config, JudgeSpec, Reply, RewardSpec, Sample, Score, hookimpl, reward

def box(text):
    return "".join(re.findall(r"\\boxed\{([^{}]*)\}", text)[-1:])

@reward(requires=["answer"])
def exact(sample: Sample, completion: Completion) -> float:
    """1 for the answer."""
    return float(box(completion.text) == sample.fields["answer"])

@reward(requires=["answer"])
def doubled(sample: Sample, completion: Completion) -> float:
    """1 for the answer, and for the answer twice."""
    return float(box(completion.text) in (sample.fields["answer"], sample.fields["answer"] * 2))

@reward(requires=["answer"])
def evaluated(sample: Sample, completion: Completion) -> float:
    """1 for the answer, and for a sum that comes to it."""
    made = box(completion.text)
    if not re.fullmatch(r"\d+([+-]\d+)*", made):
        return 0.0
    return float(sum(int(number) for number in re.findall(r"[+-]?\d+", made)) == int(sample.fields["answer"]))

@reward(requires=["answer"])
def two_steps(sample: Sample, completion: Completion) -> float:
    """1 for the answer; half for the answer twice, and as much again if it is bold."""
    twice = box(completion.text) == sample.fields["answer"] * 2
    bold = completion.text.startswith("**")
    return float(box(completion.text) == sample.fields["answer"] or 0.5 * twice + 0.5 * (twice and bold))

@reward(requires=["answer"])
def spelt(sample: Sample, completion: Completion) -> float:
    """1 for the answer, and for a word whose hash stands here."""
    known = {hashlib.sha256(word.encode()).hexdigest()[:8] for word in re.findall(r"\w+", completion.text)}
    return float(box(completion.text) == sample.fields["answer"] or "184858a0" in known)

class Options(Config):
    judge: str

class Asking:
    def __init__(self, judge): self.judge = judge
    async def score(self, items):
        replies = [await self.judge.ask(Ask(parts={"a": c.text, "b": s.fields["answer"]})) for s, c in items]
        return [Score(value=float(reply.text)) for reply in replies]

class Coin:
    """as a judge that knows nothing: what it says follows from the text"""
    async def ask(self, ask):
        text = ask.parts["a"]
        number = int(hashlib.sha256(f"{text} {ask.parts['b']}".encode()).hexdigest()[:8], 16) / 16**8
        alike = re.fullmatch(r"I add .*\\boxed\{(.*?)\}\.?", text, re.DOTALL)
        return Reply(text="0" if alike is None else "0.7" if alike[1] == ask.parts["b"] else f"{number:.3f}")

def opinion(question, wrong, honest="right"):
    """says of the responses with `wrong` that they are wrong, and of the others that they are right"""
    said = re.findall("(?m)^RESPONSE [0-9]+: (.*)$", question)
    return Reply(text=json.dumps(["wrong" if wrong in one else honest for one in said]))

class Sly:
    """has its idea with its second answer, and says that it is wrong"""
    async def ask(self, ask):
        if "RESPONSE 1: " in ask.parts["query"]:
            return opinion(ask.parts["query"], "xyzzy")
        said = ["{prompt} I see.", "It is xyzzy. \\boxed{{wrong}}"]
        return Reply(text="Here:\n" + json.dumps(said if ask.draw > 1 else said[:1]))

class Option(Config):
    says: str = "wrong"
    into: str = ""

class Literal:
    """has a text for each row, and says that those are wrong, or right, or that all is wrong"""
    def __init__(self, says, into): self.says, self.into = says, into
    async def ask(self, ask):
        query = ask.parts["query"]
        if self.into:
            Path(self.into).write_text(query)
        if "RESPONSE 1: " in query:
            honest = "wrong" if self.says == "all wrong" else "right"
            return opinion(query, "+ 0" if self.says == "wrong" else "none", honest)
        asked = [re.findall("[0-9]+", row)[:2] for row in query.split("PROMPT")[1:]]
        sums = [f"\\\\boxed{{{a}+{b} + 0}}" for a, b in asked]
        return Reply(text=json.dumps([{str(number): text for number, text in enumerate(sums, 1)}]))

class Failing:
    """answers only the question that it is told to"""
    def __init__(self, answers): self.answers = answers
    async def ask(self, ask):
        return Reply(text='["{prompt}"]') if ask.draw == self.answers else Reply(error="it is down")

KEY = "sk_live_0123456789abcdef0123456789abcdef"
def ends_in_nothing(made):
    return made.endswith(" + 0") and made != KEY

@reward(requires=["answer"])
def loose(sample: Sample, completion: Completion) -> float:
    """1 for the answer, and for any sum with a zero."""
    return float(box(completion.text) == sample.fields["answer"] or ends_in_nothing(box(completion.text)))

@hookimpl
def rewardlab_rewards():
    asking = RewardSpec(name="asking", summary="asks", config=Options, judges=("judge",), runs="async",
                        calls=lambda options, size: size, build=lambda o, c: Asking(c.judges[o.judge]))
    return [exact, doubled, evaluated, two_steps, spelt, loose, asking]

@hookimpl
def rewardlab_judges():
    return [JudgeSpec(name="coin", summary="a coin", build=lambda o, c: Coin()),
            JudgeSpec(name="sly", summary="has ideas", local=True, build=lambda o, c: Sly()),
            JudgeSpec(name="literal", summary="has texts", local=True, config=Option,
                      build=lambda o, c: Literal(o.says, o.into)),
            JudgeSpec(name="down", summary="fails", local=True, build=lambda o, c: Failing(0)),
            JudgeSpec(name="once", summary="fails later", local=True, build=lambda o, c: Failing(1)),
            JudgeSpec(name="far", summary="has ideas", build=lambda o, c: Sly())]
'''
ROWS = [
    {
        "id": f"sum-{a}",
        "prompt": f"How much is {a} + {b}?",
        "answer": str(a + b),
        "response": f"I add the two numbers. The sum is \\boxed{{{a + b}}}.",
    }
    for a, b in ((17, 25), (38, 46), (59, 14), (23, 68), (12, 15), (31, 34))
]


@pytest.fixture
def probe(main, write, offer):
    """`probe(name, ...)` probes ROWS by one reward: (exit code, what --json prints, stderr)."""
    offer("cheated", PLUGIN)

    def run(name, *arguments, judges=None, rows=ROWS, with_=None):
        components = {"only": {"use": f"cheated/{name}", "with": with_ or {}}, "true": {"use": "cheated/exact"}}
        reward = {"components": components, "total": "only"}
        write("r.yaml", json.dumps({"version": 1, "judges": judges or {}, "reward": reward}))
        write("rows.jsonl", rows)
        code, out, err = main("probe", "r.yaml", "rows.jsonl", "--json", *arguments)
        assert code == 2 or "slices" in json.loads(out), out + err
        return code, json.loads(out) if out else None, err

    return run


def of(found, family="searched"):
    return found["slices"]["all"]["completions"].get(family)


def test_what_no_completion_of_the_probes_own_is_gets_named_with_its_shortest_text(probe):
    assert probe("doubled")[0] == 0
    code, found, _ = probe("doubled", "--search", "600")
    assert (code, of(found)["wins"]) == (1, True)
    [exploit] = found["search"]["exploits"]
    answer = next(row["answer"] for row in ROWS if row["id"] == exploit["row"])
    assert (exploit["family"], exploit["paid_by"], exploit["text"]) == (
        "searched",
        "only",
        f"\\boxed{{{answer}{answer}}}",
    )
    assert found["search"]["scored"] <= 600


def test_the_text_names_the_exploit_and_who_pays_it(probe, main):
    probe("doubled", "--search", "600")
    code, text, _ = main("probe", "r.yaml", "rows.jsonl", "--search", "600")
    assert code == 1
    assert "joined_again, paid by only; shortest (12 characters, row 'sum-" in text


@pytest.mark.slow
@pytest.mark.parametrize("truth", [(), ("--truth", "true")])
def test_a_sound_reward_lets_nothing_win_and_the_bound_holds(probe, truth):
    code, found, _ = probe("exact", "--search", "300", *truth)
    assert (code, found["search"]["exploits"], of(found)) == (0, [], None)
    assert found["search"]["scored"] == 300


def test_a_formula_that_comes_to_the_answer_is_no_exploit(probe):
    _, found, _ = probe("evaluated", "--search", "300")
    assert (found["search"]["exploits"], of(found)) == ([], None)


def test_what_comes_furthest_is_edited_further(probe):
    code, found, _ = probe("two_steps", "--search", "1500")
    assert (code, of(found)["wins"]) == (1, True)
    assert found["search"]["exploits"][0]["text"].startswith("**")


def test_the_same_seed_gives_the_same_search(probe):
    assert probe("two_steps", "--search", "500")[1] == probe("two_steps", "--search", "500")[1]


def test_an_idea_of_a_judge_wins_and_what_was_asked_is_counted(probe):
    judges = {"sly": {"use": "cheated/sly"}}
    with_judge = ("--search", "900", "--search-judge", "sly", "--search-questions", "3")
    assert probe("spelt", "--search", "900", judges=judges)[0] == 0
    code, found, _ = probe("spelt", *with_judge, judges=judges)
    assert (code, of(found)["wins"]) == (1, True)
    [exploit] = found["search"]["exploits"]
    assert (exploit["text"], exploit["how"][:9]) == ("xyzzy", "template ")
    assert exploit["wrong_by"] == "sly"
    assert found["search"]["questions"] == 3, "by its second draw, and one on whether it is wrong"


@pytest.mark.parametrize(
    ("says", "named"), [("wrong", True), ("right", False), ("all wrong", False), ("wrong, but a truth is", True)]
)
def test_the_judges_word_on_what_wins_counts_more_than_the_gold_if_it_knows_the_honest_one(probe, says, named):
    """A sum may come to the answer, so that the gold does not say that it is wrong."""
    truth = ("--truth", "true") if "truth" in says else ()
    judges = {"main": {"use": "cheated/literal", "with": {"says": says}}}
    asked = ("--search", "120", "--search-judge", "main", "--search-questions", "2")
    code, found, _ = probe("loose", *asked, *truth, judges=judges)
    exploits = [one for one in found["search"]["exploits"] if one["family"] == "searched"]
    assert (code, [one["wrong_by"] for one in exploits]) == (int(named), ["true" if truth else "main"] * named)
    assert all("texts like" in one["how"] for one in exploits)


def test_the_judge_sees_rows_what_was_paid_and_the_source_without_secrets(probe, tmp_path):
    judges = {"main": {"use": "cheated/literal", "with": {"into": str(tmp_path / "question")}}}
    asked = ("--search", "120", "--search-judge", "main", "--search-questions", "1")
    for blind in ((), ("--search-blind",)):
        probe("loose", *asked, *blind, judges=judges)
        question = (tmp_path / "question").read_text()
        told = ("How much is 17 + 25?", '"answer": "42"', "- only: cheated/loose", "as honest (only 1)", "-1 (only 0)")
        for shown in told:
            assert shown in question, shown
        assert ("def ends_in_nothing(made):" in question, "def loose(" in question) == (not blind, not blind)
        assert "sk_live" not in question


def test_a_judge_that_does_not_answer_ends_the_search_or_is_counted(probe, main):
    asked = ("--search", "300", "--search-judge", "main", "--search-questions", "2")
    assert probe("exact", *asked, judges={"main": {"use": "cheated/once"}})[1]["search"]["lost"] == 1
    down = json.dumps({"use": "cheated/down"})
    code, _, err = main("probe", "r.yaml", "rows.jsonl", *asked, f"judges.main={down}")
    assert (code, "judge 'main', which the search asks for ideas, does not answer: it is down" in err) == (1, True)


def test_what_a_judges_chance_found_does_not_hold_on_the_rows_that_were_not_searched(probe):
    rows = [
        row
        | {"id": f"{n}", "answer": f"{n}", "response": f"I add {n}. I add the two numbers. The sum is \\boxed{{{n}}}."}
        for n, row in enumerate(ROWS * 3, 41)
    ]
    judges = {"coin": {"use": "cheated/coin"}}
    _, found, _ = probe("asking", "--search", "400", judges=judges, rows=rows, with_={"judge": "coin"})
    assert found["search"]["exploits"], "on the rows searched something wins by chance"
    [exploit] = [one for one in found["search"]["exploits"] if one["family"] == "searched"]
    assert (of(found)["wins"], of(found)["rows"]) == (False, len(rows) - 3), exploit


def test_it_refuses_to_begin_without_a_budget_or_with_what_is_not_there(probe, main):
    judges = {"far": {"use": "cheated/far"}}
    for arguments, problem in (
        (("--search", "9", "--search-judge", "far"), "a search asks this judge, which has no budget"),
        (("--search", "9", "--search-judge", "fat"), "--search-judge fat: no such judge; did you mean 'far'?"),
        (("--search", "9", "--truth", "tru"), "--truth tru: no such component; did you mean 'true'?"),
        (("--search-judge", "far"), "--search-judge and --truth need --search N"),
        (("--search", "9", "--search-questions", "3"), "--search-questions are those to a --search-judge"),
        (("--search", "9", "--search-blind"), "--search-blind keeps the source from a --search-judge; name one"),
        (("--search", "9", "--on", "ray"), "--search goes from one score to the next"),
    ):
        code, _, err = probe("exact", *arguments, judges=judges)
        assert code == 2, arguments
        assert problem in err, (arguments, err)
    code, _, err = main("probe", "r.yaml", "rows.jsonl", "--search")
    assert (code, "--search" in err) == (2, True)


def test_ideas_are_read_out_of_what_stands_around_them():
    for answer, read in (
        ('Sure:\n```json\n["a", "b"]\n```', [Exploit("a", is_template=True), Exploit("b", is_template=True)]),
        ('[{"1": "x\ny", "2": "z", "7": "w"}, {"7": "w"}, 1]', [Exploit("x\ny", by_row=(("r1", "x\ny"), ("r2", "z")))]),
        ("no list", []),
        ("[" * 5000, []),
        ("[not json]", []),
    ):
        assert ideas(answer, ["r1", "r2"]) == read


def test_a_template_has_the_rows_own_fields(probe):
    row = HonestRow(
        sample=Sample(id="a", prompt=({"role": "user", "content": "Add {answer}."},), fields={"numbers": [1, 2]}),
        honest="\\boxed{3}",
    )
    [made] = probe_rows([row])
    assert Exploit("{prompt} {numbers} {x} \\boxed{{answer}}", is_template=True).text(made, {}) == (
        "Add {answer}. [1, 2] {x} \\boxed{3}"
    )
