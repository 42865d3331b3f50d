"""A call of a reward that does not end in time: reported once, with what was asked, and not tried again."""

from collections.abc import Sequence
from dataclasses import dataclass

from rewardlab.scoring import Item

from rewardlab_testing.outcomes.messages import quoted
from rewardlab_testing.outcomes.outcome import LawViolation


class Hang(LawViolation):
    """Raised if a call of a reward hangs. The message is the failing example."""


@dataclass
class HangRecord:
    """The first hang of a reward, which all its laws and examples share: nothing of it is asked after that.

    Args:
        hang: None if there was none.
        law: the law that met it.
    """

    hang: Hang | None = None
    law: str = ""

    def refuse(self) -> None:
        """Raise the hang again, if there was one."""
        if self.hang is not None:
            raise self.hang


def hang_of(call: Sequence[Item], alone: Item | None, limit: float, where: str) -> Hang:
    """Return the hang of a call.

    Args:
        alone: the item that hangs alone, too; None if none does, or nobody asked.
        limit: seconds that the call had.
        where: the plugin's line at which it was then; "" if nobody knows.
    """
    if len(call) == 1:
        asked = quoted(call[0][1].text)
    else:
        beside = f"one call of {len(call)} completions"
        asked = f"{quoted(alone[1].text)}, in {beside} and alone" if alone is not None else beside
    got = f"no answer within {limit:g} s{where}; it hangs"
    return Hang(f"asked: {asked}\ngot: {got}\nexpected: an answer; nothing more is asked of it")
