"""Laws about what a run leaves behind: `whole` and `scores`."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rewardlab import Context, Sample
from rewardlab.plan import Plan
from rewardlab.recipe import EvalStage, RlStage
from rewardlab_training import evaluation_datasets, read_dataset, sample_of_set, stage_dataset

from rewardlab_testing.backend_laws.ledger import LedgerGroup, steps_that_stand
from rewardlab_testing.backend_laws.trial import BackendTrial, TriedRun
from rewardlab_testing.outcomes.messages import quoted, violation
from rewardlab_testing.outcomes.outcome import NothingToTry, UnmetNeed

MAX_GROUPS = 64
"""groups of a ledger that are scored again"""


def whole(tested: BackendTrial) -> int:
    """A run to the end is complete."""
    return refuse_incomplete(tested, tested.run())


def refuse_incomplete(tested: BackendTrial, tried: TriedRun) -> int:
    """Return how many groups the steps have that stand; raise LawViolation if a stage, group or row is missing."""
    stages = [*range(len(tested.plan.recipe.stages))]
    if tried.done != stages:
        asked = f"the stages that are done by state.json, after {tried.result.typed}"
        raise violation(asked, str(tried.done), str(stages))
    groups = tried.groups
    last = max((group.attempt for group in groups), default=0)
    for group in groups:
        # what a group sampler did not choose is of any size
        if group.trained or (group.attempt == last and group.evaluated):
            _refuse_torn(tested, group)
    return sum(_refuse_lost(groups, index, stage) for index, stage in tested.rl.items())


def _refuse_torn(tested: BackendTrial, group: LedgerGroup) -> None:
    """Raise LawViolation unless a group has each of its completions once."""
    stage = tested.plan.recipe.stages[group.stage]
    sizes = {stage.group_size} if isinstance(stage, RlStage) else set()
    settings = stage if isinstance(stage, EvalStage) else getattr(stage, "evaluation", None)
    if settings is not None and not group.trained:
        sizes.add(settings.samples)
    if sorted(group.indices) not in [[*range(size)] for size in sizes]:
        expected = f"each of {' or '.join(map(str, sorted(sizes)))} completions once"
        raise violation(f"the ledger, {group.place}", f"completions {group.indices}", expected)


def _refuse_lost(groups: Sequence[LedgerGroup], index: int, stage: RlStage) -> int:
    """Return how many groups a stage trained on; raise LawViolation unless each step has them all."""
    steps = steps_that_stand(groups, index)
    count = sum(map(len, steps.values()))
    asked = f"the ledger, stage {index}: the steps that it was trained in"
    if None in steps:  # the engine hides which step a completion belongs to
        least = stage.batch_size * (stage.steps or 1)
        if count < least:
            raise violation(asked, f"{count} groups", f"{least} groups or more")
        return count
    numbers = sorted(step for step in steps if step is not None)
    wanted = [*range(1, (stage.steps or max(numbers, default=1)) + 1)]
    if numbers != wanted:
        raise violation(asked, str(numbers), f"1 to {wanted[-1]}")
    for step, of_step in steps.items():
        if len(of_step) != stage.batch_size:
            expected = f"{stage.batch_size}, the stage's batch_size"
            raise violation(f"the ledger, stage {index}, step {step}", f"{len(of_step)} groups", expected)
    return count


def scores(tested: BackendTrial) -> int:
    """`rewardlab score` gives a run's completions the scores that the run got."""
    _refuse_policy_judge(tested)
    tried = tested.run()
    groups = _to_score_again(tried.groups)
    if not groups:
        raise NothingToTry("the ledger has no completion")
    samples = _samples(tested)
    rows = [_row(samples, group) for group in groups]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tried.folder / "rows.jsonl").write_text(text, encoding="utf-8")
    recipe = tried.directory.relative_to(tried.folder) / "recipe.resolved.yaml"
    result = tested.commands.run(["score", str(recipe), "rows.jsonl", "-o", "again.jsonl"], tried.folder)
    if result.code != 0:
        raise violation(result.typed, result.ending, "exit code 0")
    lines = (tried.folder / "again.jsonl").read_text(encoding="utf-8").splitlines()
    for group, line in zip(groups, lines, strict=True):
        _refuse_difference(tested, group, json.loads(line))
    return sum(len(group.rows) for group in groups)


