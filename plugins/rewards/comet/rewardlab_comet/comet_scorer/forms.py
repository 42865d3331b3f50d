"""The form in which each kind of checkpoint takes a batch of pairs: exactly the inputs of COMET's own predict."""

from collections.abc import Sequence
from typing import Any

import torch
from comet.models import CometModel, UnifiedMetric, XCOMETMetric
from comet_scorer.pieces import EncoderWindow

Pair = tuple[Sequence[int], Sequence[int]]
"""Tokens of mt and of src, without special ones."""
MT, SRC = -1, -2  # stand for the texts where a tokenizer shows what it puts around and between them


class JointForm:
    """The form of UnifiedMetric (CometKiwi): both texts in one sequence, mt first."""

    def __init__(self, model: CometModel) -> None:
        self._model, self._encoder = model, model.encoder
        special = model.encoder.tokenizer.build_inputs_with_special_tokens([MT], [SRC])
        mt, src = special.index(MT), special.index(SRC)
        self._first, self._between, self._last = special[:mt], special[mt + 1 : src], special[src + 1 :]
        self._special = len(special) - 2
        self.window = EncoderWindow(together=model.encoder.max_positions - self._special, each=_most_of_one(model))

    def size(self, pair: Pair) -> int:
        """Return how many tokens of this pair the encoder sees at once."""
        return len(pair[0]) + len(pair[1]) + self._special

    def scores(self, pairs: Sequence[Pair]) -> list[float]:
        """Return one unclamped score for each pair."""
        return self._model(**self._inputs(pairs)).score.tolist()

    def _inputs(self, pairs: Sequence[Pair]) -> dict[str, Any]:
        rows = [[*self._first, *mt, *self._between, *src, *self._last] for mt, src in pairs]
        inputs = _padded(rows, self._encoder.tokenizer.pad_token_id, self._model.device)
        if self._encoder.uses_token_type_ids:
            inputs["token_type_ids"] = self._mark_mt(pairs, rows, inside=0, outside=1)
        return inputs

    def _mark_mt(self, pairs: Sequence[Pair], rows: Sequence, inside: int, outside: int) -> torch.Tensor:
        """Return a tensor (pairs, longest row): `inside` for mt with its first two special tokens, else `outside`."""
        lengths = torch.tensor([[len(mt) + 2] for mt, _ in pairs])
        places = torch.arange(max(map(len, rows)))[None, :]
        return torch.where(places < lengths, inside, outside).to(self._model.device)


class XCometForm(JointForm):
    """The form of XCOMETMetric: a joint sequence, and a score that counts the errors that the model marks in mt."""

    def scores(self, pairs: Sequence[Pair]) -> list[float]:
        """Return one unclamped score for each pair."""
        inputs = self._inputs(pairs)
        inputs["label_ids"] = self._mark_mt(pairs, inputs["input_ids"], inside=0, outside=-1)
        inputs["mt_offsets"] = [[(0, 0)] * (len(mt) + 2) for mt, _ in pairs]  # an error's place does not matter
        return self._model.predict_step((inputs,)).scores.tolist()


class SeparateForm:
    """The form of ReferencelessRegression: each text in a sequence of its own."""

    def __init__(self, model: CometModel) -> None:
        self._model, self._encoder = model, model.encoder
        special = model.encoder.tokenizer.build_inputs_with_special_tokens([MT])
        self._first, self._last = special[: special.index(MT)], special[special.index(MT) + 1 :]
        each = _most_of_one(model)
        self.window = EncoderWindow(together=2 * each, each=each)

    def size(self, pair: Pair) -> int:
        """Return how many tokens of this pair the encoder sees at once."""
        return max(map(len, pair)) + len(self._first) + len(self._last)

    def scores(self, pairs: Sequence[Pair]) -> list[float]:
        """Return one unclamped score for each pair."""
        inputs: dict[str, torch.Tensor] = {}
        for name, side in (("mt", 0), ("src", 1)):
            rows = [[*self._first, *pair[side], *self._last] for pair in pairs]
            padded = _padded(rows, self._encoder.tokenizer.pad_token_id, self._model.device)
            inputs |= {f"{name}_{key}": tensor for key, tensor in padded.items()}
        return self._model(**inputs).score.tolist()


def form_of(model: CometModel) -> JointForm | SeparateForm:
    """Return the form in which the model takes its pairs."""
    if isinstance(model, XCOMETMetric):
        return XCometForm(model)
    return JointForm(model) if isinstance(model, UnifiedMetric) else SeparateForm(model)


def _most_of_one(model: CometModel) -> int:
    """Return the tokens that COMET leaves of one text: it first cuts at max_positions - 2, special ones included."""
    return model.encoder.max_positions - 2 - len(model.encoder.tokenizer.build_inputs_with_special_tokens([]))


def _padded(rows: Sequence[Sequence[int]], padding: int, device: torch.device) -> dict[str, Any]:
    longest = max(map(len, rows))
    ids = torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows])
    lengths = torch.tensor([[len(row)] for row in rows])
    mask = torch.arange(longest)[None, :] < lengths
    return {"input_ids": ids.to(device), "attention_mask": mask.to(device)}
