"""The process behind embed/diverse: it keeps the vectors of a pass's rows by group, and chooses rows of each group.

The settings are those of embedding_worker.py and {"counts": [numbers of clusters], "least", "selection": fields of
Selection, "seed"}. There are two questions. {"text", "pass": its name, "row": its number from 0 on, "group": a name}
adds a row; the answer is {}, or {"error"}. {"pass", "group", "rows": how many rows the group has, "choose": how many of
them} is asked once all rows are there, and again as long as the answer is {"pending": true}, which comes every few
seconds; then it is {"chosen": [places in the group, from 0 on], "silhouette", "clusters": [[size, chosen], ...]}.
"""

import time
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np

from rewardlab_embed.clusters import Clusters, best_clusters
from rewardlab_embed.relevance import Selection, choose
from rewardlab_embed.shares import share_out

if TYPE_CHECKING:
    from rewardlab_embed.embedding_worker import Embedder

SLICE = 5.0
"""seconds of work on a choice before the host hears that it is pending"""
PASSES = 2
"""passes whose rows are remembered"""
LOST = {"error": "the process was restarted and has lost the earlier rows"}


def build(settings: dict, context: dict) -> "DiverseRowChooser":
    """Load the model and return the object that answers the host's questions."""
    from rewardlab_embed.embedding_worker import Embedder  # torch, which the choice itself does without

    return DiverseRowChooser(Embedder(settings, context["device"]), settings)


class DiverseRowChooser:
    """A chooser of rows that are typical of their topic and unlike each other; it answers the host's questions."""

    def __init__(self, embedder: "Embedder", settings: dict[str, Any]) -> None:
        self._embedder = embedder
        self._settings = settings
        self._passes: dict[str, _Pass] = {}

    def answer(self, questions: list[dict]) -> list[dict]:
        """Return one answer for each question, in order."""
        added = [question for question in questions if "text" in question]
        embeddings = iter(self._embedder.embed([question["text"] for question in added]))
        answers = []
        for question in questions:
            rows = self._rows(question["pass"])
            if "text" not in question:
                answers.append(rows.choose(question, self._settings))
                continue
            embedding = next(embeddings)
            if embedding.vector is None:
                answers.append({"error": embedding.error})
            else:
                answers.append(rows.add(question, embedding.vector))
        return answers

    def _rows(self, name: str) -> "_Pass":
        if name not in self._passes:
            self._passes[name] = _Pass()
            while len(self._passes) > PASSES:
                del self._passes[next(iter(self._passes))]
        return self._passes[name]


class _Pass:
    """The rows of one pass over the source, and the choice that is under way."""

    def __init__(self) -> None:
        self._count = 0
        self._groups: dict[str, list[np.ndarray]] = {}
        self._under_way: dict[str, Generator[None, None, dict]] = {}

    def add(self, question: dict, vector: np.ndarray) -> dict:
        """Add a row; one of a call that is repeated is there already."""
        row, name = question["row"], question["group"]
        if row > self._count:
            return LOST
        if row == self._count:
            self._groups.setdefault(name, []).append(vector)
            self._count += 1
        return {}

    def choose(self, question: dict, settings: dict[str, Any]) -> dict:
        """Work on a group's choice for a while and return it, or that it is pending."""
        name = question["group"]
        if name not in self._under_way:
            if len(self._groups.get(name, ())) != question["rows"]:
                return LOST
            vectors = np.stack(self._groups[name])
            self._groups[name].clear()
            self._under_way[name] = choice(vectors, question["choose"], settings)
        end = time.monotonic() + SLICE
        try:
            next(self._under_way[name])
            while time.monotonic() < end:
                next(self._under_way[name])
        except StopIteration as finished:
            return finished.value or LOST  # None: it was given before, and its rows are gone
        return {"pending": True}


def choice(vectors: np.ndarray, wanted: int, settings: dict[str, Any]) -> Generator[None, None, dict]:
    """Return the answer about a group with these vectors; yield between pieces of the work."""
    if wanted >= len(vectors):
        return {"chosen": list(range(len(vectors))), "silhouette": None, "clusters": [[len(vectors), len(vectors)]]}
    clustering = yield from best_clusters(vectors, settings["counts"], settings["seed"])
    how = Selection(**settings["selection"])
    chosen: list[int] = []
    clusters = []
    for number, share in enumerate(cluster_shares(clustering, wanted, settings)):
        members = np.flatnonzero(clustering.labels == number)
        places = yield from choose(vectors[members], share, how, settings["seed"])
        chosen += members[places].tolist()
        clusters.append([len(members), share])
    return {"chosen": sorted(chosen), "silhouette": clustering.silhouette, "clusters": clusters}


def cluster_shares(clusters: Clusters, wanted: int, settings: dict[str, Any]) -> list[int]:
    """Return how many rows each cluster gives: by its size, and at least `least` if it has them."""
    sizes = np.bincount(clusters.labels, minlength=len(clusters.centroids)).tolist()
    return share_out(wanted, sizes, sizes, settings["least"])
