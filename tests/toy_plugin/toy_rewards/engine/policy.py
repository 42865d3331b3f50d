"""The policy of a stage: it trains on what the host rewards, samples, and is saved."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rewardlab import Group, Sample
from rewardlab.recipe import RlStage
from rewardlab_training import Policy, Sampling, Training, whole_folder

from toy_rewards.engine.answer_weights import FILE, AnswerWeights, load
from toy_rewards.engine.options import Options


def load_policy(options: Options, source: str | None) -> "ToyPolicy":
    """Return the policy in the folder `source`, or a new one."""
    weights = AnswerWeights(answers=options.answers) if source is None else load(Path(source))
    return ToyPolicy(weights, options.step_size)


class ToyPolicy(Policy):
    """A `rewardlab_training.Policy` of answers with weights."""

    def __init__(self, weights: AnswerWeights, step_size: float):
        self._weights, self._step_size = weights, step_size

    def train(self, training: Training) -> None:
        """Train from the last checkpoint on; a stop, Ctrl-C or a reward that fails costs no step."""
        stage, folder = training.stage, training.checkpoints
        assert isinstance(stage, RlStage)
        self._weights = load(folder) if (folder / FILE).exists() else replace(self._weights, step=0)
        training.log.begin(self._weights.step)
        try:
            while self._weights.step < training.steps:
                self._step(training, stage)
                if stage.save_every and self._weights.step % stage.save_every == 0:
                    self._weights.save(folder)
                if training.after_step(self._weights.step):
                    return
        finally:  # a process that is killed goes back to the last `save_every`
            self._weights.save(folder)

    def _step(self, training: Training, stage: RlStage) -> None:
        """Sample a group for each prompt, let the host reward it, and climb."""
        assert training.reward is not None
        step, size, temperature = self._weights.step + 1, stage.group_size, stage.temperature
        seed = f"{training.job.plan.recipe.seed}/{training.job.index}/{step}"
        groups = [
            self._weights.sample(sample, size, temperature, f"{seed}/{place}")
            for place, sample in enumerate(training.batch(step))
        ]
        rewards = training.reward.score(step, groups)
        advantages = [list(rewards.advantages[start : start + size]) for start in range(0, len(groups) * size, size)]
        rate = self._step_size * stage.learning_rate
        pairs = zip(groups, advantages, rewards.dropped[::size], strict=True)
        taught = [(group, of_group) for group, of_group, dropped in pairs if not dropped]
        self._weights = self._weights.trained(taught, temperature, rate)
        learnt = {group.sample.id: of_group for group, of_group in taught}
        training.log.write(step, rewards.metrics, advantages=learnt)

    def sample(self, samples: Sequence[Sample], sampling: Sampling, title: str) -> list[Group]:
        """Return a group of answers for each sample."""
        seed = f"{sampling.seed}/evaluation"
        return [self._weights.sample(sample, sampling.count, sampling.temperature, seed) for sample in samples]

    def save(self, folder: Path) -> None:
        """Write the model that later stages start from."""
        with whole_folder(folder) as scratch:
            self._weights.save(scratch)
