"""Rows of data: read from files, checked, named, spread over groups and held out for evaluation.

In go files and the samples of dataset plugins; out come samples with an id each, and what is wrong with a file, row by
row.

    row_file      the rows of a file, by the reader of its format: `jsonl`, or a plugin's
    jsonl         JSON lines, and what is wrong with those that cannot be read
    plain_values  rows of other libraries as JSON has them
    rows          rows made into samples: columns under our names, checked, with ids
    conversations completions that are messages, with calls of tools and results
    row_needs     what rows must have to be scored

For authors of datasets and data steps are `read_lines` and `BadRows` (a file row by row, and all that is wrong with
it), `raw_sample` (a row before a recipe's `fields` name its columns) and `in_order` (many questions at once, answers
in order). The other names serve the rest of the library.
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.concurrency.gather import in_order as in_order
    from rewardlab.data.conversations import ROLES as ROLES
    from rewardlab.data.conversations import to_conversation as to_conversation
    from rewardlab.data.conversations import without_media as without_media
    from rewardlab.data.jsonl import BLOCK as BLOCK
    from rewardlab.data.jsonl import BOM as BOM
    from rewardlab.data.jsonl import DECODER as DECODER
    from rewardlab.data.jsonl import MAX_BYTES as MAX_BYTES
    from rewardlab.data.jsonl import BadRows as BadRows
    from rewardlab.data.jsonl import bounded_lines as bounded_lines
    from rewardlab.data.jsonl import json_lines as json_lines
    from rewardlab.data.jsonl import json_values as json_values
    from rewardlab.data.jsonl import kind_of as kind_of
    from rewardlab.data.jsonl import measured_lines as measured_lines
    from rewardlab.data.jsonl import parse_row as parse_row
    from rewardlab.data.jsonl import shown_name as shown_name
    from rewardlab.data.jsonl import too_long as too_long
    from rewardlab.data.plain_values import plain_row as plain_row
    from rewardlab.data.row_file import open_packed as open_packed
    from rewardlab.data.row_file import read_lines as read_lines
    from rewardlab.data.row_file import refuse_stream as refuse_stream
    from rewardlab.data.row_needs import RowNeeds as RowNeeds
    from rewardlab.data.rows import Identifier as Identifier
    from rewardlab.data.rows import columns_of as columns_of
    from rewardlab.data.rows import prompt_hash as prompt_hash
    from rewardlab.data.rows import raw_sample as raw_sample
    from rewardlab.data.rows import remap as remap
    from rewardlab.data.rows import sample_id as sample_id
    from rewardlab.data.rows import to_completions as to_completions
    from rewardlab.data.rows import to_group as to_group
    from rewardlab.data.rows import to_id as to_id
    from rewardlab.data.rows import to_messages as to_messages
    from rewardlab.data.rows import to_sample as to_sample

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
