"""A served policy: completions from a judge of the recipe, so that one client has all limits, retries and kept answers.

Each completion is a question of its own, the same prompt with another draw: it is retried, paid for, kept and found
again by itself, and a server that computes a prompt once for all of them (vLLM's prefix cache) does so here, too.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rewardlab import Ask, Completion, Message, Reply, Sample
from rewardlab.judging import HostedJudge
from rewardlab.plan import Plan
from rewardlab.recipe import EvalStage

THINK, THOUGHT = "<think>", "</think>"


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The completions that a served policy gave to a prompt, in the order of their draws, and why it lacks others.

    Args:
        missing: draw -> the error of the server, or that its content filter withheld the answer. A missing
            completion is none that is empty.
    """

    sample: Sample
    completions: Sequence[Completion]
    missing: dict[int, str] = field(default_factory=dict)


class ServedPolicy:
    """A policy behind a judge of the recipe, with the sampling settings of a stage `eval`."""

    def __init__(self, judge: HostedJudge, plan: Plan, stage: EvalStage) -> None:
        assert stage.served is not None
        self._judge = judge
        self._system = stage.chat.system
        self._count = stage.samples
        self.params = sampling_params(stage, plan.judges[stage.served].most_tokens() is not None)

    async def sample(self, sample: Sample) -> Answers:
        """Return the completions of one prompt. Raises JobError if the judge must end the job."""
        asked = [self._ask(sample, draw) for draw in range(self._count)]
        replies = await asyncio.gather(*map(self._judge.ask, asked))
        if self._judge.stopped is not None:  # a budget that is used up, a strict cassette that lacks an answer
            raise self._judge.stopped
        for reply in replies:
            if reply.error is None:
                self._judge.report_parsed(reply, True)  # whatever it says is the policy's answer
        errors = {draw: error for draw, reply in enumerate(replies) if (error := _error_of(reply)) is not None}
        completions = [completion_of(reply) for draw, reply in enumerate(replies) if draw not in errors]
        return Answers(sample=sample, completions=completions, missing=errors)

    def _ask(self, sample: Sample, draw: int) -> Ask:
        return Ask(messages=messages_of(sample, self._system), params=self.params, draw=draw)


def _error_of(reply: Reply) -> str | None:
    """Return why a reply is not an answer of the policy; None if it is one."""
    if reply.error is None and reply.finish_reason == "content_filter":
        return "the server's content filter withheld the answer, or a part of it"
    return reply.error


def sampling_params(stage: EvalStage, bounded: bool) -> dict[str, Any]:
    """Return the keys of every request that a stage decides: those that its recipe gives, and a bound on the length.

    What is left out is the judge's own option, or the server's default.

    Args:
        bounded: whether the judge's own options bound the length of an answer.
    """
    given = stage.model_fields_set
    params: dict[str, Any] = {}
    if stage.temperature is not None:
        params["temperature"] = stage.temperature
    if "top_p" in given:
        params["top_p"] = stage.top_p
    if stage.top_k is not None:
        params["top_k"] = stage.top_k
    if stage.min_p:
        params["min_p"] = stage.min_p
    if stage.repetition_penalty != 1:
        params["repetition_penalty"] = stage.repetition_penalty
    if "max_new_tokens" in given or not bounded:
        params["max_tokens"] = stage.max_new_tokens
    if stage.stop:
        params["stop"] = list(stage.stop)
    if stage.chat.variables:
        params["chat_template_kwargs"] = stage.chat.variables
    return params


def messages_of(sample: Sample, system: str | None) -> tuple[Message, ...]:
    """Return a prompt's messages as they are sent; the stage's system message goes before one that has none."""
    if system is None or any(message["role"] == "system" for message in sample.prompt):
        return tuple(sample.prompt)
    return ({"role": "system", "content": system}, *sample.prompt)


def completion_of(reply: Reply) -> Completion:
    """Return a reply as a completion, with the reasoning that a server sends separately before it, in `<think>`.

    So it reads as the same model does if no server takes its text apart. A `<think>` that the server's chat
    template opened is put back.
    """
    text = reply.text
    if reply.reasoning:
        text = f"{THINK}\n{reply.reasoning}\n{THOUGHT}\n\n{text}" if text else f"{THINK}\n{reply.reasoning}"
    elif THOUGHT in text and THINK not in text.partition(THOUGHT)[0]:
        text = f"{THINK}\n{text}"
    sampled = 1 if reply.completion_tokens == 0 else reply.completion_tokens  # the end, which some servers do not count
    return Completion(text=text, token_count=sampled, truncated=reply.finish_reason == "length")
