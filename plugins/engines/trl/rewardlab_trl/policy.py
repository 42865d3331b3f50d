"""A policy with TRL: loaded for one stage, trained by the stage's trainer, sampled, and written."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rewardlab import Group, Sample
from rewardlab.recipe import DpoStage, EvalStage, RlStage, SftStage
from rewardlab_training import Policy, PolicyJudgeOptions, PromptFormat, Sampling, StageJob, Training

from rewardlab_trl.agent_tools import AgentTools
from rewardlab_trl.options import options_of
from rewardlab_trl.trainer_arguments import (
    device,
    free_memory,
    precision,
    prepare_process,
    quiet_libraries,
)
from rewardlab_trl.turns import Turns

if TYPE_CHECKING:
    from rewardlab_trl.processes import Processes


@contextmanager
def open_policy(job: StageJob, source: str) -> Iterator["TrlPolicy"]:
    """Load the policy of a stage from `source`, a folder or hub name; its memory is freed at the end.

    Raises UserError if it cannot be loaded, and JobError if memory or disk run out until the end.
    """
    prepare_process()
    # the engine is imported from here on
    quiet_libraries()
    where = device(options_of(job.plan))
    from rewardlab_trl.engine_errors import resource_errors

    with resource_errors(job.name):
        policy = TrlPolicy(job, source, load_policy_model(job, source, where))
        try:
            yield policy
        finally:
            policy.close()
    free_memory()


def load_policy_model(job: StageJob, source: str, device: str) -> Any:
    """Load the model of a stage as the recipe's `backend` wants it, a rewardlab_trl.models.CausalModel.

    What does not train is never quantized.
    """
    from rewardlab_trl.models import load_model
    from rewardlab_trl.quantization import bits_and_bytes

    options = options_of(job.plan)
    quantized = options.quantization if not isinstance(job.stage, EvalStage) else None
    if quantized is None:
        return load_model(source, device, options.attention)
    bits = bits_and_bytes(quantized, precision(options, device.partition(":")[0]) == "bf16")
    return load_model(source, device, options.attention, bits)


class TrlPolicy(Policy):
    """The policy of one stage; `model` is a rewardlab_trl.models.CausalModel."""

    def __init__(self, job: StageJob, source: str, model: Any) -> None:
        stage = job.stage
        assert isinstance(stage, SftStage | DpoStage | RlStage | EvalStage)
        stop = stage.stop if isinstance(stage, RlStage | EvalStage) else ()
        agent = stage.agent if isinstance(stage, RlStage | EvalStage) else None
        tools = None if agent is None else AgentTools(agent)
        schemas = () if tools is None else tools.schemas
        prompt_format = PromptFormat(model.tokenizer, stage.chat, model.ends, stop, schemas)
        self._turns = None if tools is None else Turns(tools, prompt_format, model)
        self.prompt_format = self._format = prompt_format
        self.context = model.context
        self.model: Any = model
        self._job, self._source = job, source
        self._trained: Any = model.model
        self._answers: Any = None
        self._shared_by: Processes | None = None
        """the processes that share the model while it trains, and so must sample together"""

    def train(self, training: Training) -> None:
        """Train with the trainer of the stage's kind; adapters stay beside the model until it is saved."""
        from rewardlab_trl.processes import together

        with together(training, self._source, self.model.model.device.type) as processes:
            self.learn(training, processes)

    def learn(self, training: Training, processes: "Processes") -> None:
        """Train this process's copy of the model, with all the others."""
        from rewardlab_trl import dpo, rl, sft
        from rewardlab_trl.sharding import sample_in_step, whole_weights
        from rewardlab_trl.train import train_to_the_end

        sharding = bool(processes.sharding)
        reinforced = partial(rl.make_trainer, prompt_format=self._format, turns=self._turns)
        makers: dict[type, Any] = {SftStage: sft.make_trainer, DpoStage: dpo.make_trainer, RlStage: reinforced}
        with processes.seen_by_libraries():
            trainer = makers[type(training.stage)](training, self.model, processes)
        self._trained = trainer.model
        if not sharding:
            train_to_the_end(trainer, training, processes)
            return
        sample_in_step(self.model.model)
        self._shared_by = processes
        train_to_the_end(trainer, training, processes, self.sample)
        self._shared_by = None
        weights = whole_weights(trainer)
        if processes.is_first:
            self._become_whole(weights)

    def _become_whole(self, weights: Mapping[str, Any]) -> None:
        """Go on with a model of this process alone that has the weights which were learnt together."""
        from rewardlab_trl.adapters import with_adapters

        loaded = load_policy_model(self._job, self._source, self.model.model.device.type)
        self._trained = with_adapters(self._job, loaded.model)
        self._trained.load_state_dict(weights)
        self.model = loaded

    def sample(self, samples: Sequence[Sample], sampling: Sampling, title: str) -> list[Group]:
        """Return a group for each sample; the global random state stays as it was."""
        from rewardlab_trl.sampling import sample_groups

        assert self.prompt_format is not None
        model = self.model
        if self._shared_by is not None:
            model = replace(model, model=self._trained)
            if self._shared_by.is_first:
                self._shared_by.ask(samples, sampling, title)
        return sample_groups(model, self.prompt_format, samples, sampling, self._bf16, title, self._turns)

    @property
    def _bf16(self) -> bool:
        return precision(options_of(self._job.plan), self.model.model.device.type) == "bf16"

    def save(self, folder: Path) -> None:
        """Merge the adapters, if there are any, and write the model."""
        from rewardlab_trl.adapters import merge_adapters

        replace(self.model, model=merge_adapters(self._trained)).save(folder)

    def checkpoints(self) -> Mapping[int, Path]:
        """Return step -> checkpoint, of the whole ones."""
        from rewardlab_trl.checkpoints import step_of, whole_checkpoints

        stage = self._job.stage
        updates = stage.updates if isinstance(stage, RlStage) else 1
        folders = whole_checkpoints(self._job.run.folder("checkpoints", self._job.name))
        return {step_of(folder) // updates: folder for folder in folders}

    def at(self, checkpoint: Path) -> "TrlPolicy":
        """Return the policy of a checkpoint, its adapters merged."""
        from rewardlab_trl.adapters import load_adapters

        where = self.model.model.device.type
        if (checkpoint / "adapter_config.json").exists():
            loaded = load_policy_model(self._job, self._source, where)
            merged = load_adapters(loaded.model, checkpoint)
            loaded = replace(loaded, model=merged.to(where))
        else:  # a trainer writes its own settings beside the weights
            kept = {name: getattr(self.model, name) for name in ("ends", "declared_generation", "declared_settings")}
            loaded = replace(load_policy_model(self._job, str(checkpoint), where), **kept)
        return TrlPolicy(self._job, self._source, loaded)

    def judge(self, options: PolicyJudgeOptions) -> Any:
        """Return the judge that this policy is, with its current weights or those of the start."""
        from rewardlab_trl.policy_judge import PolicyAnswers

        if self._answers is None:
            where = self.model.model.device.type
            seed = self._job.plan.recipe.seed
            self._answers = PolicyAnswers(
                self.model, seed, self._bf16, lambda: load_policy_model(self._job, self._source, where)
            )
        return self._answers.judge(options)

    def close(self) -> None:
        """End the thread of the judge, and let the model go."""
        if self._answers is not None:
            self._answers.close()
        self.model = self._trained = self._answers = None
