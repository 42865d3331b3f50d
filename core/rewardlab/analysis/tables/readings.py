"""The answers of a model, prompt by prompt, from the ledger of a run or from the output of `score`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rewardlab.analysis.ledger.scan import current_steps
from rewardlab.analysis.tables.measures import TOTAL
from rewardlab.analysis.tables.sources import ModelSource
from rewardlab.data import BadRows, read_lines
from rewardlab.errors import Problem, UserError, nearest
from rewardlab.scorefile import check_output

BEGINNING = 400
"""bytes of a ledger's line in which its phase stands"""


class Scores(NamedTuple):
    """The scores of one component for the completions of one prompt; `errors` say why one is missing, if it failed."""

    values: Sequence[float | None]
    errors: Sequence[str | None]


@dataclass(frozen=True, slots=True)
class PromptAnswers:
    """What a model's answers to one prompt scored. fields, prompt: None where the file has none of them."""

    place: str
    id: str
    components: Mapping[str, Scores]
    fields: Mapping[str, Any] | None = None
    prompt: Any = None

    def scores(self, component: str) -> Scores:
        """Return the scores of a component. A UserError where there is none of that name."""
        found = self.components.get(component)
        if found is None:
            there = ", ".join(self.components)
            what = f"no component {component!r}{nearest(component, self.components)}; there are {there}"
            raise UserError(what, where=self.place)
        return found


def answers(source: ModelSource) -> Iterator[PromptAnswers]:
    """Yield the answers of a model. A UserError for a file that holds none."""
    return _of_ledger(source) if source.kind == "ledger" else _of_scores(source.path)


def component_names(source: ModelSource) -> list[str]:
    """Return the names of the components that scored a model's answers, without the total."""
    first = next(answers(source), None)
    if first is None:
        raise UserError("has no scores", where=source.path)
    return [name for name in first.components if name != TOTAL]


def _of_scores(path: str) -> Iterator[PromptAnswers]:
    bad = BadRows()
    for number, row in read_lines(path, any_text=True):
        place = f"{path}:{number}"
        if isinstance(row, Problem):
            bad.add(row)
            continue
        try:
            check_output(row)
        except ValueError as error:
            bad.add(Problem(where=place, what=f"this is no line that `rewardlab score` wrote: {error}"))
            continue
        found = {name: Scores(entry["value"], entry["error"]) for name, entry in row["components"].items()}
        nothing = [None] * len(row["total"])
        yield PromptAnswers(place, str(row["id"]), {**found, TOTAL: Scores(row["total"], nothing)})
    if bad.count:
        raise bad.error(path, "name a file that `rewardlab score` wrote to its end")


Evaluation = tuple[int, str, int | None]


def evaluations(path: str) -> list[Evaluation]:
    """Return the evaluations in a ledger, each its stage, phase and step, in the order of their last lines."""
    found: dict[Evaluation, None] = {}
    for _, line in _evaluated(path):
        key = line["stage"], line["phase"], line["step"]
        found.pop(key, None)
        found[key] = None
    return list(found)


def chosen_evaluation(source: ModelSource) -> tuple[Evaluation, list[Evaluation]]:
    """Return the evaluation of a run that a table is made of, and all that it has. A UserError where there is none."""
    every = evaluations(source.path)
    fitting = [e for e in every if source.phase in (None, e[1]) and source.step in (None, e[2])]
    if not fitting:
        there = ", ".join(map(told_evaluation, every)) or "none"
        what = f"has no such evaluation; there are: {there}" if every else "has no evaluation; add a stage eval"
        raise UserError(what, where=source.path)
    return fitting[-1], every


def told_evaluation(evaluation: Evaluation) -> str:
    """Return an evaluation as it is chosen: "after:500"."""
    _, phase, step = evaluation
    return phase if step is None else f"{phase}:{step}"


def _of_ledger(source: ModelSource) -> Iterator[PromptAnswers]:
    chosen, _ = chosen_evaluation(source)
    steps = current_steps(Path(source.path))
    group: list[Mapping[str, Any]] = []
    place = ""
    for where, line in _evaluated(source.path):
        if (line["stage"], line["phase"], line["step"]) != chosen or line not in steps:
            continue
        if group and (line["attempt"], line["group"]) != (group[0]["attempt"], group[0]["group"]):
            yield _answers_of_group(group, place)
            group = []
        if not group:
            place = where
        group.append(line)
    if group:
        yield _answers_of_group(group, place)


def _answers_of_group(lines: Sequence[Mapping[str, Any]], place: str) -> PromptAnswers:
    first = lines[0]
    names = first["components"]
    found = {
        name: Scores(
            [line["components"][name]["value"] for line in lines],
            [line["components"][name].get("error") for line in lines],
        )
        for name in names
    }
    found[TOTAL] = Scores([line["total"] for line in lines], [None] * len(lines))
    return PromptAnswers(place, str(first["id"]), found, first.get("fields"), first.get("prompt"))


def _evaluated(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (place, line) for each line of an evaluation; a last line that is cut off is left out."""
    with open(path, "rb") as file:
        for number, text in enumerate(file, 1):
            if b'"phase": "training"' in text[:BEGINNING]:
                continue
            try:
                line = json.loads(text)
            except (ValueError, RecursionError):
                if text.endswith(b"\n"):
                    raise UserError("this is no line that a run wrote", where=f"{path}:{number}") from None
                continue
            if isinstance(line, dict) and line.get("phase", "training") != "training":
                yield f"{path}:{number}", line
