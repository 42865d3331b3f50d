"""SkyRL: a generator whose trajectories a recipe rewards, in the place of their environments."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

from rewardlab.errors import UserError
from rewardlab_training import metrics_of_step

from rewardlab_trainers.recipe_door import Recipe, RecipeDoor, Trainer, row_of

SKYRL = Trainer(name="SkyRL", known="0.3, or of August 2026 (a956457)", groups=True)
OF_THE_INPUT = ("prompts", "env_extras", "trajectory_ids")
OF_THE_OUTPUT = ("response_ids", "rewards", "loss_masks", "stop_reasons", "rollout_metrics")


def rewarded(
    generator: Any,
    recipe: Recipe,
    *overrides: str,
    label: str = "answer",
    fields: Collection[str] | None = None,
    device: str = "auto",
) -> "RewardedGenerator":
    """Return a SkyRL generator that rewards what another one generates.

        class Experiment(BasePPOExp):
            def get_generator(self, cfg, tokenizer, inference_engine_client):
                return rewarded(super().get_generator(cfg, tokenizer, inference_engine_client), "/path/recipe.yaml")

    Args:
        label: the field of the recipe that a row's `reward_spec.ground_truth` is; its other columns, and those of
            its `extra_info`, are fields by their names.
        fields: these names; given, a recipe that needs others is refused at once.

    Raises a UserError that lists every mistake of the recipe, or names a setting that rewards would not follow.
    """
    sent = None if fields is None else {label, *fields}
    return RewardedGenerator(generator, RecipeDoor(SKYRL, recipe, overrides, fields=sent, device=device), label)


class RewardedGenerator:
    """A generator as SkyRL calls it; all else of the inner one is there, too."""

    def __init__(self, inner: Any, door: RecipeDoor, label: str) -> None:
        self.inner, self._door, self._label = inner, door, label
        door.expect(inner, "generate", "generator_cfg", "tokenizer")
        for setting in ("step_wise_trajectories", "zero_reward_on_non_stop"):
            if getattr(inner.generator_cfg, setting, False):
                raise UserError(
                    "a recipe rewards a trajectory as a whole; set it to false", where=f"generator.{setting}"
                )

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["inner"], name)

    async def generate(self, input_batch: Mapping[str, Any], disable_tqdm: bool = False) -> dict[str, Any]:
        """Return what the inner generator returns, with a reward for each trajectory and the means of the components.

        A trajectory that could not be scored has no token in the loss, and the mean of its group as its reward.
        """
        output = dict(await self.inner.generate(input_batch, **({"disable_tqdm": True} if disable_tqdm else {})))
        self._door.expect(input_batch, *OF_THE_INPUT)
        self._door.expect(output, *OF_THE_OUTPUT)
        groups = self._groups(input_batch)
        rows = [self._row(indices, input_batch, output) for indices in groups]
        scored = await self._door.groups(rows, evaluation=_is_evaluation(input_batch))
        rewards, masks = [0.0] * len(output["rewards"]), list(output["loss_masks"])
        for indices, group in zip(groups, scored, strict=True):
            for index, completion in zip(indices, group.by_completion(), strict=True):
                rewards[index] = completion.shaped
                if completion.total is None:
                    masks[index] = [0] * len(masks[index])
        section = self._door.reward.plan.recipe.reward
        of_scores = metrics_of_step(scored, correctness=None if section is None else section.correctness)
        metrics = {**(output["rollout_metrics"] or {}), **of_scores}
        return {**output, "rewards": rewards, "loss_masks": masks, "rollout_metrics": metrics}

    def _groups(self, batch: Mapping[str, Any]) -> list[list[int]]:
        if batch["trajectory_ids"] is None:
            self._door.refuse_alone("it needs trajectory_ids")
            return [[index] for index in range(len(batch["prompts"]))]
        groups: dict[Hashable, list[int]] = defaultdict(list)
        for index, trajectory in enumerate(batch["trajectory_ids"]):
            groups[trajectory.instance_id].append(index)
        return list(groups.values())

    def _row(self, indices: Sequence[int], batch: Mapping[str, Any], output: Mapping[str, Any]) -> dict[str, Any]:
        extras = dict((batch["env_extras"] or [{}] * len(batch["prompts"]))[indices[0]])
        spec, more = extras.pop("reward_spec", None) or {}, extras.pop("extra_info", None) or {}
        columns, label = {**extras, **more}, {self._label: spec.get("ground_truth")}
        if batch["trajectory_ids"] is None:
            columns.pop("id", None)  # the trajectories of a prompt share it, and are rows of their own
        completions = [self._completion(index, output) for index in indices]
        return row_of(columns, batch["prompts"][indices[0]], completions, **label)

    def _completion(self, index: int, output: Mapping[str, Any]) -> dict[str, Any]:
        tokens = _last_turn(output["response_ids"][index], output["loss_masks"][index])
        text = self.inner.tokenizer.decode(tokens, skip_special_tokens=True)
        stops = output["stop_reasons"]
        return {"text": text, "token_count": len(tokens), "truncated": bool(stops) and stops[index] == "length"}


def _is_evaluation(batch: Mapping[str, Any]) -> bool:
    return getattr(batch.get("batch_metadata"), "training_phase", "train") == "eval"


def _last_turn(tokens: Sequence[int], mask: Sequence[int]) -> list[int]:
    """Return the tokens after the last observation, which is masked."""
    begins = [place for place in range(1, len(mask)) if mask[place] and not mask[place - 1]]
    return list(tokens[begins[-1] if begins else 0 :])
