"""The comparison of all models, pair by pair, in a folder that a stopped job goes on with."""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import nan
from pathlib import Path

from rewardlab.data import read_lines
from rewardlab.errors import JobError, Problem, UserError, nearest
from rewardlab.plan import Plan
from rewardlab.scorefile import ScoreJob
from rewardlab_records.scored_lines import scored_lines

from rewardlab_measure.tables.averages import PromptValues, TableAverage, cells_with_values
from rewardlab_measure.tables.clusters import Clustering
from rewardlab_measure.tables.comparisons import LEVEL, holm
from rewardlab_measure.tables.layout import OVERALL, TableLayout, TablePlace
from rewardlab_measure.tables.prompts import PromptFields, PromptIndex
from rewardlab_measure.win_rates.answer_file import AnswerFile
from rewardlab_measure.win_rates.pairs import PAIR_OF, refuse_other_prompts, write_pairs


@dataclass(frozen=True, kw_only=True)
class MeasuredWinRate:
    """The share of comparisons that `model` wins against `other`, in [0, 1].

    Args:
        p: two-sided, of 0.5, by the test of the overall interval.
        places: overall, and each language if there are several, each the mean over tasks of the mean over
            languages.
        ties: the share of comparisons that neither won.
        corrected: p for the number of pairs.
        too_few: whether winning all comparisons of so few prompts would not have had a corrected p below 0.05,
            either.
    """

    model: str
    other: str
    places: Mapping[TablePlace, TableAverage]
    ties: float
    p: float
    corrected: float
    too_few: bool = False


@dataclass(frozen=True, kw_only=True)
class WinRatesResult:
    """The win rates of all pairs, each once, and how many prompts they are of.

    Args:
        reference: the model that all others were compared with, and they with no other; None if all met all.
        clustering: by what prompts count together.
    """

    models: Sequence[str]
    rates: Sequence[MeasuredWinRate]
    prompts: int
    reference: str | None = None
    clustering: Clustering | None = None


@dataclass(frozen=True, kw_only=True)
class _MeasuredPair:
    """A pair of models as it was measured, before its p-value is corrected for the number of pairs."""

    rate: MeasuredWinRate
    floor: float
    clustering: Clustering | None


