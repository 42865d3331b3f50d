"""OpenRLHF's trainers as a job starts them: they take rewards for advantages, and evaluate what is due.

OpenRLHF has no estimator that leaves rewards as they are (each subtracts a mean, and some divide), it says nowhere
which weights the engines have, and it evaluates neither after its last step, when generation runs ahead, nor after a
restart. So its own trainers are started with these few lines around them.
"""

import logging
from collections.abc import Sequence
from typing import Any

import ray
from openrlhf.trainer import ppo_trainer, ppo_trainer_async
from ray.exceptions import RayError
from rewardlab.errors import JobError
from rewardlab_ray.messages import SCORED
from rewardlab_ray.ray_actors import NAMESPACE, UNTIL_DEAD, coordinator_name
from rewardlab_training import CENTRED, whitened

from rewardlab_openrlhf.rollout.engine_samples import ARRIVED_GROUP, fill_missing_logs

_log = logging.getLogger(__name__)
FINISHED = "finished"
"""in the place of an estimator: no baseline is subtracted, and nothing is whitened"""


def install(job: str, algorithm: str, whitening: int | None) -> None:
    """Have OpenRLHF's main program, which runs in this process next, start the trainers of this file.

    Args:
        job: the name of the rl stage's actors begins with it.
        algorithm: of the stage.
        whitening: of its advantages.
    """
    ppo_trainer.PPOTrainer = Starter(TrainerActor, SynchronousTrainer, job, algorithm, whitening)
    ppo_trainer_async.PPOTrainerAsync = Starter(TrainerActor, AsynchronousTrainer, job, algorithm, whitening)


class Starter:
    """It stands in the place of an actor class of OpenRLHF's: `remote` starts an actor of ours, with `first` for it."""

    def __init__(self, actor: type, *first: Any) -> None:
        self._actor, self._first = actor, first

    def remote(self, *arguments: Any, **more: Any) -> Any:
        """Return the handle of the actor, which has OpenRLHF's arguments."""
        return ray.remote(self._actor).remote(*self._first, *arguments, **more)


class TrainerActor:
    """The actor of a trainer, with the methods that others call.

    It holds the trainer and is none: of a class that is an actor's Ray sends a copy, and a copy of OpenRLHF's classes
    would not be those that its modules know.
    """

    def __init__(self, trainer: Any, *arguments: Any, **more: Any) -> None:
        self._trainer = trainer(*arguments, **more)

    def fit(self, **more: Any) -> None:
        """Train to the end."""
        self._trainer.fit(**more)

    def get_max_steps(self) -> int:
        """Return how many updates there are."""
        return self._trainer.get_max_steps()

    def init_checkpoint_states(self) -> dict[str, Any]:
        """Return how far the checkpoint is that is gone on from."""
        return self._trainer.init_checkpoint_states()

    def restore_best_checkpoint_state(self, states: dict[str, Any]) -> None:
        """Go on with what the checkpoint says of the best one."""
        self._trainer.restore_best_checkpoint_state(states)

    def broadcast_to_vllm(self) -> None:
        """Send the weights to the engines."""
        self._trainer.broadcast_to_vllm()

    def trained(self) -> int | None:
        """Return after which step the weights are; None if no step was made."""
        return self._trainer.step


def _class_of(actor: Any) -> Any:
    """Return the class that OpenRLHF has made a Ray actor of."""
    return actor.__ray_metadata__.modified_class.__ray_actor_class__


class _StepTrainer(ppo_trainer.BasePPOTrainer):
    """The part that both trainers share; it stands behind OpenRLHF's own class, which calls it by `super()`.

    Whoever is built calls `_begin` first.
    """

    job: str
    algorithm: str
    whitening: int | None
    step: int | None = None

    def _begin(self, job: str, algorithm: str, whitening: int | None) -> None:
        self.job, self.algorithm, self.whitening = job, algorithm, whitening

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        if self.algorithm in CENTRED:
            take_as_they_are(self.experience_maker)

    def train_step(self, rollout_samples: Sequence[Any], global_step: int) -> Any:
        """Train on the samples of one step."""
        self.step = global_step + 1
        if self.whitening is not None:
            whiten(rollout_samples, self.whitening)
        fill_missing_logs(rollout_samples)
        return super().train_step(rollout_samples, global_step)

    def broadcast_to_vllm(self) -> None:
        """Send the weights to the engines, and note their step before anybody evaluates them."""
        super().broadcast_to_vllm()
        if self.step is not None:  # else they are those of the checkpoint
            ask_coordinator(self.job, "weights_exchanged", self.step)


