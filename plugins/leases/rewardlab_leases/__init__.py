"""Judges that several processes ask: one process lends their limits, and each owns a part of the replies.

judge_share      one process's share: reports of what it wants, grants of what it gets
leased_limits    places and turns on loan, and leased_budget; lease_messages has the reports and grants
judge_lender     the lender of a judge, with its counts and the reason to stop
permit_lender    questions under way at once, divided by what processes want
turn_lender      turns by the limits of requests and tokens a minute
budget_lender    the budget, of which what is lent counts as spent
shared_replies   the kept replies as one process sees them: claimed, then kept
reply_owner      the files of a part of the replies, and who asks for those that are missing
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab_leases.judge_lender import JudgeLenders as JudgeLenders
    from rewardlab_leases.judge_lender import shared_judges as shared_judges
    from rewardlab_leases.judge_share import JudgeShare as JudgeShare
    from rewardlab_leases.lease_messages import LeaseGrant as LeaseGrant
    from rewardlab_leases.lease_messages import LeaseReport as LeaseReport
    from rewardlab_leases.reply_owner import ReplyOwner as ReplyOwner
    from rewardlab_leases.shared_replies import ReplyLine as ReplyLine

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