@dataclass(frozen=True, kw_only=True)
class WinRatesJob:
    """A job that lets a recipe's reward compare the answers of models, two by two.

    Args:
        plan: of the recipe.
        component: the reward that compares, None for the only one of scope `group`.
        models: name -> file of rows with completions.
        folder: of the pairs and their scores.
        reference: the one that each other model is compared with, None for all pairs; its only answer to a prompt
            meets all of a model's.
        resume: go on with it.
        common: compare only the prompts that all models answered.
        leave_out: comparisons without a verdict count nowhere, rather than stop.
    """

    plan: Plan
    models: Mapping[str, str]
    folder: Path
    component: str | None = None
    reference: str | None = None
    fields: PromptFields = field(default_factory=PromptFields)
    resume: bool = False
    common: bool = False
    leave_out: bool = False
    command: Sequence[str] = ()
    say: Callable[[str], None] = lambda text: None

    def run(self) -> WinRatesResult:
        """Return the win rates. A UserError before anything is asked, a JobError later."""
        component = self._component()
        if len(self.models) < 2:
            raise UserError("at least two models are needed: --model NAME=ROWS.jsonl --model NAME=ROWS.jsonl")
        if self.reference is not None and self.reference not in self.models:
            raise UserError(f"no model {self.reference!r}{nearest(self.reference, self.models)}", where="--reference")
        columns = self.plan.recipe.columns
        files = [AnswerFile(name, path, name == self.reference, columns) for name, path in self.models.items()]
        ids = refuse_other_prompts(files, self.common)
        self._make_folder()
        pairs = [self._pair(answers, other, ids, component) for answers, other in self._pairs(files)]
        p_values = holm([pair.rate.p for pair in pairs])
        rates = [
            replace(pair.rate, corrected=p, too_few=pair.floor * len(pairs) >= LEVEL)
            for pair, p in zip(pairs, p_values, strict=True)
        ]
        return WinRatesResult(
            models=list(self.models),
            rates=rates,
            prompts=len(ids),
            reference=self.reference,
            clustering=pairs[0].clustering,
        )

    def _pairs(self, files: Sequence[AnswerFile]) -> list[tuple[AnswerFile, AnswerFile]]:
        if self.reference is None:
            return list(combinations(files, 2))
        (reference,) = (file for file in files if file.is_reference)
        return [(file, reference) for file in files if not file.is_reference]

    def _component(self) -> str:
        comparing = [name for name, planned in self.plan.components.items() if planned.spec.scope == "group"]
        if self.component is not None and self.component not in self.plan.components:
            raise UserError(f"no component {self.component!r}; there are {', '.join(self.plan.components)}")
        if self.component is None and len(comparing) != 1:
            components = ", ".join(comparing) or "none"
            raise UserError(f"name the reward that compares answers with --component; of scope group: {components}")
        chosen = self.component or comparing[0]
        low, high = self.plan.components[chosen].spec.range
        if low < 0 or high > 1:
            raise UserError(
                f"{chosen} has values from {low:g} to {high:g}, and a win rate lies in 0 to 1; name another"
            )
        return chosen

    def _make_folder(self) -> None:
        if self.folder.exists() and not self.resume:
            raise UserError("exists already; --resume continues it, or give -o another name", where=str(self.folder))
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise UserError(f"cannot be made: {error.strerror}", where=str(self.folder)) from None

    def _pair(self, answer_file: AnswerFile, other: AnswerFile, ids: Sequence[str], component: str) -> _MeasuredPair:
        stem = f"{answer_file.name}_against_{other.name}"
        rows, scores = (self.folder / f"{_file_name(stem)}.{part}.jsonl" for part in ("rows", "scores"))
        for note in write_pairs(answer_file, other, ids, rows):
            self.say(f"note: {note}")
        ScoreJob(
            plan=self.plan, rows=str(rows), output=scores, resume=self.resume, command=self.command, say=self.say
        ).run()
        values, ties, prompts = self._values(rows, scores, component)
        layout = TableLayout(cells_with_values(values, prompts))
        rates = PromptValues(values, prompts, layout, "share")
        languages = layout.languages()
        places = [OVERALL, *(TablePlace(None, language) for language in languages if len(languages) > 1)]
        averages = {place: average for place in places if (average := rates.average(place)) is not None}
        against_even_odds = rates.against_even_odds(OVERALL)
        return _MeasuredPair(
            rate=MeasuredWinRate(
                model=answer_file.name,
                other=other.name,
                places=averages,
                ties=ties,
                p=against_even_odds.p,
                corrected=against_even_odds.p,
            ),
            floor=against_even_odds.floor,
            clustering=prompts.clustering(),
        )

    def _values(self, rows: Path, scores: Path, component: str) -> tuple["array[float]", float, PromptIndex]:
        """Return the mean win rate of each prompt, NaN if there is none, the share of ties, and the prompts."""
        prompts = PromptIndex(self.fields)
        wins: dict[int, list[float]] = {}
        missing = ties = 0
        for (number, row), (_, scored) in zip(read_lines(rows), scored_lines(scores), strict=True):
            place = f"{rows}:{number}"
            if isinstance(row, Problem) or isinstance(scored, Problem) or row["id"] != scored["id"]:
                raise JobError(f"{scores} does not fit {rows}; give -o another name")
            prompt = prompts.add(row[PAIR_OF], row, None, place)
            value = scored["components"][component]["value"][0]
            missing += value is None
            ties += value == 0.5
            wins.setdefault(prompt, []).extend([] if value is None else [value])
        prompts.check()
        known = sum(map(len, wins.values()))
        if missing and not (self.leave_out and known):
            problem = f"{missing} of {missing + known} comparisons have no verdict; --resume asks again what failed"
            raise JobError(f"{scores}: {problem}, and --missing leave-out counts only the others")
        if missing:
            self.say(f"note: {scores}: {missing} comparisons without a verdict count nowhere")
        values = array("d", (sum(wins[n]) / len(wins[n]) if wins[n] else nan for n in range(len(prompts))))
        return values, ties / known, prompts


def _file_name(stem: str) -> str:
    """Return the name of a file about models, of which some are called ORGANISATION/MODEL."""
    for mark in "%/\\\0":  # % first, so that no two models share a file
        stem = stem.replace(mark, f"%{ord(mark):02X}")
    return stem
