"""The nearest of some texts to a text: by the words that they share, rare ones above all."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from rewardlab_rubric.data_steps.lengths import pieces


class NearestTexts:
    """Texts, and which of them are nearest to another one by the cosine of their TF-IDF vectors.

    A text's terms are its words, without case, and the characters of scripts without blanks. A search takes time in
    proportion to how many texts have its words.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        terms = [_terms(text) for text in texts]
        having = Counter(term for counts in terms for term in counts)
        self._rarity = {term: math.log((1 + len(texts)) / (1 + count)) + 1 for term, count in having.items()}
        self._count = len(texts)
        self._weights: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for place, counts in enumerate(terms):
            for term, weight in self._vector(counts).items():
                self._weights[term].append((place, weight))

    def nearest(self, text: str, most: int) -> list[int]:
        """Return the places of up to `most` texts, the nearest first; of equally near ones the earlier first."""
        near = [0.0] * self._count
        for term, weight in self._vector(_terms(text)).items():
            for place, other in self._weights.get(term, ()):
                near[place] += weight * other
        return sorted(range(self._count), key=lambda place: (-round(near[place], 9), place))[:most]

    def _vector(self, counts: Counter[str]) -> dict[str, float]:
        weights = {
            term: (1 + math.log(count)) * self._rarity[term] for term, count in counts.items() if term in self._rarity
        }
        norm = math.sqrt(sum(weight * weight for weight in weights.values()))
        return {term: weight / norm for term, weight in weights.items()}


def _terms(text: str) -> Counter[str]:
    return Counter(piece for piece in pieces(text.casefold()) if any(map(str.isalnum, piece)))
