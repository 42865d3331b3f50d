"""data/jsonl: the rows of a file of JSON lines, a JSON array, CSV or parquet as samples."""

import logging
import os
import random
from collections.abc import Iterator
from itertools import islice

from rewardlab import Sample
from rewardlab.data import BadRows, raw_sample, read_lines
from rewardlab.errors import Problem, UserError

log = logging.getLogger("rewardlab.data")


class JsonlRows:
    """An iterable of raw samples, streaming; each iteration reads the file again.

    Columns keep their names: the host maps them by the recipe's `fields`, then checks prompts and ids.

    Iterating raises UserError: at once if the file does not exist, and at its end if it has no row or has bad lines
    (the first 20 are listed). With `skip_bad` bad lines are left out with a warning. `skip` rows at the beginning are
    left out, and at most `first` of those behind them are read; with `seed` they count in an order that it draws.
    """

    def __init__(
        self, path: str, skip_bad: bool = False, skip: int = 0, first: int | None = None, seed: int | None = None
    ) -> None:
        self.path = os.path.expanduser(path)
        self.skip_bad = skip_bad
        self._skip, self._first, self._seed = skip, first, seed

    def __iter__(self) -> Iterator[Sample]:
        last = None if self._first is None else self._skip + self._first
        if self._seed is None:
            return islice(self._rows(), self._skip, last)
        order = list(range(sum(1 for _ in self._rows())))
        random.Random(f"rows of a file:{self._seed}").shuffle(order)
        wanted = set(order[self._skip : last])
        return (row for number, row in enumerate(self._rows()) if number in wanted)

    def _rows(self) -> Iterator[Sample]:
        bad, good = BadRows(), 0
        for number, row in read_lines(self.path):
            if isinstance(row, Problem):
                bad.add(row)
                continue
            good += 1
            yield raw_sample(row, f"{self.path}:{number}")
        if bad.count and not self.skip_bad:
            raise bad.error(self.path, "correct them, or leave them out with `skip_bad: true`")
        if not good:
            raise UserError("no rows; one at least is needed", where=self.path)
        if bad.count:
            log.warning("%s", bad.error(self.path, "left out, as `skip_bad: true` says"))
