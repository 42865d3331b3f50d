"""The tables as people read and print them: text, Markdown and LaTeX."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rewardlab.text import printable
from rewardlab_training import columns

from rewardlab_measure.tables.averages import TableAverage
from rewardlab_measure.tables.comparisons import Comparison, format_p, sentences
from rewardlab_measure.tables.job import TablesResult
from rewardlab_measure.tables.layout import OVERALL, TablePlace

NOTHING = "N/A"
UNKNOWN = "-"
"""in place of an interval or a p-value that cannot be known"""
HOW = (
    "Intervals: 95%, from how much prompts vary within each task and language; of shares Wilson's, of their "
    "differences Student's; a prompt's completions stay together."
)
HOW_OTHERS = "Numbers that are not shares have intervals of {draws:,} bootstrap draws (seed {seed})."
FEW = 100
HOW_FEW = "Of few skewed numbers, such as lengths and costs, they hold the truth less often: of 12 to 30 in 89 to 92%."
HOW_COMPARED = (
    "Comparisons: paired by {unit}; p-values two-sided, by all signs of the differences, corrected by Holm's method "
    "for the number of languages (tasks, ...) and pairs of models; better and worse: p < 0.05."
)


@dataclass(frozen=True, kw_only=True)
class Page:
    """A table to print: rows of cells below two lines of head, of which the upper spans equal neighbours.

    Args:
        best: the places (row, column) of the highest averages.
    """

    title: str
    upper: Sequence[str]
    lower: Sequence[str]
    rows: Sequence[Sequence[str]]
    best: frozenset[tuple[int, int]] = frozenset()

    def __post_init__(self) -> None:
        for name in ("upper", "lower"):
            object.__setattr__(self, name, [one_line(cell) for cell in getattr(self, name)])
        object.__setattr__(self, "rows", [[one_line(cell) for cell in row] for row in self.rows])
        object.__setattr__(self, "title", one_line(self.title))


def one_line(text: str) -> str:
    """Return a text from data, such as a language's name, as one line without signs that would steer a terminal."""
    return printable(" ".join(text.split()))


def pages(result: TablesResult, digits: int) -> list[Page]:
    """Return all tables: models by task, models by language, languages of each task, intervals, comparisons."""
    shown = _Numbers(result, digits)
    shown_pages = [shown.models()]
    if len(result.layout.languages()) > 1:
        tasks = result.layout.tasks
        shown_pages += [shown.languages(None, "Languages, averaged over their tasks")] if len(tasks) > 1 else []
        shown_pages += [shown.languages(task, task or "Languages") for task in tasks]
    if any(average.low is not None for average in result.averages.values()):
        shown_pages.append(shown.intervals())
    pairs = dict.fromkeys((c.measure, c.model, c.against) for c in result.comparisons)
    return [*shown_pages, *(shown.comparison(*pair) for pair in pairs)]


