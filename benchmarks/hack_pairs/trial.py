"""One half of a pair: probed before training, then trained."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import rewardlab

from hack_pairs.pairs import Pair
from hack_pairs.recipes import probe_rows, recipe


@dataclass(frozen=True)
class Probed:
    """What the probe said. winners: the degenerate completions that win. blamed: the components to blame."""

    winners: Sequence[str]
    blamed: Sequence[str]

    @property
    def named(self) -> bool:
        """Whether the probe says that the reward can be hacked."""
        return bool(self.winners)


def probed(pair: Pair, weak: bool, judges: str) -> Probed:
    """Return what `rewardlab probe` says of the reward."""
    found: Any = rewardlab.probe(recipe(pair, weak, judges), probe_rows(pair), say=lambda text: None)
    tried = found.data["slices"]["all"]["completions"]
    winners = {name: one for name, one in tried.items() if one["wins"] or one["fatal"]}
    blamed = [one["blame"]["component"] if one["blame"] else "" for one in winners.values()]
    return Probed(winners=list(winners), blamed=blamed)
