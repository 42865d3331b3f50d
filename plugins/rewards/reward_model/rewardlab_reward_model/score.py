"""reward_model/score: the score of a response by a trained model."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rewardlab import Completion, Context, Sample, Score
from rewardlab_answers import is_blank, sections

from rewardlab_reward_model.locate import locate_model
from rewardlab_reward_model.options import ModelOptions, ScoreOptions

WORKER = Path(__file__).with_name("model_worker.py")


class ModelScore:
    """The reward sigmoid((s - center) / scale) of a model with one output s, else softmax(s)[label]; in [0, 1].

    The sigmoid is the probability, by Bradley and Terry, that the response is preferred to one with the score `center`.
    A blank response scores 0.0 unread. `info`: `raw`, the score s of one output; `cut`, the tokens of the response that
    the model could not read; `empty`.
    """

    def __init__(self, options: ScoreOptions, context: Context) -> None:
        self._options = options
        settings = options.model_dump(include=set(ModelOptions.model_fields)) | {"label": options.label}
        self._worker = context.workers.open(WORKER, settings | {"model": locate_model(options.model)})

    async def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item. Raises what the worker's `ask` raises."""
        responses = [self._read(completion.text) for _, completion in items]
        asked = [
            {"prompt": [dict(message) for message in sample.prompt], "response": response}
            for (sample, _), response in zip(items, responses, strict=True)
            if response
        ]
        answers = iter(await self._worker.ask(asked) if asked else [])
        empty = Score(value=0.0, info={"empty": True})
        return [self._score(next(answers)) if response else empty for response in responses]

    def _read(self, text: str) -> str:
        response = text if self._options.read == "all" else sections.final(text)
        return "" if is_blank(response) else response.strip()

    def _score(self, answer: dict[str, Any]) -> Score:
        if "error" in answer:
            return Score(error=answer["error"])
        info = {"cut": answer["cut"]} if answer["cut"] else {}
        if "probability" in answer:
            return Score(value=answer["probability"], info=info)
        raw = answer["score"]
        return Score(value=sigmoid((raw - self._options.center) / self._options.scale), info={"raw": raw, **info})


def sigmoid(x: float) -> float:
    """Return 1 / (1 + e^-x), in [0, 1], for any finite x."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
