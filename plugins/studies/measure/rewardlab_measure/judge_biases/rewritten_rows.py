"""The rows that show a bias: an answer of each row as it is, and in each rewrite, beside the same other answer."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewardlab import Completion
from rewardlab.scoring import InputRow

from rewardlab_measure.judge_agreement.case_clusters import case_clusters
from rewardlab_measure.judge_agreement.gold_rows import GoldCase
from rewardlab_measure.judge_biases.rewrites import rewrites

ORIGINAL = "original"
"""the kind of a case whose answer is as its row has it"""


def first_of_each_language(cases: Sequence[GoldCase], most: int | None) -> list[GoldCase]:
    """Return the first `most` cases of each language, in their order; all for None."""
    seen: dict[str | None, int] = {}
    kept = []
    for case in cases:
        seen[case.language] = seen.get(case.language, 0) + 1
        if most is None or seen[case.language] <= most:
            kept.append(case)
    return kept


def rewritten_cases(
    cases: Sequence[GoldCase], model: str | None, compares: bool, cluster: str | None = None
) -> list[GoldCase]:
    """Return the cases to judge: of each row the original, then each rewrite that changes it. `kind` says which.

    A row's answer that is rewritten, and the one beside it, follow from what the row is about, so that translations
    have the same ones; places follow from the row's id. Both say nothing about gold. A ValueError has the place of a
    row in which there is nothing to compare.

    Args:
        model: the judge's own name, None if it has none.
        compares: whether the component compares answers, and so needs a second one, which stays as it is.
        cluster: see `case_clusters`.
    """
    clusters = case_clusters(cases, cluster)
    return [
        made
        for case, at in zip(cases, clusters, strict=True)
        for made in _of_case(case, str(cases[at].problem), model, compares)
    ]


def _of_case(case: GoldCase, problem: str, model: str | None, compares: bool) -> Iterator[GoldCase]:
    by_index = dict(zip(case.order, case.row.group.completions, strict=True))
    drawn = sorted(by_index, key=lambda index: _digest(f"{problem}:{index}"))
    first = drawn[0]
    other = next((index for index in drawn if by_index[index].text != by_index[first].text), None)
    if compares and other is None:
        raise ValueError(f"{case.row.group.sample.source}: it has no two different answers to compare")
    chosen = [first, other] if compares and other is not None else [first]
    pair = [by_index[index] for index in chosen]
    original = replace(case, gold=tuple(case.gold[index] for index in chosen), dimensions=(), is_pair=False)
    yield _shown(original, ORIGINAL, pair)
    for name, rewrite in rewrites(model, case.language).items():
        text = rewrite(pair[0].text)
        if text != pair[0].text and pair[0].text.strip():
            yield _shown(original, name, [pair[0].with_text(text), *pair[1:]])


def _shown(case: GoldCase, kind: str, answers: Sequence[Completion]) -> GoldCase:
    order = list(range(len(answers)))
    if _digest(str(case.row.given_id))[0] % 2:
        order.reverse()
    group = replace(case.row.group, completions=tuple(answers[index] for index in order))
    return replace(case, kind=kind, order=order, row=InputRow(given_id=case.row.given_id, group=group))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
