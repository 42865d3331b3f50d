"""The step of the engine's training that uses a group, if the prompt's place in the reading order does not say it.

The engine fills a buffer with groups in the order in which it receives them, but for those that do not
teach, and a step takes the `batch_size` first of the buffer. With `generate_batch` it receives the groups of several
steps within one round of generation.
"""

import asyncio


class TrainingSteps:
    """The steps of an rl stage, by the order in which its groups are recorded. `first` is the first of them."""

    def __init__(self, batch_size: int, first: int = 1) -> None:
        self._batch_size = batch_size
        self._first = first
        self._taken = 0

    @property
    def open(self) -> tuple[int, int]:
        """The step that is being filled, and how many groups it has."""
        whole, filled = divmod(self._taken, self._batch_size)
        return self._first + whole, filled

    def add(self, discarded: bool = False) -> int:
        """Add the next group; return its step: of one that is discarded, the step that was being filled."""
        step, _ = self.open
        self._taken += not discarded
        return step


class ReleaseOrder:
    """The order in which groups are handed to the engine if it receives those of several steps at once.

    A group waits until the engine has received all of the steps before its own: what is recorded as a step's is trained
    in it. Nothing is lost by that, as the engine trains on none of them before it has them all.
    """

    def __init__(self, batch_size: int, step: int = 1) -> None:
        """Begin with a step of which the engine has no group."""
        self._batch_size = batch_size
        self._open = step
        self._steps: dict[str, int] = {}
        self._received: dict[int, int] = {}
        self._changed = asyncio.Event()

    def add(self, key: str, step: int | None) -> None:
        """Note the step of a group that the engine is to receive."""
        assert step is not None, "a group of the training has a step once it is recorded"
        self._steps[key] = step

    def received(self, key: str) -> None:
        """Note that the engine has a group; one that is not known, or was received already, does not count."""
        step = self._steps.pop(key, None)
        if step is None:
            return
        self._received[step] = self._received.get(step, 0) + 1
        while self._received.get(self._open, 0) >= self._batch_size:
            del self._received[self._open]
            self._open += 1
        self._changed.set()

    async def may_go(self, key: str, seconds: float) -> bool:
        """Return True once it is a group's turn, and False if that takes longer than `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                while self._steps.get(key, self._open) > self._open:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True