class SynchronousTrainer(_class_of(ppo_trainer.PPOTrainer), _StepTrainer):  # type: ignore[misc]
    """The trainer that generates and trains in turn."""

    def __init__(self, job: str, algorithm: str, whitening: int | None, *arguments: Any, **more: Any) -> None:
        self._begin(job, algorithm, whitening)
        super().__init__(*arguments, **more)
        tell_arrivals(job, self.samples_generator)

    def fit(self, global_step: int = 0) -> None:
        """Train to the end, having made up for an evaluation that an earlier attempt lost."""
        step = self.init_checkpoint_states()["global_step"]
        if step and evaluation_is_due(self.job, step):
            self.broadcast_to_vllm()
            self._evaluate_all()
        super().fit(global_step)
        evaluate_final_model(self.job, self.step or step, self._evaluate_all)

    def _evaluate_all(self) -> None:
        settings = self.args.eval
        sampling = {"temperature": settings.temperature, "n_samples_per_prompt": settings.n_samples_per_prompt}
        self.samples_generator.generate_eval_samples(**{**self.generate_kwargs, **sampling})


class _TrainingHalf(_class_of(ppo_trainer_async.TrainingActor), _StepTrainer):  # type: ignore[misc]
    """The half of an asynchronous trainer that trains."""

    def __init__(self, job: str, algorithm: str, whitening: int | None, *arguments: Any, **more: Any) -> None:
        self._begin(job, algorithm, whitening)
        super().__init__(*arguments, **more)


class GeneratorActor(_class_of(ppo_trainer_async.GenerateSamplesActor)):  # type: ignore[misc]
    """The half of an asynchronous trainer that generates."""

    def __init__(self, job: str, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        tell_arrivals(job, self.samples_generator)


class AsynchronousTrainer(_class_of(ppo_trainer_async.PPOTrainerAsync)):  # type: ignore[misc]
    """The trainer that generates ahead; its halves are actors of their own."""

    def __init__(self, job: str, algorithm: str, whitening: int | None, *arguments: Any, **more: Any) -> None:
        self._job = job
        # which the next line starts
        ppo_trainer_async.GenerateSamplesActor = Starter(GeneratorActor, job)
        ppo_trainer_async.TrainingActor = Starter(TrainerActor, _TrainingHalf, job, algorithm, whitening)
        super().__init__(*arguments, **more)

    def fit(self) -> None:
        """Train to the end, having made up for an evaluation that an earlier attempt lost."""
        step = ray.get(self.trainer_actor.init_checkpoint_states.remote())["global_step"]
        if step and evaluation_is_due(self._job, step):
            ray.get(self.trainer_actor.broadcast_to_vllm.remote())
            self._evaluate_all()
        super().fit()
        evaluate_final_model(self._job, ray.get(self.trainer_actor.trained.remote()) or step, self._evaluate_all)

    def _evaluate_all(self) -> None:
        ray.get(self.generator_actor._run_eval.remote())


def take_as_they_are(maker: Any) -> None:
    """Have a RemoteExperienceMaker subtract no baseline and whiten nothing."""
    maker.args.algo.advantage.estimator = FINISHED  # the one that its returns go by it has read already


def whiten(samples: Sequence[Any], whitening: int) -> None:
    """Divide the centred rewards of a step by their standard deviation, over the completions that have a value."""
    rewards = [sample.rewards.item() for sample in samples]
    count = sum(bool(sample.info[SCORED].item()) for sample in samples)
    for sample, value in zip(samples, whitened(rewards, count, whitening), strict=True):
        sample.rewards.fill_(value)


def tell_arrivals(job: str, generator: Any) -> None:
    """Have a SamplesGenerator tell the job's coordinator of each group that it takes, without waiting for an answer.

    The order in which it takes finished groups decides which step they train, and only its process knows that.
    """
    take = generator._process_response_into_experience

    def take_and_tell(response: dict[str, Any], **more: Any) -> Any:
        if (key := response.get(ARRIVED_GROUP)) is not None:
            try:
                coordinator = ray.get_actor(coordinator_name(job), namespace=NAMESPACE)
                coordinator.received.options(**UNTIL_DEAD).remote(key)
            except (ValueError, RayError) as error:  # a job without its coordinator ends by itself, and says why
                _log.warning("the coordinator of %s was not told of group %s: %s", job, key, error)
        return take(response, **more)

    generator._process_response_into_experience = take_and_tell


def evaluation_is_due(job: str, step: int, final: bool = False) -> bool:
    """Return whether the recipe wants an evaluation of the weights after this step, and there is none."""
    return ask_coordinator(job, "evaluation_is_due", step, final)


def evaluate_final_model(job: str, step: int, evaluate: Any) -> None:
    """Call `evaluate` unless the weights after the last step are evaluated. A JobError if it left rows out."""
    if not evaluation_is_due(job, step, final=True):
        return
    evaluate()
    if evaluation_is_due(job, step, final=True):
        raise JobError(
            f"the evaluation of the final model, after step {step}, lacks some of its rows; continue the run, which "
            "evaluates it again from the last checkpoint"
        )


def ask_coordinator(job: str, method: str, *arguments: Any) -> Any:
    """Return what a method of the job's coordinator returns, also of one that is just being restarted."""
    coordinator = ray.get_actor(coordinator_name(job), namespace=NAMESPACE)
    return ray.get(getattr(coordinator, method).options(**UNTIL_DEAD).remote(*arguments))
