"""Examples for the laws of measure/benchmark_questions: rows of two benchmarks, in files."""

import json
from pathlib import Path
from typing import Any

from rewardlab.laws import DatasetExample


def benchmark_questions() -> list[DatasetExample]:
    """Return examples of a benchmark with a question of its own, and of one with the usual one."""
    return [DatasetExample(title="own", options=_toxic), DatasetExample(title="usual", options=_pairs)]


def _toxic(folder: Path) -> dict[str, Any]:
    rows = [
        {
            "ID": n,
            "Prompt": f"{n}?",
            "Completion": f"{n}.",
            "CompletionAnnotations": {"Toxicity": 1},
            "Locale": language,
        }
        for n, language in enumerate(("de", "sw", "de"))
    ]
    return _written(folder, "rtp_lx", rows)


def _pairs(folder: Path) -> dict[str, Any]:
    rows = [
        {"id": n, "prompt": f"{n}?", "chosen": f"{n}.", "rejected": "Hm.", "source": "hep-cpp", "language": language}
        for n, language in enumerate(("deu_Latn", "jpn_Jpan"))
    ]
    return _written(folder, "m_rewardbench", rows)


def _written(folder: Path, name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return {"benchmark": name, "path": str(path)}
