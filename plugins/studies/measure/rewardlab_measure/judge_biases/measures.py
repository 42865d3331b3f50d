"""The biases of a judge: what each rewrite changes, with intervals that hold together and corrected p-values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean
from typing import Any, NamedTuple

from rewardlab_measure.judge_agreement.slices import JudgedCase
from rewardlab_measure.judge_biases.language_test import language_test, smallest_language_p
from rewardlab_measure.judge_biases.rewrites import CONTROL
from rewardlab_measure.judge_biases.rewritten_rows import ORIGINAL
from rewardlab_measure.tables.averages import clustered_average
from rewardlab_measure.tables.comparisons import LEVEL, holm
from rewardlab_measure.tables.sign_test import sign_test, smallest_p

BIASES = ("position", "length", "self_preference", "formatting", "authority", "sycophancy")
LANGUAGE = "language "
"""what the name of a language's bias begins with"""
TOO_FEW = "too few rows"
"""verdict on a bias of which no change whatever could have been named"""


class Change(NamedTuple):
    """What a rewrite changed in one row: a part of the component's range, from -1 to 1; None if a value is missing.

    instead: of a language's change, what it had been with the value of each other language of the problem.
    """

    value: float | None
    cluster: int
    language: str | None = None
    instead: Sequence[float] = ()


@dataclass(frozen=True, kw_only=True)
class Bias:
    """A measured bias of a judge.

    Args:
        change: the mean change of the value, as a part of the component's range.
        low, high: its interval, which holds together with those of the other biases in 95%; None of one problem.
        rows, missing: with both values, and without.
        problems: rows that count as one.
        p: two-sided, corrected by Holm's method for all biases of the component.
        floor: the smallest that so few problems could have given it.
    """

    name: str
    change: float
    low: float | None
    high: float | None
    rows: int
    missing: int
    problems: int
    p: float
    floor: float
    by_language: Mapping[str, Mapping[str, Any]]

    @property
    def verdict(self) -> str:
        """Whether the judge has it: biased, none seen, or too few rows to see any."""
        if self.p < LEVEL:
            return "biased"
        return TOO_FEW if self.floor >= LEVEL else "none seen"

    def beyond(self, tolerance: float) -> bool:
        """Return whether the whole interval lies beyond a tolerance, on either side."""
        return self.low is not None and self.high is not None and (self.low > tolerance or self.high < -tolerance)


def changes_of(judged: Sequence[JudgedCase], span: float) -> dict[str, list[Change]]:
    """Return {bias: changes} of judged cases, see `rewritten_cases`. span: the width of the component's range.

    A rewrite's change is the value of the answer less that of the original, beside the same other answer; that of
    self_preference, less that of an answer with another signature. That of position is the mean of a row's calls, 1
    where the first answer won, else -1: how much more often an answer wins if it stands first. That of a language: see
    `_languages`.
    """
    rows: dict[tuple[str, int | str, str | None], dict[str, JudgedCase]] = {}
    for j in judged:  # ids may come again in another language
        row = (j.case.row.group.sample.source, j.case.row.given_id, j.case.language)
        rows.setdefault(row, {})[str(j.case.kind)] = j
    changes: dict[str, list[Change]] = {name: [] for name in BIASES}
    for kinds in rows.values():
        original = kinds[ORIGINAL]
        for name, rewritten in kinds.items():
            if name in (ORIGINAL, CONTROL):
                continue
            before = kinds.get(CONTROL, original) if name == "self_preference" else original
            changes[name].append(Change(_difference(rewritten, before, span), original.cluster, original.case.language))
        won = [
            1.0 if original.calls.verdicts[call] == "A" else -1.0 for pair in original.calls.decided() for call in pair
        ]
        if won:
            changes["position"].append(Change(fmean(won), original.cluster, original.case.language))
    originals = [kinds[ORIGINAL] for kinds in rows.values()]
    return changes | _languages(originals, span)


def biases(changes: Mapping[str, Sequence[Change]]) -> list[Bias]:
    """Return the biases of one component, in the order of the names, without those that no row tells about."""
    known = {name: [change for change in given if change.value is not None] for name, given in changes.items()}
    known = {name: given for name, given in known.items() if given}
    level = 1 - LEVEL / max(1, len(known))
    tests = {name: _test(given) for name, given in known.items()}
    corrected = dict(zip(tests, holm([p for p, _ in tests.values()]), strict=True))
    made = []
    for name, given in known.items():
        values, clusters = [float(change.value or 0.0) for change in given], [change.cluster for change in given]
        average = clustered_average(values, clusters, "difference", level)
        assert average is not None
        made.append(
            Bias(
                name=name,
                change=average.mean,
                low=average.low,
                high=average.high,
                rows=len(given),
                missing=len(changes[name]) - len(given),
                problems=average.clusters or 0,
                p=corrected[name],
                floor=min(1.0, tests[name][1] * len(known)),
                by_language=_by_language(given),
            )
        )
    return _languages_together(made)


