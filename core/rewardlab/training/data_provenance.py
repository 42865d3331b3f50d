"""A note beside the file of a data stage that says how its rows are made, so that other rows are never mixed in."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rewardlab.errors import UserError
from rewardlab.files import read_json, sha256_of, write_json
from rewardlab.plan import Plan
from rewardlab.plan.component import Component
from rewardlab.plan.dataset_places import with_sources
from rewardlab.plan.fingerprint import who
from rewardlab.recipe.validation import RecipePath, lookup
from rewardlab.redaction import redactor


def same_origin(plan: Plan, place: RecipePath, target: Path, note: Path, begun: bool) -> None:
    """Write to `note` what the rows of `target` are made from; raise UserError if it holds rows made differently.

    place: where the recipe describes the dataset. begun: whether `target` holds rows. The error names what differs.
    """
    now = json.loads(json.dumps(redactor().tree(_origin(plan, place))))
    if begun and note.exists():
        if differing := list(_differences(_read_note(note), now)):
            what = f"holds rows that were made otherwise ({note} says how). It differs in {', '.join(differing)}"
            raise UserError(f"{what}; name another file, or move this one away", where=str(target))
    else:
        write_json(note, now)


def _origin(plan: Plan, place: RecipePath) -> dict[str, Any]:
    """Return the dataset as written, the seed, the identity of its judges, and the sha256 of the files its steps name.

    The files of sources that start from nothing are left out, because rows may be added to them.
    """
    steps = list(with_sources(plan.datasets, place))
    names = {name for _, planned in steps for name in planned.judges()}
    raw = plan.document.raw
    return {
        "dataset": lookup(raw, place),
        "seed": plan.recipe.seed,
        "judges": {name: who(lookup(raw, ("judges", name)), plan.judges[name].spec.address) for name in sorted(names)},
        "files": {
            ".".join(map(str, (*at[len(place) - 1 :], "with", *option))): sha256_of(path)
            for at, planned in steps
            if planned.use.source is not None
            for option, path in _files(planned)
        },
    }


def _files(step: Component) -> Iterator[tuple[RecipePath, str]]:
    """Yield (option and index in it, path) for each regular file that the options of a step name."""
    for name, value in step.options:
        if name in step.spec.judges:
            continue
        texts = enumerate(value) if isinstance(value, list | tuple) else [(None, value)]
        for index, text in texts:
            if isinstance(text, str) and os.path.isfile(path := os.path.expanduser(text)):
                yield ((name,) if index is None else (name, index)), path


def _read_note(note: Path) -> Any:
    """Return the content of a note; None if it is not JSON."""
    try:
        return read_json(note)
    except ValueError:
        return None


def _differences(then: Any, now: dict[str, Any]) -> Iterator[str]:
    """Yield, in words, each way in which two notes differ."""
    if not isinstance(then, dict) or set(then) != set(now):
        yield "the form of the note, which is of another version"
        return
    if then["dataset"] != now["dataset"]:
        yield "the dataset"
    if then["seed"] != now["seed"]:
        yield f"the seed ({then['seed']} then)"
    for kind, word in (("judges", "judge {}"), ("files", "the content of the file of {}")):
        named = sorted(then[kind].keys() | now[kind].keys())
        yield from (word.format(name) for name in named if then[kind].get(name) != now[kind].get(name))
