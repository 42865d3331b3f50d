"""`rewardlab join`: another machine of a recipe that trains on several, whose processes it starts and watches."""

from pathlib import Path
from typing import Annotated

from pydantic import PositiveInt
from rewardlab import CommandResult, Config, Overrides, Positional, note
from rewardlab.commands import AnyRecipe
from rewardlab.errors import JobError, UserError
from rewardlab.plan import Plan
from rewardlab.recipe import load
from rewardlab_training import check_recipe

from rewardlab_trl.machines import LOST, Machines
from rewardlab_trl.options import Options as BackendOptions

SUMMARY = "join a training of several machines"


class Options(Config):
    """Join the training that another machine started with `rewardlab run RECIPE`, until its last stage is done.

    `backend.accelerate` of the recipe says how many machines there are and where the first is. Every machine sees the
    run directory under the same path, and has the same packages. It may be started before the first or after it.
    """

    recipe: Annotated[AnyRecipe, Positional("RECIPE")]
    """the recipe that the first machine runs"""
    overrides: Annotated[tuple[str, ...], Overrides()] = ()
    """changes of the recipe, the same as there"""
    machine_rank: PositiveInt | None = None
    """which machine this is, from 1; the first, which runs the recipe, is 0 (absent: accelerate's machine_rank)"""


def run(options: Options) -> CommandResult:
    """Start this machine's processes for each stage. JobError if one of them ends before its stage does."""
    plan = check_recipe(load(options.recipe, options.overrides))
    backend = _backend(plan)
    number = options.machine_rank or int((backend.accelerate or {}).get("machine_rank") or 0)
    if not 1 <= number < backend.machines:
        raise UserError(f"--machine-rank must be 1 to {backend.machines - 1}: machine 0 runs the recipe")
    from rewardlab_trl.children import Children
    from rewardlab_trl.ready import refuse_unfit_machine
    from rewardlab_trl.trainer_arguments import prepare_process

    prepare_process()
    refuse_unfit_machine(plan, first=False)
    machines, folder, last = Machines.of(backend), "", False
    while not last:
        note(f"machine {number} of {machines.count}: waiting for a stage from {machines.address}:{machines.port}")
        next_stage = machines.next_stage(folder)
        folder, last, numbers = next_stage["folder"], next_stage["last"], machines.numbers(number)
        if not Path(folder).is_dir():
            raise UserError(f"{folder} of the first machine is not seen here; every machine must see the run directory")
        note(f"machine {number}: training stage {next_stage['stage']}; logs are in {next_stage['logs']}")
        children = Children(next_stage["stage"], Path(next_stage["logs"]), Path(folder), numbers, machines)
        try:
            children.wait_for_the_end()
        except JobError as error:
            (Path(folder) / LOST).write_text(str(error), encoding="utf-8")
            raise
        finally:
            children.end()
    return CommandResult(text=f"machine {number}: the last stage is trained")


def _backend(plan: Plan) -> BackendOptions:
    backend = None if plan.backend is None else plan.backend.options
    if not isinstance(backend, BackendOptions) or backend.machines == 1:
        problem = (
            "names no other machine; `rewardlab join` is for backend: {use: trl, accelerate: {num_machines: 2, ...}}"
        )
        raise UserError(problem, where=plan.document.where(("backend",)))
    return backend
