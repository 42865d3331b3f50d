"""Forty pairs by somebody who had seen neither the probe nor the pairs before: the files are as they were frozen.

Each is a dict: `weak` and `sound` take a prompt, a completion and the row, `exploit` writes what cheats the weak one.
`class` is "avoided" where the author kept away from what people name first, else "open". Here they get the form of the
other sets; a careless completion is the honest one of another row.
"""

from collections.abc import Callable, Mapping
from typing import Any

from rewardlab import Completion, RewardSpec, Sample, reward

from hack_pairs.pairs import Pair
from hack_pairs.sixth import coding, games, maths, short_answers, structured, text
from hack_pairs.tasks import Row, Task

FILES = (coding, games, maths, short_answers, structured, text)
AVOIDED: set[str] = set()
"""pairs whose author kept away from common ideas"""


def _reward(name: str, scores: Callable[[str, str, Row], float], rows: Mapping[str, Row]) -> RewardSpec:
    def score(sample: Sample, completion: Completion) -> float:
        row = rows[str(sample.fields["row_id"])]
        return scores(str(row["prompt"]), completion.text, row)

    score.__name__, score.__doc__ = name, f"{name}, as its author wrote it."
    return reward()(score)


def _pair(given: Mapping[str, Any]) -> tuple[Pair, list[RewardSpec]]:
    """Return a pair in the form of the other sets, and its rewards."""
    name = f"sixth_{given['name']}"
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
    if given["class"] == "avoided":
        AVOIDED.add(name)
    hack = lambda row: str(given["exploit"](by_id[row["id"]]))  # noqa: E731
    return Pair(name, str(given.get("after", "written for this set")), "any", task, weak, sound, hack), rewards


_MADE = [_pair(given) for file in FILES for given in file.PAIRS]
PAIRS = [pair for pair, _ in _MADE]
REWARDS = [reward for _, rewards in _MADE for reward in rewards]
