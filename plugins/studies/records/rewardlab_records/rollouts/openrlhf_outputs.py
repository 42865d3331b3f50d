"""Outputs of OpenRLHF's batch inference (`python -m openrlhf.cli.batch_inference`, `--output_path`), as rows to score.

A line is a completion: `input` (the prompt in its template), `output`, and with `--eval_task rm` its `reward`. With
`--best_of_n` those of a prompt lie apart. Source: openrlhf/cli/batch_inference.py at 0551ff6; 0.11.2 is without it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rewardlab_records.rollouts.records import Member, RecordFormat, group_name

TEXTS = ("input", "output")


def _member(record: Mapping[str, Any]) -> Member:
    if not all(isinstance(record[name], str) for name in TEXTS):
        raise ValueError("`input` and `output` must be texts")
    rest = {name: value for name, value in record.items() if name not in TEXTS}
    return Member(group=group_name(record["input"]), prompt=record["input"], completion=record["output"], columns=rest)


FORMAT = replace(
    RecordFormat(tool="OpenRLHF's batch inference", columns=TEXTS, member=_member).as_rollouts(),
    # these columns and no others, since both names are common
    recognizes=lambda path, first: {*first} - {"reward"} == {*TEXTS},
)
