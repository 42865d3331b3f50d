"""data/jsonl: the rows of a JSON lines file as samples."""

import logging
import os
from collections.abc import Iterator

from rewardlab import Sample
from rewardlab.errors import Problem, UserError
from rewardlab.lines import BadRows, read_lines
from rewardlab.rows import raw_sample

log = logging.getLogger("rewardlab.data")


class JsonlRows:
    """An iterable of raw samples, streaming; each iteration reads the file anew.

    Columns keep their names: the host maps them by the recipe's `fields`, then checks prompts and ids.

    Raises UserError while it is read: at once if there is no such file, at the end of the file if it has no
    row, or has lines that are none (the first 20 are listed); `skip_bad` leaves these out with a warning.
    """

    def __init__(self, path: str, skip_bad: bool = False):
        self.path = os.path.expanduser(path)
        self.skip_bad = skip_bad

    def __iter__(self) -> Iterator[Sample]:
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
            raise UserError("no rows; one JSON object a line is needed", where=self.path)
        if bad.count:
            log.warning("%s", bad.error(self.path, "left out, as `skip_bad: true` says"))
