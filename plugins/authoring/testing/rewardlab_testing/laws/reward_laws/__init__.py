"""The laws of a reward, one function each; `law_words.REWARD` says in words what each demands.

In goes a ComponentUnderTest: a reward with the options of one example. A law returns how many cases it looked at, or
raises LawViolation with the smallest failing example, UnmetNeed or NothingToTry. LAWS has them by name.

    values         single values: range, order, ladders, the empty text, info, missing fields
    repeatability  the same answer again: built anew, from JSON, off the main thread, in another process, in a Ray actor
    independence   no mixing up: other orders, other calls, other prompts, other arrivals
    degenerate     nothing to earn by copying the prompt, repeating or padding; pairs that share a fixed amount
    conversation   what is read of a conversation: the last answer, or all messages
    hedging        less for a right and a wrong answer than for the right one
    judged         no value if the judges have no answer or a reply is noise; quotations that no text can end
    cases          the completions with which the laws are tried
    talks          conversations, among them
    comparison     whether two answers are the same, and the failing example if they are not
"""

from collections.abc import Callable
from functools import wraps

from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.harness.reward_harness import bench
from rewardlab_testing.laws.reward_laws import (
    cases,
    conversation,
    degenerate,
    hedging,
    independence,
    judged,
    repeatability,
    values,
)
from rewardlab_testing.outcomes.outcome import UnmetNeed

Law = Callable[[ComponentUnderTest], int]


def _needs_answers(law: Law) -> Law:
    """Return the law, untried if the reward only fails: as all failures are the same, it would keep nearly any."""

    @wraps(law)
    def with_answers(tested: ComponentUnderTest) -> int:
        seen = law(tested)
        if not _answers(tested):
            raise UnmetNeed("needs an answer; each was a failure, which `range` reports")
        return seen

    return with_answers


def _answers(tested: ComponentUnderTest) -> bool:
    """Return whether the reward has ever given more than a failure; ask it until it does."""
    asking, sample = bench(tested), tested.example.sample
    for completion in cases.hard(tested):
        if asking.answered:
            break
        asking.score(cases.items(sample, [completion]))
    return asking.answered


LAWS: dict[str, Law] = {
    "range": values.in_range,
    "order": values.order,
    "monotone": values.monotone,
    "repeat": _needs_answers(repeatability.repeat),
    "permutation": _needs_answers(independence.permutation),
    "batch": _needs_answers(independence.batch),
    "arrival": _needs_answers(independence.arrival),
    "thread": _needs_answers(repeatability.thread),
    "worker": _needs_answers(repeatability.worker),
    "ray": _needs_answers(repeatability.ray),
    "rebuild": _needs_answers(repeatability.rebuild),
    "info": values.info,
    "required": values.required,
    "unanswered": judged.unanswered,
    "unreadable": judged.unreadable,
    "fence": judged.fence,
    "markers": judged.markers,
    "conversation": _needs_answers(conversation.conversation),
    "empty": _needs_answers(values.empty),
    "prompt_copy": _needs_answers(degenerate.prompt_copy),
    "repetition": _needs_answers(degenerate.repetition),
    "padding": _needs_answers(degenerate.padding),
    "antisymmetry": _needs_answers(degenerate.antisymmetry),
    "hedge": _needs_answers(hedging.hedge),
}
