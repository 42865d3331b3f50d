"""The process behind embed/distinct: an index of the evaluation sets' texts, and of the rows kept so far.

Settings as for embedding_worker.py and {"against": [texts], "threshold"}. All questions of a call belong to one pass:
{"text", "pass": its name, "row": its number, "kept": rows kept before the call, or null where rows are not compared
with each other}. A row that is too near is answered by {"cosine", "nearest": index in "against"} or {"cosine", "row":
number of the row before}, one that is not by {}, one without an embedding by {"error"}. The rows of a pass that were
kept are in memory.
"""

import numpy as np
import torch

from rewardlab_embed.embedding_worker import Embedded, Embedder

BLOCK = 8192
"""vectors of an index that a matrix product takes at once"""
PASSES = 2
"""whose rows are remembered"""
ROUNDING = 1e-6
"""of a cosine in float32: a text's own is at least 1 less this"""


def build(settings: dict, context: dict) -> "Distinct":
    """The object that the host asks; embeds the evaluation sets."""
    return Distinct(Embedder(settings, context["device"]), settings["against"], settings["threshold"])


class Index:
    """Unit vectors, and the nearest of them."""

    def __init__(self, device: torch.device):
        self._device = device
        self._blocks: list[torch.Tensor] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, vectors: np.ndarray) -> None:
        """vectors: (n, dimension), float32, each of length 1."""
        for vector in torch.from_numpy(vectors).to(self._device):
            place = self._count % BLOCK
            if place == 0:
                self._blocks.append(torch.empty(BLOCK, len(vector), device=self._device))
            self._blocks[-1][place] = vector
            self._count += 1

    def cut(self, count: int) -> None:
        """Forget all but the first `count`."""
        self._count = min(self._count, count)
        del self._blocks[-(-self._count // BLOCK) :]

    def nearest(self, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of each of the n vectors the highest cosine (n,), and whose it is (n,); -inf and -1 with an empty index."""
        best, whose = np.full(len(vectors), -np.inf, np.float32), np.full(len(vectors), -1)
        asked = torch.from_numpy(vectors).to(self._device)
        for number, block in enumerate(self._blocks):
            filled = min(BLOCK, self._count - number * BLOCK)
            highest, there = (asked @ block[:filled].T).max(dim=1)
            cosine, place = highest.cpu().numpy(), there.cpu().numpy() + number * BLOCK
            better = cosine > best
            best[better], whose[better] = cosine[better], place[better]
        return best, whose


class Distinct:
    """What `build` gives the host."""

    def __init__(self, embedder: Embedder, against: list[str], threshold: float):
        self._embedder, self._threshold = embedder, threshold - ROUNDING
        self._against = Index(embedder.model.device)
        self._passes: dict[str, _Rows] = {}
        found = embedder.embed(against)
        for text, embedded in zip(against, found, strict=True):
            if embedded.vector is None:
                raise ValueError(f"no embedding of {text[:60]!r} of the evaluation sets: {embedded.error}")
        self._against.add(_matrix(found))

    def answer(self, questions: list[dict]) -> list[dict]:
        """One answer a question, in order."""
        found = self._embedder.embed([question["text"] for question in questions])
        usable = [(q, e) for q, e in zip(questions, found, strict=True) if e.vector is not None]
        nearest = iter(self._near([q for q, _ in usable], _matrix([e for _, e in usable])) if usable else ())
        return [{"error": e.error} if e.vector is None else next(nearest) for e in found]

    def _near(self, questions: list[dict], vectors: np.ndarray) -> list[dict]:
        cosines, places = self._against.nearest(vectors)
        answers = [
            {"cosine": float(cosine), "nearest": int(place)} if cosine >= self._threshold else {}
            for cosine, place in zip(cosines, places, strict=True)
        ]
        first = questions[0]
        if first["kept"] is None:
            return answers
        rows = self._rows(first["pass"])
        if not rows.back_to(first["row"], first["kept"]):
            return [{"error": "the process was started anew and has forgotten the rows before"}] * len(answers)
        far = [number for number, answer in enumerate(answers) if not answer]
        told = rows.add([questions[number]["row"] for number in far], vectors[far], self._threshold) if far else []
        for number, near in zip(far, told, strict=True):
            answers[number] = near
        return answers

    def _rows(self, name: str) -> "_Rows":
        if name not in self._passes:
            self._passes[name] = _Rows(Index(self._embedder.model.device))
            while len(self._passes) > PASSES:
                del self._passes[next(iter(self._passes))]
        return self._passes[name]


class _Rows:
    """The rows that a pass has kept."""

    def __init__(self, index: Index):
        self._index = index
        self._numbers: list[int] = []

    def back_to(self, row: int, kept: int) -> bool:
        """Forget what a call that is asked again has added; whether `kept` rows before `row` are known then."""
        while self._numbers and self._numbers[-1] >= row:
            self._numbers.pop()
        self._index.cut(len(self._numbers))
        return len(self._numbers) == kept

    def add(self, rows: list[int], vectors: np.ndarray, threshold: float) -> list[dict]:
        """Keep each row that is near to none before it, of this call's too; else say which one it is near to."""
        cosines, places = self._index.nearest(vectors)
        told: list[dict] = []
        new: list[int] = []
        among = vectors @ vectors.T
        for number, (cosine, place) in enumerate(zip(cosines, places, strict=True)):
            near = {"cosine": float(cosine), "row": self._numbers[place]} if cosine >= threshold else {}
            beside = max(new, key=lambda other: among[number, other], default=None)
            if not near and beside is not None and among[number, beside] >= threshold:
                near = {"cosine": float(among[number, beside]), "row": rows[beside]}
            told.append(near)
            if not near:
                new.append(number)
        self._numbers += [rows[number] for number in new]
        if new:
            self._index.add(vectors[new])
        return told


def _matrix(embedded: list[Embedded]) -> np.ndarray:
    """Of texts that all have a vector; a row each."""
    vectors = [one.vector for one in embedded if one.vector is not None]
    assert len(vectors) == len(embedded), "a text without a vector would move the rows of those after it"
    return np.stack(vectors)
