"""The messages between a process that borrows parts of a judge's limits and the one that lends them; plain data."""

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field
from rewardlab.judging import MAX_COUNT, Count, Usage

Tokens = tuple[Count, Count]
"""tokens of questions, tokens of answers"""
Unspent = Annotated[int, Field(ge=-MAX_COUNT, le=MAX_COUNT)]
"""below 0 if a server counted more than a question can have"""


@dataclass(frozen=True, kw_only=True, slots=True)
class LeaseReport:
    """The state of one borrower of one judge, and its wishes.

    Everything in it is a state or a running total, so that the same report twice, or the first one to a lender that
    was restarted, does no harm.
    """

    permits: Count
    """held, after giving back those that it may not keep"""
    wanted: Count
    """permits that it could use now: questions under way and those that wait for a place"""
    turns: tuple[Annotated[float, Field(ge=0, le=MAX_COUNT)], ...] = ()
    """estimated tokens of the first questions that wait for the rate limit"""
    refund: Annotated[float, Field(ge=-MAX_COUNT, le=MAX_COUNT)] = 0.0
    """tokens that turns were lent with, less those that their questions needed, since this borrower began"""
    spent: Tokens = (0, 0)
    """of the budget, since this borrower began"""
    unspent: tuple[Unspent, Unspent] = (0, 0)
    """lent and not spent, questions under way included, after giving back"""
    needs: tuple[Tokens, ...] = ()
    """what is wanted, beyond `unspent`, for each of the first questions that wait for the budget"""
    first: Tokens = (0, 0)
    """the most that the first of these questions can cost"""
    ahead: Tokens = (0, 0)
    """wanted beyond `needs`, so that the next questions need not wait"""
    usage: Usage = field(default_factory=Usage)
    """counts since this borrower began"""
    stopped: str | None = None
    """why the job has to end"""
    unreadable: bool = False
    """whether it has to end because answers cannot be read"""


@dataclass(frozen=True, kw_only=True, slots=True)
class LeaseGrant:
    """A loan of a lender to one borrower."""

    permits: int
    """that it has from now on"""
    cap: int
    """permits that it may keep: those above go back as soon as they are free"""
    turns: int = 0
    """how many of the reported `turns` may go; they lapse LAPSE_S after the report was sent"""
    lent: Tokens = (0, 0)
    """added to `unspent`"""
    recall: bool = False
    """whether others wait for what this borrower has unspent and does not need"""
    refused: str | None = None
    """why the budget can never pay for the first of `needs`"""
    stopped: str | None = None
    """why the job has to end, whichever borrower said so"""
    unreadable: bool = False
    soonest: float = 0.0
    """seconds until the next report at the soonest: what waits now is not there before"""
    pause: float = 0.5
    """seconds until the next report at the latest"""
