"""Labels of people: files of rows with `prompt`, `chosen` and `rejected`, as the page downloads them.

A label is about texts, so it is found again by prompt and texts, in whichever group of the run they stand; `labelled`
says in which it was made, and by whom.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewardlab.data import prompt_hash, read_lines, to_messages
from rewardlab.errors import Problem, UserError
from rewardlab.text import counted

from rewardlab_viewer.read.source import Line

WANTED = "a label has a prompt, and chosen and rejected as two different texts"
MAX_NAME = 80


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """A person's mark of two texts. group: in which it was made; None if the row does not say."""

    person: str
    prompt: str
    chosen: str
    rejected: str
    group: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundLabel:
    """A label whose texts a run has: completions `better` and `worse` of a group, and what components gave these.

    Args:
        heads: whether a coin that follows from the two texts shows heads for the better one; kappa asks for labels,
            and places may say which text is better.
    """

    person: str
    group: int
    better: int
    worse: int
    heads: bool
    lines: tuple[Line, Line]


def read_labels(paths: Iterable[Path], notes: list[str]) -> list[Label]:
    """Read labels, each once, and note what is wrong with the others. A UserError for a file without any."""
    by_pair: dict[tuple[str, str, int | None, frozenset[str]], Label | None] = {}
    for path in paths:
        bad: list[str] = []
        labels = 0
        for number, row in read_lines(path):
            try:
                label = _label(row, path.stem)
            except ValueError as error:
                bad.append(f"line {number}: {error}")
                continue
            labels += 1
            key = (label.person, label.prompt, label.group, frozenset((label.chosen, label.rejected)))
            earlier = by_pair.setdefault(key, label)
            if earlier is not None and earlier.chosen != label.chosen:
                by_pair[key] = None  # marked both ways
        if not labels:
            raise UserError(f"has no labels; {WANTED}" + (f" ({bad[0]})" if bad else ""), where=str(path))
        if bad:
            notes.append(f"{path.name}: left out {counted(len(bad), 'line')} without a label ({bad[0]}).")
    both = sum(label is None for label in by_pair.values())
    if both:
        notes.append(f"Left out: {counted(both, 'pair')} marked both ways by the same person.")
    return [label for label in by_pair.values() if label is not None]


def _label(row: Any, person: str) -> Label:
    if isinstance(row, Problem):
        raise ValueError(row.what)
    fields = row if isinstance(row, Mapping) else {}
    chosen, rejected, made = fields.get("chosen"), fields.get("rejected"), fields.get("labelled")
    if not isinstance(chosen, str) or not isinstance(rejected, str) or chosen == rejected or not fields.get("prompt"):
        raise ValueError(WANTED)
    made = made if isinstance(made, Mapping) else {}
    group = made.get("group")
    return Label(
        person=str(made.get("by") or person)[:MAX_NAME],
        prompt=prompt_hash(to_messages(fields["prompt"])),
        chosen=chosen,
        rejected=rejected,
        group=group if type(group) is int else None,
    )


def read_to_label(path: Path, notes: list[str]) -> list[Label]:
    """Read the pairs that `rewardlab judge --next` chose, in their order: labels of nobody, until somebody gives them.

    Notes what is wrong with the others. A UserError for a file without any.
    """
    pairs, bad = list[Label](), list[str]()
    for number, row in read_lines(path):
        fields = row if isinstance(row, Mapping) else {}
        try:
            first, second, *_ = map(_text, fields["completions"])
            pairs.append(_label({"prompt": fields["prompt"], "chosen": first, "rejected": second}, ""))
        except (ValueError, LookupError, TypeError):
            bad.append(f"line {number}")
    if not pairs:
        raise UserError("has no pairs; `rewardlab judge RECIPE ROWS --next N -o FILE` writes some", where=str(path))
    if bad:
        notes.append(f"{path.name}: left out {counted(len(bad), 'line')} without two texts of a prompt ({bad[0]}).")
    return pairs


def _text(completion: Any) -> Any:
    return completion.get("text") if isinstance(completion, Mapping) else completion


class LabelFinder:
    """Finds labels in the groups of a run as these pass by, each once: in its own group, if its texts are there."""

    def __init__(self, labels: Sequence[Label]) -> None:
        self._wanted: dict[str | None, list[Label]] = defaultdict(list)
        for label in labels:
            self._wanted[label.prompt].append(label)
        self._located: dict[Label, FoundLabel] = {}

    def add(self, group: int, lines: Sequence[Line]) -> None:
        """Look at the lines of a group."""
        labels = self._wanted.get(_prompt_of(lines[0]), ()) if self._wanted else ()
        if not labels:
            return
        places = {line.get("completion"): at for at, line in reversed(list(enumerate(lines)))}
        for label in labels:
            if label.chosen not in places or label.rejected not in places:
                continue
            if label not in self._located or label.group == group:
                better, worse = places[label.chosen], places[label.rejected]
                self._located[label] = FoundLabel(
                    person=label.person,
                    group=group,
                    better=better,
                    worse=worse,
                    heads=_digest(label.chosen) < _digest(label.rejected),
                    lines=(_scores(lines[better]), _scores(lines[worse])),
                )

    def located(self) -> list[FoundLabel]:
        """Return the labels that were found."""
        return list(self._located.values())

    def labels(self) -> Iterable[Label]:
        """Return the same as they were made."""
        return self._located.keys()


def lost_labels(labels: Sequence[Label], finders: Iterable[LabelFinder]) -> Iterator[str]:
    """Yield what to say of labels that are about nothing in these sources."""
    known = {label for finder in finders for label in finder.labels()}
    if len(known) < len(labels):
        yield (
            f"{len(labels) - len(known):,} of {len(labels):,} labels are about prompts or texts that are not here: "
            "they are of another run, or texts have changed since."
        )


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _prompt_of(line: Line) -> str | None:
    try:
        return prompt_hash(to_messages(line.get("prompt")))
    except ValueError:
        return None


def _scores(line: Line) -> Line:
    """Return what the line says of a completion's components: values and verdicts."""
    components = {
        name: {"value": entry.get("value"), "info": {"verdicts": (entry.get("info") or {}).get("verdicts")}}
        for name, entry in line["components"].items()
    }
    return {"index": line["index"], "components": components}
