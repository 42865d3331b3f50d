"""Rollouts of other tools as rows to score: each file is a format, which the host finds by an entry point.

In goes what a trainer or an evaluation wrote. Out come rows, or what is wrong with a record.

    formats             which format a file or a folder has: its reader is found by looking at it, or by name
    stored_files        files in object stores, fetched by fsspec
    verl_dump           what verl dumps of each step
    trl_completions     the completions that TRL logs
    verifiers_episodes  the episodes of verifiers
    nemo_gym            what NeMo-Gym collects
    openrlhf_outputs    what OpenRLHF's batch inference writes
    lm_eval_samples     what lm-evaluation-harness logged
    score_table         what `rewardlab export` wrote
    inspect_log         what inspect_ai logged
    inspect_file        the file of such a log, sample by sample
    records             formats with a record for each completion: its members become groups
    group_store         members that lie apart, brought together on the disk
    forms               forms of records, checked, and the text of a message
    columns             logged columns beside a row's own, and fields that file names say
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab_records.rollouts.formats import RolloutFormat as RolloutFormat
    from rewardlab_records.rollouts.formats import rollout_rows as rollout_rows

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
