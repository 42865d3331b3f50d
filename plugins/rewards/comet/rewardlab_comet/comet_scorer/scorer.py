"""Answer the worker's questions: from pairs of texts to scores."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from comet.models import CometModel
from comet_scorer.batches import batches, run
from comet_scorer.forms import Pair, form_of
from comet_scorer.pieces import pieces
from comet_scorer.tokens import PlainTextTokenizer, Tokens

ON_CPU, ON_GPU = 2048, 16384  # tokens a batch: few suit a CPU's caches, many keep a GPU busy


@dataclass(frozen=True)
class _Piece:
    question: tuple[str, str]
    pair: Pair


class CometScorer:
    """A checkpoint in memory that scores pairs of texts.

    Args:
        batch_tokens: padded tokens that the encoder sees at once; None: a number that suits the device.
    """

    def __init__(self, model: CometModel, batch_tokens: int | None) -> None:
        self._form = form_of(model)
        self._batch_tokens = batch_tokens or (ON_CPU if model.device.type == "cpu" else ON_GPU)
        self._tokenizer = PlainTextTokenizer(model.encoder.tokenizer)

    def answer(self, questions: Sequence[dict[str, str]]) -> list[dict[str, Any]]:
        """Return one answer for each question {"src", "mt"}.

        {"score": float, "chunks": int}: COMET's own score, unclamped; for a pair that had to be cut, the mean of its
        pieces, weighted by their mt's tokens; or {"empty": "src" | "mt"}: that side has no tokens; {"error": why}.
        """
        pairs = [(question["src"], question["mt"]) for question in questions]
        answers = self._answers(list(dict.fromkeys(pairs)))
        return [answers[pair] for pair in pairs]

    def _answers(self, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], dict[str, Any]]:
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        tokens = dict(zip(texts, self._tokenizer.read(texts), strict=True))
        answers: dict[tuple[str, str], dict[str, Any]] = {}
        work: list[_Piece] = []
        for src, mt in pairs:
            empty = "src" if tokens[src].blank else "mt" if tokens[mt].blank else None
            if empty:
                answers[src, mt] = {"empty": empty}
            else:
                work += [_Piece((src, mt), pair) for pair in self._pieces(tokens[mt], tokens[src])]
        return answers | _join_pieces(work, self._scores([piece.pair for piece in work]))

    def _pieces(self, mt: Tokens, src: Tokens) -> list[Pair]:
        if self._form.window.holds(len(mt.ids), len(src.ids)):
            return [(mt.ids, src.ids)]
        mt, src = self._tokenizer.with_starts(mt), self._tokenizer.with_starts(src)
        spans = pieces(len(mt.ids), len(src.ids), self._form.window, mt.rank, src.rank)
        return [(mt.ids[slice(*of_mt)], src.ids[slice(*of_src)]) for of_mt, of_src in spans]

    def _scores(self, pairs: Sequence[Pair]) -> list[float | None]:
        scores: dict[int, float | None] = {}
        with torch.inference_mode():
            for batch in batches([self._form.size(pair) for pair in pairs], self._batch_tokens):
                scores |= run(batch, lambda indices: self._form.scores([pairs[index] for index in indices]))
        return [scores[index] for index in range(len(pairs))]


def _join_pieces(work: Sequence[_Piece], scores: Sequence[float | None]) -> dict[tuple[str, str], dict[str, Any]]:
    scored: dict[tuple[str, str], list[tuple[int, float | None]]] = {}
    for piece, score in zip(work, scores, strict=True):
        scored.setdefault(piece.question, []).append((len(piece.pair[0]), score))
    return {question: _mean(weighted) for question, weighted in scored.items()}


def _mean(weighted: Sequence[tuple[int, float | None]]) -> dict[str, Any]:
    known = [(weight, score) for weight, score in weighted if score is not None]
    if len(known) < len(weighted):
        return {"error": "out of memory on this pair alone"}
    mean = sum(weight * score for weight, score in known) / sum(weight for weight, _ in known)
    if not math.isfinite(mean):
        return {"error": f"COMET scored it {mean}"}
    return {"score": mean, "chunks": len(known)}
