"""Which pairs to label next: those whose labels move a licence's decision most.

A licence is decided value by value of `by`, and a label says something of its own value alone. So labels go where a
bound is open: if one looks broken, to the one that so few labels would prove broken, since that decides all; else to
the open values in proportion to what each still needs. Within a value pairs are drawn by a hash of their texts, which
knows nothing of judges and gold, so that measures stay those of the rows; a problem without a label comes first, since
labels of one problem count together.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rewardlab_training.licences import FIRST_LABELS, MAX_LABELS, JudgeLicence


@dataclass(frozen=True, kw_only=True)
class UnlabelledPair:
    """A pair that could be labelled: its value of `by`, what it is about, and both texts."""

    value: str
    problem: str
    texts: tuple[str, str]

    @property
    def hash(self) -> bytes:
        """Decides the order of candidates."""
        return hashlib.sha256("\0".join([self.problem, *self.texts]).encode("utf-8", "surrogatepass")).digest()


def still_needed(
    values: Sequence[str], labelled: Mapping[str, int], licences: Sequence[JudgeLicence]
) -> dict[str, int]:
    """Return how many labels each value still needs, of those that a decision waits for; none if all is decided.

    Args:
        values: of `by`, of all pairs that could be labelled.
        labelled: labels by value.
        licences: of one judge, by each component that asks it.
    """
    bounds = [bound for licence in licences for bound in licence.bounds]
    if any(bound.state == "broken" for bound in bounds):
        return {}
    known = {bound.of for bound in bounds}
    needed = {value: max(0, FIRST_LABELS - labelled.get(value, 0)) for value in values if value not in known}
    wrong: dict[str, int] = {}
    for bound in bounds:
        if bound.state != "undecided" or bound.of not in values:
            continue
        more = MAX_LABELS if bound.more is None else bound.more
        needed[bound.of] = max(needed.get(bound.of, 0), more)
        if bound.looks_broken:
            wrong[bound.of] = min(wrong.get(bound.of, more), more)
    soonest = min(wrong, key=lambda value: (wrong[value], value), default=None)
    if soonest is not None and wrong[soonest] < sum(needed.values()):
        return {soonest: wrong[soonest]}
    return {value: count for value, count in needed.items() if count}


def needed_by_judges(
    values: Sequence[str], labelled: Mapping[str, int], licences: Sequence[JudgeLicence]
) -> dict[str, int]:
    """Return how many labels each value still needs, as `still_needed`, of several judges: as many as any of them."""
    needed: dict[str, int] = {}
    for judge in dict.fromkeys(licence.judge for licence in licences):
        of_judge = [licence for licence in licences if licence.judge == judge]
        for value, count in still_needed(values, labelled, of_judge).items():
            needed[value] = max(needed.get(value, 0), count)
    return needed


def next_labels(
    candidates: Sequence[UnlabelledPair],
    count: int,
    labelled: Mapping[str, int],
    problems: set[str],
    licences: Sequence[JudgeLicence],
) -> list[UnlabelledPair]:
    """Return at most `count` pairs to label next; fewer if MAX_LABELS are there, or the decision waits for none.

    Args:
        labelled: labels by value of `by`.
        problems: those with a label.
        licences: of judges that these labels are for.
    """
    by_value: dict[str, list[UnlabelledPair]] = {}
    for candidate in sorted(candidates, key=lambda one: (one.problem in problems, one.hash)):
        by_value.setdefault(candidate.value, []).append(candidate)
    needed = needed_by_judges(sorted(by_value), labelled, licences)
    left = min(count, MAX_LABELS - sum(labelled.values()))
    chosen: list[UnlabelledPair] = []
    seen = set[str]()
    while left > len(chosen) and (open_values := [value for value in needed if needed[value] > 0 and by_value[value]]):
        value = max(open_values, key=lambda name: (needed[name], name))
        pairs = by_value[value]
        at = next((at for at, pair in enumerate(pairs) if pair.problem not in seen), 0)
        chosen.append(pairs.pop(at))
        seen.add(chosen[-1].problem)
        needed[value] -= 1
    return chosen
