"""Tasks of lines with labels, such as "Currency: yen": what is written for them, and how many of them a text has."""

from collections.abc import Callable, Sequence

from hack_pairs.tasks import Row, Task, Write


def labelled_lines(labels: Sequence[str], values: Sequence[str]) -> list[str]:
    """Return a line for each label."""
    return [f"{label}: {value}" for label, value in zip(labels, values, strict=True)]


def told_lines(row: Row, wrong: Sequence[int] = ()) -> str:
    """Return a completion of the row's lines, of which those at `wrong` are not true."""
    return "\n".join(row["wrong" if place in wrong else "facts"][place] for place in range(len(row["facts"])))


def dressed_lines(before: str, after: str, wrong: Sequence[int]) -> Write:
    """Return what writes a line before and a line after the row's, of which those at `wrong` are not true."""
    return lambda row: "\n".join(line for line in (before, told_lines(row, wrong), after) if line)


def line_task(rows: Sequence[Row]) -> Task:
    """Return a task of three lines."""
    return Task(rows, told_lines, lambda row, number: told_lines(row, ((0,), (1,), (0, 2))[number % 3]))


def share_of_lines(text: str, facts: Sequence[str], bare: Callable[[str], str]) -> float:
    """Return the share of facts that are lines of a text, of its lines if it has more of them.

    bare: makes a line what is compared.
    """
    said = [one for one in map(bare, text.splitlines()) if one]
    return sum(bare(fact) in said for fact in facts) / max(len(facts), len(said))
