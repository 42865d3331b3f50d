"""The data roads of R3 and mR3 from small pools, with a real server for teacher, writer and small model."""

import json
import re
from collections import Counter
from itertools import count

import pytest
import yaml
from helpers.paths import RECIPES
from helpers.translator import translation
from rewardlab.recipe.loading import load

ASKED = re.compile(r"How much is (\d+) \+ (\d+)")
SHOWN = re.compile(r"\[\[(-?\d+)\]\]")
"""how every response of these pools, and no rubric, writes a sum"""
LONG = "So I add them once more, and it is the same. " * 500
SCORING = {f"score_{level}": f"Level {level} of a poem." for level in range(1, 6)}
RUBRIC = {str(level): f"It is off by {5 - level}." for level in range(1, 6)}
TEACHERS = ("deepseek-ai/DeepSeek-R1", "openai/gpt-oss-120b")
WORDINGS = count()
SUMS = [(a, b) for a in range(2, 12) for b in range(3, 7)]
HARD = [(a, b) for a, b in SUMS if a + b > 11]


def verdict(request):
    """The judgement of a sum: right, but of a sum of 7 or 17; a small model is also wrong of sums above 11."""
    text = "\n".join(message["content"] for message in request["messages"])
    asked, shown = ASKED.search(text), [int(number) for number in SHOWN.findall(text)]
    if asked is None or not shown:
        return "ready"
    right = int(asked[1]) + int(asked[2])
    off = [abs(number - right) for number in shown]
    weak = right % 10 == 7 or (request["model"] not in TEACHERS and right > 11)
    if len(off) == 2:
        better = 0 if (off[0] < off[1]) != weak else 1
        names = ("Assistant A", "Assistant B") if "Assistant A" in text else ("Response 1", "Response 2")
        score = names[better]
        if '"7"' in text or "'7'" in text or "1 to 7" in text:
            score = str(1 + 6 * better)
        elif off[0] == off[1] and not weak:
            score = "Tie"
    elif "off by" in text or "from 1 to 5" in text:
        score = str(max(1, min(5, 5 - off[0] + (1 if weak else 0))))
    else:
        score = str((off[0] == 0) != weak).lower()
    told = json.dumps({"explanation": "I added the two numbers.", "score": score})
    thoughts = LONG if right % 5 == 0 else f"{asked[1]} and {asked[2]} is {right}."
    return {"role": "assistant", "content": told, "reasoning_content": thoughts}


def written(request):
    """What a writer of rubrics, wrong answers and summaries says."""
    text = "\n".join(message["content"] for message in request["messages"])
    if "BEGIN THOUGHTS" in text:
        return "I added them twice."
    if "BEGIN MESSAGE" in text:
        return SHOWN.search(text)[0] if SHOWN.search(text) else "ready"
    if "BEGIN RIGHT ANSWER" in text:
        return f"It is [[{int(SHOWN.search(text)[1]) + 1}]]" if SHOWN.search(text) else "[[1]]"
    return json.dumps({"description": f"How far off is the sum? (wording {next(WORDINGS)})", "scoring": RUBRIC})


def answer(request):
    return written(request) if request["model"] == "gpt-4.1-mini" else verdict(request)


def row(source, a, b, **more):
    return {"id": f"{source}-{a}-{b}", "prompt": f"How much is {a} + {b}? ({source})", "source": source, **more}


NUMBERS = {13500: 68, 2600: 26, 2900: 29, 1000: 30}
"""recipes/r3.yaml's numbers of rows, and those here"""


@pytest.fixture(scope="module")
def embedder(module_of, tmp_path_factory):
    """A tiny real model of random weights: what is diverse by it is not looked at here."""
    folder = tmp_path_factory.mktemp("models") / "embedder"
    module_of("tiny_models/embedder.py").build(folder)
    return folder


def r3_pool(write):
    """The pool, and rubrics of other tasks in the keys of the published code."""
    pairs = ("Tulu3", "AceCodePair", "Math-step-DPO", "PreferenceCollection", "Skywork", "Unknown")
    kinds = {
        "pairwise": [
            row(source, a, b, response_1=f"[[{a + b}]]", response_2=f"[[{a + b + 2}]]", score="Response 1")
            for source in pairs
            for a, b in SUMS
        ],
        "pointwise": [row("FC", a, b, response=f"[[{a + b + 1}]]", score=4, rubric=RUBRIC) for a, b in SUMS],
        "pointwise-without-rubric": [
            row(source, a, b, response=f"[[{a + b + 2}]]", score=3)
            for source in ("UltraFeedback", "SummEval")
            for a, b in SUMS
        ],
        "binary": [
            row(source, a, b, answer=f"[[{a + b}]]", **({"options": [f"[[{a + b}]]", f"[[{a + b + 3}]]"]} if n else {}))
            for n, source in enumerate(("EVOUNA", "GLUE", "SuperGLUE"))
            for a, b in SUMS
        ],
    }
    for kind, rows in kinds.items():
        write(f"r3-pool/{kind}/train.jsonl", rows)
    tasks = [{"description": f"Say how {word} a poem is.", "scoring": SCORING} for word in ("long", "sad", "clear")]
    return write("rubrics.json", json.dumps(tasks))


