"""One stage of a run: from the policy that it starts from to the model folder that it writes."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from rewardlab.files import whole_folder
from rewardlab.plan import Plan
from rewardlab.recipe import EvalStage, RlStage
from rewardlab.training import Ledger, RunDirectory, StageJob, UsageLog, results_table, written_before

from toy_rewards.engine.evaluate import evaluate
from toy_rewards.engine.options import Options
from toy_rewards.engine.policy import Policy, load
from toy_rewards.engine.train import train


def run_stage(plan: Plan, directory: RunDirectory, options: Options, index: int, say: Callable[[str], None]) -> None:
    """Run stage `index`, an rl or eval stage that is not done.

    Raises KeyboardInterrupt where the user stopped it, with a checkpoint kept.
    """
    with (
        closing(Ledger(directory.path / "ledger.jsonl", directory.attempt)) as ledger,
        closing(UsageLog(directory.path / "usage.jsonl", directory.attempt)) as usage,
    ):
        job = StageJob(plan=plan, run=directory, ledger=ledger, usage=usage, index=index, say=say)
        policy = _starting_policy(job, options)
        if isinstance(job.stage, EvalStage):
            with job.open_scorer() as scorer:
                results = evaluate(job, job.stage, policy, scorer, job.stage.benchmark or "results")
            say(results_table(results))
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
