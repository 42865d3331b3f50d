"""The model that a stage hands on: the policy as its training ends, or the best of its checkpoints."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rewardlab import Group, Sample
from rewardlab.recipe import DpoStage, RlStage, SftStage
from rewardlab.training import PromptFormat, StageJob, best_checkpoint, fitting_prompts

from rewardlab_trl.adapters import load_adapters, merge_adapters
from rewardlab_trl.checkpoints import step_of, whole_checkpoints
from rewardlab_trl.models import Policy, load_policy
from rewardlab_trl.options import options_of
from rewardlab_trl.sampling import sample_groups
from rewardlab_trl.trainer_arguments import precision


def write_model(job: StageJob, model: Any, policy: Policy, source: str) -> None:
    """Write the stage's model to its output.

    model: as it was trained, with its adapters if it has some. policy: the same, as it was loaded from `source`.
    """
    stage = job.stage
    assert isinstance(stage, SftStage | DpoStage | RlStage)
    if stage.keep == "last":
        merge_adapters(model)
        policy.save(job.output)
        return
    updates = stage.updates if isinstance(stage, RlStage) else 1
    folders = whole_checkpoints(job.run.folder("checkpoints", job.name))
    checkpoints = _Checkpoints(job, stage, policy, source)
    chosen = best_checkpoint(job, {step_of(folder) // updates: folder for folder in folders}, checkpoints.sample)
    checkpoints.load(chosen).save(job.output)


class _Checkpoints:
    def __init__(self, job: StageJob, stage: SftStage | DpoStage | RlStage, policy: Policy, source: str) -> None:
        self._job, self._stage, self._policy, self._source = job, stage, policy, source
        self._say = job.say  # of rows that do not fit, for the first checkpoint alone

    def load(self, checkpoint: Path) -> Policy:
        """Return the policy of a checkpoint, its adapters merged."""
        where = self._policy.model.device.type
        if (checkpoint / "adapter_config.json").exists():
            policy = load_policy(self._source, where)
            load_adapters(policy.model, checkpoint)
            return policy
        loaded = load_policy(str(checkpoint), where)
        kept = {name: getattr(self._policy, name) for name in ("ends", "declared_generation", "declared_settings")}
        return replace(loaded, **kept)  # a trainer writes its own settings beside the weights

    def sample(self, checkpoint: Path, rows: Sequence[Sample]) -> list[Group]:
        """Return a greedy completion of each row."""
        job, validation = self._job, self._stage.validation
        assert validation is not None
        policy = self.load(checkpoint)
        prompt_format = PromptFormat(policy.tokenizer, self._stage.chat, policy.ends)
        longest, say = validation.max_new_tokens, self._say
        fitting = fitting_prompts(policy.context, prompt_format, rows, longest, None, f"{job.where} (validation)", say)
        self._say = _silent
        return sample_groups(
            policy,
            prompt_format,
            fitting,
            count=1,
            temperature=0.0,
            top_p=1.0,
            top_k=None,
            max_new_tokens=longest,
            seed=job.plan.recipe.seed,
            bf16=precision(options_of(job.plan), policy.model.device.type) == "bf16",
            what=f"{job.name} validation ({checkpoint.name})",
        )


def _silent(line: str) -> None:
    """Print nothing: it has been printed already."""
