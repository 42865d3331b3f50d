"""comet/answer: COMET's reference-free score of a prediction, with the English reference as its source text."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab import Completion, Sample, Score
from rewardlab.sides import sides

from rewardlab_comet import AnswerOptions
from rewardlab_comet.checkpoints import located
from rewardlab_comet.exact import same

WORKER = Path(__file__).with_name("comet_worker.py")


def open_answer(options: AnswerOptions, workers: Any) -> "Answer":
    """The reward with its worker opened. Raises UserError for a path that holds no checkpoint."""
    settings = {"checkpoint": located(options.checkpoint), "batch_tokens": options.batch_tokens}
    return Answer(options, workers.open(WORKER, settings))


class Answer:
    """COMET(src = reference, mt = prediction), clamped to [0, 1]; PB-RLSVR (section 3.3), R_Answer.

    A pair without two sides never reaches the model: a reference that is missing is a failure, a prediction that is
    missing 0 or a failure, as the options say.
    """

    def __init__(self, options: AnswerOptions, worker: Any):
        self._options, self._worker = options, worker

    async def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """One for each item, of any number of groups. What the worker raises passes through."""
        found = [self._decide(sample, completion) for sample, completion in items]
        questions = [decided for decided in found if not isinstance(decided, Score)]
        answers = iter(await self._worker.ask(questions))
        return [decided if isinstance(decided, Score) else self._read(next(answers)) for decided in found]

    def _decide(self, sample: Sample, completion: Completion) -> Score | dict[str, str]:
        """A score that needs no model, or what the model is asked."""
        two = sides(completion.text, sample, self._options.part, self._options.against)
        if two.problem is not None:
            return Score(info={"raw": None}, error=two.problem)
        if not two.prediction:
            return self._empty()
        if self._options.exact_match and same(two.prediction, two.reference):
            return Score(value=1.0, info={"raw": None, "exact_match": True})
        return {"src": two.reference, "mt": two.prediction}

    def _empty(self) -> Score:
        info = {"raw": None, "empty": self._options.part}
        if self._options.empty == "fail":
            return Score(info=info, error=f"the response has no {self._options.part}, or a blank one")
        return Score(value=0.0, info=info)

    def _read(self, answer: Mapping[str, Any]) -> Score:
        if answer.get("empty") == "mt":
            return self._empty()
        if answer.get("empty") == "src":
            return Score(info={"raw": None}, error=f"field {self._options.against!r} has nothing that COMET can read")
        if "error" in answer:
            return Score(info={"raw": None}, error=answer["error"])
        raw, chunks = answer["score"], answer["chunks"]
        info = {"raw": raw} | ({"chunks": chunks} if chunks > 1 else {})
        return Score(value=min(1.0, max(0.0, raw)), info=info)
