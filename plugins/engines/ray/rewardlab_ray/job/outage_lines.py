"""The lines about a judge that is down, if several scorers ask it and each of them reports its questions."""

import re
import time
from dataclasses import dataclass, field

_ABOUT_A_JUDGE = re.compile(r"(?:warning: )?judge ('[^']*') (.*)")
_BEGAN = "; its questions wait for it, for "
_LASTS = re.compile(r"has been down for [^,]*, ([\d,]+) questions? waiting: ")
_ENDED = re.compile(r"answers again after [^;]*; ([\d,]+) questions? waited")
FORGOTTEN_S = 300.0
"""a scorer that has reported nothing of an outage for so long is dead, or nothing of its own waits"""


@dataclass
class _Outage:
    """The outage of one judge."""

    waiting: dict[str, int] = field(default_factory=dict)
    """the questions of each scorer for which it lasts"""
    heard: dict[str, float] = field(default_factory=dict)
    """when each of them reported it last"""
    reporters: set[str] = field(default_factory=set)
    """scorers that have reported how long it lasts since the user read a line of that"""
    waited: int = 0


class OutageLines:
    """A filter that makes one outage of what every scorer reports: its beginning, now and then a line, its end."""

    def __init__(self) -> None:
        self._outages: dict[str, _Outage] = {}

    def read(self, scorer: str, text: str) -> str | None:
        """Return the line for the user, with the questions of all scorers; None if another one's stands for it.

        A line about something else is returned as it is.

        Args:
            scorer: what distinguishes the scorers' lines.
        """
        about = _ABOUT_A_JUDGE.fullmatch(text)
        if about is None:
            return text
        judge, report = about.groups()
        outage = self._outages.setdefault(judge, _Outage())
        if (lasts := _LASTS.match(report)) is not None:
            return self._lasts(outage, scorer, text, _number(lasts[1]))
        if (ended := _ENDED.fullmatch(report)) is not None:
            outage.waited += _number(ended[1])
            outage.waiting.pop(scorer, None)
            if self._still_down(outage):
                return None
            del self._outages[judge]
            return _with_number(text, outage.waited)
        if _BEGAN in report:
            known = self._still_down(outage)
            self._note(outage, scorer, 0)
            return None if known else text
        return text

    def _lasts(self, outage: _Outage, scorer: str, text: str, waiting: int) -> str | None:
        self._note(outage, scorer, waiting)
        is_new_round = scorer in outage.reporters or not outage.reporters
        outage.reporters = {scorer} if is_new_round else {*outage.reporters, scorer}
        return _with_number(text, sum(outage.waiting.values())) if is_new_round else None

    @staticmethod
    def _note(outage: _Outage, scorer: str, waiting: int) -> None:
        outage.waiting[scorer], outage.heard[scorer] = waiting, time.monotonic()

    @staticmethod
    def _still_down(outage: _Outage) -> bool:
        """Return whether the outage lasts for a scorer, having forgotten those that are silent."""
        long_ago = time.monotonic() - FORGOTTEN_S
        outage.waiting = {name: count for name, count in outage.waiting.items() if outage.heard[name] > long_ago}
        return bool(outage.waiting)


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def _with_number(text: str, count: int) -> str:
    """Return a line with another number of questions."""
    return re.sub(r"[\d,]+ questions? (?=wait)", f"{count:,} question{'' if count == 1 else 's'} ", text, count=1)
