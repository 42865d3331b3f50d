"""format/tags: whether a response is exactly a sequence of tagged parts."""

import re
from collections.abc import Sequence

from rewardlab import Completion, Context, Sample, Score
from rewardlab_answers import is_blank

from rewardlab_format.options import TagsOptions


class Tags:
    """The reward 1.0 for a full match of `<a>...</a> <b>...</b> ...`, else 0.0 with a `reason` in info.

    In a full match each tag stands once, in order, with text inside, and nothing but white space around. Tags are read
    exactly: no attributes, no other case. Takes time linear in the text.
    """

    def __init__(self, options: TagsOptions, _context: Context | None = None) -> None:
        self._tags = tags = options.tags
        self._wanted = [mark for tag in tags for mark in (f"<{tag}>", f"</{tag}>")]
        self._mark = re.compile("|".join(map(re.escape, self._wanted)))

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item; never abstains or fails."""
        reasons = [self.fault(completion.text) for _, completion in items]
        return [Score(value=0.0, info={"reason": reason}) if reason else Score(value=1.0) for reason in reasons]

    def body(self, text: str, number: int) -> str | None:
        """Return the text inside the tag of this number, from the first opening tag on; None if it is blank.

        A tag that nothing closes has no body.
        """
        tag = self._tags[number]
        inside, closed, _ = text.partition(f"<{tag}>")[2].partition(f"</{tag}>")
        return inside if closed and not is_blank(inside) else None

    def fault(self, text: str) -> str | None:
        """Return why the text does not match; None if it does."""
        matches = list(self._mark.finditer(text))
        marks = [match[0] for match in matches]
        if marks != self._wanted:
            return self._misplaced(marks)
        edges = [0, *(edge for match in matches for edge in match.span()), len(text)]
        pieces = [text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2)]
        for number, piece in enumerate(pieces):  # before, inside, between, inside, ..., after
            inside = number % 2 == 1
            if inside and is_blank(piece):
                return f"nothing inside {self._wanted[number - 1]}"
            if not inside and piece.strip():
                return "text outside the tags"
        return None

    def _misplaced(self, marks: Sequence[str]) -> str:
        for mark in self._wanted:
            if mark not in marks:
                return f"no {mark}"
            if marks.count(mark) > 1:
                return f"{mark} more than once"
        return "tags in the wrong order"
