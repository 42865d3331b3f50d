"""Examples for the laws of the datasets: files, options and an expert."""

import json
import re
from pathlib import Path
from typing import Any

from rewardlab import Ask, Reply, Sample
from rewardlab.laws import DatasetExample

ROWS, HUB_ROWS = 60, 3000
NUMBER = re.compile(r"\d+")


def examples_of_jsonl() -> list[DatasetExample]:
    """Return examples of a good file, and of one with lines that are left out."""
    return [
        DatasetExample(title="whole", options=_jsonl),
        DatasetExample(title="with bad lines", options=_jsonl_with_bad_lines),
    ]


def examples_of_mix() -> list[DatasetExample]:
    """Return examples of two files: until the shorter one ends, until the longer one does, and with quotas."""
    return [
        DatasetExample(title="first exhausted", options=_mix),
        DatasetExample(title="a file and a dataset", options=_file_and_dataset, sources={"few": _samples(ROWS // 4)}),
        DatasetExample(title="all exhausted", options=lambda folder: {**_mix(folder), "until": "all_exhausted"}),
        DatasetExample(title="quotas", options=_quotas),
    ]


def examples_of_hub() -> list[DatasetExample]:
    """Return an example of a folder as the hub keeps one; no network.

    It has so many rows that opening it takes less work than reading them.
    """
    return [DatasetExample(options=_folder)]


def examples_of_benchmark() -> list[DatasetExample]:
    """Return examples of word problems with worked ones before them, and of questions with choices."""
    return [
        DatasetExample(title="numbers", options=_word_problems),
        DatasetExample(title="choices", options=_choices),
    ]


def examples_of_arithmetic() -> list[DatasetExample]:
    """Return examples of prompts with held-out ones, of noisy responses in tags, and of a file."""
    return [
        DatasetExample(title="prompts", options={"rows": 40, "heldout": 20}),
        DatasetExample(title="responses", options={"kind": "responses", "rows": 60, "form": "tagged"}),
        DatasetExample(title="judged", options={"kind": "judged", "rows": 40, "languages": ["en", "de"]}),
        DatasetExample(title="a file", options=_jsonl),
    ]


def examples_of_expert() -> list[DatasetExample]:
    """Return examples that ask the field with the English question, and the prompt."""
    known: dict[str, Any] = {"source": _questions(5), "judges": lambda: {"expert": Expert()}}
    return [
        DatasetExample(title="field", options={"expert": "expert"}, **known),
        DatasetExample(title="prompt", options={"expert": "expert", "field": None, "attempts": 2}, **known),
    ]


def examples_of_split() -> list[DatasetExample]:
    """Return examples that split by id, and by a field that rows share."""
    source = _questions(40)
    parts = {"sft": 30, "rl": 70}
    return [
        DatasetExample(title="id", options={"parts": parts, "keep": "sft"}, source=source),
        DatasetExample(
            title="field", options={"parts": parts, "keep": "rl", "by": "problem", "seed": 3}, source=source
        ),
    ]


def examples_of_overlap() -> list[DatasetExample]:
    """Return examples whose source has a row of the evaluation set, and one with a long run of its words."""
    return [
        DatasetExample(title="prompts", options=_overlap, source=_questions(12)),
        DatasetExample(title="short runs", options=lambda folder: {**_overlap(folder), "n": 3}, source=_questions(12)),
    ]


def _overlap(folder: Path) -> dict[str, Any]:
    path = folder / "evaluation.jsonl"
    path.write_text(json.dumps({"prompt": "cuánto es 3 y 6"}) + "\n", encoding="utf-8")
    return {"against": [str(path)]}


class Expert:
    """An expert that adds the numbers of a question."""

    async def ask(self, ask: Ask) -> Reply:
        numbers = [int(digits) for digits in NUMBER.findall(ask.parts["query"])]
        terms = " and ".join(map(str, numbers))
        text = f"<think>{terms} are {sum(numbers)}.</think><answer>{sum(numbers)}</answer>"
        return Reply(text=text, finish_reason="stop")


def _questions(count: int) -> list[Sample]:
    return [
        Sample(
            id=f"p{k}-es",
            prompt=({"role": "user", "content": f"¿Cuánto es {k} y {k + 3}?"},),
            fields={"problem": f"How much is {k} and {k + 3}?", "language": "es"},
            source=f"questions.jsonl:{k + 1}",
        )
        for k in range(count)
    ]


def _lines(count: int = ROWS) -> list[str]:
    return [json.dumps(_row(k)) for k in range(count)]


def _row(k: int) -> dict[str, Any]:
    return {"id": f"r{k}", "prompt": f"How much is {k} and 3?", "answer": str(k + 3), "more": {"terms": [k, 3]}}


def _jsonl(folder: Path) -> dict[str, Any]:
    return {"path": _write(folder / "rows.jsonl", _lines())}


def _jsonl_with_bad_lines(folder: Path) -> dict[str, Any]:
    return {"path": _write(folder / "rows.jsonl", ["[]", *_lines(), '{"id": "cut']), "skip_bad": True}


def _quotas(folder: Path) -> dict[str, Any]:
    parts = _mix(folder)["parts"].items()
    quotas = {name: {"path": part["path"], "rows": 12 + 6 * at} for at, (name, part) in enumerate(parts)}
    return {"parts": quotas, "until": "all_exhausted", "disjoint": True}


def _mix(folder: Path) -> dict[str, Any]:
    lines = _lines()
    many, few = _write(folder / "many.jsonl", lines), _write(folder / "few.jsonl", lines[: ROWS // 4])
    return {"parts": {"many": {"path": many, "share": 3}, "few": {"path": few, "share": 1.5}}}


def _file_and_dataset(folder: Path) -> dict[str, Any]:
    return {"parts": {"many": _mix(folder)["parts"]["many"], "few": {"share": 1, "skip": 1}}}


def _samples(count: int) -> list[Sample]:
    prompts = [({"role": "user", "content": f"Say {number}."},) for number in range(count)]
    return [Sample(id=f"say-{number}", prompt=prompt, fields={}) for number, prompt in enumerate(prompts)]


def _word_problems(folder: Path) -> dict[str, Any]:
    for language in ("de", "sw"):
        _write(folder / f"mgsm_{language}.tsv", [f"{n} + {n}? ({language})\t{2 * n}" for n in range(ROWS // 2)])
        worked = {"question": f"1 + 2? ({language})", "answer": "1 and 2 make 3.", "answer_number": 3}
        _write(folder / f"examples_{language}.jsonl", [json.dumps(worked)])
    shots = {"shots": 1, "shots_path": str(folder / "examples_{language}.jsonl")}
    return {"benchmark": "mgsm", "path": str(folder / "mgsm_{language}.tsv"), "languages": ["de", "sw"], **shots}


def _choices(folder: Path) -> dict[str, Any]:
    rows = [
        {"link": "l", "question_number": n, "flores_passage": f"{n} birds sit there.", "question": "How many?"}
        | {f"mc_answer{k}": str(n + k) for k in range(1, 5)}
        | {"correct_answer_num": str(n % 4 + 1)}
        for n in range(ROWS)
    ]
    path = _write(folder / "deu_Latn.jsonl", [json.dumps(row) for row in rows])
    return {"benchmark": "belebele", "path": path.replace("deu_Latn", "{language}"), "languages": ["de"]}


def _folder(folder: Path) -> dict[str, Any]:
    place = folder / "set"
    place.mkdir()
    _write(place / "train.jsonl", _lines(HUB_ROWS))
    return {"path": str(place), "rows": HUB_ROWS - 1}


def _write(path: Path, lines: list[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)
