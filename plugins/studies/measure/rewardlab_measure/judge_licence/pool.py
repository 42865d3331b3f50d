"""The pairs of a file of completions that could be labelled, and those that are chosen, as rows."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from rewardlab import Completion, Group
from rewardlab.data import prompt_hash
from rewardlab.errors import UserError
from rewardlab.files import expanded
from rewardlab.plan import Plan
from rewardlab.scoring import rows_one_by_one, sorted_rows
from rewardlab_training import measured_plan
from rewardlab_training.licences import EVERY, JudgeLicence, components_asking, licence_of

from rewardlab_measure.judge_agreement.gold_rows import LANGUAGE, GoldCase, read_cases
from rewardlab_measure.judge_licence.job import value_of
from rewardlab_measure.judge_licence.next_labels import UnlabelledPair, next_labels

Pair = tuple[str, str, str]
"""the hash of a prompt, and two texts in order"""


@dataclass(frozen=True, kw_only=True)
class LabelChoice:
    """A choice of pairs to label next, for a plan in which judges have `require`.

    Args:
        rows: a file of rows with two completions or more.
        say: called with notes.
    """

    plan: Plan
    rows: str
    skip_bad: bool = False
    say: Callable[[str], None] = lambda text: None

    def choose(self, count: int) -> list[dict[str, Any]]:
        """Return at most `count` rows of two completions, to be labelled in this order. A UserError for wrong rows.

        They are for all judges that share a file of labels and `by`, of the first file to which a label would help.
        """
        every = self._judges_by_labels()
        for (labels, by), judges in every.items():
            chosen = self._chosen(count, labels, by, judges)
            if chosen and len(every) > 1:
                self.say(f"for {labels}, where the licence of {' and '.join(judges)} is open; other judges come later")
            if chosen:
                return chosen
        for licence in self._licences(judge for judges in every.values() for judge in judges):
            self.say(f"no label would help now: {licence}")
        return []

    def _chosen(self, count: int, labels: str, by: str | None, judges: Sequence[str]) -> list[dict[str, Any]]:
        licences = self._licences(judges)
        measured = measured_plan(self.plan, list(dict.fromkeys(licence.component for licence in licences)))
        path = expanded(labels)
        cases = read_cases(str(path), measured)[0] if path.is_file() else []
        good, bad = sorted_rows(rows_one_by_one(self.rows, measured))
        bad.refuse(self.rows, len(good), "to choose from", self.skip_bad, self.say)
        known = {pair for case in cases for pair in _labelled_pairs(case)}
        pairs = [(row.group, pair) for row in good if (pair := _pair(row.group, known)) is not None]
        problems = {_problem(case.row.group) for case in cases}
        candidates = {
            _candidate(group, pair, by): (group, pair) for group, pair in pairs if _value(group, by) is not None
        }
        if not candidates:
            without = f" and a field {by}" if by else ""
            raise UserError(f"has no row with two different completions{without} without a label", where=self.rows)
        labelled = Counter(EVERY if by is None else str(value_of(case, by)) for case in cases)
        chosen = next_labels(list(candidates), count, labelled, problems, licences)
        return [_row(*candidates[candidate]) for candidate in chosen]

    def _licences(self, judges: Iterable[str]) -> list[JudgeLicence]:
        return [licence_of(self.plan, judge, name) for judge in judges for name in components_asking(self.plan, judge)]

    def _judges_by_labels(self) -> dict[tuple[str, str | None], list[str]]:
        """Return the judges that have no licence yet, else all with `require`, by their labels and `by`."""
        wanted = [name for name, planned in self.plan.judges.items() if planned.use.require is not None]
        if not wanted:
            raise UserError("no judge of this recipe has `require`", where=self.plan.document.where(("judges",)))
        without = {licence.judge for licence in self._licences(wanted) if licence.state != "licensed"}
        judges: dict[tuple[str, str | None], list[str]] = {}
        for name in [name for name in wanted if name in without] or wanted:
            require = self.plan.judges[name].use.require
            assert require is not None
            judges.setdefault((require.labels, require.by), []).append(name)
        return judges


def _labelled_pairs(case: GoldCase) -> Iterator[Pair]:
    for one, other in combinations(case.row.group.completions, 2):
        yield _key(case.row.group, one, other)


def _key(group: Group, one: Completion, other: Completion) -> Pair:
    first, second = sorted((one.text, other.text))
    return prompt_hash(group.sample.prompt), first, second


def _pair(group: Group, known: set[Pair]) -> tuple[Completion, Completion] | None:
    """Return two completions with different texts and no label, drawn by a hash of their texts; None if none are."""
    pairs = [
        pair
        for pair in combinations(group.completions, 2)
        if pair[0].text != pair[1].text and _key(group, *pair) not in known
    ]
    return min(pairs, key=lambda pair: hashlib.sha256(repr(_key(group, *pair)).encode()).digest(), default=None)


def _candidate(group: Group, pair: tuple[Completion, Completion], by: str | None) -> UnlabelledPair:
    return UnlabelledPair(value=_value(group, by) or "", problem=_problem(group), texts=(pair[0].text, pair[1].text))


def _value(group: Group, by: str | None) -> str | None:
    names = LANGUAGE if by == "language" else () if by is None else (by,)
    given = next((group.sample.fields[name] for name in names if group.sample.fields.get(name) is not None), None)
    return EVERY if by is None else None if given is None else str(given)


def _problem(group: Group) -> str:
    """Return what a group is about, in which labels count together: as `case_clusters` has it."""
    return prompt_hash(group.sample.prompt)


def _row(group: Group, pair: tuple[Completion, Completion]) -> dict[str, Any]:
    return group.sample.as_row() | {"completions": [completion.as_dict() for completion in pair]}
