"""The completions that TRL logs of each step (`log_completions`), as rows to score.

A row of completions/completions_{step}.parquet is a completion: `step`, `prompt` and `completion` (texts or messages),
a column a reward, those of `log_extra`, and `advantage`. Members of a group have the same step and prompt.
Source: trl/trainer/grpo_trainer.py, version 1.16.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from rewardlab_records.rollouts.forms import LoggedForm, LoggedMessage, completion_of, first_fault
from rewardlab_records.rollouts.records import Member, RecordFormat, group_name

COLUMNS = ("step", "prompt", "completion", "advantage")


class _TrlRecord(LoggedForm):
    step: int
    prompt: str | list[LoggedMessage]
    completion: str | list[LoggedMessage]


def _member(record: Mapping[str, Any]) -> Member:
    try:
        read = _TrlRecord.model_validate(dict(record))
    except ValidationError as error:
        raise ValueError(first_fault(error)) from None
    prompt = read.prompt if isinstance(read.prompt, str) else [message.plain() for message in read.prompt]
    return Member(
        group=group_name(read.step, prompt),
        prompt=prompt,
        completion=_completion(read.completion),
        fields={"step": read.step},
        columns={name: value for name, value in record.items() if name not in COLUMNS[:3]},
    )


def _completion(completion: str | list[LoggedMessage]) -> Any:
    if isinstance(completion, str):
        return completion
    made = completion_of(completion, truncated=False)
    return made["text"] if "text" in made else made["messages"]


FORMAT = RecordFormat(tool="TRL's completions", columns=COLUMNS, member=_member).as_rollouts()
