"""comet/answer: COMET's reference-free score of a prediction, with the English reference as its source text."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab import Completion, Context, Sample, Score
from rewardlab_answers import compared_texts

from rewardlab_comet.checkpoints import locate_checkpoint
from rewardlab_comet.exact import same_answer
from rewardlab_comet.options import CometOptions

WORKER = Path(__file__).with_name("comet_worker.py")


def open_answer(options: CometOptions, context: Context) -> "Answer":
    """Return the reward with its worker opened. Raises UserError for a path that holds no checkpoint."""
    settings = {"checkpoint": locate_checkpoint(options.checkpoint), "batch_tokens": options.batch_tokens}
    return Answer(options, context.workers.open(WORKER, settings))


class Answer:
    """The reward COMET(src = reference, mt = prediction), clamped to [0, 1]; PB-RLSVR (section 3.2), R_Answer.

    A pair that lacks a side never reaches the model: a missing reference is a failure, a missing prediction scores 0
    or is a failure, as the options say.
    """

    def __init__(self, options: CometOptions, worker: Any) -> None:
        self._options, self._worker = options, worker

    async def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item, of any number of groups. Exceptions of the worker pass through."""
        decisions = [self._decide(sample, completion) for sample, completion in items]
        questions = [decided for decided in decisions if not isinstance(decided, Score)]
        answers = iter(await self._worker.ask(questions))
        return [decided if isinstance(decided, Score) else self._read(next(answers)) for decided in decisions]

    def _decide(self, sample: Sample, completion: Completion) -> Score | dict[str, str]:
        """Return the score if it needs no model, else the question for the model."""
        texts = compared_texts(completion.text, sample, self._options.part, self._options.against)
        if texts.problem is not None:
            return Score(info={"raw": None}, error=texts.problem)
        if not texts.prediction:
            return self._score_of_empty()
        if self._options.exact_match and same_answer(texts.prediction, texts.reference):
            return Score(value=1.0, info={"raw": None, "exact_match": True})
        return {"src": texts.reference, "mt": texts.prediction}

    def _score_of_empty(self) -> Score:
        info = {"raw": None, "empty": self._options.part}
        if self._options.empty == "fail":
            return Score(info=info, error=f"the response has no {self._options.part}, or a blank one")
        return Score(value=0.0, info=info)

    def _read(self, answer: Mapping[str, Any]) -> Score:
        if answer.get("empty") == "mt":
            return self._score_of_empty()
        if answer.get("empty") == "src":
            return Score(info={"raw": None}, error=f"field {self._options.against!r} has nothing that COMET can read")
        if "error" in answer:
            return Score(info={"raw": None}, error=answer["error"])
        raw, chunks = answer["score"], answer["chunks"]
        info = {"raw": raw} | ({"chunks": chunks} if chunks > 1 else {})
        return Score(value=min(1.0, max(0.0, raw)), info=info)
