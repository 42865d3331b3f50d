"""Rows of data: read from files, checked, named, spread over groups and held out for evaluation.

In go files and the samples of dataset plugins; out come samples with an id each, and what is wrong with a file, row by
row.

    row_file      the rows of a file, whatever its format
    jsonl         JSON lines, and what is wrong with those that cannot be read
    json_array    a JSON array of rows, item by item
    csv_rows      CSV: rows of texts
    parquet       parquet, by pyarrow
    parquet_sizes  what a parquet file unpacks to, from its footer
    plain_values  rows of other libraries as JSON has them
    lm_eval_samples  what lm-evaluation-harness logged, as rows
    inspect_log   what inspect_ai logged, as rows
    inspect_file  the file of such a log, sample by sample
    log_form      how logs become rows: the answer's column, and fields that file names say
    rows          rows made into samples: columns under our names, checked, with ids
    column_names  which columns are probably which fields, by name and by values
    prompt_findings  prompts that hold their answer, or come again
    row_needs     what rows must have to be scored
    row_schema    the JSON Schema of a row to score
    datasets      the datasets of a recipe, and which samples are held out
    ledger_lines  the lines of a run's ledger: one file, or shards that are joined
    shuffle       a random order by the seed and each sample's id
    stratified    samples taken evenly over the values of some fields
    dropped_rows  rows that a data step leaves out: counted, reported, and too many of them stop the job

For authors of datasets and data steps are `read_lines` and `BadRows` (a file row by row, and all that is wrong with
it), `raw_sample` (a row before a recipe's `fields` name its columns), `in_order` (many questions at once, answers
in order), `DroppedRow` and `DroppedRows`. The other names serve the rest of the library.
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.concurrency import in_order
    from rewardlab.data.datasets import is_held_out, read_dataset
    from rewardlab.data.dropped_rows import DroppedRow, DroppedRows
    from rewardlab.data.jsonl import BadRows, kind_of
    from rewardlab.data.row_file import read_lines, refuse_stream
    from rewardlab.data.row_needs import RowNeeds
    from rewardlab.data.row_schema import ROW_SCHEMA
    from rewardlab.data.rows import (
        Identifier,
        prompt_hash,
        raw_sample,
        remap,
        sample_id,
        to_completions,
        to_group,
        to_sample,
    )
    from rewardlab.data.shuffle import shuffled
    from rewardlab.data.stratified import spread
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "rewardlab.concurrency": ["in_order"],
            "datasets": ["is_held_out", "read_dataset"],
            "dropped_rows": ["DroppedRow", "DroppedRows"],
            "jsonl": ["BadRows", "kind_of"],
            "row_file": ["read_lines", "refuse_stream"],
            "row_needs": ["RowNeeds"],
            "row_schema": ["ROW_SCHEMA"],
            "rows": [
                "Identifier",
                "prompt_hash",
                "raw_sample",
                "remap",
                "sample_id",
                "to_completions",
                "to_group",
                "to_sample",
            ],
            "shuffle": ["shuffled"],
            "stratified": ["spread"],
        },
    )

__all__ = [
    "ROW_SCHEMA",
    "BadRows",
    "DroppedRow",
    "DroppedRows",
    "Identifier",
    "RowNeeds",
    "in_order",
    "is_held_out",
    "kind_of",
    "prompt_hash",
    "raw_sample",
    "read_dataset",
    "read_lines",
    "refuse_stream",
    "remap",
    "sample_id",
    "shuffled",
    "spread",
    "to_completions",
    "to_group",
    "to_sample",
]