class _Numbers:
    """The numbers of a result, as cells of pages."""

    def __init__(self, result: TablesResult, digits: int) -> None:
        self._result, self._digits = result, digits
        tasks = result.layout.tasks
        self._places = [OVERALL, *(TablePlace(task, None) for task in tasks)] if len(tasks) > 1 else [OVERALL]
        self._single = tasks[0] if len(tasks) == 1 and tasks[0] else "average"

    def models(self) -> Page:
        result = self._result
        keys = [(place, measure) for place in self._places for measure in result.measures]
        means = [[self._mean(model, measure, place) for place, measure in keys] for model in result.models]
        return Page(
            title="Models" + (", in percent" if result.scale == 100 else ""),
            upper=["", *(self._name(place) for place, _ in keys)],
            lower=["", *(measure for _, measure in keys)],
            rows=[[model, *map(self._number, row)] for model, row in zip(result.models, means, strict=True)],
            best=_best_of_columns(means),
        )

    def languages(self, task: str | None, title: str) -> Page:
        result = self._result
        keys = [(model, measure) for model in result.models for measure in result.measures]
        places = [TablePlace(task, None), *(TablePlace(task, language) for language in result.layout.languages(task))]
        means = [[self._mean(model, measure, place) for model, measure in keys] for place in places]
        return Page(
            title=title,
            upper=["", *(model for model, _ in keys)],
            lower=["", *(measure for _, measure in keys)],
            rows=[
                [place.language or "average", *map(self._number, row)] for place, row in zip(places, means, strict=True)
            ],
            best=_best_of_rows(means, len(result.measures)),
        )

    def intervals(self) -> Page:
        result = self._result
        rows = [
            [model, measure, *(self._interval(model, measure, place) for place in self._places)]
            for model in result.models
            for measure in result.measures
        ]
        lower = ["", "", *(self._name(place) for place in self._places)]
        return Page(title="Intervals", upper=[""] * len(lower), lower=lower, rows=rows)

    def comparison(self, measure: str, model: str, against: str) -> Page:
        chosen = [c for c in self._result.comparisons if (c.measure, c.model, c.against) == (measure, model, against)]
        several = len(self._result.layout.languages()) > 1
        chosen = [c for c in chosen if c.place in self._places or (several and c.place.task is None)]
        lower = ["", "difference", "95%", "p", "verdict"]
        return Page(
            title=f"{measure}: {model} minus {against}",
            upper=[""] * len(lower),
            lower=lower,
            rows=[self._compared(comparison) for comparison in chosen],
        )

    def _compared(self, c: Comparison) -> list[str]:
        place = c.place.language or self._name(c.place)
        difference = self._number(c.difference.mean, sign="+")
        p = UNKNOWN if c.corrected is None else format_p(c.corrected).removeprefix("p ").removeprefix("= ")
        return [place, difference, self._between(c.difference, "+"), p, c.verdict]

    def _between(self, average: TableAverage, sign: str = "") -> str:
        if average.low is None:
            return UNKNOWN
        return f"[{self._number(average.low, sign)}, {self._number(average.high, sign)}]"

    def _name(self, place: TablePlace) -> str:
        if place == OVERALL:
            return self._single if len(self._places) == 1 else "overall"
        return place.task or "average"

    def _mean(self, model: str, measure: str, place: TablePlace) -> float | None:
        average = self._result.average(model, measure, place)
        return None if average is None else average.mean

    def _number(self, value: float | None, sign: str = "") -> str:
        return NOTHING if value is None else f"{value * self._result.scale:{sign}.{self._digits}f}"

    def _interval(self, model: str, measure: str, place: TablePlace) -> str:
        average = self._result.average(model, measure, place)
        return NOTHING if average is None or average.prompts is None else self._between(average)


Means = Sequence[Sequence[float | None]]


def _best_of_columns(means: Means) -> frozenset[tuple[int, int]]:
    if len(means) < 2:
        return frozenset()
    tops = [max((value for value in column if value is not None), default=None) for column in zip(*means, strict=True)]
    return frozenset(
        (i, j + 1)
        for i, row in enumerate(means)
        for j, value in enumerate(row)
        if value is not None and value == tops[j]
    )


def _best_of_rows(means: Means, measures: int) -> frozenset[tuple[int, int]]:
    """Return the highest of each measure in each row, where the columns are models, each with its measures."""
    best = set()
    for i, row in enumerate(means):
        for offset in range(measures):
            values = {j: row[j] for j in range(offset, len(row), measures) if row[j] is not None}
            if len(row) > measures and values:
                top = max(value for value in values.values() if value is not None)
                best |= {(i, j + 1) for j, value in values.items() if value == top}
    return frozenset(best)


