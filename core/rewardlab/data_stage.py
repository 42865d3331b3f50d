"""Stage `data`: write a dataset to a JSONL file, keeping the rows that an earlier attempt wrote.

What judges answered for a data step is kept in TO.state/judges, so that no attempt pays for it again.
"""

import json
import os
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from rewardlab.appending import LineAppender
from rewardlab.datasets import chain, read_dataset
from rewardlab.devices import AUTO
from rewardlab.errors import UserError
from rewardlab.judging import Judges, Keeping, open_judges, require_secrets
from rewardlab.judging.usage import Usage
from rewardlab.locking import FileLock
from rewardlab.loops import LoopThread
from rewardlab.origin import same_origin
from rewardlab.placement import opener
from rewardlab.plan import Plan
from rewardlab.recipe import DataStage
from rewardlab.specs import Context
from rewardlab.types import Sample
from rewardlab.validation import Path as Place
from rewardlab.workers import Workers


def write_dataset(plan: Plan, index: int, say: Callable[[str], None]) -> dict[str, Usage]:
    """Write the dataset of stage `index` to its `to`, row by row, but for the rows (by id) that are there.

    What its judges were asked. A UserError where the file holds rows that were made otherwise.
    """
    stage = plan.recipe.stages[index]
    assert isinstance(stage, DataStage)
    target = Path(stage.to).expanduser()
    target.parent.mkdir(parents=True, exist_ok=True)
    place = ("stages", index, "dataset")
    with _alone(target), _judges(plan, place, target, say) as judges, Workers(seed=plan.recipe.seed) as workers:
        there = _ids(target)
        same_origin(plan, place, target, _state(target) / "origin.json", bool(there))
        rows = step_rows(plan, place, judges, workers)
        count = 0
        with closing(LineAppender(target)) as file, closing(rows):
            for sample in tqdm(rows, desc=str(target), unit="row", disable=None, delay=2):
                judges.check()  # a step may take an error for one more row to drop
                if sample.id not in there:
                    file.write(_line(sample))
                    count += 1
        say(f"wrote {count} rows to {target}" + (f" ({len(there)} were there)" if there else ""))
        for line in judges.summary():
            say(line)
        return judges.usage_since()


def step_rows(plan: Plan, place: Place, judges: Mapping[str, Any], workers: Workers) -> Generator[Sample]:
    """The samples of the dataset at `place`, made by its data steps where it has some; streaming."""
    planned, seed = plan.datasets[place], plan.recipe.seed
    context = Context(seed=seed, judges=judges)
    if planned.use.source is not None:
        source = _Again(plan, (*place, "from"), judges, workers)
        context = replace(context, source=source, workers=opener(workers, plan, planned, AUTO))
    return read_dataset(planned, context)


class _Again:
    """The rows that a step starts from; iterating again starts anew."""

    def __init__(self, plan: Plan, place: Place, judges: Mapping[str, Any], workers: Workers):
        self._rows = (plan, place, judges, workers)

    def __iter__(self) -> Iterator[Sample]:
        return step_rows(*self._rows)


@contextmanager
def _judges(plan: Plan, place: Place, target: Path, say: Callable[[str], None]) -> Iterator[Judges]:
    """The judges that the steps name, with what they answer kept beside the file."""
    named = [name for _, planned in chain(plan.datasets, place) for name in planned.judges()]
    wanted = {name: plan.judges[name] for name in named}
    if not wanted:
        yield Judges({})
        return
    require_secrets(plan, wanted)
    home = LoopThread("rewardlab-judges")
    try:
        keeping = Keeping(folder=_state(target) / "judges", stop_on_form=True, say=say)
        judges = open_judges(wanted, home, Context(seed=plan.recipe.seed), keeping)
        try:
            yield judges
            judges.check()
        finally:
            judges.close()
    finally:
        home.close()


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """No other process writes the file."""
    folder = _state(target)
    folder.mkdir(exist_ok=True)
    try:
        lock = FileLock(folder / "lock")
    except BlockingIOError:
        raise UserError("another process is writing this file", where=str(target)) from None
    try:
        yield
    finally:
        lock.close()


def _state(target: Path) -> Path:
    return target.with_name(target.name + ".state")


def _line(sample: Sample) -> bytes:
    row = {"id": sample.id, "prompt": [dict(message) for message in sample.prompt], **sample.fields}
    # what UTF-8 cannot say, half of a surrogate pair, becomes its JSON escape
    return (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _ids(target: Path) -> set[str]:
    """Ids of the whole lines of `target`; a torn last line, left by a kill, is cut off."""
    if not target.exists():
        return set()
    whole, found = 0, set()
    with target.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            try:
                found.add(json.loads(line)["id"])
            except (ValueError, KeyError, TypeError) as error:
                raise UserError(f"{target}:{number}: no row of a data stage; move this file away") from error
    os.truncate(target, whole)
    return found
