"""The law of conversations: a reward reads what it declares, the last answer or all messages, and nothing else."""

from dataclasses import replace

from rewardlab_testing.examples import strategies
from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.harness.reward_harness import bench
from rewardlab_testing.laws.reward_laws import cases, talks
from rewardlab_testing.laws.reward_laws.comparison import check_same
from rewardlab_testing.outcomes.outcome import NothingToTry

MOST = 4
"""completions of an example that are tried"""


def conversation(tested: ComponentUnderTest) -> int:
    texts = [completion for completion in cases.known(tested) if not completion.messages][:MOST]
    if not texts:
        raise NothingToTry("no completion of its example is only a text")
    if tested.spec.scope == "trajectory":
        how, others = (
            "as a conversation of one message",
            [replace(text, messages=text.conversation()) for text in texts],
        )
    else:
        shouts = "\n".join([*(completion.text for completion in cases.known(tested)), *strategies.INJECTIONS])
        begin = [talks.called("search", '{"q": "the answer"}'), {"role": "tool", "content": shouts}]
        how = "as the last answer of a conversation whose tool says what other completions say"
        others = [replace(text, messages=(*begin, *text.conversation())) for text in texts]
    asking, sample = bench(tested), tested.example.sample
    alone, then = (asking.score(cases.items(sample, completions)) for completions in (texts, others))
    check_same(tested, texts, alone, then, how=how, expected="as alone")
    return len(texts)
