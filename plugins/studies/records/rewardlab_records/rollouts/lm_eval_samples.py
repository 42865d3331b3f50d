"""The samples that lm-evaluation-harness logs (`--log_samples`), as rows to score.

One line of its samples_TASK_TIME.jsonl is a document under one filter: `doc`, `target`, `arguments` (what was asked),
`resps` (what the model wrote, each repeat) and `filtered_resps` (what the filter made of it).
Source: lm_eval/evaluator.py and lm_eval/loggers/evaluation_tracker.py, versions 0.4.x.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from rewardlab.data import read_lines
from rewardlab.errors import Problem, UserError, nearest

from rewardlab_records.rollouts.columns import own_columns
from rewardlab_records.rollouts.formats import PlacedRow, RolloutFormat

NEEDED = ("doc_id", "doc", "arguments", "resps")
_TIME = re.compile(r"_\d{4}-\d\d-\d\dT[\d.-]+$")


def lm_eval_rows(
    path: str,
    gold: str | None = None,
    read: Literal["resps", "filtered_resps"] = "resps",
    chosen: str | None = None,
) -> Iterator[PlacedRow]:
    """Yield a row, or what is wrong with it, for each document of a file of samples.

    A row has `prompt`, `completions` (one for each repeat), `answer`, `problem` (the document's number, the same in
    every language of a task that translates its documents) and the document's columns.

    Args:
        gold: the column with the right answer, None for the task's target.
        read: what a completion is, the model's whole text or what a filter left of it.
        chosen: the filter whose lines count, None for the first in the file.

    Raises UserError for one that the file lacks.
    """
    prefix = _TIME.sub("", Path(path).name.removesuffix(".jsonl"))
    filters, any_chosen = set[str](), False
    for number, sample in read_lines(path, nan_is_null=True):
        place = f"{path}:{number}"
        if isinstance(sample, Problem):
            yield place, sample
            continue
        own = str(sample.get("filter", "none"))
        filters.add(own)
        chosen = own if chosen is None else chosen
        if own != chosen:
            continue
        any_chosen = True
        try:
            yield place, {**_row(sample, gold, read), "id": f"{prefix}/{sample['doc_id']}"}
        except ValueError as error:
            yield place, Problem(where=place, what=str(error))
    if filters and not any_chosen:
        raise UserError(f"no lines of the filter {chosen!r}{nearest(str(chosen), sorted(filters))}", where=path)


def _row(sample: Mapping[str, Any], gold: str | None, read: str) -> dict[str, Any]:
    for name in (*NEEDED, read):
        if name not in sample:
            if "completions" in sample:
                raise ValueError("is a row with completions, which `score` and the others read as it is")
            raise ValueError(f"is not a sample of lm-evaluation-harness: no {name!r}{nearest(name, sample)}")
    doc = sample["doc"]
    if not isinstance(doc, dict):
        raise ValueError(f"the document is not an object, but {doc!r}")
    if gold is not None and doc.get(gold) is None:
        raise ValueError(f"the document has no {gold!r}{nearest(gold, doc)}")
    return {
        **own_columns(doc, "doc_"),
        "problem": str(sample["doc_id"]),
        "prompt": _prompt(sample),
        "completions": _completions(sample, read),
        "answer": sample.get("target") if gold is None else doc[gold],
    }


def _prompt(sample: Mapping[str, Any]) -> Any:
    """Return what was asked: a text, or the messages if the server applied the chat template."""
    context, second = _first_request(sample["arguments"])
    if not isinstance(second, dict):
        raise ValueError(
            "its task compares likelihoods of given texts, so that the model wrote none; log a task that generates"
        )
    if isinstance(context, list) and len(context) == 1:
        context = context[0]
    if isinstance(context, str) and context.startswith('[{"role"'):
        try:
            return json.loads(context)
        except ValueError:
            pass
    if not isinstance(context, str):
        raise ValueError(f"the question is not a text, but {str(context)[:80]}")
    return context


def _first_request(arguments: Any) -> tuple[Any, Any]:
    if isinstance(arguments, dict):  # as the tracker writes them
        arguments = [[*argument.values()] for argument in arguments.values() if isinstance(argument, dict)]
    try:
        context, second, *_ = arguments[0]
    except (LookupError, TypeError, ValueError):
        raise ValueError(f"`arguments` should hold a request, not {str(arguments)[:80]}") from None
    return context, second


def _completions(sample: Mapping[str, Any], read: str) -> list[str]:
    texts = sample[read]
    if read == "resps":
        texts = texts[0] if isinstance(texts, list) and len(texts) == 1 else texts
    if isinstance(texts, str):
        texts = [texts]
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"`{read}` should hold texts, not {str(texts)[:80]}")
    return texts


FORMAT = RolloutFormat(recognizes=lambda path, first: {*NEEDED} <= first.keys(), rows=lm_eval_rows)
