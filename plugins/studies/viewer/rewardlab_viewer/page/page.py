"""One page about runs and scored files: curves, tables, judges, and every completion beside its scores.

The page is made from the folder alone, so that it can be made again, and of a run that is still going.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from rewardlab.files import write_text
from rewardlab_training import RunAlarm, whole_folder

from rewardlab_viewer.page.chunks import MAX_PAGE_BYTES
from rewardlab_viewer.page.numbers import PackedNumbers, packed_numbers
from rewardlab_viewer.page.policy import Form, policy
from rewardlab_viewer.page.questions import MAX_BUNDLE_QUESTIONS, MAX_PAGE_QUESTIONS, QuestionParts, question_parts
from rewardlab_viewer.page.run_view import RunView, view_of
from rewardlab_viewer.page.target import refuse_target
from rewardlab_viewer.read.labels import LabelFinder, lost_labels, read_labels, read_to_label
from rewardlab_viewer.read.run_folder import RunFolder
from rewardlab_viewer.read.scored_file import ScoredSource

HERE = Path(__file__).parent
SCRIPTS = (
    *("data", "visible", "charts", "step_parts", "tables", "copies", "wins", "questions", "group_view", "filters"),
    *("labels", "samples", "prints", "follow", "main"),
)
"""the files of the page's script, in their order"""
OTHER_REWARDS = "These have different rewards: numbers of one name need not mean the same in each of them."
DATA_HERE = "<!-- data -->"


class WrittenReport(NamedTuple):
    """The remarks of a page, in words: what is odd about the components of rewards, and what is broken or unfinished.

    Args:
        alarms: of its runs, also those that their recipes ignore.
    """

    findings: Sequence[str]
    notes: Sequence[str]
    alarms: Sequence[RunAlarm] = ()


def write_report(
    sources: Sequence[Path],
    target: Path,
    bundle: bool = False,
    rows: str | None = None,
    labels: Sequence[Path] = (),
    to_label: Path | None = None,
) -> "WrittenReport":
    """Write the page about run folders and scored files to the file `target`.

    Args:
        bundle: `target` is a folder, which gets an index.html and the texts beside it.
        rows: of the scored files.
        to_label: a file of pairs to mark first, as `rewardlab judge --next` writes it.
        labels: files of people's labels. A UserError if a source is neither, a file has no labels, or `target` is
            something else.
    """
    refuse_target(target, bundle)
    notes: list[str] = []
    marks = read_labels(labels, notes)
    pairs = [] if to_label is None else read_to_label(to_label, notes)
    finders = [LabelFinder(marks) for _ in sources]
    with ExitStack() as closing:
        views = []
        for path, finder in zip(sources, finders, strict=True):
            views.append(view_of(ScoredSource(path, rows) if path.is_file() else RunFolder(path), finder, pairs))
            closing.callback(views[-1].chunks.close)
        note_other_rewards(views)
        views[0].source.notes += [*notes, *lost_labels(marks, finders)]
        if len(pairs) > (here := sum(len(view.to_label) for view in views)):
            views[0].source.notes.append(f"{len(pairs) - here:,} of {len(pairs):,} pairs to label are not here.")
        most = None if bundle else MAX_PAGE_BYTES // len(views)
        most_asked = (MAX_BUNDLE_QUESTIONS if bundle else MAX_PAGE_QUESTIONS) // len(views)
        kept = [KeptParts.of(view, most, most_asked) for view in views]
        if bundle:
            with whole_folder(target) as folder:
                _write_bundle(folder, kept)
        else:
            before, after = page_of(kept, "page").split(DATA_HERE)
            write_text(target, chain([before], _blocks(kept), [after]))
        findings = [finding for view in views if view.movement is not None for finding in view.movement.findings]
        notes = [note for view in views for note in view.source.notes]
        return WrittenReport(findings, notes, [alarm for view in views for alarm in view.alarms])


def note_other_rewards(views: Sequence[RunView]) -> None:
    """Let the first of several views say that their rewards differ, if they do; those of one name get a number."""
    names = Counter(view.source.name for view in views)
    for number, view in enumerate(views, 1):
        view.source.name += f" ({number})" if names[view.source.name] > 1 else ""
    notes = views[0].source.notes
    if any(view.source.reward != views[0].source.reward for view in views) and OTHER_REWARDS not in notes:
        notes.append(OTHER_REWARDS)


