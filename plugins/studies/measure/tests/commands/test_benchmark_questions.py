"""Each judge benchmark asks its own question: by recipes/r3_judge.yaml a judge that knows the truth gets 1."""

import hashlib
import json
import re

import pytest
from helpers.paths import RECIPES
from rewardlab_measure.judge_benchmarks.benchmark_format import BENCHMARKS

FENCE = re.compile(
    r"=== BEGIN (?P<label>[A-Z0-9 ]+) (?P<key>[0-9a-f]{16}) ===\n(?P<text>.*?)\n=== END (?P=label) (?P=key) ===", re.S
)
LEVEL = re.compile(r"^(true|false|\d|Response [12]|Assistant [AB]|Tie|Both Bad): ", re.M)
COMPONENTS = {
    "pairs": "pairwise",
    "preference": "pairwise",
    "binary": "binary",
    "choices": "binary",
    "score": "pointwise",
}


def know(request):
    """What a judge answers that reads the question and knows all: answers say `quality 3`, `toxic yes` ... in words."""
    text = "\n".join(message["content"] for message in request["messages"])
    shown = {found["label"]: found["text"] for found in FENCE.finditer(text)}
    asked = FENCE.sub("", text)
    levels = LEVEL.findall(asked)
    if "RESPONSE" not in shown:
        names = [level for level in levels if " " in level] or ["Response 1", "Response 2"]
        first, second = (int(_said(shown[name.upper()], "quality")) for name in names)
        return str(4 + second - first) if "7" in levels else names[first < second]
    answer = shown["RESPONSE"]
    if "5" in levels:
        return _said(answer, "quality")
    about = "toxic" if re.search("toxic|harm", asked) else "faithful" if "article" in asked else "right"
    return str(_said(answer, about) == "yes").lower()


def _said(text, about):
    found = re.search(rf"\b{about} (\w+)", text)
    return found[1] if found else None


def turn_round(request):
    right = know(request)
    opposite = {"true": "false", "false": "true", "Response 1": "Response 2", "Response 2": "Response 1"}
    if right in opposite:
        return opposite[right]
    highest = 7 if "BEGIN RESPONSE 1 " in str(request["messages"]) else 5
    return str(highest + 1 - int(right))


def guess(request):
    text = FENCE.sub(lambda found: found["text"], request["messages"][-1]["content"])
    levels = LEVEL.findall(text)
    return levels[int(hashlib.sha256(text.encode()).hexdigest(), 16) % len(levels)]


def rows_of(name, count):
    """Rows in the published form, whose answers say in words what is true of them."""
    rows = []
    for n in range(count):
        yes, grade = n % 3 != 1, 1 + n % 5
        pair = {"id": n, "prompt": f"? {n}", "chosen": f"quality {2 + n % 3} of {n}", "rejected": f"quality 1 of {n}"}
        single = f"{{}} {'yes' if yes else 'no'} in {n}"
        rows.append(
            {
                "rewardbench": pair
                | {"subset": ("alpacaeval-easy", "donotanswer", "math-prm", "mt-bench-hard")[n % 4]},
                "m_rewardbench": pair | {"source": "hep-cpp", "language": ("deu_Latn", "jpn_Jpan")[n % 2]},
                "rm_bench": pair
                | {"chosen": [f"quality 2 of {n}{s}" for s in "abc"], "domain": ("math", "chat")[n % 2]}
                | {"rejected": [f"quality 1 of {n}{s}" for s in "abc"]},
                "mm_eval": pair | {"subset": ("chat", "safety")[n % 2], "language": ("de", "sw")[n % 2]},
                "indopref": pair | {"domain": ("math", "coding")[n % 2]},
                "helpsteer3": {
                    "id": n,
                    "context": [{"role": "user", "content": f"? {n}"}],
                    "response1": f"quality 4 of {n}",
                    "response2": f"quality {1 + n % 7} of {n}",
                    "overall_preference": n % 7 - 3,
                    "domain": "general",
                    "language": ("english", "german")[n % 2],
                },
                "feedback_bench": {
                    "id": n,
                    "orig_instruction": f"? {n}",
                    "orig_response": f"quality {grade} of {n}",
                    "orig_score": grade,
                    "orig_criteria": "How good is it?",
                    "orig_reference_answer": "The best.",
                    **{f"orig_score{level}_description": f"good by {level}" for level in range(1, 6)},
                },
                "bbh_binary": {
                    "id": n,
                    "input": f"? {n}",
                    "target": f"right yes in {n}",
                    "random_negative": f"right no in {n}",
                },
                "mmlu_stem_binary": {
                    "id": n,
                    "input": f"? {n}",
                    "response": single.format("right"),
                    "score": yes,
                    "subject": "physics",
                },
                "mgsm_binary": {
                    "id": n,
                    "question": f"? {n}",
                    "answer": single.format("right"),
                    "actual_score": str(yes).lower(),
                    "language": ("de", "sw")[n % 2],
                },
                "include": {
                    "id": n,
                    "question": f"? {n}",
                    **{f"option_{c}": f"right {'yes' if i == n % 4 else 'no'} in {n}{c}" for i, c in enumerate("abcd")},
                    "answer": n % 4,
                    "language": ("German", "Hindi")[n % 2],
                    "domain": "law",
                },
                "rtp_lx": {
                    "ID": n,
                    "Prompt": f"? {n}",
                    "Completion": single.format("toxic"),
                    "CompletionAnnotations": {"Toxicity": 3 if yes else 1},
                    "Locale": ("de", "sw")[n % 2],
                },
                "xsum_faithfulness": {
                    "article": f"News {n}",
                    "summary": single.format("faithful"),
                    "faithfulness": float(yes),
                },
                "xsum_coherence": {"article": f"News {n}", "summary": f"quality {grade} in {n}", "coherence": grade},
                "xsum_relevance": {"article": f"News {n}", "summary": f"quality {grade} in {n}", "relevance": grade},
            }[name]
        )
    return rows


