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
    retries          the calls for one question: past its limits, repeated if they fail
    circuit_breaker  a judge that is down is tested by one question at a time, while the others wait
    rate_limit       requests and tokens a minute, and the counts of a server that can be true
    budget           tokens and money: a question that could exceed them is refused
    usage            counts of what was asked, reused, failed and paid
    group_deadline   the deadline for all questions about a group
    unparsable       notices within 50 replies that a judge's answers cannot be read
    member           a judge as one draw of a component asks it: repeats, and an answer of its own first
    share            a process's part of the limits, where several ask the same judges
    kept_replies     the files of a judge's replies
    http/            what a judge behind an HTTP API needs; public by itself

The names below are for engines, plugins and commands; like `rewardlab.training`, they are provisional.
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.judging.cassette import Cassette as Cassette
    from rewardlab.judging.cassette import question_key as question_key
    from rewardlab.judging.hosted_judge import HostedJudge as HostedJudge
    from rewardlab.judging.hosted_judge import escaped_question as escaped_question
    from rewardlab.judging.judges import Judges as Judges
    from rewardlab.judging.judges import NamedJudges as NamedJudges
    from rewardlab.judging.judges import format_summary as format_summary
    from rewardlab.judging.judges import open_judges as open_judges
    from rewardlab.judging.judges import require_secrets as require_secrets
    from rewardlab.judging.kept_replies import files_of_judge as files_of_judge
    from rewardlab.judging.reply_cache import judge_identity as judge_identity
    from rewardlab.judging.settings import JudgingSettings as JudgingSettings
    from rewardlab.judging.share import Share as Share
    from rewardlab.judging.usage import Usage as Usage
    from rewardlab.judging.usage import UsageFile as UsageFile
    from rewardlab.judging.usage import read_usage as read_usage
    from rewardlab.recipe.use import JudgeUse as JudgeUse
    from rewardlab.recipe.use import Price as Price

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
