"""tinker-cookbook: a recipe's reward for `EnvGroupBuilder.compute_group_rewards`."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rewardlab_trainers.recipe_door import Recipe, RecipeDoor, Trainer, numbers_of, row_of, with_thinking

TINKER = Trainer(name="tinker-cookbook", known="0.6", groups=True)
MASKED = "parse_error_masked"
"""the metric of a transition that tinker-cookbook leaves out of the loss"""


def reward_function(
    recipe: Recipe, *overrides: str, fields: Collection[str] | None = None, device: str = "auto"
) -> "TinkerReward":
    """Return a recipe's reward for the groups of a tinker-cookbook environment.

        reward = reward_function("/path/recipe.yaml")

        class Rewarded(ProblemGroupBuilder):
            async def compute_group_rewards(self, trajectory_group, env_group):
                env = env_group[0]
                row = {"prompt": env.get_question(), "answer": env.get_reference_answer()}
                return await reward(trajectory_group, env.renderer, row)

    Args:
        fields: the names that rows have; given, a recipe that needs others is refused at once.

    Raises a UserError that lists every mistake of the recipe.
    """
    return TinkerReward(RecipeDoor(TINKER, recipe, overrides, fields=fields, device=device))


class TinkerReward:
    """The reward of a recipe for groups of trajectories; a builder may have it as a field, as it can be pickled."""

    def __init__(self, door: RecipeDoor) -> None:
        self.door = door

    async def __call__(
        self, trajectories: Sequence[Any], renderer: Any, row: Mapping[str, Any]
    ) -> list[tuple[float, dict[str, float]]]:
        """Return a reward and the components' values for each trajectory; tinker adds the rewards of its steps.

        renderer: the policy's, which reads a trajectory's last action as a message. row: the prompt and the fields. A
        trajectory that could not be scored is left out of the loss, and gets the mean of the others.
        """
        for trajectory in trajectories:
            self.door.expect(trajectory.transitions[-1].ac, "tokens", "stop_reason")
        completions = [_completion(trajectory.transitions[-1].ac, renderer) for trajectory in trajectories]
        (scored,) = await self.door.groups([row_of(row, row.get("prompt"), completions)])
        rewarded = scored.by_completion()
        for trajectory, completion in zip(trajectories, rewarded, strict=True):
            if completion.total is None:
                for transition in trajectory.transitions:
                    transition.metrics[MASKED] = 1.0
        return [(completion.shaped, numbers_of(completion)) for completion in rewarded]


def _completion(action: Any, renderer: Any) -> dict[str, Any]:
    """Return an action as a completion; one without tokens is a prompt that was too long."""
    text = _text(renderer.parse_response(action.tokens)[0]["content"]) if action.tokens else ""
    return {
        "text": text,
        "token_count": len(action.tokens),
        "truncated": not action.tokens or action.stop_reason == "length",
    }


def _text(content: str | Sequence[Mapping[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    thinking = "".join(part["thinking"] for part in content if part["type"] == "thinking")
    return with_thinking(thinking, "".join(part["text"] for part in content if part["type"] == "text"))
