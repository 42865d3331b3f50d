"""The data of a run: problems of each part, how often each comes, and how many are both trained on and evaluated."""

from collections import Counter
from collections.abc import Iterator

from rewardlab_viewer.read.columns import ScoreColumns
from rewardlab_viewer.read.source import TRAINING

HEAD = ["groups of", "problems", "groups", "groups a problem", "most", "problems that are also evaluated"]


def data_table(columns: ScoreColumns) -> Iterator[list[str]]:
    """Yield a head and a line for each part; groups that were discarded count, too: they were asked of the policy."""
    parts = {
        part: Counter(columns.problem[group] for group in groups) for part, groups in columns.groups_by_part().items()
    }
    evaluated = {problem for part, counts in parts.items() if part.phase != TRAINING for problem in counts}
    if parts:
        yield HEAD
    for part, counts in parts.items():
        both = f"{len(evaluated & counts.keys()):,}" if part.phase == TRAINING and evaluated else "–"
        problems, groups, most = len(counts), counts.total(), max(counts.values())
        yield [str(part), f"{problems:,}", f"{groups:,}", f"{groups / problems:.1f}", f"{most:,}", both]
