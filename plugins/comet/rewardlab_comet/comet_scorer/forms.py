"""How each kind of checkpoint takes a batch of pairs, with exactly the inputs that COMET's own predict would make."""

from collections.abc import Sequence
from typing import Any

import torch
from comet.models import CometModel, UnifiedMetric, XCOMETMetric
from comet_scorer.pieces import Window

Pair = tuple[Sequence[int], Sequence[int]]
"""Tokens of mt and of src, without special ones."""
MT, SRC = -1, -2  # stand for the texts where a tokenizer shows what it puts around and between them


class Joint:
    """UnifiedMetric (CometKiwi): both texts in one sequence, mt first."""

    def __init__(self, model: CometModel):
        self._model, self._encoder = model, model.encoder
        special = model.encoder.tokenizer.build_inputs_with_special_tokens([MT], [SRC])
        mt, src = special.index(MT), special.index(SRC)
        self._first, self._between, self._last = special[:mt], special[mt + 1 : src], special[src + 1 :]
        self._special = len(special) - 2
        self.window = Window(together=model.encoder.max_positions - self._special, each=_each(model))

    def size(self, pair: Pair) -> int:
        """Tokens that the encoder sees at once of this pair."""
        return len(pair[0]) + len(pair[1]) + self._special

    def scores(self, pairs: Sequence[Pair]) -> list[float]:
        return self._model(**self._inputs(pairs)).score.tolist()

    def _inputs(self, pairs: Sequence[Pair]) -> dict[str, Any]:
        rows = [[*self._first, *mt, *self._between, *src, *self._last] for mt, src in pairs]
        inputs = _padded(rows, self._encoder.tokenizer.pad_token_id, self._model.device)
        if self._encoder.uses_token_type_ids:
            inputs["token_type_ids"] = self._of_mt(pairs, rows, inside=0, outside=1)
        return inputs

    def _of_mt(self, pairs: Sequence[Pair], rows: Sequence, inside: int, outside: int) -> torch.Tensor:
        """A number for each place: whether it is of mt with its first two special tokens. (pairs, longest row)"""
        lengths = torch.tensor([[len(mt) + 2] for mt, _ in pairs])
        places = torch.arange(max(map(len, rows)))[None, :]
        return torch.where(places < lengths, inside, outside).to(self._model.device)


class Explained(Joint):
    """XCOMETMetric: likewise, and the score counts the errors that it marks in mt."""

    def scores(self, pairs: Sequence[Pair]) -> list[float]:
        inputs = self._inputs(pairs)
        inputs["label_ids"] = self._of_mt(pairs, inputs["input_ids"], inside=0, outside=-1)
        inputs["mt_offsets"] = [[(0, 0)] * (len(mt) + 2) for mt, _ in pairs]  # where an error is does not count
        return self._model.predict_step((inputs,)).scores.tolist()


class Separate:
    """ReferencelessRegression: each text in a sequence of its own."""

    def __init__(self, model: CometModel):
        self._model, self._encoder = model, model.encoder
        special = model.encoder.tokenizer.build_inputs_with_special_tokens([MT])
        self._first, self._last = special[: special.index(MT)], special[special.index(MT) + 1 :]
        each = _each(model)
        self.window = Window(together=2 * each, each=each)

    def size(self, pair: Pair) -> int:
        """Tokens that the encoder sees at once of this pair."""
        return max(map(len, pair)) + len(self._first) + len(self._last)

    def scores(self, pairs: Sequence[Pair]) -> list[float]:
        inputs: dict[str, torch.Tensor] = {}
        for name, side in (("mt", 0), ("src", 1)):
            rows = [[*self._first, *pair[side], *self._last] for pair in pairs]
            padded = _padded(rows, self._encoder.tokenizer.pad_token_id, self._model.device)
            inputs |= {f"{name}_{key}": tensor for key, tensor in padded.items()}
        return self._model(**inputs).score.tolist()


def form_of(model: CometModel) -> Joint | Separate:
    if isinstance(model, XCOMETMetric):
        return Explained(model)
    return Joint(model) if isinstance(model, UnifiedMetric) else Separate(model)


def _each(model: CometModel) -> int:
    """What COMET leaves of one text: it cuts it at max_positions - 2, special tokens included, before anything else."""
    return model.encoder.max_positions - 2 - len(model.encoder.tokenizer.build_inputs_with_special_tokens([]))


def _padded(rows: Sequence[Sequence[int]], padding: int, device: torch.device) -> dict[str, Any]:
    longest = max(map(len, rows))
    ids = torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows])
    lengths = torch.tensor([[len(row)] for row in rows])
    mask = torch.arange(longest)[None, :] < lengths
    return {"input_ids": ids.to(device), "attention_mask": mask.to(device)}
