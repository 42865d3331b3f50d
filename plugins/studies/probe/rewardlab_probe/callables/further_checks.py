"""Further checks of a grader: right answers pass, the same text gets the same, notations, long texts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rewardlab.errors import UserError

from rewardlab_probe.callables.grader_process import CallResult, GraderProcess
from rewardlab_probe.callables.notations import other_notations
from rewardlab_probe.callables.reproduction import Reproducer
from rewardlab_probe.callables.scored_rows import ScoredTexts
from rewardlab_probe.findings import Finding
from rewardlab_probe.honest_row import HonestRow

ROWS = 8
"""Rows that are asked again, and answered in other notations."""
LONG = 100_000
"""characters of a long text"""
TIMES = 3
"""Calls of which the fastest counts, where the first is slow."""


@dataclass(frozen=True, kw_only=True)
class CheckedGrader:
    """What the checks ask with.

    Args:
        wrong: row id -> a wrong guess in the form of the honest completion.
        tolerance: values nearer than this are equal.
        slow: seconds of processor time that a call may take.
        other: opens another process with other hashes of texts.
    """

    scored: ScoredTexts
    rows: Sequence[HonestRow]
    wrong: Mapping[str, str]
    reproducer: Reproducer
    tolerance: float
    slow: float
    other: Callable[[], GraderProcess]

    def value(self, row: HonestRow, text: str) -> float | None:
        """Return what a text earns in a row; None if it gets no score."""
        return _value(self.scored.ask(row.sample, [text])[0])

    def differ(self, one: float | None, other: float | None) -> bool:
        """Return whether two scores are there and differ."""
        return one is not None and other is not None and abs(one - other) > self.tolerance

    def pairs(self) -> list[tuple[HonestRow, str]]:
        """Return some rows with their honest completion, and with a wrong guess."""
        rows = self.rows[:ROWS]
        texts = [
            (row, [row.honest, *([self.wrong[row.sample.id]] if row.sample.id in self.wrong else [])]) for row in rows
        ]
        return [(row, text) for row, each in texts for text in each]


def unpaid(asked: CheckedGrader) -> list[tuple[HonestRow, float]]:
    """Return the rows whose honest completion earns less than halfway from the least seen to the best honest one.

    All rows if every completion earns the same, wrong guesses among them.
    """
    values = [(row, asked.value(row, row.honest)) for row in asked.rows]
    honest = [(row, value) for row, value in values if value is not None]
    seen = [value for result in asked.scored.results.values() for value in result.values if value is not None]
    mark = (min(seen) + max(value for _, value in honest)) / 2
    guesses = [asked.value(row, asked.wrong[row.sample.id]) for row in asked.rows if row.sample.id in asked.wrong]
    if min(seen) == max(seen) and any(guess is not None for guess in guesses):
        return honest
    return [(row, value) for row, value in honest if value < mark]


def right_answer(asked: CheckedGrader) -> Iterator[Finding]:
    """Yield that honest completions earn little, which is said of the first one."""
    if failed := unpaid(asked):
        row, value = failed[0]
        most = max(asked.value(other, other.honest) or value for other in asked.rows)
        others = f"where others earn {most:g}, in {len(failed)} of {len(asked.rows)} rows"
        what = f"a right answer earns {value:g} {others if len(failed) < len(asked.rows) else 'like everything else'}"
        yield _finding(asked, "right_answer", what, row, row.honest)


def own_notation(asked: CheckedGrader) -> Iterator[Finding]:
    """Yield the rows whose `also_right` completions earn less than the honest one."""
    for row in asked.rows:
        honest = asked.value(row, row.honest)
        for text in row.sample.fields.get("also_right") or ():
            value = asked.value(row, text)
            if honest is not None and value is not None and value < honest - asked.tolerance:
                yield _finding(
                    asked,
                    "own_notation",
                    f"{_short(text)} is right, too, and earns {value:g} beside {honest:g}",
                    row,
                    text,
                )
                return


def determinism(asked: CheckedGrader) -> Iterator[Finding]:
    """Yield a text that earns something else when it is asked for at once again."""
    for row, text in asked.pairs():
        first, second = (_value(asked.scored.asked_anew(row.sample, [text])[0]) for _ in range(2))
        if asked.differ(first, second):
            yield _finding(
                asked, "determinism", f"the same text earns {first:g}, then {second:g}", row, text, twice=True
            )
            return


def other_process(asked: CheckedGrader) -> Iterator[Finding]:
    """Yield a text that earns something else in another process, whose hashes of texts are others."""
    try:
        other = asked.other()
    except UserError as error:
        yield Finding(check="other_process", what=f"in another process {error}")
        return
    with other as grader:
        anew = ScoredTexts(grader, asked.scored.plan)
        for row, text in asked.pairs():
            here, there = asked.value(row, text), _value(anew.asked_anew(row.sample, [text])[0])
            if asked.differ(here, there):
                what = f"a text earns {here:g}, and {there:g} in another process"
                yield _finding(asked, "other_process", what, row, text, twice=True)
                return


def order(asked: CheckedGrader) -> Iterator[Finding]:
    """Yield a text that earns something else when the texts come in the opposite order."""
    pairs = asked.pairs()
    forth = [_value(asked.scored.asked_anew(row.sample, [text])[0]) for row, text in pairs]
    back = [_value(asked.scored.asked_anew(row.sample, [text])[0]) for row, text in reversed(pairs)]
    for (row, text), first, second in zip(pairs, forth, reversed(back), strict=True):
        if asked.differ(first, second):
            yield _finding(
                asked, "order", f"a text earns {first:g}, and {second:g} if the others come before it", row, text
            )
            return


def batch(asked: CheckedGrader) -> Iterator[Finding]:
    """Yield a text that earns something else alone than in a batch, of graders that get batches."""
    for row in asked.rows[:ROWS]:
        texts = [row.honest, asked.wrong.get(row.sample.id, "")]
        orders = (texts, texts[::-1])
        together = [dict(zip(each, asked.scored.asked_anew(row.sample, each), strict=True)) for each in orders]
        for text in texts:
            alone = _value(asked.scored.call(row.sample, [text]))
            for results in together:
                if asked.differ(alone, value := _value(results[text])):
                    what = f"a text earns {alone:g} alone and {value:g} beside another"
                    line = asked.reproducer.line([(row.sample, [text]), (row.sample, texts)])
                    yield Finding(check="batch", what=what, row=row.sample.id, line=line)
                    return


def notation(name: str) -> Callable[[CheckedGrader], Iterator[Finding]]:
    """Return the check that the right number is read in this notation: other_digits, decimal_comma."""

    def check(asked: CheckedGrader) -> Iterator[Finding]:
        unread: dict[str, tuple[HonestRow, str]] = {}
        for row in asked.rows[:ROWS]:
            plain, others = other_notations(row, name)
            honest = asked.value(row, row.honest)
            if others and honest is not None and not asked.differ(honest, asked.value(row, plain)):
                for spelling, text in others.items():
                    value = asked.value(row, text)
                    if value is None or value < honest - asked.tolerance:
                        unread.setdefault(spelling, (row, text))
        if unread:
            row, text = next(iter(unread.values()))
            yield _finding(
                asked, name, f"it does not read the right number with {', '.join(unread)}", row, text, note=True
            )

    return check


def long_text(asked: CheckedGrader) -> Iterator[Finding]:
    """Yield the first text of 100 kB that takes long; one that takes too long is a matter of the deadline."""
    row = asked.rows[0]
    written = row.parts.form.write
    units = ("a ", "1", "\\boxed{", "(", " \n", row.honest + "\n")
    for unit in units:
        many = unit * (LONG // len(unit))
        for text in (f"{many}{row.honest}", written("", many)):
            result = asked.scored.ask(row.sample, [text])[0]
            if not result.trouble and (took := _least(asked, row, text, result.cpu)) > asked.slow:
                what = f"100 kB of {_short(unit)} take {took:.1f} s of processor time"
                yield _finding(asked, "long_text", what, row, text)
                return


def _least(asked: CheckedGrader, row: HonestRow, text: str, first: float) -> float:
    """Return the least processor time that a text takes; a slow one is asked again.

    The first call may import, and a machine that others use, too, takes longer for the same.
    """
    took = first
    for _ in range(TIMES - 1):
        if took > asked.slow and not (again := asked.scored.asked_anew(row.sample, [text])[0]).trouble:
            took = min(took, again.cpu)
    return took


CHECKS_OF_GRADERS: Mapping[str, Callable[[CheckedGrader], Iterator[Finding]]] = {
    "right_answer": right_answer,
    "own_notation": own_notation,
    "determinism": determinism,
    "order": order,
    "batch": batch,
    "other_process": other_process,
    "other_digits": notation("other_digits"),
    "decimal_comma": notation("decimal_comma"),
    "long_text": long_text,
}


def tried(name: str, asked: CheckedGrader) -> bool:
    """Return whether these rows, or this signature, let a check be tried."""
    if name == "batch":
        return asked.scored.plan.lists
    if name == "own_notation":
        return any(row.sample.fields.get("also_right") for row in asked.rows)
    if name in ("other_digits", "decimal_comma"):
        return any(other_notations(row, name)[1] for row in asked.rows[:ROWS])
    return bool(asked.rows)


def _finding(
    asked: CheckedGrader, check: str, what: str, row: HonestRow, text: str, twice: bool = False, note: bool = False
) -> Finding:
    calls = [(row.sample, [text]), (row.sample, [text if twice else row.honest])]
    line = asked.reproducer.line(calls if twice or text != row.honest else calls[:1])
    return Finding(check=check, what=what, row=row.sample.id, line=line, level="note" if note else "error")


def _value(result: CallResult) -> float | None:
    return result.values[0] if result.values else None


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