def _refuse_policy_judge(tested: BackendTrial) -> None:
    assert tested.plan.backend is not None
    asked = {tested.plan.judges[name].use.use for name in tested.plan.asked_by_rewards}
    if own := sorted(asked & {*tested.plan.backend.spec.judges}):
        raise UnmetNeed(f"its rewards ask {own[0]}, which answers inside of a run only")


def _to_score_again(groups: Sequence[LedgerGroup]) -> list[LedgerGroup]:
    """Return one group of each prompt, since rows that are scored have an id each; those trained on come first."""
    by_prompt: dict[str, LedgerGroup] = {}
    whole = [group for group in groups if group.trained or group.evaluated]
    for group in sorted(whole, key=lambda group: not group.trained):
        by_prompt.setdefault(group.sample, group)
    return [*by_prompt.values()][:MAX_GROUPS]


def _samples(tested: BackendTrial) -> dict[tuple[int, bool], dict[str, Sample]]:
    """Return the samples by id, for each stage and for whether it trains on them or evaluates."""
    plan, context = tested.plan, Context(seed=tested.plan.recipe.seed)
    samples: dict[tuple[int, bool], dict[str, Sample]] = {}
    for index, stage in enumerate(plan.recipe.stages):
        if isinstance(stage, RlStage):
            samples[index, True] = {sample.id: sample for sample in read_dataset(stage_dataset(plan, index), context)}
        if isinstance(stage, EvalStage) or (isinstance(stage, RlStage) and stage.evaluation is not None):
            samples[index, False] = {sample.id: sample for sample in _evaluated(plan, index)}
    return samples


def _evaluated(plan: Plan, index: int) -> Iterator[Sample]:
    """Yield the samples of the datasets that a stage evaluates on, also those that train."""
    for name, (planned, _) in evaluation_datasets(plan, index).items():
        for sample in read_dataset(planned, Context(seed=plan.recipe.seed)):
            yield sample_of_set(name, sample)


def _row(samples: Mapping[tuple[int, bool], Mapping[str, Sample]], group: LedgerGroup) -> dict[str, Any]:
    sample = samples.get((group.stage, group.trained), {}).get(group.sample)
    if sample is None:
        asked = f"the ledger, {group.place}: its prompt"
        raise violation(asked, f"the id {group.sample!r}", "the id of a sample of the stage's dataset")
    columns = {"text": "completion", "token_count": "tokens"}
    columns |= {name: name for name in ("truncated", "messages", "seconds", "error")}
    completions = [{key: row.get(column) for key, column in columns.items()} for row in group.rows]
    return sample.as_row() | {"completions": completions}


def _refuse_difference(tested: BackendTrial, group: LedgerGroup, again: Mapping[str, Any]) -> None:
    components = tested.plan.components
    rounding = {name: planned.spec.laws.rounding for name, planned in components.items()}
    zeroed = getattr(tested.plan.recipe.stages[group.stage], "on_truncated", None) == "zero" and group.trained
    for row in group.rows:
        index = row["index"]
        then = {name: row["components"][name]["value"] for name in components}
        now = {name: again["components"][name]["value"][index] for name in components}
        if not (zeroed and row["truncated"]):
            then["total"], now["total"] = row["total"], again["total"][index]
        for name, value in then.items():
            if not _same(value, now[name], rounding.get(name, 10 * max(rounding.values()))):
                asked = f"`rewardlab score` of {quoted(row['completion'])}, {group.place}, index {index}: {name}"
                raise violation(asked, str(now[name]), f"{value}, as the ledger says")


def _same(value: float | None, other: float | None, rounding: float) -> bool:
    if value is None or other is None:
        return value is other
    return math.isclose(value, other, rel_tol=rounding, abs_tol=rounding)
