"""Scores beside their rows, in the forms that other tools read: a row, or a record, for each completion.

scored_rows        the rows of a file, each with its scores
score_table        a flat table: parquet, CSV
completion_table   scored groups as a data frame, of pandas or polars
stored_output      the file or folder of an export in an object store, by fsspec
dataset_folder     a folder for the hub, whose card says how the reward is composed
inspect_log        a log of inspect_ai, whose samples have these scores, too
precomputed        the scores of a log of inspect_ai, for its scorer `precomputed_scores`
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab_records.export.scored_rows import ScoredRows as ScoredRows

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
