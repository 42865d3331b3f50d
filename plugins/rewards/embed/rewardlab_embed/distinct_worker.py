"""The process behind embed/distinct: an index of the evaluation sets' texts, and of the rows kept so far.

The settings are those of embedding_worker.py and {"against": [texts], "threshold"}. All questions of a call belong to
one pass: {"text", "pass": its name, "row": its number, "kept": rows kept before the call, or null if rows are not
compared with each other}. The answer for a row that is too near is {"cosine", "nearest": index in "against"} or
{"cosine", "row": number of the earlier row}; for any other row {}; for one without an embedding {"error"}. The rows
that a pass has kept are in memory.

With {"languages": [a number for each text of "against", from 0 on]} no row is compared with another, the threshold does
nothing, and each answer is {"cosines": [the highest of each language], "nearest": [index in "against" of each]}.
"""

import numpy as np
import torch

from rewardlab_embed.embedding_worker import Embedder, Embedding

BLOCK = 8192
"""vectors of an index that a matrix product takes at once"""
PASSES = 2
"""passes whose rows are remembered"""
ROUNDING = 1e-6
"""the error of a cosine in float32: that of a text with itself is at least 1 less this"""


def build(settings: dict, context: dict) -> "NearRowFinder | NearestOfLanguages":
    """Load the model, embed the evaluation sets and return the object that answers the host's questions."""
    if "languages" in settings:
        return NearestOfLanguages(Embedder(settings, context["device"]), settings["against"], settings["languages"])
    return NearRowFinder(Embedder(settings, context["device"]), settings["against"], settings["threshold"])


class VectorIndex:
    """An index of unit vectors that finds the nearest of them."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._blocks: list[torch.Tensor] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, vectors: np.ndarray) -> None:
        """Add vectors (n, dimension), float32, each of length 1."""
        for vector in torch.from_numpy(vectors).to(self._device):
            place = self._count % BLOCK
            if place == 0:
                self._blocks.append(torch.empty(BLOCK, len(vector), device=self._device))
            self._blocks[-1][place] = vector
            self._count += 1

    def truncate(self, count: int) -> None:
        """Forget all vectors but the first `count`."""
        self._count = min(self._count, count)
        del self._blocks[-(-self._count // BLOCK) :]

    def nearest(self, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the highest cosine of each vector with the index (n,), and the index of the nearest vector (n,).

        Args:
            vectors: (n, dimension), float32, each of length 1. With an empty index the results are -inf and -1.
        """
        best, nearest = np.full(len(vectors), -np.inf, np.float32), np.full(len(vectors), -1)
        queries = torch.from_numpy(vectors).to(self._device)
        for number, block in enumerate(self._blocks):
            filled = min(BLOCK, self._count - number * BLOCK)
            highest, column = (queries @ block[:filled].T).max(dim=1)
            cosine, place = highest.cpu().numpy(), column.cpu().numpy() + number * BLOCK
            better = cosine > best
            best[better], nearest[better] = cosine[better], place[better]
        return best, nearest


class NearRowFinder:
    """A finder of rows that are too near to the evaluation sets or to earlier rows; it answers the host's questions."""

    def __init__(self, embedder: Embedder, against: list[str], threshold: float) -> None:
        self._embedder, self._threshold = embedder, threshold - ROUNDING
        self._against = VectorIndex(embedder.model.device)
        self._passes: dict[str, _KeptRows] = {}
        self._against.add(_evaluation_vectors(embedder, against))

    def answer(self, questions: list[dict]) -> list[dict]:
        """Return one answer for each question, in order."""
        embeddings = self._embedder.embed([question["text"] for question in questions])
        usable = [(q, e) for q, e in zip(questions, embeddings, strict=True) if e.vector is not None]
        answers = iter(self._answer([q for q, _ in usable], _matrix([e for _, e in usable])) if usable else ())
        return [{"error": e.error} if e.vector is None else next(answers) for e in embeddings]

    def _answer(self, questions: list[dict], vectors: np.ndarray) -> list[dict]:
        cosines, places = self._against.nearest(vectors)
        answers = [
            {"cosine": float(cosine), "nearest": int(place)} if cosine >= self._threshold else {}
            for cosine, place in zip(cosines, places, strict=True)
        ]
        first = questions[0]
        if first["kept"] is None:
            return answers
        rows = self._rows(first["pass"])
        if not rows.go_back_to(first["row"], first["kept"]):
            return [{"error": "the process was restarted and has lost the earlier rows"}] * len(answers)
        far = [number for number, answer in enumerate(answers) if not answer]
        added = rows.add([questions[number]["row"] for number in far], vectors[far], self._threshold) if far else []
        for number, answer in zip(far, added, strict=True):
            answers[number] = answer
        return answers

    def _rows(self, name: str) -> "_KeptRows":
        if name not in self._passes:
            self._passes[name] = _KeptRows(VectorIndex(self._embedder.model.device))
            while len(self._passes) > PASSES:
                del self._passes[next(iter(self._passes))]
        return self._passes[name]


