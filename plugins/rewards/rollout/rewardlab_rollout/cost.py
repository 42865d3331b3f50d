"""Costs that fall in a straight line, of what the engine or the trainer tells about a completion."""

from collections.abc import Sequence

from rewardlab import Completion, Context, Sample, Score

from rewardlab_rollout.options import CostOptions


class Cost:
    """A deduction for what a rollout spent; it abstains where nobody told that."""

    name: str
    unknown: str

    def __init__(self, options: CostOptions, context: Context) -> None:
        self._options = options

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return the deduction of each completion, and the amount in `info`."""
        return [self._score(self.amount(completion)) for _, completion in items]

    def amount(self, completion: Completion) -> float | None:
        """Return what the rollout spent; None if that is not known."""
        raise NotImplementedError

    def _score(self, amount: float | None) -> Score:
        if amount is None:
            return Score(info={"reason": self.unknown})
        options = self._options
        share = (amount - options.free) / (options.most - options.free)
        return Score(value=-options.worst * min(max(share, 0.0), 1.0), info={self.name: amount})


class TokensCost(Cost):
    """The tokens that the policy sampled, of a conversation those of all its turns."""

    name, unknown = "tokens", "its token count is unknown: whoever sampled it gives token_count"

    def amount(self, completion: Completion) -> float | None:
        """Return the completion's token count."""
        return completion.token_count


class SecondsCost(Cost):
    """The seconds of the rollout, those of tools among them."""

    name, unknown = "seconds", "what the rollout took is unknown: whoever ran it gives seconds"

    def amount(self, completion: Completion) -> float | None:
        """Return the completion's seconds."""
        return completion.seconds


class ToolCallsCost(Cost):
    """The calls of tools in a conversation."""

    name, unknown = "tool_calls", "its calls of tools are unknown: the completion is a text alone, without messages"

    def amount(self, completion: Completion) -> float | None:
        """Return the number of calls in the completion's messages."""
        calls = [len(message.get("tool_calls", ())) for message in completion.messages]
        return sum(calls) if calls else None