def steps_of(dataset):
    """A dataset and all that it starts from."""
    below = dataset.get("from") or {}
    sources = [below] if "use" in below else below.values()
    return [dataset, *(step for source in sources for step in steps_of(source))]


def road(name, main, write, server, monkeypatch, change):
    """Run the data stages of a recipe, as they are but for `change(step)`: {file: rows}, the last as sft reads them."""
    tree = load(RECIPES / f"{name}.yaml").tree
    for url in ("TEACHER_URL", "WRITER_URL", "SMALL_URL"):
        monkeypatch.setenv(url, server.url)
    for judge in tree["judges"].values():
        judge["with"]["base_url"] = server.url
    last = tree["stages"][-1]["dataset"]
    tree["stages"][-1] = {"use": "data", "dataset": last, "to": "read.jsonl"}
    for stage in tree["stages"]:
        for step in steps_of(stage["dataset"]):
            step.get("with", {}).pop("tokenizer", None)  # of the hub; words are counted then
            change(step)
    recipe = write("road.yaml", yaml.safe_dump(tree, sort_keys=False))
    code, out, err = main("run", recipe)
    assert code == 0, out + err
    return {
        stage["to"]: [json.loads(line) for line in (recipe.parent / stage["to"]).read_text("utf-8").splitlines()]
        for stage in tree["stages"]
    }


def mr3_pool(write):
    languages = ("en", "de", "sw")

    def rows(**texts):
        return [
            row("pool", a, b, language=language, id=f"{language}-{a}-{b}", **{k: v(a + b) for k, v in texts.items()})
            for language in languages
            for a, b in HARD[::2]
        ]

    right, wrong = (lambda s: f"[[{s}]]"), (lambda s: f"[[{s + 1}]]")
    levels = {str(n): f"Level {n} of 7." for n in range(1, 8)}
    truth = {"true": "The sum is right.", "false": "The sum is wrong."}
    kinds = {
        "pairs": [
            *rows(response_1=right, response_2=wrong, score=lambda s: "Assistant A"),
            *(
                one | {"id": f"tie-{one['id']}"}
                for one in rows(response_1=right, response_2=right, score=lambda s: "Tie")
            ),
        ],
        "graded": rows(response_1=right, response_2=wrong, score=lambda s: 1, rubric=lambda s: levels),
        "binary": [
            one | {"id": f"{source}-{one['id']}", "source": source}
            for source in ("PolyGuard", "MATH-500", "HumanEval-XL")
            for one in rows(response=wrong, score=lambda s: "false", rubric=lambda s: truth)
        ],
        "choices": rows(answer=right, options=lambda s: [f"[[{s}]]", f"[[{s + 1}]]", f"[[{s + 2}]]"]),
    }
    for kind, made in kinds.items():
        write(f"mr3-pool/{kind}/train.jsonl", made)


def check_r3(made, read):
    """Every kind of row is there, right, in its limits, and once."""
    pairwise, pointwise, rubrics, binary = made.values()
    ids = [row["id"] for row in read]
    assert len(ids) == len(set(ids)) == sum(map(len, made.values())), "no row twice"
    assert all(row["judged"] == row["gold"] for row in read)
    assert {row["gold"] for row in pairwise} == {"Response 1", "Response 2"}, "half of the pairs are swapped"
    assert all("It is off by 1." in row["prompt"][-1]["content"] for row in pointwise)
    assert all("(wording " in str(row["prompt"]) for row in rubrics)
    assert {(row["gold"], row["made_by"]) for row in binary} == {
        ("true", None),
        ("false", "option"),
        ("false", "asked"),
    }
    shortened = [row for row in read if row["full_trace"] is not None]
    assert shortened
    assert {row["trace"] for row in shortened} == {"I added them twice."}
    assert all(row["tokens"] <= 4096 and row["trace"] in row["response"] for row in read)
    assert all(row["full_trace"] == LONG.strip() for row in shortened)


def labels_of(rows):
    counted = Counter(row["gold"] for row in rows)
    return "; gold: " + ", ".join(f"{value} {number / len(rows):.3f}" for value, number in sorted(counted.items()))


