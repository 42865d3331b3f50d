"""A stage as a dry run knows it before there is a run: where it runs, its steps, its model, its prompts."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rewardlab import Sample
from rewardlab.errors import RewardlabError
from rewardlab.plan import Component, Plan
from rewardlab.recipe import DataStage, EvalStage, RlStage, TinyModel
from rewardlab.text import counted
from rewardlab_training import (
    evaluation_datasets,
    evaluation_samples,
    evaluation_sampling,
    model_line,
    stage_dataset,
    steps_of,
    training_samples,
)

from rewardlab_ray.job.cluster_job import cluster_address
from rewardlab_ray.job_options import job_options
from rewardlab_ray.stage_task import TrainingStage

TIME = "TIME"
"""stands for when the run will start"""


def headline(plan: Plan, wheel: str, version: str | None) -> str:
    """Return which engine would run, where, and the model.

    Args:
        wheel: the version that this rewardlab is made for.
        version: the version that is installed here; None if there is none.
    """
    here = "not installed here" if version is None else "installed here" if version == wheel else f"here is {version}"
    return f"{wheel} ({here}), {_place(plan)}; model {model_line(plan)}"


def _place(plan: Plan) -> str:
    if address := cluster_address(plan):
        return f"on the Ray cluster at {address}"
    if job_options(plan).nodes > 1:
        return "on a Ray cluster, which backend.address or RAY_ADDRESS must name"
    return "on this machine (backend.address or RAY_ADDRESS would name a Ray cluster)"


def planned_steps(plan: Plan, index: int, stage: TrainingStage) -> int | None:
    """Return how many steps a stage has if all rows fit; None where nobody can count its rows yet."""
    trained = [stage_dataset(plan, index)]
    rows = 0 if stage.steps else _count_rows(trained, lambda: training_samples(plan, index))
    return None if rows is None else steps_of(stage, rows)


def planned_model(plan: Plan, index: int, run: Path) -> str:
    """Return the model that stage `index` will start from; `run` is the folder of the run."""
    for earlier in range(index - 1, -1, -1):
        stage = plan.recipe.stages[earlier]
        if not isinstance(stage, DataStage | EvalStage):
            return str(run / "models" / f"{earlier}-{stage.use}")
    model = plan.recipe.model
    return str(run / "models" / "tiny") if isinstance(model, TinyModel) else str(model)


def planned_evaluation_rows(plan: Plan, index: int, stage: TrainingStage) -> int:
    """Return how many prompts to evaluate on; 1 where there are some, and nobody knows how many."""
    if not isinstance(stage, RlStage) or stage.evaluation is None:
        return 0
    evaluated = [planned for planned, _ in evaluation_datasets(plan, index).values()]
    rows = _count_rows(evaluated, lambda: evaluation_samples(plan, index)) or 1
    return min(rows, stage.evaluation.prompts or rows)


def _count_rows(datasets: Sequence[Component], read: Callable[[], Sequence[Sample]]) -> int | None:
    """Return how many rows `read` gives if all can be read at no cost; None else, and for a file not written yet."""
    if any(planned.spec.remote or planned.spec.step for planned in datasets):
        return None
    try:
        return len(read())
    except (RewardlabError, OSError):
        return None


def evaluation_line(plan: Plan, index: int, stage: RlStage) -> str:
    """Return when a stage with `eval` is evaluated, and on what."""
    assert stage.evaluation is not None
    times = ["before the first step"] if stage.eval_before else []
    times += [f"every {counted(stage.eval_every, 'step')}"] if stage.eval_every else []
    when = " and ".join([", ".join(times), "after the last step"] if times else ["after the last step"])
    sets = ", ".join(planned.use.use for planned, _ in evaluation_datasets(plan, index).values())
    return f"evaluated {when}: {evaluation_sampling(stage, sets)}"


def continued(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of one command as a shell reads them."""
    for number, line in enumerate(lines):
        yield ("" if number == 0 else "  ") + line + (" \\" if number < len(lines) - 1 else "")
