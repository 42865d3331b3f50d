"""openai/reward_model: the score of a response by a reward model behind a server."""

import asyncio
import json
import math
from collections.abc import Sequence

from rewardlab import Ask, Completion, Context, Message, Reply, Sample, Score
from rewardlab_answers import is_blank, sections

from rewardlab_openai.options import RewardModelOptions


class ServedRewardModel:
    """The reward sigmoid((s - center) / scale) of the number s that a served model gives a conversation; in [0, 1].

    The sigmoid is the probability, by Bradley and Terry, that the response is preferred to one with the score `center`.
    A blank response scores 0.0 unasked. A question without an answer, and numbers that no score can be read from, are
    failures. `info`: `raw`, the number s; `tokens`; `empty`.
    """

    def __init__(self, options: RewardModelOptions, context: Context) -> None:
        self._options = options
        self._judge = context.judges[options.judge]

    async def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item; all are asked at once, as far as the judge's limits allow."""
        return list(await asyncio.gather(*(self._score(sample, completion.text) for sample, completion in items)))

    async def _score(self, sample: Sample, text: str) -> Score:
        response = text if self._options.read == "all" else sections.final(text)
        if is_blank(response):
            return Score(value=0.0, info={"empty": True})
        reply = await self._judge.ask(question(sample.prompt, response.strip()))
        if reply.error is not None:
            return Score(error=reply.error)
        try:
            raw = number_in(reply, self._options.label)
        except ValueError as error:
            self._judge.report_parsed(reply, False)
            return Score(error=str(error))
        self._judge.report_parsed(reply, True)
        return self._converted(raw, reply)

    def _converted(self, raw: float, reply: Reply) -> Score:
        info = {"raw": raw, "tokens": reply.prompt_tokens or 0}
        if self._options.convert == "sigmoid":
            return Score(value=sigmoid((raw - self._options.center) / self._options.scale), info=info)
        if not 0 <= raw <= 1:
            return Score(info=info, error=f"the model's number is {raw:g}, and `convert: none` needs one in [0, 1]")
        return Score(value=raw, info=info)


def question(prompt: Sequence[Message], response: str) -> Ask:
    """Return the question about a response: the conversation that it ends."""
    return Ask(messages=(*prompt, {"role": "assistant", "content": response}))


def number_in(reply: Reply, label: int | None) -> float:
    """Return the score in a reply of openai/pooling. Raises ValueError that says why there is none."""
    try:
        numbers = json.loads(reply.text)
    except (ValueError, RecursionError):
        numbers = None
    if not isinstance(numbers, list) or not all(isinstance(n, int | float) for n in numbers):
        raise ValueError(f"the judge gave no numbers; is it `use: openai/pooling`? It said {reply.text[:80]!r}")
    if label is None and len(numbers) != 1:
        raise ValueError(f"the model gives {len(numbers)} numbers; `label` says which one counts, from 0")
    if label is not None and label >= len(numbers):
        raise ValueError(f"the model gives {len(numbers)} numbers, not one of them `label` {label}, counted from 0")
    try:
        number = float(numbers[label or 0])
    except OverflowError:  # a whole number beyond all floats
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"the model's number is {number}, which is not finite")
    return number


def sigmoid(x: float) -> float:
    """Return 1 / (1 + e^-x), in [0, 1], for any finite x."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
