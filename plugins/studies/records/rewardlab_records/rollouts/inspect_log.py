"""The log of an evaluation of inspect_ai, as rows to score.

A sample has `id`, `epoch`, `messages`, `target`, `metadata` and `output`. Source: inspect_ai/log/_log.py, version
0.3.285.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError
from rewardlab.errors import Problem, nearest

from rewardlab_records.rollouts.columns import own_columns
from rewardlab_records.rollouts.formats import PlacedRow, RolloutFormat
from rewardlab_records.rollouts.forms import LoggedForm, LoggedMessage, asked_text, completion_of, first_fault, same
from rewardlab_records.rollouts.inspect_file import Part, no_log, open_log

HEAD = 4096
"""bytes of a .json in which a log of inspect_ai names its evaluation"""
CUT_OFF = ("max_tokens", "model_length")
"""stop reasons of a text that the limit on tokens ended"""
ATTACHED = "attachment://"


class _LoggedEvaluation(LoggedForm):
    task: str | None = None
    task_args: dict[str, Any] | None = None


class _InspectMessage(LoggedMessage):
    source: str | None = None


class _Choice(LoggedForm):
    message: LoggedMessage
    stop_reason: str | None = None


class _Usage(LoggedForm):
    output_tokens: int | None = Field(default=None, ge=0)


class _Output(LoggedForm):
    choices: list[_Choice] = Field(default_factory=list)
    usage: _Usage | None = None


class _Error(LoggedForm):
    message: str


class _Sample(LoggedForm):
    id: str | int
    epoch: int = 1
    messages: list[_InspectMessage] = Field(default_factory=list)
    choices: list[str] | None = None
    target: str | list[str] | None = None
    metadata: dict[str, Any] | None = None
    output: _Output | None = None
    error: _Error | None = None
    attachments: dict[str, str] | None = None


def inspect_rows(path: str, gold: str | None = None) -> Iterator[PlacedRow]:
    """Yield a row, or what is wrong with a sample, for each question of a log, whose epochs are its completions.

    A row has `prompt` (the messages before the model's first), `completions`, `answer`, `task`, `problem` (the sample's
    id), the task's arguments, the sample's metadata and `choices`.

    Args:
        gold: the column of the metadata with the right answer, None for the sample's target.

    Raises UserError if the file is not such a log.
    """
    with open_log(path) as (evaluation, questions):
        try:
            log = _LoggedEvaluation.model_validate(evaluation)
        except ValidationError as error:
            raise no_log(path, f"eval.{first_fault(error)}") from None
        task = log.task or Path(path).stem
        arguments = {
            name: argument
            for name, argument in (log.task_args or {}).items()
            if isinstance(argument, (str, int, float))
        }
        always = {"task": task, **own_columns(arguments, "task_")}
        for parts in questions.values():
            epochs = _epochs(parts, path)
            if isinstance(epochs, Problem):
                yield path, epochs
                continue
            place = f"{path}: sample {epochs[0].id}"
            try:
                yield place, {**always, **_row(epochs, gold), "id": f"{task}/{epochs[0].id}"}
            except ValueError as error:
                yield place, Problem(where=place, what=str(error))


def _epochs(parts: Sequence[Part], path: str) -> list[_Sample] | Problem:
    """Return a question's samples in the order of their epochs, or what is wrong with one."""
    samples: dict[int, _Sample] = {}
    for part in parts:
        read = part()
        if isinstance(read, Problem):
            return read
        place = f"{path}: sample {str(read.get('id'))[:80]}"
        try:
            sample = _Sample.model_validate(read)
        except ValidationError as error:
            return Problem(where=place, what=first_fault(error))
        if sample.epoch in samples:
            return Problem(where=place, what=f"epoch {sample.epoch} appears twice")
        samples[sample.epoch] = sample
    epochs = [samples[epoch] for epoch in sorted(samples)]
    if other := next((epoch for epoch in epochs if epoch.id != epochs[0].id), None):
        return Problem(where=path, what=f"the samples {epochs[0].id} and {other.id} have names as of one question")
    return epochs


def _row(epochs: Sequence[_Sample], gold: str | None) -> dict[str, Any]:
    first, metadata = epochs[0], epochs[0].metadata or {}
    if gold is not None and metadata.get(gold) is None:
        raise ValueError(f"its metadata have no {gold!r}{nearest(gold, metadata)}")
    prompts = [_prompt(sample) for sample in epochs]
    if not same(prompts):
        raise ValueError("its epochs were asked different things")
    row = own_columns(metadata, "metadata_")
    if first.choices:
        row["choices"] = first.choices
    row["problem"] = str(first.id)
    if (numbers := [sample.epoch for sample in epochs]) != [*range(1, len(epochs) + 1)]:
        row["recorded"] = {"epoch": numbers}
    completions = [_completion(sample) for sample in epochs]
    answer = first.target if gold is None else metadata[gold]
    return {**row, "prompt": prompts[0], "completions": completions, "answer": answer}


def _start(sample: _Sample) -> int:
    """Return the place of the model's first message; of a log that names none as generated, that of the last one."""
    of_model = [at for at, message in enumerate(sample.messages) if message.role == "assistant"]
    made = [at for at in of_model if sample.messages[at].source == "generate"]
    return next(iter(made or of_model[-1:]), len(sample.messages))


def _prompt(sample: _Sample) -> list[dict[str, str]]:
    return [
        {"role": message.role, "content": asked_text(message.content, lambda text: _attached(text, sample))}
        for message in sample.messages[: _start(sample)]
    ]


def _completion(sample: _Sample) -> dict[str, Any]:
    """Return the answer; if more messages than one follow the prompt, all of them."""
    if sample.error:
        raise ValueError(f"epoch {sample.epoch} ended with an error: {sample.error.message[:120]}")
    output = sample.output or _Output()
    if not output.choices:
        raise ValueError(f"epoch {sample.epoch} has no output of a model")
    choice, messages = output.choices[0], sample.messages[_start(sample) :]
    return completion_of(
        messages if len(messages) > 1 else [choice.message],
        choice.stop_reason in CUT_OFF,
        None if output.usage is None else output.usage.output_tokens,
        lambda text: _attached(text, sample),
    )


def _attached(text: str, sample: _Sample) -> str:
    """Return a text; long ones stand beside the messages."""
    return (sample.attachments or {}).get(text.removeprefix(ATTACHED), text) if text.startswith(ATTACHED) else text


def _recognizes(path: str, first: Mapping[str, Any]) -> bool:
    if not path.endswith(".json") or first:
        return path.endswith(".eval") or {"eval", "samples"} <= first.keys()
    with open(path, "rb") as file:
        return b'"eval"' in file.read(HEAD)


FORMAT = RolloutFormat(recognizes=_recognizes, rows=inspect_rows)
