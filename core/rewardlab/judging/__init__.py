"""Judging at scale: what the host adds around any judge.

    host        the handle that rewards see: tries, deadlines, counts
    judges      the judges of a recipe, built, by name
    answers     what is there already: a cassette's answer, or the same question under way
    cassette    answers kept in a file and found again by what was asked
    keeping     what a job does with its judges: where answers are kept, what happens where none can be read
    pace        requests and tokens a minute
    outage      a judge that is down is asked by one question at a time
    budget      tokens and money, stopped before they are passed
    usage       what was asked, reused, failed and paid
    form        a judge whose answers cannot be read is noticed within its first 50
    group_clock the deadline of a group's questions
    probe       one call to each judge before a run

A judge that cannot answer gives a Reply with `error`; what that means for a score is the policy of the reward
that asked. What must end the job (a budget, a full disk, answers that nobody can read) is raised by
`Judges.check`.
"""

from rewardlab.judging.host import HostedJudge
from rewardlab.judging.judges import Judges, open_judges, require_secrets
from rewardlab.judging.keeping import Keeping

__all__ = ["HostedJudge", "Judges", "Keeping", "open_judges", "require_secrets"]
