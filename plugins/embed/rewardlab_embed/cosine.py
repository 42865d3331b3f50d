"""embed/cosine: how near a part of the response is to the reference."""

from collections.abc import Sequence
from typing import Any

from rewardlab import Completion, Context, Sample, Score
from rewardlab.sides import Sides, sides

from rewardlab_embed.model import open_model
from rewardlab_embed.options import CosineOptions

Item = tuple[Sample, Completion]


class Cosine:
    """cos(E(prediction), E(reference)), in [0, 1] where `clamp`, else in [-1, 1].

    A blank or missing part of the response is 0.0, or an error, as `empty` says; a blank reference is an error.
    `info`: `raw`, the cosine before it is clamped; `cut`, the tokens over the model's limit of the `prediction` and
    the `reference`, where there are any; `empty`, the part that is not there.
    Source: PB-RLSVR, R_Embed.
    """

    def __init__(self, options: CosineOptions, context: Context):
        self.options = options
        self._worker = open_model(options, context)

    async def score(self, items: Sequence[Item]) -> list[Score]:
        """One score an item. Raises what the worker's `ask` does."""
        compared = self.sides(items)
        known = [self.without_model(two) for two in compared]
        pairs = [(two.prediction, two.reference) for two, score in zip(compared, known, strict=True) if score is None]
        found = iter(await self.cosines(pairs))
        return [next(found) if score is None else score for score in known]

    def sides(self, items: Sequence[Item]) -> list[Sides]:
        """The two texts of each item."""
        part, against = self.options.part, self.options.against
        return [sides(completion.text, sample, part, against) for sample, completion in items]

    def without_model(self, compared: Sides) -> Score | None:
        """The score of what there is no pair of; None for a pair."""
        if compared.problem is not None:
            return Score(error=compared.problem)
        if compared.prediction:
            return None
        if self.options.empty == "fail":
            return Score(error=f"the response has no {self.options.part}, or a blank one")
        return Score(value=0.0, info={"empty": self.options.part})

    async def cosines(self, pairs: Sequence[tuple[str, str]]) -> list[Score]:
        """One score for each pair (prediction, reference)."""
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
