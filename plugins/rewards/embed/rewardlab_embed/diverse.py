"""The data step embed/diverse: rows that are typical of the topics of a dataset, and unlike each other."""

import logging
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice, product
from typing import Any

from rewardlab import Context, Sample
from rewardlab.data import in_order
from rewardlab.errors import JobError, UserError

from rewardlab_embed.evaluation_rows import text_of
from rewardlab_embed.model import open_model
from rewardlab_embed.options import DiverseOptions
from rewardlab_embed.shares import share_out

log = logging.getLogger("rewardlab.embed")

CHUNK = 512
"""rows that are embedded at once"""
STRATEGIES: Mapping[str, Mapping[str, Any]] = {
    "paper": {
        "counts": list(range(3, 11)),
        "least": 10,
        "weight": 0.5,
        "relevant_to": "centroid",
        "candidates": None,
    },
    "official_code": {
        "counts": [3, 4, 5, 7, 10],
        "least": 1,
        "weight": 0.7,
        "relevant_to": "chosen",
        "candidates": 20_000,
    },
}


class DiverseRows:
    """An iterable of some of the source's samples, unchanged and in their order.

    The whole source is read before the first row is given; its samples and their vectors are in memory until then.
    The rows, the options and the seed determine which rows are chosen; each iteration chooses again. At its end a line
    of the log counts rows and clusters. Iterating raises UserError for a row without a text or a number that a quota
    needs, and JobError for one without an embedding.
    """

    def __init__(self, options: DiverseOptions, context: Context) -> None:
        self._options, self._source = options, context.source
        self._worker = open_model(options, context, "diverse_worker.py", **worker_settings(options, context.seed))

    def __iter__(self) -> Iterator[Sample]:
        chosen = self._chosen()
        while chosen:
            yield chosen.pop()

    def _chosen(self) -> list[Sample]:
        """Return the chosen samples, the last first, so that each can be forgotten once it is given."""
        name = uuid.uuid4().hex  # names this pass: the worker may serve two
        groups: dict[str, list[tuple[int, Sample]]] = {}
        read, questions = 0, self._questions(name, groups)
        with closing(in_order(_chunks(questions), self._ask, at_once=1)) as outcomes:
            for answers in outcomes:
                read += len(answers)
        kept = [row for group, wanted in self._shares(groups).items() for row in self._of(name, group, groups, wanted)]
        log.warning("embed/diverse: %d of %d rows chosen", len(kept), read)  # what is milder, no command shows
        kept.sort(key=lambda row: row[0], reverse=True)
        return [sample for _, sample in kept]

    def _questions(self, name: str, groups: dict[str, list[tuple[int, Sample]]]) -> Iterator[dict[str, Any]]:
        left_out: list[Sample] = []
        number = 0
        for sample in self._source:
            group = self._group(sample)
            if group is None:
                left_out.append(sample)
                continue
            groups.setdefault(group, []).append((number, sample))
            yield {"text": self._text(sample), "pass": name, "row": number, "group": group}
            number += 1
        if left_out:
            first = left_out[0].source or left_out[0].id
            log.warning("embed/diverse: %d rows left out, whose values have no quota: first %s", len(left_out), first)

    async def _ask(self, questions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        answers: list[dict[str, Any]] = await self._worker.ask(questions)
        for question, answer in zip(questions, answers, strict=True):
            if "error" in answer:
                where = f"row {question['row'] + 1}" if "row" in question else f"its {question['rows']} rows"
                raise JobError(f"embed/diverse: {where}: {answer['error']}")
        return answers

    def _shares(self, groups: Mapping[str, list[Any]]) -> dict[str, int]:
        """Return how many rows each group gives, in the order of the quotas."""
        weights = {name: weight for name, weight in self._weights().items() if name in groups}
        sizes = [len(groups[name]) for name in weights]
        shares = share_out(self._options.rows, list(weights.values()), sizes)
        return dict(zip(weights, shares, strict=True))

    def _weights(self) -> dict[str, float]:
        weights = {"": 1.0}
        for quota in self._options.quotas.values():
            pairs = product(weights.items(), quota.items())
            weights = {_joined(name, value): weight * share for (name, weight), (value, share) in pairs}
        return weights

    def _of(
        self, name: str, group: str, groups: Mapping[str, list[tuple[int, Sample]]], wanted: int
    ) -> list[tuple[int, Sample]]:
        """Return the rows that a group gives, with their numbers."""
        members = groups[group]
        if not wanted:
            return []
        question = {"pass": name, "group": group, "rows": len(members), "choose": wanted}
        while True:
            with closing(in_order([[question]], self._ask, at_once=1)) as outcomes:
                ((answer,),) = outcomes
            if "chosen" in answer:
                break
        shown = ", ".join(f"{chosen} of {size}" for size, chosen in answer["clusters"])
        log.info("embed/diverse: %d of %d rows%s, by cluster: %s", wanted, len(members), _of_group(group), shown)
        return [members[place] for place in answer["chosen"]]

    def _group(self, sample: Sample) -> str | None:
        """Return the name of the sample's group; None if a value of it has no quota."""
        name = ""
        for field, quota in self._options.quotas.items():
            value = _value(sample, field)
            if value not in quota:
                return None
            name = _joined(name, value)
        return name

    def _text(self, sample: Sample) -> str:
        text = text_of(sample, self._options.field)
        if text is None:
            problem = f"neither a text in field {self._options.field!r} nor a user message"
            raise UserError(problem, where=sample.source or sample.id)
        return text


def worker_settings(options: DiverseOptions, seed: int) -> dict[str, Any]:
    """Return the settings of the worker: those of the strategy, with what the options say in place of it."""
    named = STRATEGIES[options.strategy]
    own = {key: getattr(options, key) for key in ("counts", "least", "weight") if getattr(options, key) is not None}
    both = {**named, **own}
    selection = {key: both[key] for key in ("weight", "relevant_to", "candidates")}
    return {
        "counts": list(both["counts"]),
        "least": both["least"],
        "selection": {"nearest": options.nearest, "nearest_of": options.nearest_of, **selection},
        "seed": seed % 2**32,  # what scikit-learn takes
    }


def _chunks(questions: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while taken := list(islice(questions, CHUNK)):
        yield taken


def _joined(name: str, value: str) -> str:
    return f"{name}\x1f{value}" if name else value


def _of_group(group: str) -> str:
    return f" of {group.replace(chr(31), ', ')!r}" if group else ""


def _value(sample: Sample, field: str) -> str:
    """Return a value as quotas name it: 3 and 3.0 are "3"."""
    value = sample.fields.get(field)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        problem = f"field {field!r}, by which `quotas` go, is not a text or number"
        raise UserError(problem, where=sample.source or sample.id)
    return str(value)
