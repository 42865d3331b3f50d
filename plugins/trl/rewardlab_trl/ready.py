"""The needs of this machine before a run begins: the engine's packages, and the device that the recipe names."""

from importlib.util import find_spec

from rewardlab.errors import UserError
from rewardlab.plan import Plan

from rewardlab_trl.options import Options, options_of
from rewardlab_trl.trainer_arguments import device, prepare_process

NEEDED = ("torch", "transformers", "trl", "datasets")


def lacks(options: Options) -> str | None:
    """Return which packages of the engine this environment lacks, and how to install them; None if all are there."""
    needed = NEEDED if options.lora is None else (*NEEDED, "peft")
    missing = [name for name in needed if find_spec(name) is None]
    return f"this environment has no {', '.join(missing)}; pip install 'rewardlab[trl]'" if missing else None


def refuse_unfit_machine(plan: Plan) -> None:
    """Raise UserError if a package of the engine is missing, or torch sees no device as the recipe wants it."""
    if missing := lacks(options_of(plan)):
        raise UserError(missing, where=plan.document.where(("backend",)))
    prepare_process()
    device(options_of(plan))
