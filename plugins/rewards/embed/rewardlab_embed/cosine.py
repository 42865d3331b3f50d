"""embed/cosine: how near a part of the response is to the reference."""

from collections.abc import Sequence
from typing import Any

from rewardlab import Completion, Context, Sample, Score
from rewardlab_answers import ComparedTexts, compared_texts

from rewardlab_embed.model import open_model
from rewardlab_embed.options import CosineOptions

Item = tuple[Sample, Completion]


class Cosine:
    """The reward cos(E(prediction), E(reference)), in [0, 1] if `clamp`, else in [-1, 1].

    A blank or missing part of the response scores 0.0 or is an error, as `empty` says; a blank reference is an error.
    `info`: `raw`, the cosine before it is clamped; `cut`, the tokens of the `prediction` and the `reference` over the
    model's limit, if any; `empty`, the part that is missing.
    Source: PB-RLSVR, R_Embed.
    """

    def __init__(self, options: CosineOptions, context: Context) -> None:
        self.options = options
        self._worker = open_model(options, context)

    async def score(self, items: Sequence[Item]) -> list[Score]:
        """Return one score for each item. Raises what the worker's `ask` raises."""
        compared = self.compared_texts(items)
        known = [self.score_without_model(texts) for texts in compared]
        pairs = [(t.prediction, t.reference) for t, score in zip(compared, known, strict=True) if score is None]
        cosines = iter(await self.cosines(pairs))
        return [next(cosines) if score is None else score for score in known]

    def compared_texts(self, items: Sequence[Item]) -> list[ComparedTexts]:
        """Return the prediction and the reference of each item."""
        part, against = self.options.part, self.options.against
        return [compared_texts(completion.text, sample, part, against) for sample, completion in items]

    def score_without_model(self, compared: ComparedTexts) -> Score | None:
        """Return the score of texts one of which is missing or blank; None for a pair that has to be embedded."""
        if compared.problem is not None:
            return Score(error=compared.problem)
        if compared.prediction:
            return None
        if self.options.empty == "fail":
            return Score(error=f"the response has no {self.options.part}, or a blank one")
        return Score(value=0.0, info={"empty": self.options.part})

    async def cosines(self, pairs: Sequence[tuple[str, str]]) -> list[Score]:
        """Return one score for each pair (prediction, reference)."""
        answers = await self._worker.ask([{"a": a, "b": b} for a, b in pairs]) if pairs else []
        return [self._score(answer) for answer in answers]

    def _score(self, answer: dict[str, Any]) -> Score:
        if "error" in answer:
            side = {"a": "prediction", "b": "reference"}[answer["of"]]
            return Score(error=f"no embedding of the {side}: {answer['error']}")
        raw = answer["cosine"]
        lost = {side: cut for side, cut in zip(("prediction", "reference"), answer["cut"], strict=True) if cut}
        info = {"raw": raw, "cut": lost} if lost else {"raw": raw}
        return Score(value=max(0.0, raw) if self.options.clamp else raw, info=info)
