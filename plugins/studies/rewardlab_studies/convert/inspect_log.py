"""The log of an evaluation of inspect_ai, as rows to score.

A sample has `id`, `epoch`, `messages`, `target`, `metadata` and `output`. Source: inspect_ai/log/_log.py, version
0.3.285.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rewardlab.errors import Problem, UserError, nearest

from rewardlab_studies.convert.inspect_file import Part, no_log, open_log
from rewardlab_studies.convert.log_form import LogForm, fields_of_name, own_columns

SUFFIXES = (".eval", ".json")
CUT_OFF = ("max_tokens", "model_length")
"""stop reasons of a text that the limit on tokens ended"""
ATTACHED = "attachment://"


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _LoggedEvaluation(_Form):
    task: str | None = None
    task_args: dict[str, Any] | None = None


class _Part(_Form):
    type: str
    text: str | None = None


class _Message(_Form):
    role: str = "assistant"
    content: str | list[_Part] | None = None


class _Choice(_Form):
    message: _Message
    stop_reason: str | None = None


class _Usage(_Form):
    output_tokens: int | None = Field(default=None, ge=0)


class _Output(_Form):
    choices: list[_Choice] = []
    usage: _Usage | None = None


class _Error(_Form):
    message: str


class _Sample(_Form):
    id: str | int
    epoch: int = 1
    messages: list[_Message] = []
    choices: list[str] | None = None
    target: str | list[str] | None = None
    metadata: dict[str, Any] | None = None
    output: _Output | None = None
    error: _Error | None = None
    attachments: dict[str, str] | None = None


def inspect_rows(path: str, form: LogForm) -> Iterator[dict[str, Any] | Problem]:
    """Yield a row, or what is wrong with a sample, for each question of a log, whose epochs are its completions.

    A row has `prompt` (the messages before the model's last), `completions`, `answer`, `task`, `problem` (the sample's
    id), the task's arguments, the sample's metadata and `choices`. Raises UserError if the file is not such a log.
    """
    if form.filter is not None or form.read != "resps":
        raise UserError("inspect_ai logs no filters; leave out --filter and --filtered", where=path)
    named = fields_of_name(path, form.name)
    with open_log(path) as (said, questions):
        try:
            log = _LoggedEvaluation.model_validate(said)
        except ValidationError as error:
            raise no_log(path, f"eval.{_first_fault(error)}") from None
        task = log.task or Path(path).stem
        arguments = {name: one for name, one in (log.task_args or {}).items() if isinstance(one, (str, int, float))}
        always = {"task": task, **own_columns(arguments, "task_")}
        prefix = "/".join(named.values()) or task
        for parts in questions.values():
            epochs = _epochs(parts, path)
            if isinstance(epochs, Problem):
                yield epochs
                continue
            try:
                row = _row(epochs, form)
            except ValueError as error:
                yield Problem(where=f"{path}: sample {epochs[0].id}", what=str(error))
            else:
                yield {**always, **row, **named, **form.fields, "id": f"{prefix}/{epochs[0].id}"}


def _epochs(parts: Sequence[Part], path: str) -> list[_Sample] | Problem:
    """Return a question's samples in the order of their epochs, or what is wrong with one."""
    found: dict[int, _Sample] = {}
    for part in parts:
        read = part()
        if isinstance(read, Problem):
            return read
        place = f"{path}: sample {str(read.get('id'))[:80]}"
        try:
            sample = _Sample.model_validate(read)
        except ValidationError as error:
            return Problem(where=place, what=_first_fault(error))
        if sample.epoch in found:
            return Problem(where=place, what=f"epoch {sample.epoch} is there twice")
        found[sample.epoch] = sample
    epochs = [found[epoch] for epoch in sorted(found)]
    if other := next((one for one in epochs if one.id != epochs[0].id), None):
        return Problem(where=path, what=f"the samples {epochs[0].id} and {other.id} have names as of one question")
    return epochs


def _first_fault(error: ValidationError) -> str:
    """Return what is wrong with a sample and where: for a value that could have two types, the closest match."""
    found = max(error.errors(include_url=False, include_input=False), key=lambda one: len(one["loc"]))
    place = ".".join(str(part) for part in found["loc"] if part != "str" and "[" not in str(part))
    return f"{place}: {'must be an object' if found['type'] == 'model_type' else found['msg']}"


def _row(epochs: Sequence[_Sample], form: LogForm) -> dict[str, Any]:
    first, metadata = epochs[0], epochs[0].metadata or {}
    if form.gold is not None and metadata.get(form.gold) is None:
        raise ValueError(f"its metadata have no {form.gold!r}{nearest(form.gold, metadata)}")
    prompts = [_prompt(sample) for sample in epochs]
    if any(prompt != prompts[0] for prompt in prompts):
        raise ValueError("its epochs were asked different things; the model wrote more than one message of each")
    row = own_columns(metadata, "metadata_")
    if first.choices:
        row["choices"] = first.choices
    gold = first.target if form.gold is None else metadata[form.gold]
    row["problem"] = str(first.id)
    return {**row, "prompt": prompts[0], "completions": [_completion(sample) for sample in epochs], "answer": gold}


def _prompt(sample: _Sample) -> list[dict[str, str]]:
    """Return the messages before the model's last one."""
    messages = sample.messages
    last = max((at for at, one in enumerate(messages) if one.role == "assistant"), default=len(messages))
    return [{"role": one.role, "content": _text(one, sample)} for one in messages[:last]]


def _completion(sample: _Sample) -> dict[str, Any]:
    if sample.error:
        raise ValueError(f"epoch {sample.epoch} ended with an error: {sample.error.message[:120]}")
    output = sample.output or _Output()
    if not output.choices:
        raise ValueError(f"epoch {sample.epoch} has no output of a model")
    choice = output.choices[0]
    found: dict[str, Any] = {"text": _text(choice.message, sample), "truncated": choice.stop_reason in CUT_OFF}
    if output.usage and output.usage.output_tokens is not None:
        found["token_count"] = output.usage.output_tokens
    return found


def _text(message: _Message, sample: _Sample) -> str:
    """Return the text of a message; a list has parts, of which the model's reasoning is none of its answer."""
    content = message.content
    if isinstance(content, list):
        other = sorted({part.type for part in content if part.type not in ("text", "reasoning")})
        if other:
            raise ValueError(f"a message has {', '.join(other)}, and not only text")
        return "\n".join(_attached(part.text, sample) for part in content if part.type == "text")
    return _attached(content, sample)


def _attached(text: str | None, sample: _Sample) -> str:
    """Return a text; long ones stand beside the messages."""
    if text is None:
        raise ValueError("a message has no text")
    return (sample.attachments or {}).get(text.removeprefix(ATTACHED), text) if text.startswith(ATTACHED) else text
