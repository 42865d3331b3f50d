"""verifiers: a recipe's reward as a function that the configuration of a task plugs, `rewards: {NAME: {fn: ...}}`."""

from collections.abc import Awaitable, Callable, Collection
from itertools import dropwhile
from typing import Any

from rewardlab_trainers.recipe_door import Recipe, RecipeDoor, Trainer, numbers_of, row_of, with_thinking

VERIFIERS = Trainer(name="verifiers", known="0.4", groups=False, messages=True)
OF_THE_TRACE = ("last_reply", "assistant_messages", "messages", "is_truncated", "num_output_tokens", "record_metrics")


def reward_function(
    recipe: Recipe, *overrides: str, fields: Collection[str] | None = None, device: str = "auto"
) -> Callable[[Any, Any], Awaitable[float]]:
    """Return a recipe's reward for the configuration of a verifiers task.

        reward = reward_function("/path/recipe.yaml")  # fn = "my_rewards:reward"

    The fields of the task's data are those of the row, and the agent's last reply is the completion. A reply that
    cannot be scored is an error of the rollout.

    Args:
        fields: the names that tasks have; given, a recipe that needs others is refused at once.

    Raises a UserError that lists every mistake of the recipe, or says that it compares completions: verifiers scores
    each rollout by itself.
    """
    door = RecipeDoor(VERIFIERS, recipe, overrides, fields=fields, device=device)
    whole = door.reward.plan.readers_of_messages

    async def reward(task: Any, trace: Any) -> float:
        """Return the total of a trace, and record each component as a metric."""
        door.expect(trace, *OF_THE_TRACE)
        completion = await door.alone(row_of(_columns(task), task.prompt_text, [_completion(trace, bool(whole))]))
        trace.record_metrics(numbers_of(completion))
        return completion.shaped

    return reward


def _columns(task: Any) -> dict[str, Any]:
    return {name: value for name, value in task.model_dump(mode="json").items() if name != "prompt"}


def _completion(trace: Any, whole: bool) -> dict[str, Any]:
    """Return the last reply; whole: all that the final branch has from the model's first message on."""
    messages = trace.assistant_messages
    if not messages:
        return {"error": "no model was called: the trace has no message of the assistant"}
    text = with_thinking(messages[-1].reasoning_content, trace.last_reply)
    completion: dict[str, Any] = {"text": text}
    if whole:
        behind = dropwhile(lambda message: message is not messages[0], trace.messages)
        turns = [message.model_dump(mode="json", exclude_none=True) for message in behind]
        completion = {"messages": turns} if turns else completion
    return {**completion, "token_count": trace.num_output_tokens, "truncated": trace.is_truncated}
