"""The judge `policy/self`: the model in training answers questions, with its current weights or those of the start.

While rewards ask, the trainer waits for them, so the model is free. Questions that are there at the same time are
answered in one batch, in a thread of their own.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewardlab import Ask, Reply
from rewardlab.concurrency import CallThread
from rewardlab.errors import JobError
from rewardlab_training import PolicyJudgeOptions, Sampling, question_tokens

from rewardlab_trl.models import CausalModel
from rewardlab_trl.policy_judge_spec import PolicyOptions
from rewardlab_trl.sampling import generate_rows, random_state

MAX_CONCURRENT = 32
"""questions answered in one batch; they are longer than prompts"""
GATHER_S = 0.01
"""how long the first question of a batch waits for others"""


@dataclass(frozen=True)
class _Question:
    """A question in the policy's tokens; `opened` is what its chat template begins the answer with."""

    ids: list[int]
    opened: str
    sampling: Mapping[str, Any]
    draw: int
    future: "asyncio.Future[Reply]"

    @property
    def settings(self) -> tuple[float, float, int]:
        """The settings that questions of one batch share."""
        return self.sampling["temperature"], self.sampling["top_p"], self.sampling["max_tokens"]

    @property
    def seed(self) -> str:
        """A text that is the same for the same question in another run."""
        return json.dumps([self.ids, self.draw])


class PolicyAnswers:
    """The policy as judges ask it: `Context.policy` inside of a stage. Close it after the scorer."""

    def __init__(self, policy: CausalModel, seed: int, bf16: bool, start: Callable[[], CausalModel]) -> None:
        """start: loads the policy as it was when the stage began; called at the first judge that wants it."""
        self.policy = policy
        self._seed, self._bf16, self._load_start = seed, bf16, start
        self._start: _QuestionBatches | None = None
        self._thread = CallThread("rewardlab-policy-judge")
        self._current = _QuestionBatches(policy, seed, bf16, self._thread)

    def judge(self, options: PolicyJudgeOptions) -> "PolicyJudge":
        """Return a judge that asks the weights that its options name."""
        if not isinstance(options, PolicyOptions) or options.weights == "current":
            return PolicyJudge(options, self._current)
        if self._start is None:
            self._start = _QuestionBatches(self._load_start(), self._seed, self._bf16, self._thread)
        return PolicyJudge(options, self._start)

    def close(self) -> None:
        """End the thread; closing again does nothing."""
        self._thread.close()


class PolicyJudge:
    """A judge that asks a model of this process."""

    def __init__(self, options: PolicyJudgeOptions, questions: "_QuestionBatches") -> None:
        self._options, self._questions = options, questions

    async def ask(self, ask: Ask) -> Reply:
        """Return the model's answer, or an error if it does not fit into the model's context."""
        try:
            sampling = self._options.sampling(ask)
            return await self._questions.answer([dict(message) for message in ask.messages], sampling, ask.draw)
        except JobError as error:  # asking again would not help
            return Reply(error=str(error))


class _QuestionBatches:
    """One model's questions: gathered on the loop that asks, answered batch by batch in the thread."""

    def __init__(self, policy: CausalModel, seed: int, bf16: bool, thread: CallThread) -> None:
        self._policy, self._seed, self._bf16, self._thread = policy, seed, bf16, thread
        self._waiting: list[_Question] = []
        self._answering: asyncio.Task[None] | None = None

    async def answer(self, messages: list[Any], sampling: Mapping[str, Any], draw: int) -> Reply:
        """Return the model's answer to a question. JobError if the model cannot read it."""
        # in the thread: a tokenizer is not to be used from two at once
        tokens = self._thread.call(question_tokens, self._policy.tokenizer, messages, sampling["thinking"])
        ids, opened = await tokens
        longest = len(ids) + sampling["max_tokens"]
        if self._policy.context is not None and longest > self._policy.context:
            raise JobError(
                f"policy/self: a question of {len(ids)} tokens and an answer of up to {sampling['max_tokens']} do not "
                f"fit into the model's {self._policy.context}"
            )
        question = _Question(ids, opened, sampling, draw, asyncio.get_running_loop().create_future())
        self._waiting.append(question)
        if self._answering is None or self._answering.done():
            self._answering = asyncio.create_task(self._answer_all())
        return await question.future

    async def _answer_all(self) -> None:
        while self._waiting:
            await asyncio.sleep(GATHER_S)
            batch = self._take()
            try:
                replies = await self._thread.call(self._generate, batch)
            except Exception as error:  # of the model, such as a lack of memory; the judge's host reports it
                for question in batch:
                    if not question.future.done():
                        question.future.set_exception(error)
                continue
            for question, reply in zip(batch, replies, strict=True):
                if not question.future.done():
                    question.future.set_result(reply)

    def _take(self) -> list[_Question]:
        """Take the longest questions that share their sampling: what is padded least, in an order of no chance."""
        waiting = sorted((q for q in self._waiting if not q.future.done()), key=lambda q: (-len(q.ids), q.seed))
        batch = [question for question in waiting if question.settings == waiting[0].settings][:MAX_CONCURRENT]
        taken = set(map(id, batch))
        self._waiting = [question for question in waiting if id(question) not in taken]
        return batch

    def _generate(self, batch: Sequence[_Question]) -> list[Reply]:
        if not batch:
            return []
        (temperature, top_p, max_tokens), policy = batch[0].settings, self._policy
        text = json.dumps([self._seed, *(question.seed for question in batch)])
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])
        rows = [question.ids for question in batch]
        with random_state(policy.model, seed, self._bf16):
            sampling = Sampling(count=1, temperature=temperature, top_p=top_p, max_new_tokens=max_tokens)
            made = generate_rows(policy, rows, sampling)
        texts = policy.tokenizer.batch_decode(made, skip_special_tokens=True)
        return [
            Reply(
                text=question.opened + text,
                finish_reason="stop" if ids[-1] in policy.ends else "length",
                prompt_tokens=len(question.ids),
                completion_tokens=len(ids),
            )
            for question, text, ids in zip(batch, texts, made, strict=True)
        ]