def footnotes(result: TablesResult, digits: int) -> list[str]:
    """Return the sentences below the tables: what was found, what was left out, and how it was measured."""
    lines = sentences(result.comparisons, result.scale, digits)
    sampled = any(average.low is not None for average in result.averages.values())
    how = [HOW] if sampled else []
    if sampled and result.scale == 1:
        how.append(HOW_OTHERS.format(draws=result.draws, seed=result.seed))
        how += [HOW_FEW] if any((average.clusters or FEW) < FEW for average in result.averages.values()) else []
    if any(c.p is not None for c in result.comparisons):
        how.append(HOW_COMPARED.format(unit="prompt" if result.clustering is None else result.clustering.field))
    notes = [f"note: {note}" for note in result.notes]
    return [one_line(line) for line in (*lines, *notes, *how)]


def format_tables(result: TablesResult, digits: int = 1) -> str:
    """Return all tables as text for a terminal."""
    return _joined(result, digits, as_text, lambda line: line)


def format_markdown(result: TablesResult, digits: int = 1) -> str:
    """Return all tables as Markdown; the highest averages are bold."""
    return _joined(result, digits, as_markdown, _markdown_text)


def format_latex(result: TablesResult, digits: int = 1) -> str:
    """Return all tables as LaTeX, which needs the package booktabs; the highest averages are bold."""
    return _joined(result, digits, as_latex, lambda line: f"% {line}")


def _joined(result: TablesResult, digits: int, form: Callable[[Page], str], text: Callable[[str], str]) -> str:
    head = [text(one_line(str(result.clustering)))] if result.clustering else []
    parts = [form(page) for page in pages(result, digits)]
    return "\n\n".join([*head, *parts, "\n".join(text(line) for line in footnotes(result, digits))]) + "\n"


def as_text(page: Page) -> str:
    """Return one table as text for a terminal."""
    upper = [name if i == 0 or name != page.upper[i - 1] else "" for i, name in enumerate(page.upper)]
    heads = [upper, page.lower] if any(upper) else [page.lower]
    return "\n".join([page.title, *columns([*heads, *page.rows], align="<>")])


def as_markdown(page: Page) -> str:
    """Return one table as Markdown."""
    head = [" ".join(filter(None, pair)) for pair in zip(page.upper, page.lower, strict=True)]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    cells = [
        [f"**{cell}**" if (i, j) in page.best else _markdown_text(cell) for j, cell in enumerate(row)]
        for i, row in enumerate(page.rows)
    ]
    lines[0] = [_markdown_text(cell) for cell in head]
    table = "\n".join(f"| {' | '.join(row)} |" for row in [*lines, *cells])
    return f"### {_markdown_text(page.title)}\n\n{table}"


def _markdown_text(text: str) -> str:
    return "".join(f"\\{sign}" if sign in "\\|*_`<>[]#" else sign for sign in text.replace("\n", " "))


LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "\n": " ",
} | {sign: f"\\{sign}" for sign in "&%$#_{}"}


def _latex_text(text: str) -> str:
    return "".join(LATEX.get(sign, sign) for sign in text)


def as_latex(page: Page) -> str:
    """Return one table as LaTeX."""
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{_latex_text(page.title)}}}"]
    lines += [rf"\begin{{tabular}}{{l{'r' * (len(page.lower) - 1)}}}", r"\toprule"]
    if any(page.upper):
        lines.append(f"{' & '.join(_spans(page.upper))} \\\\")
    lines += [f"{' & '.join(map(_latex_text, page.lower))} \\\\", r"\midrule"]
    for i, row in enumerate(page.rows):
        cells = [_latex_text(cell) for cell in row]
        cells = [rf"\textbf{{{cell}}}" if (i, j) in page.best else cell for j, cell in enumerate(cells)]
        lines.append(f"{' & '.join(cells)} \\\\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"])


def _spans(names: Sequence[str]) -> list[str]:
    spans: list[tuple[str, int]] = []
    for name in names:
        if spans and name and spans[-1][0] == name:
            spans[-1] = (name, spans[-1][1] + 1)
        else:
            spans.append((name, 1))
    return [
        _latex_text(name) if count == 1 else rf"\multicolumn{{{count}}}{{c}}{{{_latex_text(name)}}}"
        for name, count in spans
    ]
