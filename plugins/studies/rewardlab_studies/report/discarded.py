"""The report's part about completions that were made to be trained on, and were not."""

from collections.abc import Iterator, Mapping
from typing import Any

from rewardlab_studies.ledger.superseded_steps import CurrentSteps, is_discarded


class DiscardedCounts:
    """The counts of a ledger's lines of training, without those that are not `current`."""

    def __init__(self, current: CurrentSteps) -> None:
        self._current = current
        self._training = 0
        self._discarded = 0

    def add(self, line: Mapping[str, Any]) -> None:
        """Take one line of the ledger into account."""
        if line.get("phase") == "training" and line in self._current:
            self._training += 1
            self._discarded += is_discarded(line)

    def sentences(self) -> Iterator[str]:
        """Yield what to say of them; nothing if all were trained on."""
        if self._discarded:
            share = self._discarded / self._training
            yield (
                f"{self._discarded:,} of {self._training:,} completions ({share:.1%}) were made to be trained on and "
                "were not: a group sampler, dynamic filtering or `zero_variance_groups` refused them, "
                "or their step failed."
            )
