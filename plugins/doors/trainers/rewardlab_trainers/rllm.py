"""rLLM: a recipe's reward as the evaluator `rewardlab`, which rLLM finds by its entry points."""

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rewardlab import ScoredCompletion
from rewardlab.errors import JobError, UserError

from rewardlab_trainers.recipe_door import Recipe, RecipeDoor, Trainer, numbers_of, row_of, with_thinking

RLLM = Trainer(name="rLLM", known="of August 2026 (9beb6e0)", groups=False)
RECIPE = "REWARDLAB_RECIPE"
"""the variable that names the recipe where rLLM makes the evaluator itself"""


class RecipeEvaluator:
    """An evaluator that rewards the last answer of an episode by a recipe.

    Args:
        recipe: absent, the one that the variable REWARDLAB_RECIPE names.
        label: the field of the recipe that the task's `ground_truth` is; its other metadata are fields by their
            names.
        fields: these names; given, a recipe that needs others is refused at once.

    Raises a UserError that lists every mistake of the recipe, or says that it compares completions: an evaluator sees
    one. An episode that cannot be scored is an error, and rLLM runs it again.
    """

    def __init__(
        self,
        recipe: Recipe | None = None,
        *overrides: str,
        label: str = "answer",
        fields: Collection[str] | None = None,
        device: str = "auto",
    ) -> None:
        if (named := recipe or os.environ.get(RECIPE)) is None:
            raise UserError("no recipe: set it to the path of one", where=RECIPE)
        sent = None if fields is None else {label, *fields}
        self._door, self._label = RecipeDoor(RLLM, named, overrides, fields=sent, device=device), label

    def evaluate(self, task: Any, episode: Any) -> Any:
        """Return rLLM's EvalOutput: the reward, and the total and each component as signals."""
        from rllm.eval.types import EvalOutput, Signal

        self._door.expect(task, "instruction", "metadata")
        self._door.expect(episode, "trajectories")
        columns = dict(task.metadata)
        label = {self._label: columns.pop("ground_truth", None)}
        completion = self._door.alone_now(row_of(columns, _text(task.instruction), [_completion(episode)], **label))
        signals = [Signal(name=name, value=value) for name, value in numbers_of(completion).items()]
        return EvalOutput(reward=completion.shaped, is_correct=self._number(completion) >= 1.0, signals=signals)

    def _number(self, completion: ScoredCompletion) -> float:
        """Return what says whether an answer is right: the recipe's `correctness`, or else the total."""
        reward = self._door.reward.plan.recipe.reward
        if reward is None or (named := reward.correctness) is None:
            return completion.shaped
        if (number := completion.components[named].value) is None:
            raise JobError(
                f"{named} cannot say whether {completion.sample.place()} is right: "
                f"{completion.components[named].reason}"
            )
        return number


def _text(instruction: str | Sequence[Mapping[str, Any]]) -> str:
    if isinstance(instruction, str):
        return instruction
    return "".join(block["text"] for block in instruction if "text" in block)


def _completion(episode: Any) -> dict[str, Any]:
    """Return what the model said last, or else what the flow put out; tool calls have no text."""
    if not episode.trajectories:
        return {"error": "no model was called: the episode has no trajectory"}
    last = episode.trajectories[-1]
    for step in reversed(last.steps):
        if step.model_response:
            cut = getattr(step.model_output, "finish_reason", None) == "length"
            text = with_thinking(step.thought, step.model_response)
            return {"text": text, "token_count": len(step.response_ids) or None, "truncated": cut}
    if last.output is None and not last.steps:
        return {"error": "no model was called: the trajectory has no step"}
    return {"text": "" if last.output is None else str(last.output)}