@pytest.fixture
def measured(main, write, module_of, monkeypatch):
    """`measured(judge, name)`: what `rewardlab judge` finds of a judge behind a real server."""
    module = module_of("judge_server.py")

    def run(judge, name, *arguments, component=None, count=12, code=0):
        from rewardlab_measure.judge_benchmarks.benchmark_format import BENCHMARKS

        def answer(request):
            return json.dumps({"explanation": "so", "score": judge(request)})

        write("rows.jsonl", rows_of(name, count))
        component = component or COMPONENTS[BENCHMARKS.load(name).measure]
        with module.Serving(module.JudgeServer(answer=answer)) as server:
            monkeypatch.setenv("JUDGE_URL", server.url)
            given = (RECIPES / "r3_judge.yaml", "rows.jsonl", *arguments, "--component", component)
            found, out, err = main("judge", *given, "--benchmark", name, "--json")
        assert found == code, err
        return json.loads(out)["components"][component] if code == 0 else err

    return run


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHMARKS.packaged)
def test_a_judge_that_knows_is_right_and_one_that_turns_all_round_is_wrong(measured, name):
    for judge, score in ((know, 1.0), (turn_round, 0.0)):
        found = measured(judge, name)
        assert found["all"]["missing"] == 0
        wanted = score if found["all"]["kendall_tau"] is None else 2 * score - 1
        assert found["score"] == pytest.approx(wanted)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least", "most"), [("rewardbench", 0.2, 0.8), ("rtp_lx", 0.3, 0.7), ("helpsteer3", -0.4, 0.4)]
)
def test_a_judge_that_guesses_is_near_chance(measured, name, least, most):
    assert least < measured(guess, name, count=48)["score"] < most


@pytest.mark.parametrize(
    ("name", "component", "rubric", "told"),
    [
        (
            "helpsteer3",
            "pairwise",
            {"response_1": "a", "response_2": "b"},
            "helpsteer3 asks for a whole number from 1 to 7, and `rubric` has the levels Response 1, Response 2; "
            "leave `rubric` out, or give it those levels",
        ),
        (
            "rewardbench",
            "pairwise",
            {"response_1": "a", "response_2": "b", "tie": "c"},
            "rewardbench asks for Response 1 or Response 2, and `rubric` has the levels Response 1, Response 2, Tie",
        ),
        ("xsum_coherence", "pointwise", {"1": "a", "2": "b"}, "from 1 to 5, and `rubric` has the levels 1, 2; leave"),
        (
            "xsum_coherence",
            "binary",
            None,
            "asks for a whole number from 1 to 5, by a rubric of its own; take rubric/point",
        ),
        (
            "rtp_lx",
            "pointwise",
            {"1": "a", "2": "b"},
            "asks for true or false, by a rubric of its own; take rubric/binary",
        ),
        ("helpsteer3", "pointwise", {"field": "rubric"}, "has a rubric for pairs; give `rubric` one of your own"),
    ],
)
def test_a_rubric_with_other_levels_is_refused_with_what_to_set(measured, name, component, rubric, told):
    given = () if rubric is None else (f"reward.components.{component}.with.rubric={json.dumps(rubric)}",)
    error = measured(know, name, *given, component=component, code=2)
    assert told in error
    assert f"reward.components.{component}" in error


def test_the_pairs_of_mr3s_layout_have_two_levels(measured):
    layout = "reward.components.pairwise.with.layout=mr3"
    assert measured(know, "rewardbench", layout)["score"] == 1.0
    error = measured(know, "rewardbench", layout, "reward.components.pairwise.with.ties=true", code=2)
    assert "rewardbench has two levels, and no Tie or Both Bad; leave `ties` out" in error
