"""One stage of a run: from the policy that it starts from to the model folder that it writes."""

from pathlib import Path

from rewardlab.files import whole_folder
from rewardlab.recipe import EvalStage, RlStage
from rewardlab.training import StageJob, results_table, written_before

from toy_rewards.engine.evaluate import evaluate
from toy_rewards.engine.options import Options
from toy_rewards.engine.policy import Policy, load
from toy_rewards.engine.train import train


def run_stage(job: StageJob, options: Options) -> None:
    """Run an rl or eval stage. Raises KeyboardInterrupt if the user stopped it, with a checkpoint kept."""
    policy = _starting_policy(job, options)
    if isinstance(job.stage, EvalStage):
        with job.open_scorer() as scorer:
            results = evaluate(job, job.stage, policy, scorer, job.stage.benchmark or "results")
        job.say(results_table(results))
    elif isinstance(job.stage, RlStage):
        policy = train(job, job.stage, policy, rate=options.step_size * job.stage.learning_rate)
        with whole_folder(job.output) as scratch:
            policy.save(scratch)


def _starting_policy(job: StageJob, options: Options) -> Policy:
    """Return what the last training stage before this one wrote, or else the recipe's model."""
    folder, model = written_before(job.plan, job.run.path, job.index), job.plan.recipe.model
    if folder is None and isinstance(model, str):
        folder = Path(model).expanduser()
    if folder is None:
        job.say(f"stage {job.index} ({job.stage.use}) starts from a new policy")
        return Policy(answers=options.answers)
    job.say(f"stage {job.index} ({job.stage.use}) starts from {folder}")
    return load(folder)
