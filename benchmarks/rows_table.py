"""Count rows to train a judge on: shares, lengths and labels, as R3's tables 7 to 9 and mR3's tables 5 and 6 have them.

    python benchmarks/rows_table.py r3-pairwise.jsonl r3-pointwise.jsonl r3-written.jsonl r3-binary.jsonl
    python benchmarks/rows_table.py mr3.jsonl --by dataset --by language --label gold

Files are what data stages write. Of each value of each field under `--by`: rows, their share, the words of prompt and
response (mean and standard deviation, between blanks, as R3's table 8 counts), and the share of each label.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from statistics import fmean, pstdev
from typing import Any

from rewardlab.data import read_lines
from rewardlab.errors import Problem


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE", help="rows: .jsonl, .json, .csv or .parquet")
    parser.add_argument("--by", action="append", help="a field whose values are counted, repeatable (source)")
    parser.add_argument("--label", default="gold", help="the field with the label (gold)")
    options = parser.parse_args(arguments)
    rows = [row for file in options.files for row in _rows(file)]
    for line in lines(rows, options.by or ["source"], options.label):
        print(line)


def lines(rows: list[dict[str, Any]], by: Iterable[str], label: str) -> Iterator[str]:
    """Yield a table for all rows and for each field, a line for each of its values, the most frequent first."""
    yield _line("all", rows, len(rows), label)
    for field in by:
        yield f"by {field}"
        groups: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            groups.setdefault(str(row.get(field, "none")), []).append(row)
        for name, group in sorted(groups.items(), key=lambda one: (-len(one[1]), one[0])):
            yield _line(f"  {name}", group, len(rows), label)


def _rows(file: str) -> Iterator[dict[str, Any]]:
    for number, row in read_lines(file):
        if isinstance(row, Problem):
            raise SystemExit(f"{file}:{number}: {row.what}")
        yield row


def _line(name: str, rows: list[dict[str, Any]], count: int, label: str) -> str:
    prompts, responses = ([_words(row.get(field)) for row in rows] for field in ("prompt", "response"))
    labels = Counter(str(row.get(label, "none")) for row in rows)
    shares = ", ".join(f"{value} {number / len(rows):.3f}" for value, number in sorted(labels.items()))
    lengths = f"prompt {_spread(prompts)} words, response {_spread(responses)} words"
    return f"{name}: {len(rows):,} rows ({len(rows) / count:.2f}), {lengths}; {label}: {shares}"


def _words(text: Any) -> int:
    """Return the words of a text, or of a conversation's messages."""
    messages = text if isinstance(text, list) else [{"content": text}]
    return sum(len(str(message["content"] or "").split()) for message in messages)


def _spread(numbers: list[int]) -> str:
    return f"{fmean(numbers):.0f} ± {pstdev(numbers):.0f}"


if __name__ == "__main__":
    main()
