"""The tables, from the models to the result."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import combinations

from rewardlab.data import BadRows, Identifier, read_lines, to_sample
from rewardlab.errors import Problem, UserError, nearest
from rewardlab.text import counted

from rewardlab_measure.tables.averages import TableAverage, cells_with_values
from rewardlab_measure.tables.clusters import Clustering
from rewardlab_measure.tables.comparisons import Comparison, corrected, describe_too_few
from rewardlab_measure.tables.coverage import (
    PromptPolicy,
    describe_empty_cells,
    describe_pairs,
    describe_unknown,
    refuse_idle_merges,
    settle_cells,
    settle_prompts,
)
from rewardlab_measure.tables.layout import Cell, Merge, TableLayout, TablePlace
from rewardlab_measure.tables.measures import Measure, with_pass_at
from rewardlab_measure.tables.model import MissingPolicy, Model, ModelReader
from rewardlab_measure.tables.model_averages import ModelAverages
from rewardlab_measure.tables.printed import describe_small, measure_columns, read_averages
from rewardlab_measure.tables.prompts import PromptFields, PromptIndex
from rewardlab_measure.tables.readings import component_names
from rewardlab_measure.tables.sources import ModelSource

PERCENT = 100


@dataclass(frozen=True, kw_only=True)
class TablesResult:
    """The tables: an average for each (model, measure, place), comparisons, and notes on what was left out.

    Args:
        scale: what averages are multiplied by when they are shown, 100 or 1.
        clustering: by what prompts count together.
    """

    models: Sequence[str]
    measures: Sequence[str]
    layout: TableLayout
    averages: Mapping[tuple[str, str, TablePlace], TableAverage]
    comparisons: Sequence[Comparison]
    notes: Sequence[str]
    scale: float
    draws: int
    seed: int
    clustering: Clustering | None = None

    def average(self, model: str, measure: str, place: TablePlace) -> TableAverage | None:
        """Return an average; None if the model has none at the place."""
        return self.averages.get((model, measure, place))


@dataclass(frozen=True, kw_only=True)
class TablesJob:
    """A job that makes tables of models.

    Args:
        measures: none for all components of the first model.
        rows: files of the rows that were scored, for their tasks and languages.
        columns: what their columns are called, our field -> theirs.
        against: the model that all others are compared with, by default the first, and if that one was printed the
            first that was not, too; "all" for all pairs.
        raw: show averages as they are, not as percent.
        draws: of the bootstrap, of which intervals of numbers that are not shares are made.
    """

    models: Sequence[ModelSource]
    measures: Sequence[Measure] = ()
    pass_at: Sequence[int] = ()
    rows: Sequence[str] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    fields: PromptFields = field(default_factory=PromptFields)
    merges: Sequence[Merge] = ()
    missing: MissingPolicy = "refuse"
    prompts: PromptPolicy = "same"
    against: str | None = None
    raw: bool = False
    draws: int = 1000
    seed: int = 0

    def run(self) -> TablesResult:
        """Read everything and return the tables. A UserError for models that cannot stand in one table."""
        pairs = self._pairs()
        measures = self._measures()
        prompts = PromptIndex(self.fields)
        self._read_rows(prompts)
        models = self._read_models(prompts, measures)
        prompts.check()
        notes = [*self._notes(models), *settle_prompts(models, prompts, self.prompts)]
        names = [measure.name for measure in measures]
        layout, more = self._settled(models, prompts, names)
        more += describe_pairs(pairs, {model.name: model for model in models})
        averages = ModelAverages(models, prompts, layout, self.draws, self.seed)
        averages_of = averages.all(names)
        comparisons = [c for name in names for c in corrected(averages.comparisons(name, pairs))]
        more += [note for name in names for note in averages.describe_printed_pairs(name, pairs)]
        more += [*describe_unknown(averages_of), *describe_too_few(comparisons)]
        return TablesResult(
            models=[model.name for model in models],
            measures=names,
            layout=layout,
            averages=averages_of,
            comparisons=comparisons,
            notes=[*notes, *dict.fromkeys(more)],
            scale=1 if self.raw else PERCENT,
            draws=self.draws,
            seed=self.seed,
            clustering=prompts.clustering(),
        )

    def _pairs(self) -> list[tuple[str, str]]:
        """Return the pairs to compare, each (model, against)."""
        names = [model.name for model in self.models]
        answered = [model.name for model in self.models if model.kind != "averages"]
        if self.against == "all":
            return [(later, earlier) for earlier, later in combinations(names, 2)]
        if self.against is not None and self.against not in names:
            raise UserError(f"no model {self.against!r}{nearest(self.against, names)}")
        against = self.against or names[0]
        pairs = [(name, against) for name in names if name != against]
        if self.against is None and against not in answered:
            pairs += [(name, answered[0]) for name in answered[1:]]
        return pairs

    def _measures(self) -> list[Measure]:
        measures = list(self.measures)
        if not measures:
            first = next((model for model in self.models if model.kind != "averages"), None)
            names = measure_columns(self.models[0]) if first is None else component_names(first)
            measures = [Measure(name=name, component=name) for name in names]
        if not measures:
            raise UserError("has no column with numbers beside model, task and language", where=self.models[0].path)
        measures = with_pass_at(measures, self.pass_at)
        names = [measure.name for measure in measures]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise UserError(f"two measures are called {twice}; name them: NAME=COMPONENT")
        return measures

    def _read_rows(self, prompts: PromptIndex) -> None:
        for path in self.rows:
            identify, bad = Identifier(), BadRows()
            with closing(read_lines(path, any_text=True)) as lines:
                for number, row in lines:
                    place = f"{path}:{number}"
                    if isinstance(row, Problem):
                        bad.add(row)
                        continue
                    try:
                        sample = identify(to_sample(row, self.columns, place, answered=True))
                    except ValueError as error:
                        bad.add(Problem(where=place, what=str(error)))
                        continue
                    prompts.add(sample.id, sample.fields, sample.prompt, place)
            if bad.count:
                raise bad.error(path, "mend them, or leave them out of a copy")

    def _read_models(self, prompts: PromptIndex, measures: Sequence[Measure]) -> list[Model]:
        reader = ModelReader(prompts, measures, self.missing, share=not self.raw)
        reader.known_fields = bool(self.rows) or any(model.kind == "ledger" for model in self.models)
        models: dict[str, Model] = {}
        for source in sorted(self.models, key=lambda source: source.kind != "ledger"):  # these know tasks and languages
            if source.kind == "averages":
                names = [measure.name for measure in measures]
                printed = read_averages(source, names, self.fields, 1 if self.raw else PERCENT)
                note = "" if self.raw else describe_small(printed)
                models[source.name] = Model(source=source, printed=printed, note=note)
            else:
                models[source.name] = reader.read(source)
        return [models[source.name] for source in self.models]

    def _notes(self, models: Sequence[Model]) -> list[str]:
        notes = []
        for model in models:
            if model.note:
                notes.append(f"{model.name}: {model.note}")
            if len(model.samples) > 1:
                sizes = ", ".join(f"{size} of each of {count:,}" for size, count in sorted(model.samples.items()))
                notes.append(f"{model.name} has different numbers of completions by prompt: {sizes}")
            for name, missing in model.missing.items():
                if missing.count:
                    counts = "count 0" if self.missing == "zero" else "count nowhere"
                    notes.append(f"{model.name}: {counted(missing.count, 'completion')} without {name} {counts}")
        return notes

    def _settled(
        self, models: Sequence[Model], prompts: PromptIndex, names: Sequence[str]
    ) -> tuple[TableLayout, list[str]]:
        """Return the layout of all cells that count, and what was left out, in words."""
        has = {model.name: _cells(model, prompts, names) for model in models}
        refuse_idle_merges(self.merges, [*prompts.cells, *(cell for cells in has.values() for cell in cells)])
        counting, notes = settle_cells(has, self.merges, self.prompts)
        notes = [*notes, *describe_empty_cells(prompts.cells, has)]
        whole = TableLayout([*prompts.cells, *(cell for cells in has.values() for cell in cells)], self.merges)
        layout = TableLayout([cell for cell in whole.cells if whole.shown(cell) in counting], self.merges)
        return layout, notes


def _cells(model: Model, prompts: PromptIndex, names: Sequence[str]) -> list[Cell]:
    if model.printed is not None:
        return [cell for name in names for cell in model.printed[name]]
    return [cell for name in names for cell in cells_with_values(model.values[name], prompts)]
