"""The report's part about what rewards remarked in `info`: texts cut, translations that failed, and the like."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rewardlab.lines import read_lines


def remarks_table(ledger: Path, remarks: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """A head and a line for each remark of a component that was made, from a run's ledger.

    remarks: of each component, the keys of `info` that count (RewardSpec.remarks).
    """
    scored: Counter[str] = Counter()
    made: Counter[tuple[str, str]] = Counter()
    for _, row in read_lines(ledger) if remarks and ledger.exists() else ():
        for name, score in row["components"].items() if isinstance(row, Mapping) else ():
            scored[name] += 1
            made.update((name, key) for key in remarks.get(name, ()) if score["info"].get(key))
    if made:
        yield ["component", "remark", "completions", "share"]
    for (name, key), count in sorted(made.items()):
        yield [name, key.replace("_", " "), f"{count:,}", f"{count / scored[name]:.1%}"]