def same_verdicts(judged: Sequence[JudgedCase]) -> dict[str, Any] | None:
    """Return of how many problems in several languages all have the same verdict: {"problems", "same", "interval"}.

    Of a component that compares, all name the same better answer; of one that does not, all have the same value.
    None if no problem has two languages.
    """
    by_problem: dict[int, dict[str, set[float]]] = {}
    for j in judged:
        value = j.scores[0].value
        if j.case.kind != ORIGINAL or j.case.language is None or value is None:
            continue
        other = j.scores[1].value if len(j.scores) > 1 else None
        said = value if other is None else float((value > other) - (value < other))
        by_problem.setdefault(j.cluster, {}).setdefault(j.case.language, set()).add(said)
    same = [
        float(len({frozenset(said) for said in languages.values()}) == 1)
        for languages in by_problem.values()
        if len(languages) > 1
    ]
    average = clustered_average(same, range(len(same)), "share")
    if average is None:
        return None
    return {"problems": len(same), "same": average.mean, "interval": average.interval}


def _difference(rewritten: JudgedCase, before: JudgedCase, span: float) -> float | None:
    after, first = rewritten.scores[0].value, before.scores[0].value
    return None if after is None or first is None else (after - first) / span


def _languages(originals: Sequence[JudgedCase], span: float) -> dict[str, list[Change]]:
    """Return the changes by language: in each problem its value there less the mean of the other languages'.

    Of a component that compares it is the value of the better answer, by gold. Of two languages the first alone: the
    other's are the same with the other sign.
    """
    values: dict[int, dict[str, list[float]]] = {}
    for j in originals:
        value = _value_of_better(j)
        if j.case.language is not None and value is not None:
            values.setdefault(j.cluster, {}).setdefault(j.case.language, []).append(value / span)
    means = {
        cluster: {language: fmean(given) for language, given in sorted(of.items())} for cluster, of in values.items()
    }
    languages = sorted({language for of in means.values() if len(of) > 1 for language in of})
    return {
        f"{LANGUAGE}{language}": [
            language_change(of, language, cluster) for cluster, of in means.items() if language in of and len(of) > 1
        ]
        for language in (languages[:1] if len(languages) == 2 else languages)
    }


def language_change(values: Mapping[str, float], language: str, cluster: int) -> Change:
    """Return the change of one language in a problem with these values by language."""
    less_others = {
        name: value - fmean(own for other, own in values.items() if other != name) for name, value in values.items()
    }
    instead = [change for name, change in less_others.items() if name != language]
    return Change(less_others[language], cluster, instead=instead)


def _languages_together(measured: Sequence[Bias]) -> list[Bias]:
    """Return the biases, with intervals of languages that are no narrower than those of all of them on average.

    A language in which nothing has failed yet varies next to nothing, and says little about how seldom it fails.
    """
    halves = [
        (bias.high - bias.low) ** 2 / 4 * bias.rows
        for bias in measured
        if bias.name.startswith(LANGUAGE) and bias.low is not None and bias.high is not None
    ]
    return [
        _no_narrower(bias, fmean(halves)) if halves and bias.name.startswith(LANGUAGE) else bias for bias in measured
    ]


def _no_narrower(bias: Bias, square: float) -> Bias:
    """Return a bias whose interval is at least as wide as the square of half of that of one row says."""
    if bias.low is None or bias.high is None:
        return bias
    half = sqrt(square / bias.rows)
    low, high = min(bias.low, bias.change - half), max(bias.high, bias.change + half)
    return replace(bias, low=max(-1.0, low), high=min(1.0, high))


def _value_of_better(j: JudgedCase) -> float | None:
    if len(j.scores) == 1:
        return j.scores[0].value
    gold = j.case.gold
    return None if gold[0] == gold[1] else j.scores[0 if gold[0] > gold[1] else 1].value


def _test(changes: Sequence[Change]) -> tuple[float, float]:
    """Return the p-value, if each problem's change is as likely to have the other sign, and the smallest possible.

    Of one language of three or more: if each order of a problem's values over its languages is as likely.
    """
    if any(len(change.instead) > 1 for change in changes):
        orders = [(float(change.value or 0.0), *change.instead) for change in changes]
        return language_test(orders), smallest_language_p(orders)
    by_cluster: dict[int, float] = {}
    for change in changes:
        by_cluster[change.cluster] = by_cluster.get(change.cluster, 0.0) + float(change.value or 0.0)
    return sign_test(list(by_cluster.values())), smallest_p(len(by_cluster))


def _by_language(changes: Sequence[Change]) -> dict[str, Any]:
    languages = sorted({change.language for change in changes if change.language is not None})
    made = {}
    for language in languages if len(languages) > 1 else ():
        given = [change for change in changes if change.language == language]
        values = [float(change.value or 0.0) for change in given]
        average = clustered_average(values, [change.cluster for change in given], "difference")
        assert average is not None
        made[language] = {"rows": len(given), "change": average.mean, "interval": average.interval}
    return made
