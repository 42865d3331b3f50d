"""The `data` stage: it writes a dataset to a JSONL file and keeps the rows that an earlier attempt wrote.

The answers of judges to a data step are kept in TO.state/judges, so that no attempt pays for them again. Hosts of a
cluster may have asked for them before (`data_on_hosts`).
"""

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from rewardlab import Sample
from rewardlab.errors import UserError
from rewardlab.files import (
    FileLock,
    LineAppender,
    cut_torn_line,
    expanded,
    parse_json,
    read_json,
    sha256_of,
    write_json,
)
from rewardlab.judging import JudgingSettings, Usage
from rewardlab.plan import Component, Plan, who
from rewardlab.recipe import DataStage, RecipePath, lookup
from rewardlab.text import Progress, counted, redactor
from rewardlab.workers import Workers
from rewardlab_shards.run_shards import Spread

from rewardlab_training.data_on_hosts import HostedQuestions
from rewardlab_training.data_rows import step_rows
from rewardlab_training.dataset_checks import with_sources
from rewardlab_training.opened_judges import judges_of, opened_judges
from rewardlab_training.run_directory import WHOLE_RUN, versions_of


def write_dataset(
    plan: Plan,
    index: int,
    say: Callable[[str], None],
    stop: threading.Event | None = None,
    spread: Spread = WHOLE_RUN,
) -> dict[str, Usage]:
    """Write the dataset of stage `index` to the file in its `to`, row by row; return the usage of its judges.

    Rows whose id is in the file already are not written again. Of a shard it is a file of its own, made of the source
    rows of this part. Raises UserError if the file holds rows that were made
    differently or another process is writing it, and KeyboardInterrupt once `stop` is set.
    """
    stage = plan.recipe.stages[index]
    assert isinstance(stage, DataStage)
    target = expanded(stage.to) if spread.shard is None else spread.shard.path(expanded(stage.to))
    target.parent.mkdir(parents=True, exist_ok=True)
    place = ("stages", index, "dataset")
    folder = _state_folder(target)
    with ExitStack() as stack:
        stack.enter_context(_locked(target))
        spread.gather(folder / "judges")
        there = _written_ids(target)
        same_origin(plan, place, target, folder / "origin.json", bool(there))
        made_of = {**read_json(folder / "origin.json"), "plugins": versions_of(plan)}
        spread.refuse_changes(made_of)
        spread.write_note(folder, made_of, done=False)
        judging = JudgingSettings(
            folder=folder / "judges", stop_on_unparsable=True, stop_on_refusals=True, say=say, share=spread.share
        )
        hosted = HostedQuestions(target, folder, made_of)
        usage = {} if spread.open_pool is None else hosted.ask(plan, place, spread.open_pool, judging, stop)
        judges, _ = stack.enter_context(opened_judges(plan, judges_of(plan, place), judging))
        workers = stack.enter_context(Workers(seed=plan.recipe.seed))
        rows = step_rows(plan, place, judges, workers, spread.share)
        count = 0
        with closing(LineAppender(target)) as file, closing(rows), Progress(str(target)) as progress:
            for sample in rows:
                judges.check()  # a step may take an error for one more row to drop
                if stop is not None and stop.is_set():
                    raise KeyboardInterrupt
                if sample.id not in there:
                    file.write(_line(sample))
                    count += 1
                progress.update()
        judges.check()
        hosted.forget()
        spread.write_note(folder, made_of, done=True)
        say(f"wrote {counted(count, 'row')} to {target}" + (f" ({len(there)} were there)" if there else ""))
        for line in judges.summary():
            say(line)
        for name, here in judges.attempt_usage().items():
            usage.setdefault(name, Usage()).add(here)
        return usage


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    """Lock `target`, so that no other process writes it; raise UserError if one does."""
    folder = _state_folder(target)
    folder.mkdir(exist_ok=True)
    try:
        lock = FileLock(folder / "lock")
    except BlockingIOError:
        raise UserError("another process is writing this file", where=str(target)) from None
    try:
        yield
    finally:
        lock.close()


def _state_folder(target: Path) -> Path:
    """Return the folder beside `target` with its lock, its note of origin, and the answers of judges."""
    return target.with_name(target.name + ".state")


def _line(sample: Sample) -> bytes:
    # half of a surrogate pair cannot be encoded as UTF-8 and becomes its JSON escape
    return (json.dumps(sample.as_row(), ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _written_ids(target: Path) -> set[str]:
    """Return the ids of the rows in `target`, after cutting off a torn last line that a kill left."""
    if not target.exists():
        return set()
    cut_torn_line(target)
    ids = set()
    with target.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                ids.add(parse_json(line)["id"])
            except (ValueError, KeyError, TypeError) as error:
                raise UserError(f"{target}:{number}: not a row of a data stage; move this file away") from error
    return ids


def same_origin(plan: Plan, place: RecipePath, target: Path, note: Path, begun: bool) -> None:
    """Write to `note` what the rows of `target` are made from; raise UserError if it holds rows made differently.

    Args:
        place: where the recipe describes the dataset.
        begun: whether `target` holds rows. The error names what differs.
    """
    now = json.loads(json.dumps(redactor().tree(_origin(plan, place))))
    if begun and note.exists():
        if differing := list(_differences(_read_note(note), now)):
            problem = (
                f"holds rows that were made in another way ({note} says how). It differs in {', '.join(differing)}"
            )
            raise UserError(f"{problem}; name another file, or move this one away", where=str(target))
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