class _KeptRows:
    """The rows that a pass has kept."""

    def __init__(self, index: VectorIndex) -> None:
        self._index = index
        self._numbers: list[int] = []

    def go_back_to(self, row: int, kept: int) -> bool:
        """Forget the rows from `row` on, which a repeated call adds again; return whether `kept` rows are left."""
        while self._numbers and self._numbers[-1] >= row:
            self._numbers.pop()
        self._index.truncate(len(self._numbers))
        return len(self._numbers) == kept

    def add(self, rows: list[int], vectors: np.ndarray, threshold: float) -> list[dict]:
        """Keep each row that is near to no earlier one, of this call or before it, and return the answer for each."""
        cosines, places = self._index.nearest(vectors)
        answers: list[dict] = []
        new: list[int] = []
        among = vectors @ vectors.T
        for number, (cosine, place) in enumerate(zip(cosines, places, strict=True)):
            near = {"cosine": float(cosine), "row": self._numbers[place]} if cosine >= threshold else {}
            nearest = max(new, key=lambda other: among[number, other], default=None)
            if not near and nearest is not None and among[number, nearest] >= threshold:
                near = {"cosine": float(among[number, nearest]), "row": rows[nearest]}
            answers.append(near)
            if not near:
                new.append(number)
        self._numbers += [rows[number] for number in new]
        if new:
            self._index.add(vectors[new])
        return answers


class NearestOfLanguages:
    """An index for each language of the evaluation sets; it answers the host's questions with the nearest of each."""

    def __init__(self, embedder: Embedder, against: list[str], languages: list[int]) -> None:
        self._embedder = embedder
        vectors, numbers = _evaluation_vectors(embedder, against), np.array(languages)
        self._places = [np.flatnonzero(numbers == language) for language in range(numbers.max() + 1)]
        self._indexes = [VectorIndex(embedder.model.device) for _ in self._places]
        for index, places in zip(self._indexes, self._places, strict=True):
            index.add(vectors[places])

    def answer(self, questions: list[dict]) -> list[dict]:
        """Return one answer for each question, in order."""
        embeddings = self._embedder.embed([question["text"] for question in questions])
        usable = [embedding for embedding in embeddings if embedding.vector is not None]
        answers = iter(self._answer(_matrix(usable)) if usable else ())
        return [{"error": e.error} if e.vector is None else next(answers) for e in embeddings]

    def _answer(self, vectors: np.ndarray) -> list[dict]:
        cosines, nearest = [], []
        for index, places in zip(self._indexes, self._places, strict=True):
            highest, place = index.nearest(vectors)
            cosines.append(highest.tolist())
            nearest.append(places[place].tolist())
        pairs = zip(zip(*cosines, strict=True), zip(*nearest, strict=True), strict=True)
        return [{"cosines": list(each), "nearest": list(where)} for each, where in pairs]


def _evaluation_vectors(embedder: Embedder, against: list[str]) -> np.ndarray:
    """Return the vectors of the evaluation sets' texts, as rows. Raises ValueError for a text without one."""
    embeddings = embedder.embed(against)
    for text, embedding in zip(against, embeddings, strict=True):
        if embedding.vector is None:
            raise ValueError(f"no embedding of {text[:60]!r} of the evaluation sets: {embedding.error}")
    return _matrix(embeddings)


def _matrix(embeddings: list[Embedding]) -> np.ndarray:
    """Return the vectors of texts that all have one, as rows."""
    vectors = [embedding.vector for embedding in embeddings if embedding.vector is not None]
    assert len(vectors) == len(embeddings), "a text without a vector would shift the rows after it"
    return np.stack(vectors)
