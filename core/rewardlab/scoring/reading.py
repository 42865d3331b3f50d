"""The part of a completion that a component reads: a conversation's last answer, or all of it; and its chat markers."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace

from rewardlab.group_stream import GroupStream
from rewardlab.plan.component import Component
from rewardlab.recipe.use import ComponentUse
from rewardlab.specs import RewardSpec
from rewardlab.text.chat_markers import CHAT_MARKERS, count_chat_markers
from rewardlab.text.transcript import transcript
from rewardlab.types import Completion, Group, Score

Read = Callable[[Completion], Completion]


def reading_of(planned: Component[ComponentUse, RewardSpec]) -> Read | None:
    """Return what makes of a completion what this component reads; None if it reads completions as they are."""
    return _as_transcript if planned.use.reads == "all" else None


def _as_transcript(completion: Completion) -> Completion:
    return replace(completion, text=transcript(completion.conversation()), messages=())


class ReadStream(GroupStream):
    """The completions of another stream as a component reads them."""

    def __init__(self, stream: GroupStream, read: Read) -> None:
        super().__init__(stream.sample, stream.size)
        self._stream, self._read = stream, read

    @property
    def complete(self) -> bool:
        """Whether all G completions have arrived."""
        return self._stream.complete

    async def __aiter__(self) -> AsyncIterator[tuple[int, Completion]]:
        async for index, completion in self._stream:
            yield index, self._read(completion)

    async def group(self) -> Group:
        """Return the whole group, once it is complete."""
        whole = await self._stream.group()
        return Group(sample=whole.sample, completions=tuple(map(self._read, whole.completions)))


def with_markers(scores: Sequence[Score], completions: Sequence[Completion], read: Read | None) -> Sequence[Score]:
    """Note in `info` how many chat markers a completion has as it is read: a judge is shown them escaped."""
    counts = [count_chat_markers((completion if read is None else read(completion)).text) for completion in completions]
    return [
        replace(score, info={**score.info, CHAT_MARKERS: count}) if count else score
        for score, count in zip(scores, counts, strict=True)
    ]
