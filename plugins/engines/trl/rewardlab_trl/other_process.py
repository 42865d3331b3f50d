"""One of the other processes of a stage, as rewardlab_trl.processes starts it: `python -m ... FOLDER NUMBER`.

It learns from what the first process has scored; what goes wrong stands in its log.
"""

import os
import pickle
import sys
import threading
from dataclasses import replace
from pathlib import Path

from rewardlab_training import RunDirectory, StageJob, plan_of_job

from rewardlab_trl.machines import Machines
from rewardlab_trl.options import options_of
from rewardlab_trl.processes import SharedTraining, joined
from rewardlab_trl.trainer_arguments import device, prepare_process, quiet_libraries


def main(folder: Path, number: int) -> None:
    """Load the model, join the others, and train with them to the end."""
    threading.Thread(target=_end_with_the_first, daemon=True).start()
    shared: SharedTraining = pickle.loads((folder / "training.pickle").read_bytes())
    prepare_process()
    quiet_libraries()
    plan = plan_of_job(shared.run / "recipe.resolved.yaml")
    where = device(options_of(plan))
    from rewardlab_trl.engine_errors import resource_errors
    from rewardlab_trl.policy import TrlPolicy, load_policy_model
    from rewardlab_trl.sharding import launch_variables

    job = StageJob(plan=plan, run=RunDirectory(path=shared.run, held=False), index=shared.index, say=print)
    training = replace(shared.training, job=job)
    with resource_errors(job.name):
        machines = Machines.of(options_of(plan))
        place = f"cuda:{number % machines.each}" if where == "cuda" else where
        model = load_policy_model(job, shared.source, place)
        with joined(folder, number, machines, where, machines.meeting(folder, number)) as processes:
            sharding = launch_variables(options_of(plan))
            TrlPolicy(job, shared.source, model).learn(training, replace(processes, sharding=sharding))


def _end_with_the_first() -> None:
    """End this process at once when the one that started it is gone, which is when its end of the pipe closes."""
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
