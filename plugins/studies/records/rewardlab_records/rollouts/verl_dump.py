"""The dump that verl writes of each step (`trainer.rollout_data_dir`, `trainer.validation_data_dir`), as rows to score.

A line of {step}.jsonl is a completion: `input` (the prompt in the model's template, without special tokens), `output`,
`gts` (the right answer), `score`, `step` and what the reward told. The second trainer adds `uid`, which is
GROUP_ROLLOUT_OUTPUT; of the first, whose batches are shuffled, members of a group have the same step and input.
Source: verl/trainer/ppo/ray_trainer.py and verl/trainer/ppo/v1/trainer_base.py, version 0.9.1.
"""

from collections.abc import Mapping
from typing import Any

from rewardlab_records.rollouts.records import Member, RecordFormat, group_name

COLUMNS = ("input", "output", "gts", "score", "step")
_READ = {*COLUMNS[:3], "step", "uid"}


def _member(record: Mapping[str, Any]) -> Member:
    step, uid = record["step"], record.get("uid")
    if not isinstance(step, int) or not isinstance(record["input"], str) or not isinstance(record["output"], str):
        raise ValueError("`step` must be a whole number, and `input` and `output` texts")
    own = record["input"] if uid is None else str(uid).rsplit("_", 2)[0]
    return Member(
        group=group_name(step, own),
        prompt=record["input"],
        completion=record["output"],
        fields={"step": step} | ({} if record["gts"] is None else {"answer": record["gts"]}),
        columns={name: value for name, value in record.items() if name not in _READ},
    )


FORMAT = RecordFormat(tool="verl's dump", columns=COLUMNS, member=_member).as_rollouts()
