"""What decides the rows that a data stage writes, noted beside its file: rows of another making do not join them."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rewardlab.datasets import chain
from rewardlab.decisive import who
from rewardlab.errors import UserError
from rewardlab.plan import Plan
from rewardlab.planned import Planned
from rewardlab.redaction import redactor
from rewardlab.validation import Path as Place
from rewardlab.validation import lookup


def same_origin(plan: Plan, place: Place, target: Path, note: Path, begun: bool) -> None:
    """Notes in `note` what `target`, with the dataset at `place`, is made from.

    begun: whether rows are there. A UserError that names what differs where they were made otherwise.
    """
    now = json.loads(json.dumps(redactor().tree(_origin(plan, place))))
    if begun and note.exists():
        if differing := list(_differing(_noted(note), now)):
            what = f"holds rows that were made otherwise ({note} says how). It differs in {', '.join(differing)}"
            raise UserError(f"{what}; name another file, or move this one away", where=str(target))
    else:
        note.write_text(json.dumps(now, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _origin(plan: Plan, place: Place) -> dict[str, Any]:
    """The dataset as written, the seed, who its judges are, and the sha256 of the files that its steps name.

    The file of the source, where the chain ends, is not among them: rows may be added to it.
    """
    steps = list(chain(plan.datasets, place))
    names = {name for _, planned in steps for name in planned.judges()}
    raw = plan.document.raw
    return {
        "dataset": lookup(raw, place),
        "seed": plan.recipe.seed,
        "judges": {name: who(lookup(raw, ("judges", name)), plan.judges[name].spec.address) for name in sorted(names)},
        "files": {
            ".".join(map(str, (*at[len(place) - 1 :], "with", *option))): _sha256(path)
            for at, planned in steps
            if planned.spec.step
            for option, path in _files(planned)
        },
    }


def _files(step: Planned) -> Iterator[tuple[Place, str]]:
    """(option and index in it, path) of the regular files that the options of a step name."""
    for name, value in step.options:
        if name in step.spec.judges:
            continue
        texts = enumerate(value) if isinstance(value, list | tuple) else [(None, value)]
        for index, text in texts:
            if isinstance(text, str) and os.path.isfile(path := os.path.expanduser(text)):
                yield ((name,) if index is None else (name, index)), path


def _sha256(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _noted(note: Path) -> Any:
    try:
        return json.loads(note.read_text(encoding="utf-8"))
    except ValueError:
        return None


def _differing(then: Any, now: dict[str, Any]) -> Iterator[str]:
    """What differs, in words."""
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
