"""Examples for the laws: responses whose rank is known, and a judge that knows the right answer."""

import json
from collections.abc import Callable
from typing import Any

from rewardlab import Ask, Reply, Sample
from rewardlab.laws import RewardExample
from rewardlab_answers import last_box

SCALE = {
    "1": "no answer, or a wrong one",
    "2": "a wrong answer on the right way",
    "3": "the right answer, and nothing else",
    "4": "the right answer, with a reason",
    "5": "the right answer, with every step",
}
SEVEN = {str(number): f"{number} of 7 towards the second response" for number in range(1, 8)}
PENS = Sample(
    id="pens",
    prompt=({"role": "user", "content": "Ann has 3 red pens and 4 blue ones. How many pens does she have?"},),
    fields={"rubric": SCALE, "language": "de"},
)
RIGHT = [r"3 + 4 = 7, so \boxed{7}.", r"<think>\boxed{8}?</think>She has \boxed{7} pens."]
WRONG = ["", r"3 + 4 = 8, so \boxed{8}.", "Many.", r"\boxed{7} or \boxed{12}"]
JUDGED = Sample(
    id="judged",
    prompt=(
        {
            "role": "user",
            "content": "Score this response from 1 to 5, as JSON: She has 7 pens. "
            '{"explanation": "Every step of it is right, and so is what it says.", "score": 4}',
        },
    ),
    fields={"score": 4},
)


class AnswerKeyJudge:
    """A judge that knows that 7 is right: `right` and `wrong` are its scores of one response."""

    def __init__(self, right: Any = 5, wrong: Any = 1) -> None:
        self._right, self._wrong = right, wrong

    async def ask(self, ask: Ask) -> Reply:
        return _reply(self._right if last_box(ask.parts["response"]) == "7" else self._wrong)


class KeyOfPairsJudge:
    """A judge of pairs that knows that 7 is right, with scores if the first, the second, or neither is better."""

    def __init__(self, first: Any, second: Any, tied: Any) -> None:
        self._scores = {1: first, -1: second, 0: tied}

    async def ask(self, ask: Ask) -> Reply:
        right = [last_box(ask.parts[side]) == "7" for side in "ab"]
        return _reply(self._scores[right[0] - right[1]])


class WeighingJudge:
    """A judge that scores 3 in any case, but whose tokens lean to 5 for a right response and to 1 for another."""

    async def ask(self, ask: Ask) -> Reply:
        right = last_box(ask.parts["response"]) == "7"
        likely = {"3": -0.7, "5": -1.0, "1": -2.5} if right else {"3": -0.7, "1": -1.0, "5": -2.5}
        alternatives = [{"token": token, "logprob": logprob} for token, logprob in likely.items()]
        tokens = [
            {"token": '{"explanation": "fair", "score": ', "logprob": 0.0, "top_logprobs": []},
            {"token": "3", "logprob": -0.7, "top_logprobs": alternatives},
            {"token": "}", "logprob": 0.0, "top_logprobs": []},
        ]
        text = "".join(token["token"] for token in tokens)  # type: ignore[misc]
        return Reply(text=text, finish_reason="stop", completion_tokens=3, logprobs={"content": tokens})


def _reply(score: Any) -> Reply:
    text = json.dumps({"explanation": "I added the pens.", "score": score})
    return Reply(text=f"<think>3 and 4 are 7.</think>\n```json\n{text}\n```", finish_reason="stop", completion_tokens=9)


def pointwise() -> list[RewardExample]:
    """Return examples of each source of a rubric, of each profile, and of expected scores."""
    wordings = [{"description": f"Wording {number}.", "scoring": SCALE} for number in range(3)]
    ways: dict[str, tuple[dict[str, Any], Any]] = {
        "levels": ({"rubric": SCALE}, AnswerKeyJudge),
        "variants": (
            {"rubric": wordings},
            AnswerKeyJudge,
        ),
        "field": ({"rubric": {"field": "rubric"}}, AnswerKeyJudge),
        "r3_official": ({"rubric": SCALE, "profile": "r3_official"}, AnswerKeyJudge),
        "mr3_official": ({"rubric": SCALE, "profile": "mr3_official"}, lambda: AnswerKeyJudge("5", "1")),
        "expected": ({"rubric": SCALE, "expected": True}, WeighingJudge),
    }
    return [_example(title, options, judge) for title, (options, judge) in ways.items()]


def binary() -> list[RewardExample]:
    """Return examples of the packaged rubric in both layouts, and of the published readers."""
    ways: dict[str, dict[str, Any]] = {
        "packaged": {},
        "mr3": {"layout": "mr3"},
        "tgt-eng": {"strategy": "tgt-eng"},
        "tgt-tgt": {"strategy": "tgt-tgt"},
        "r3_official": {"profile": "r3_official"},
        "mr3_official": {"profile": "mr3_official"},
    }
    return [_example(title, options, lambda: AnswerKeyJudge(True, "false")) for title, options in ways.items()]


def pairwise() -> list[RewardExample]:
    """Return examples of named responses, of a scale of seven, and of ties, under all orders."""
    ways: dict[str, tuple[dict[str, Any], tuple[Any, Any, Any]]] = {
        "named": ({}, ("Response 1", "Response 2", "equal")),
        "balanced": ({"orders": "balanced"}, ("Response 1", "Response 2", "equal")),
        "seven": ({"rubric": SEVEN, "opponents": 2}, (1, 7, 4)),
        "ties": ({"layout": "mr3", "orders": "a_only"}, ("Assistant A", "Assistant B", "Tie")),
        "mr3_official": ({"profile": "mr3_official"}, ("Assistant A", "Assistant B", "Tie")),
        "tgt-eng": ({"strategy": "tgt-eng", "orders": "balanced"}, ("Assistant A", "Assistant B", "Tie")),
        "both bad": ({"layout": "mr3"}, ("Assistant A", "Assistant B", "Both Bad")),
    }
    unequal = {"antisymmetry": "if both are bad, `both_bad: zero` gives both 0"}
    return [
        _pairs(title, options, scores, off=unequal if title == "both bad" else {})
        for title, (options, scores) in ways.items()
    ]


def verdict() -> list[RewardExample]:
    """Return an example for each profile: the policy scores a response, and the row says what is right."""
    good = ['{"explanation": "right, with a reason", "score": 4}', '<think>3?</think>{"explanation": "", "score": "4"}']
    bad = ["", '{"explanation": "right", "score": 5}', "4", '{"explanation": "", "points": 4}']
    profiles = ("strict", "r3_official", "mr3_official")
    return [
        RewardExample(
            title=profile,
            sample=JUDGED,
            good=good,
            bad=bad,
            options={"profile": profile},
            off={} if profile == "strict" else {"prompt_copy": "the published readers know no quotations"},
        )
        for profile in profiles
    ]


def _example(title: str, options: dict[str, Any], judge: Callable[[], Any]) -> RewardExample:
    return RewardExample(
        title=title,
        sample=PENS,
        good=RIGHT,
        bad=WRONG,
        options={"judge": "key", **options},
        judges=lambda: {"key": judge()},
    )


def _pairs(title: str, options: dict[str, Any], scores: tuple[Any, Any, Any], off: dict[str, str]) -> RewardExample:
    return RewardExample(
        title=title,
        sample=PENS,
        good=RIGHT,
        bad=WRONG,
        options={"judge": "key", **options},
        judges=lambda: {"key": KeyOfPairsJudge(*scores)},
        off=off,
    )
