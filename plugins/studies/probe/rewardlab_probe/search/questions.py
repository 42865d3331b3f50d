"""Questions of a search to a judge of the recipe, so many at most."""

from collections.abc import Callable
from typing import TypeVar

from rewardlab import Ask
from rewardlab.errors import JobError
from rewardlab.scoring import Scorer

MAX_TOKENS = 4_000
"""Tokens of an answer."""
T = TypeVar("T")


class SearchQuestions:
    """The questions of a search: `left` may still be asked; of the `asked` ones `lost` failed.

    Args:
        scorer: has the judge open: its caches, limits and budget count as they do for a reward.
    """

    def __init__(self, scorer: Scorer, judge: str, left: int) -> None:
        self._scorer, self.judge, self.left, self.asked, self.lost = scorer, judge, left, 0, 0

    def ask(self, question: str, read: Callable[[str], T | None]) -> T | None:
        """Return what `read` makes of the answer; None if no more may be asked, or it has none.

        A JobError if the judge has answered nothing at all: a search without a model is another one than was asked for.
        """
        if self.left <= 0:
            return None
        self.left -= 1
        self.asked += 1
        return self._scorer.run(self._ask(question, read))

    async def _ask(self, question: str, read: Callable[[str], T | None]) -> T | None:
        judge = self._scorer.judges[self.judge]
        message = {"role": "user", "content": question}
        asked = Ask(messages=(message,), parts={"query": question}, params={"max_tokens": MAX_TOKENS}, draw=self.asked)
        reply = await judge.ask(asked)
        if reply.error is not None:
            self.lost += 1
            if self.lost == self.asked:
                raise JobError(f"judge {self.judge!r}, which the search asks for ideas, does not answer: {reply.error}")
            return None
        made = read(reply.text.rpartition("</think>")[2])
        judge.report_parsed(reply, made is not None)
        return made
