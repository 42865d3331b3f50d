"""The components' scores of groups in the files of shards, for commands whose result needs the groups of all shards.

A shard of `judge` or `probe` scores its groups and keeps what each component gave. The command itself then runs once
over all of them, with the address shards:OUT.jsonl, and scores nothing.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rewardlab import Group, Score
from rewardlab.errors import UserError
from rewardlab.files import parse_json
from rewardlab.judging import JudgingSettings, Usage
from rewardlab.plan import Plan
from rewardlab.scorefile import lacks_part, origin, to_line
from rewardlab.scoring import Machine, OpenScorer, Scorer

from rewardlab_shards.elsewhere import ScorerElsewhere, Scores
from rewardlab_shards.shard_files import ShardFile, other_versions, whole_output


def group_key(group: Group) -> str:
    """Return the hash of all that a component reads of a group, by which its scores are looked up."""
    sample = group.sample
    content = [sample.id, list(sample.prompt), sample.fields, [c.as_dict() for c in group.completions]]
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=repr).encode()).hexdigest()


def score_line(group: Group, scores: Scores) -> bytes:
    """Return the line that keeps the scores of a group."""
    components = {
        name: {"value": [s.value for s in column], "error": [s.error for s in column], "info": [s.info for s in column]}
        for name, column in scores.items()
    }
    return to_line({"id": group.sample.id, "key": group_key(group), "components": components})


def read_scores(line: bytes) -> tuple[str, Scores] | None:
    """Return (key, scores) of a line of `score_line`; None if it is none."""
    try:
        row = parse_json(line)
        scores = {
            name: [
                Score(value=value, error=error, info=info)
                for value, error, info in zip(column["value"], column["error"], column["info"], strict=True)
            ]
            for name, column in row["components"].items()
        }
        return str(row["key"]), scores
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def is_complete(scores: Scores) -> bool:
    """Return whether no component failed; a shard that goes on asks again for one that did."""
    return not any(lacks_part(score.error, score.info) for column in scores.values() for score in column)


class KeptScores:
    """The scores in the files of all shards, a `ScoreSource`."""

    hosts = 1

    def __init__(self, output: Path, plan: Plan) -> None:
        """Read where they are. A UserError names the shard that is missing, unfinished, or of another recipe."""
        self._output = output
        self._places: dict[str, tuple[Path, int, int]] = {}
        with whole_output(output) as shards:
            now = origin(plan, {})
            for shard in shards:
                if "own_rows" not in shard.state:
                    raise UserError("is a shard of `score`; `rewardlab merge` joins those", where=str(shard.path))
                if now["recipe"] != shard.state["recipe"] or now["components"] != shard.state["components"]:
                    raise UserError("was made by another recipe", where=str(shard.path))
                if now["plugins"] != shard.state["plugins"]:
                    problem = f"was made by other versions ({other_versions(now['plugins'], shard.state['plugins'])})"
                    raise UserError(f"{problem} than are here; merge with those", where=str(shard.path))
                self._read(shard)

    def _read(self, shard: ShardFile) -> None:
        count, start = 0, 0
        for line in _lines(shard.path):
            if (kept := read_scores(line)) is None:
                break
            self._places[kept[0]] = (shard.path, start, len(line))
            start += len(line)
            count += 1
        if count != shard.state["own_rows"]:
            problem = f"shard {shard.share} is not finished; run its command again with --resume"
            raise UserError(problem, where=str(shard.path))

    async def scores(self, group: Group) -> Scores:
        """Return the scores of a group. UserError if no shard had it."""
        place = self._places.get(group_key(group))
        if place is None:
            problem = f"no shard has scored {group.sample.place()}: rows or options have changed since"
            raise UserError(problem, where=str(self._output))
        path, start, size = place
        with open(path, "rb") as file:
            file.seek(start)
            kept = read_scores(file.read(size))
        assert kept is not None
        return kept[1]

    def usage(self) -> Mapping[str, Usage]:
        """Return nothing: no judge is asked."""
        return {}

    def close(self) -> None:
        """Do nothing: no file is open."""


def open_shards(address: str) -> OpenScorer:
    """Return what opens a scorer over the shards at an address such as shards:OUT.jsonl."""
    output = Path(address.partition(":")[2])

    def opened(
        plan: Plan, _machine: Machine | None = None, judging: JudgingSettings | None = None, asked: Sequence[str] = ()
    ) -> Scorer:
        (judging or JudgingSettings()).say(f"takes the scores of the shards of {output}; nothing is scored")
        return ScorerElsewhere(plan, KeptScores(output, plan), asked, judging)

    return opened


def _lines(path: Path) -> Iterator[bytes]:
    with open(path, "rb") as file:
        yield from file


def all_keys(groups: Sequence[Group]) -> str:
    """Return the hash of the keys of all groups, by which shards know that they have the same rows."""
    return hashlib.sha256("".join(map(group_key, groups)).encode()).hexdigest()
