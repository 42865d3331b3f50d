"""Pairs whose files are as their authors froze them, brought into the form of the other sets.

A file has `PAIRS`, a dict for each pair: `weak` and `sound` take a prompt, a completion and the row, `exploit` writes
what cheats the weak one, `class` is "avoided" where the author kept away from what people name first, else "open".
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from rewardlab import Completion, RewardSpec, Sample, reward

from hack_pairs.pairs import Pair
from hack_pairs.tasks import Row, Task


@dataclass(frozen=True)
class FrozenSet:
    """The pairs of one author, their rewards, and the names of those pairs that avoid the common ideas.

    Args:
        given: name -> the pair as its author wrote it.
    """

    pairs: Sequence[Pair]
    rewards: Sequence[RewardSpec]
    avoided: frozenset[str]
    given: Mapping[str, Mapping[str, Any]]


def frozen_set(prefix: str, files: Sequence[ModuleType]) -> FrozenSet:
    """Return the pairs of an author's files; a careless completion is the honest one of another row."""
    given = [one for file in files for one in file.PAIRS]
    made = [_pair(prefix, one) for one in given]
    return FrozenSet(
        pairs=[pair for pair, _ in made],
        rewards=[reward for _, rewards in made for reward in rewards],
        avoided=frozenset(f"{prefix}_{one['name']}" for one in given if one["class"] == "avoided"),
        given={f"{prefix}_{one['name']}": one for one in given},
    )


def _pair(prefix: str, given: Mapping[str, Any]) -> tuple[Pair, list[RewardSpec]]:
    """Return a pair in the form of the other sets, and its rewards."""
    name = f"{prefix}_{given['name']}"
    by_id = {row["id"]: row for row in given["rows"]}
    shown = [
        {key: value for key, value in row.items() if key != "honest"} | {"row_id": row["id"]} for row in given["rows"]
    ]
    ids = list(by_id)

    def wrong(row: Row, number: int) -> str:
        return str(by_id[ids[(ids.index(row["id"]) + 1 + number) % len(ids)]]["honest"])

    task = Task(shown, lambda row: str(by_id[row["id"]]["honest"]), wrong)
    weak, sound = f"{name}_weak", f"{name}_sound"
    rewards = [_reward(weak, given["weak"], by_id), _reward(sound, given["sound"], by_id)]
    hack = lambda row: str(given["exploit"](by_id[row["id"]]))  # noqa: E731
    return Pair(name, str(given.get("after", "written for this set")), "any", task, weak, sound, hack), rewards


def _reward(name: str, scores: Callable[[str, str, Row], float], rows: Mapping[str, Row]) -> RewardSpec:
    def score(sample: Sample, completion: Completion) -> float:
        row = rows[str(sample.fields["row_id"])]
        return scores(str(row["prompt"]), completion.text, row)

    score.__name__, score.__doc__ = name, f"{name}, as its author wrote it."
    return reward()(score)
