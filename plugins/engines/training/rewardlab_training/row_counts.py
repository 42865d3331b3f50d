"""The number of rows of a dataset: counted, or at most, or not known yet. No judge is asked, and no network is used."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from rewardlab import Context, Sample
from rewardlab.errors import UserError
from rewardlab.plan import Component, Plan, sources_of
from rewardlab.recipe import DataStage, DpoStage, RecipePath, RlStage, SftStage
from rewardlab.text import counted

from rewardlab_training.datasets import has_free_rows, is_held_out, read_dataset
from rewardlab_training.stage_datasets import stage_dataset, stage_dataset_place
from rewardlab_training.stage_rows import steps_of

MANY_ROWS = 10**9
"""more than any source has: a step that makes far fewer of these bounds the rows itself"""
MANY_TIMES = 10
"""readings from which on no tenth is told"""
MAX_COUNTED = 50_000
"""rows that `check` counts of a file at most"""


@dataclass(frozen=True)
class Rows:
    """The rows of a dataset.

    Args:
        most: how many they are at most; None if that is not known yet.
        size: mean bytes of their texts; None if that is not known yet.
        counted: whether they are there, and are as many.
        stage: the data stage that is to write them, if they are not there yet.
    """

    most: int | None
    size: float | None = None
    counted: bool = False
    stage: int | None = None


def rows_of(plan: Plan, place: RecipePath) -> Rows:
    """Return the rows of the dataset at `place`, after all of its steps."""
    planned = plan.datasets[place]
    return made(planned, rows_below(plan, place)) if sources_of(place, planned.use) else source_rows(plan, place)


def rows_below(plan: Plan, place: RecipePath) -> Rows:
    """Return the rows that the dataset at `place` starts from."""
    return together([rows_of(plan, source) for source in sources_of(place, plan.datasets[place].use)])


def source_rows(plan: Plan, place: RecipePath) -> Rows:
    """Return the rows of the dataset at `place`, which starts from no other."""
    planned = plan.datasets[place]
    if has_free_rows(planned):
        try:
            sizes = [_text_bytes(sample) for sample in read_dataset(planned, Context(seed=plan.recipe.seed))]
            return Rows(len(sizes), sum(sizes) / max(1, len(sizes)), counted=True)
        except UserError:  # it is not there, or `check` says what is wrong with it
            pass
    return made_before(plan, place)


def made_before(plan: Plan, place: RecipePath) -> Rows:
    """Return the rows of the dataset at `place` that the data stage before it makes at most."""
    stage = _maker(plan, place)
    before = Rows(None) if stage is None else rows_of(plan, ("stages", stage, "dataset"))
    return made(plan.datasets[place], Rows(before.most, stage=stage))


def made(planned: Component[Any, Any], rows: Rows) -> Rows:
    """Return the rows that a dataset makes of those that it reads."""
    if planned.spec.makes is None:
        return Rows(rows.most, rows.size, stage=rows.stage)
    count = MANY_ROWS if rows.most is None else rows.most
    most = planned.ask("how many rows it makes", planned.spec.makes, planned.options, count)
    return Rows(_known(most) if rows.most is None else most, rows.size, stage=rows.stage)


def questions(planned: Component[Any, Any], rows: int | None) -> int | None:
    """Return how many questions a step asks about so many rows at most; None if nothing bounds them."""
    assert planned.spec.calls is not None
    calls = planned.ask("how often it asks", planned.spec.calls, planned.options, MANY_ROWS if rows is None else rows)
    return _known(calls) if rows is None else int(calls)


def _known(count: int) -> int | None:
    """Return a number that was asked for of `MANY_ROWS` rows if the step bounds it itself."""
    return count if count < MANY_ROWS // 1000 else None


def together(sources: Sequence[Rows]) -> Rows:
    """Return the rows of several datasets as one."""
    counts = [rows.most for rows in sources]
    stage = sources[0].stage if len(sources) == 1 else None
    if any(count is None for count in counts):
        return Rows(None, stage=stage)
    most = sum(count or 0 for count in counts)
    if not most or any(rows.size is None for rows in sources):
        return Rows(most, stage=stage)
    return Rows(most, sum((rows.most or 0) * (rows.size or 0.0) for rows in sources) / most, stage=stage)


def repeated_readings(
    plan: Plan, only: int | None = None, limit: int | None = MAX_COUNTED
) -> Iterator[tuple[int, str]]:
    """Yield the index of each training stage whose `steps` read rows several times, and a line that says how often.

    Args:
        only: the one stage that is to run, so that no other makes its rows.
        limit: rows of a dataset that are counted at most (None: all).
    """
    for index, stage in enumerate(plan.recipe.stages):
        if only not in (None, index) or not isinstance(stage, SftStage | DpoStage | RlStage) or not stage.steps:
            continue
        read = stage.steps * stage.batch_size
        enough = read if limit is None else min(read, limit)
        rows = _training_rows(plan, index, enough, alone=only is not None)
        if rows.most and rows.most < enough:
            has = "has" if rows.counted else "has at most"
            often = _often(read / rows.most)
            more = f", unless stage {rows.stage} adds to them" if rows.counted and rows.stage is not None else ""
            reads = f"reads {counted(read, 'row')} in {counted(stage.steps, 'step')}"
            problem = f"{reads}, and {stage_dataset(plan, index).use.use} {has}"
            yield index, f"{problem} {rows.most:,} to train on: {often}{more}"


def uncounted_rows(plan: Plan, index: int, alone: bool) -> Iterator[str]:
    """Yield a line about the rows of a training stage by `epochs` that cannot be counted yet; nothing about others.

    Args:
        alone: whether no stage before it runs.
    """
    stage = plan.recipe.stages[index]
    if not isinstance(stage, SftStage | DpoStage | RlStage) or stage.steps:
        return
    rows = _training_rows(plan, index, 1, alone)
    if not rows.counted:
        yield f"trains on {source_of(rows, stage_dataset(plan, index))}"


def most_steps(plan: Plan, index: int) -> int | None:
    """Return the most steps that stage `index` may take; None if its rows are remote or not known yet."""
    stage = plan.recipe.stages[index]
    assert isinstance(stage, SftStage | DpoStage | RlStage)
    if stage.steps:
        return stage.steps
    rows = _training_rows(plan, index, None, alone=False)
    bounds = [rows.most]
    if rows.counted and rows.stage is not None:  # which makes them, or more of them
        bounds.append(made_before(plan, stage_dataset_place(plan, index)).most)
    known = [bound for bound in bounds if bound is not None]
    return steps_of(stage, max(known)) if len(known) == len(bounds) else None


def source_of(rows: Rows, planned: Component[Any, Any]) -> str:
    """Return in words where rows that are not counted come from, and how many they are at most."""
    source = planned.use.use if rows.stage is None else f"what stage {rows.stage} makes"
    return f"{source}, {'how many rows is not known yet' if rows.most is None else f'at most {rows.most:,} rows'}"


def _often(times: float) -> str:
    if times >= MANY_TIMES:
        return f"each about {times:.0f} times"
    number = f"{times:.1f}".removesuffix(".0")
    return "some of them twice" if number == "1" else f"each about {number} times"


def _training_rows(plan: Plan, index: int, enough: int | None, alone: bool) -> Rows:
    """Return the rows that stage `index` trains on; no more than `enough` are counted (None: all).

    alone: whether no stage before it runs; else `stage` is one that may yet add to the rows that are there.
    """
    place = stage_dataset_place(plan, index)
    planned = plan.datasets[place]
    if not has_free_rows(planned):
        return rows_of(plan, place)
    stage = None if alone else _maker(plan, place)
    try:
        samples = read_dataset(planned, Context(seed=plan.recipe.seed))
        kept = (1 for sample in samples if not is_held_out(sample, planned.use.holdout))
        return Rows(sum(islice(kept, enough)), counted=True, stage=stage)
    except UserError:
        return Rows(None) if stage is None else made_before(plan, place)


def _maker(plan: Plan, place: RecipePath) -> int | None:
    """Return the last data stage before the reader of the dataset at `place` that writes the one file that it reads."""
    paths = set(paths_in(plan.datasets[place].options.model_dump()))
    end = place[1] if place[0] == "stages" and isinstance(place[1], int) else len(plan.recipe.stages)
    makers = [
        index
        for index, stage in enumerate(plan.recipe.stages[:end])
        if isinstance(stage, DataStage) and {stage.to} == paths
    ]
    return makers[-1] if makers else None


def paths_in(options: Any) -> Iterator[str]:
    """Yield what stands under the name `path` anywhere in a dataset's options."""
    if isinstance(options, Mapping):
        for name, value in options.items():
            if name == "path" and isinstance(value, str):
                yield value
            else:
                yield from paths_in(value)
    elif isinstance(options, list | tuple):
        for value in options:
            yield from paths_in(value)


def _text_bytes(sample: Sample) -> float:
    """Return the bytes of a typical text: the mean of the prompt and the longest field, as steps ask about either."""
    prompt = sum(len(message["content"].encode("utf-8", "replace")) for message in sample.prompt)
    texts = [len(value.encode("utf-8", "replace")) for value in sample.fields.values() if isinstance(value, str)]
    return (prompt + max(texts, default=prompt)) / 2
