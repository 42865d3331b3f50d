"""Examples for the laws of the rewards: cheap and dear completions (rewardlab.laws)."""

from rewardlab import Completion, Sample
from rewardlab.laws import RewardExample

SUM = Sample(id="sum", prompt=({"role": "user", "content": "What is 3 + 4?"},), fields={"answer": "7"})


def tokens() -> list[RewardExample]:
    """Return examples of rollout/tokens, with a part that is free and without one."""
    cheap, dear, worst = (Completion(text="7", token_count=count) for count in (40, 90, 300))
    return [
        RewardExample(title=title, sample=SUM, good=[cheap], bad=[dear, worst], ladder=[worst, dear, cheap], options=o)
        for title, o in {"from the first": {"most": 100}, "from 50 on": {"most": 100, "free": 50}}.items()
    ]


def seconds() -> list[RewardExample]:
    """Return an example of rollout/seconds."""
    quick, slow, slowest = (Completion(text="7", seconds=took) for took in (1.5, 20.0, 400.0))
    ladder = [slowest, slow, quick]
    return [
        RewardExample(title="seconds", sample=SUM, good=[quick], bad=ladder[:2], ladder=ladder, options={"most": 60})
    ]


def tool_calls() -> list[RewardExample]:
    """Return an example of rollout/tool_calls."""
    none, two, nine = (_conversation(count) for count in (0, 2, 9))
    return [
        RewardExample(
            title="calls", sample=SUM, good=[none], bad=[two, nine], ladder=[nine, two, none], options={"most": 5}
        )
    ]


def _conversation(calls: int) -> Completion:
    call = {"type": "function", "function": {"name": "add", "arguments": '{"a": 3, "b": 4}'}}
    turns = [
        turn
        for _ in range(calls)
        for turn in (
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "name": "add", "content": "7"},
        )
    ]
    return Completion.of([*turns, {"role": "assistant", "content": "7"}])
