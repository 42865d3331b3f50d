"""What a search did and found, as lines that people read and as JSON values."""

from collections.abc import Iterator, Sequence
from typing import Any

from rewardlab.text import counted

from rewardlab_probe.search.confirm import SearchResult
from rewardlab_probe.search.search import Found
from rewardlab_probe.verdicts import FamilyVerdict

SHOWN = 300
"""Characters of an exploit that a line shows."""


def searched_as_dict(search: SearchResult) -> dict[str, Any]:
    """Return what a search did as JSON values.

    {"scored", "questions", "lost", "exploits": [{"family", "how", "row", "text", "paid_by", "wrong_by"}]}; lost: of
    the questions those without an answer.
    """
    exploits = [
        {
            "family": _family(found),
            "how": str(found.exploit),
            "row": found.row,
            "text": found.text,
            "paid_by": found.paid_by,
            "wrong_by": found.wrong_by,
        }
        for found in search.found
    ]
    return {"scored": search.scored, "questions": search.questions, "lost": search.lost, "exploits": exploits}


def searched_lines(search: SearchResult, verdicts: Sequence[FamilyVerdict]) -> Iterator[str]:
    """Yield what was searched, and the shortest text of each exploit with the component that pays it."""
    asked = f", {counted(search.questions, 'question')} asked" if search.questions else ""
    asked += f", {search.lost} of them without an answer" if search.lost else ""
    yield f"searched: {counted(search.scored, 'completion')} scored{asked}; {counted(len(search.found), 'exploit')}"
    by_family = {verdict.family: verdict for verdict in verdicts}
    for found in search.found:
        verdict = by_family.get(_family(found))
        if verdict is None or not verdict.wins:
            yield f"  {found.exploit}: wins the rows searched, and does not hold on the rows that were kept for that"
            continue
        pays = f", paid by {found.paid_by}" if found.paid_by else ""
        pays += f", wrong by {found.wrong_by}" if found.wrong_by not in ("", "gold") else ""
        shown = found.text[:SHOWN] + ("..." if len(found.text) > SHOWN else "")
        size = counted(len(found.text), "character")
        yield f"  {found.exploit}{pays}; shortest ({size}, row {found.row!r}): {shown!r}"


def _family(found: Found) -> Any:
    """Return the family whose verdict is that on an exploit: the probe's own if it was not edited."""
    return found.family if found.is_new else found.key[0]
