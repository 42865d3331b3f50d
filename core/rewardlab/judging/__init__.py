"""Judging at scale: the host's additions to any judge, which are limits, retries, a budget and kept answers.

In go the judges that a plan declares and the questions of rewards and data steps (`Ask`); out come replies (`Reply`),
counts of what was asked and paid, and files with the answers. A judge that cannot answer gives a Reply with `error`,
and the policy of the reward that asked decides what that means for a score. What must end the job (a used-up budget, a
full disk, answers that nobody can read) is raised by `Judges.check`.

    judges           the judges of a recipe, built, by name
    hosted_judge     the handle by which rewards ask one of them
    settings         a job's settings for its judges: where answers are kept, what happens if none can be read
    reply_cache      replies that need no call: kept ones, and those to the same question under way
    cassette         answers kept in a file and found again by what was asked
    attempts         the calls for one question: past the limits below, with retries
    circuit_breaker  a judge that is down is tested by one question at a time, while the others wait
    outage_notice    what the user reads while a judge is down
    rate_limit       requests and tokens a minute
    budget           tokens and money: a question that could exceed them is refused
    usage            counts of what was asked, reused, failed and paid
    token_counts     the counts of a server that can be true
    group_deadline   the deadline for all questions about a group
    unparsable       notices within 50 replies that a judge's answers cannot be read
    first_call       one call to each judge before a run
    limits           the limits as attempts meet them, a process's own or on loan
    kept_replies     the files of a judge's replies
    leases/          several processes ask the same judges: limits on loan, replies with owners
"""
