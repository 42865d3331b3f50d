"""The rows with gold that are not independent of each other: what they share, by which they count as one."""

from collections.abc import Hashable, Sequence

from rewardlab.data import prompt_hash

from rewardlab_measure.judge_agreement.gold_rows import GoldCase
from rewardlab_measure.tables.clusters import NO_CLUSTERS, cluster_key, clusters_of
from rewardlab_measure.tables.prompts import TASK_FIELDS


def case_clusters(cases: Sequence[GoldCase], field: str | None = None) -> list[int]:
    """Return the cluster of each case.

    Cases of a task with the same `problem` are one, as in tables; those without it if they share an id, as translations
    do, or a prompt, as pairs out of one list do.

    Args:
        field: another field that says it; NO_CLUSTERS for each by itself.

    A UserError if a row lacks the field.
    """
    return clusters_of(_keys(case, field) for case in cases)


def _keys(case: GoldCase, field: str | None) -> list[Hashable]:
    sample = case.row.group.sample
    task = next((str(sample.fields[name]) for name in TASK_FIELDS if sample.fields.get(name) is not None), "")
    key = cluster_key(field, task, sample.fields, sample.source)
    if key is not None or field == NO_CLUSTERS:
        return [key] if key else []
    has_text = any(message["content"] for message in sample.prompt)
    return [("problem", case.problem), *([("prompt", prompt_hash(sample.prompt))] if has_text else [])]