@pytest.mark.slow  # loads torch
def test_r3_with_rows_that_are_drawn(main, write, judge_server, monkeypatch, module_of, tmp_path, capsys):
    """All steps but embed/diverse, which starts processes that load torch; rubrics are written after examples."""
    monkeypatch.setenv("R3_EXAMPLES", str(r3_pool(write)))

    def change(step):
        if step["use"] == "data/hub":
            step["with"]["rows"] = NUMBERS[step["with"]["rows"]]

    with judge_server.Serving(judge_server.JudgeServer(answer=answer)) as server:
        made = road("r3_ablations/random_sampling", main, write, server, monkeypatch, change)
    asked = [str(request["messages"]) for request in server.requests if request["model"] == "gpt-4.1-mini"]
    shown = [text.count(" a poem is.") for text in asked if "How much is" in text and "RUBRIC" in text]
    assert set(shown) == {3}
    read = made.pop("read.jsonl")
    check_r3(made, read)
    module_of("../benchmarks/rows_table.py").main([str(tmp_path / "read.jsonl"), "--by", "dataset"])
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith(f"all: {len(read)} rows (1.00), prompt ")
    assert told[0].endswith(labels_of(read))
    binary = made["r3-random-binary.jsonl"]
    (line,) = (line for line in told if line.startswith("  binary: "))
    assert line.startswith(f"  binary: {len(binary)} rows ({len(binary) / len(read):.2f}), prompt ")
    assert line.endswith(labels_of(binary))


@pytest.mark.nightly  # eleven processes load torch, one for each source
@pytest.mark.parametrize("name", ["r3", "r3_4k"])
def test_r3_with_diverse_rows(name, main, write, judge_server, monkeypatch, embedder):
    """Each source gives its share of table 7, clustered by itself; a source without one gives nothing."""
    r3_pool(write)

    def change(step):
        if step["use"] == "embed/diverse":
            step["with"].update(model=str(embedder), rows=NUMBERS[step["with"]["rows"]])

    with judge_server.Serving(judge_server.JudgeServer(answer=answer)) as server:
        made = road(name, main, write, server, monkeypatch, change)
    check_r3(made, made.pop("read.jsonl"))
    asked = {str(request["messages"]) for request in server.requests if request["model"] == "deepseek-ai/DeepSeek-R1"}
    sources = Counter(found[1] for text in asked if (found := re.search(r"\? \(([\w-]+)\)", text)))
    quotas = {"Tulu3": 18, "AceCodePair": 15, "Math-step-DPO": 15, "PreferenceCollection": 10, "Skywork": 10}
    quotas |= {"FC": 26, "UltraFeedback": 20, "SummEval": 9} | dict.fromkeys(("EVOUNA", "GLUE", "SuperGLUE"), 10)
    assert sources == quotas


@pytest.mark.slow  # loads torch
def test_mr3(main, write, judge_server, monkeypatch):
    """Pairs with ties, seven steps, true or false, and options; only what three strategies get right and a small model
    does not: all of the small sources, and so many of the others."""
    mr3_pool(write)
    rights = 3 * sum((a + b) % 10 != 7 for a, b in HARD[::2])

    def change(step):
        if "rows" in step.get("with", {}):
            step["with"]["rows"] = 2 * rights + 3 if "whole" in step["with"] else 12

    def reply(request):
        return translation(request, judge_server.FENCE) or answer(request)

    with judge_server.Serving(judge_server.JudgeServer(answer=reply)) as server:
        made = road("mr3", main, write, server, monkeypatch, change)
    _, pairs, graded, binary, choices, whole, read = made.values()
    assert read == whole
    ids = [row["id"] for row in read]
    assert len(ids) == len(set(ids)), "no row twice"
    assert [len(rows) for rows in (pairs, graded, binary, choices)] == [2 * rights, rights, 2 * rights + 3, 12]
    assert Counter(row["source"] for row in binary) == {"MATH-500": rights, "HumanEval-XL": rights, "PolyGuard": 3}
    levels = [{"Assistant A", "Tie"}, {"1"}, {"false"}, {"true", "false"}]
    assert [{row["gold"] for row in rows} for rows in (pairs, graded, binary, choices)] == levels
    assert {row["made_by"] for row in choices} == {None, "option"}
    assert {row["language"] for row in read} == {"en", "de", "sw"}
    for row in read:
        assert {row[f"judged{by}"] for by in ("", "_tgt-eng", "_tgt-tgt")} == {row["gold"]}
        assert row["right"] == 0
    forced = [request for request in server.requests if request.get("continue_final_message")]
    assert {request["messages"][-1]["role"] for request in forced} == {"assistant"}
