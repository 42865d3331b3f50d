"""Shards of what asks judges and scores nothing to keep: an evaluation of a served policy, and data steps.

What such a shard pays for are answers, which are kept beside what it writes. The whole is then run once more with the
answers of all shards, and asks nothing that a shard has asked.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rewardlab.errors import JobError, Problem, UserError
from rewardlab.files import read_json, write_json
from rewardlab.judging import Share
from rewardlab.scoring import OpenScorer

from rewardlab_shards.ray_hosts import OpenPool
from rewardlab_shards.shard_files import shares_there

NOTE = "shard.json"


@dataclass(frozen=True, kw_only=True)
class Spread:
    """The part of a run that this process does, and where the answers are that others got for it.

    Args:
        shard: whose rows are asked about; None: all.
        answers: folders of judges' answers, which are copied before anything is asked, each time anew.
        command: {"name", "options"} that asks about all rows, for the merge.
        on: the address at which hosts do what follows, as --on gives it.
        open_scorer: opens what scores an evaluation of a served policy, if not `Scorer`; `asked` names the policy.
        open_pool: starts hosts that ask the judges of a data stage, if its process does not itself.
    """

    shard: Share | None = None
    answers: Sequence[Path] = ()
    command: Mapping[str, Any] = field(default_factory=dict)
    on: str | None = None
    open_scorer: OpenScorer | None = None
    open_pool: OpenPool | None = None

    @property
    def share(self) -> Share:
        """The part of the judges' limits and budget."""
        return self.shard or Share()

    def gather(self, folder: Path) -> None:
        """Copy the answers into a job's folder of answers, each file whole: a merge before may have been killed."""
        for source in self.answers:
            folder.mkdir(parents=True, exist_ok=True)
            for file in sorted(source.glob("*.answers.jsonl")):
                shutil.copyfile(file, scratch := folder / f".{file.name}.copied")
                scratch.rename(folder / file.name)

    def refuse_changes(self, made_of: Mapping[str, Any]) -> None:
        """Raise a UserError if the shards whose answers these are were made of something else than the whole is."""
        for folder in (source.parent for source in self.answers):
            note = read_note(folder)
            if note is not None and (differing := _differing(note, made_of)):
                problem = f"was made with another {differing} than the whole would be now; put that back"
                raise UserError(f"{problem}, or make the shards again", where=str(folder))

    def write_note(self, folder: Path, made_of: Mapping[str, Any], done: bool) -> None:
        """Write beside a shard what it is made of, and whether it is finished; nothing if this is no shard."""
        if self.shard is not None:
            begun = read_note(folder)  # a run that goes on is not told its recipe
            command = self.command if begun is None else begun["command"]
            note = {"shard": str(self.shard), "made_of": made_of, "command": command, "done": done}
            write_json(folder / NOTE, note)


def read_note(folder: Path) -> dict[str, Any] | None:
    """Return the note in a folder; None if there is none. JobError if it is damaged."""
    try:
        note = read_json(folder / NOTE)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise JobError(f"{folder / NOTE} cannot be read: {error}") from error
    if not isinstance(note, dict) or {"shard", "made_of", "command", "done"} - note.keys():
        raise JobError(f"{folder / NOTE} is damaged; run the shard again")
    return note


def run_shards(output: Path) -> tuple[Mapping[str, Any], list[Path]] | None:
    """Return the command of the whole, and the folders of the shards' answers; None if they are shards of scores.

    A UserError names what is missing or unfinished, or was made otherwise than the first shard.
    """
    paths = [share.path(output) for share in shares_there(output)]
    folders = [path if path.is_dir() else path.with_name(f"{path.name}.state") for path in paths]
    notes = [read_note(folder) for folder in folders]
    if not any(notes):
        return None
    problems = [
        Problem(where=str(path), what=problem)
        for path, note in zip(paths, notes, strict=True)
        if (problem := _problem(note, next(filter(None, notes))))
    ]
    if problems:
        raise UserError(problems)
    assert notes[0] is not None
    return notes[0]["command"], [folder / "judges" for folder in folders]


def _problem(note: Mapping[str, Any] | None, first: Mapping[str, Any]) -> str:
    if note is None:
        return f"has no {NOTE}; run the shard again"
    if differing := _differing(note, first["made_of"]):
        return f"was made with another {differing} than shard {first['shard']}"
    return "" if note["done"] else f"shard {note['shard']} is not finished; go on with it"


def _differing(note: Mapping[str, Any], made_of: Mapping[str, Any]) -> str:
    return ", ".join(key for key in made_of if note["made_of"].get(key) != made_of[key])