@dataclass(frozen=True, kw_only=True)
class KeptParts:
    """The part of a source's completions that the page has, with their numbers and texts; of a bundle all of them."""

    view: RunView
    chunks: Sequence[int]
    groups: Sequence[int]
    numbers: PackedNumbers
    questions: QuestionParts
    more: Mapping[str, Any] = field(default_factory=dict)
    """for the page's script"""

    @classmethod
    def of(cls, view: RunView, most: int | None, most_asked: int) -> "KeptParts":
        """Return the part whose texts fit into `most` bytes, and its questions to judges into `most_asked`."""
        numbers = view.chunks.kept(most)
        return cls.of_chunks(view, numbers, question_parts(view.source, view.chunks, numbers, most_asked))

    @classmethod
    def of_chunks(cls, view: RunView, numbers: Sequence[int], questions: QuestionParts, **more: Any) -> "KeptParts":
        """Return the part whose texts are in these chunks, with questions about them."""
        chunks = [view.chunks.chunks[number] for number in numbers]
        groups = [group for chunk in chunks for group in range(chunk.first, chunk.first + chunk.groups)]
        packed = packed_numbers(view.columns, groups)
        return cls(view=view, chunks=numbers, groups=groups, numbers=packed, questions=questions, more=more)

    def data(self) -> Mapping[str, Any]:
        """Return what the page's script knows of the source from the beginning."""
        columns = self.view.columns
        problems, beginnings = list(columns.problems), list(columns.beginnings)
        return {
            "name": self.view.source.name,
            "identity": self.view.identity,
            "charts": self.view.charts(),
            "parts": [str(part) for part in columns.parts],
            "phases": [part.phase for part in columns.parts],
            "fields": {name: list(column.values) for name, column in columns.fields.items()},
            "splits": columns.split_fields(),
            "components": list(columns.components),
            "correctness": self.view.source.correctness,
            "problems": [problems[columns.problem[group]] for group in self.groups],
            "beginnings": [beginnings[columns.beginning[group]] for group in self.groups],
            "names": list(self.view.source.names),
            "total": self.view.total,
            "layout": self.numbers.layout,
            "questions": self.questions.data(),
            "toLabel": list(self.view.to_label),
            "chunks": [{"number": chunk, "groups": self.view.chunks.chunks[chunk].groups} for chunk in self.chunks],
            **self.more,
        }


def _write_bundle(folder: Path, kept: Sequence[KeptParts]) -> None:
    write_text(folder / "index.html", page_of(kept, "bundle"))
    for name, text in _parts(kept):
        (folder / f"{name}.js").write_text(f'rewardlabPart("{name}", "{text}");\n', encoding="ascii")


def _blocks(kept: Sequence[KeptParts]) -> Iterator[str]:
    yield from (block_of(name, text) for name, text in _parts(kept))


def block_of(name: str, packed: str) -> str:
    """Return a packed part of the data as it stands in a page."""
    return f'<script type="application/octet-stream" id="{name}">{packed}</script>\n'


def _parts(kept: Sequence[KeptParts]) -> Iterator[tuple[str, str]]:
    """Yield the name and the base64 of each packed part of the data."""
    for run, parts in enumerate(kept):
        yield f"numbers-{run}", parts.numbers.packed
        for number in parts.chunks:
            yield f"texts-{run}-{number}", parts.view.chunks.read(number)
        for number, text in parts.questions.parts.items():
            yield f"questions-{run}-{number}", text


def page_of(kept: Sequence[KeptParts], form: Form, assets: bool = True, tag: str = "") -> str:
    """Return the page as HTML; DATA_HERE stands where the packed parts of its data go.

    Args:
        assets: whether it has scripts and styles.
        tag: of the state that it shows, for a followed page.
    """
    script, plot = "".join(f"{_asset(f'assets/{name}.js')}\n" for name in SCRIPTS), _asset("vendor/uPlot.iife.min.js")
    style = _asset("vendor/uPlot.min.css") + _asset("assets/page.css")
    return str(
        _template().render(
            title=" and ".join(parts.view.source.name for parts in kept),
            policy=policy([plot, script], [style], form),
            script=Markup(script * assets),
            plot=Markup(plot * assets),
            style=Markup(style * assets),
            has_curves=form == "followed" or any(p.view.curves or p.view.source.logs for p in kept),
            has_more=form == "followed",
            has_recipe=any(p.view.source.recipe for p in kept),
            is_scored=all(p.view.source.folder is None for p in kept),
            runs=[(p.view, p.view.columns.groups if form == "followed" else len(p.groups)) for p in kept],
            data={"form": form, "tag": tag, "runs": [parts.data() for parts in kept]},
            data_here=Markup(DATA_HERE),
        )
    )


@cache
def _template() -> Any:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {}  # components in the order of the recipe
    return environment.get_template("report.html.j2")


@cache
def _asset(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
