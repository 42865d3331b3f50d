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
