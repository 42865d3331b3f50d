"""The rollouts that NeMo-Gym collects, as rows to score.

A line is a rollout: `responses_create_params` (what was asked, as OpenAI's Responses API takes it), `response` (what
it returned), `reward`, what the verifier and the dataset say, `_ng_task_index` and `_ng_rollout_index`. The reward of a
masked rollout is null among the recorded: it measured nothing. `STEM_failures.jsonl`, beside it, has the rollouts that
failed, whose rows are bad where there was no response.
Source: nemo_gym/rollout_collection.py and the example rollouts of nemo-gym 0.7.0.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from rewardlab_records.rollouts.forms import LoggedForm, LoggedMessage, completion_of, first_fault
from rewardlab_records.rollouts.records import Member, RecordFormat, group_name

ASKED, ANSWERED, FAILURE = "responses_create_params", "response", "_ng_failure_class"
NO_PROMPT = "(The agent recorded no prompt.)"
"""the prompt of a rollout whose agent put the question itself"""
REASON = ("failure_reason", "_ng_failure_message")
_READ = {ASKED, ANSWERED, "_ng_task_index", "_ng_rollout_index", "agent_ref"}


class _ResponseItem(LoggedMessage):
    """A message, a call of a tool (`name`, `arguments`, `call_id`), what it returned (`output`), or the reasoning."""

    type: str = "message"
    arguments: str | None = None
    call_id: str | None = None
    output: Any = None

    def message(self) -> LoggedMessage:
        """Return the item as a message of a conversation. ValueError if it is another kind of item."""
        if self.type == "message":
            return self
        if self.type == "function_call":
            call = {"call_id": self.call_id, "name": self.name, "arguments": self.arguments}
            return LoggedMessage(content="", tool_calls=[call])
        if self.type == "function_call_output":
            return LoggedMessage.model_validate({"role": "tool", "content": self.output, "tool_call_id": self.call_id})
        raise ValueError(f"the model's answer has {self.type}; messages, calls of functions and their results are read")

    def is_the_models(self) -> bool:
        """Return whether the model wrote it, and no user, tool or host."""
        return self.type == "function_call" or (self.type == "message" and self.role == "assistant")

    def asked(self) -> dict[str, str]:
        """Return the item as a message of a prompt, which has texts only: a call is its name and arguments."""
        if self.type == "function_call":
            return {"role": "assistant", "content": f"{self.name} {self.arguments}"}
        return self.message().plain()


class _Asked(LoggedForm):
    input: str | list[_ResponseItem]
    instructions: str | None = None


class _Cut(LoggedForm):
    reason: str | None = None


class _ResponseUsage(LoggedForm):
    output_tokens: int | None = None


class _Response(LoggedForm):
    output: list[_ResponseItem] | list[list[_ResponseItem]]
    incomplete_details: _Cut | None = None
    usage: _ResponseUsage | None = None

    def items(self) -> Sequence[_ResponseItem]:
        """Return what the model was shown and said, without its reasoning; of several states of it the last."""
        output: Any = self.output[-1] if self.output and isinstance(self.output[-1], list) else self.output
        return [item for item in output if item.type != "reasoning"]


class _GymAgent(LoggedForm):
    name: str | None = None


class _Rollout(LoggedForm):
    responses_create_params: _Asked
    response: _Response


class _Index(LoggedForm):
    task: int | None = None
    agent: _GymAgent | None = None


def _member(record: Mapping[str, Any]) -> Member:
    if ANSWERED not in record:
        reason = next((record[name] for name in REASON if record.get(name)), "it gives no reason")
        raise ValueError(f"the rollout failed before there was a response ({record.get(FAILURE)}): {reason}")
    try:
        rollout = _Rollout.model_validate(dict(record))
        index = _Index(task=record.get("_ng_task_index"), agent=record.get("agent_ref"))
    except ValidationError as error:
        raise ValueError(first_fault(error)) from None
    items = rollout.response.items()
    start = next((place for place, item in enumerate(items) if item.is_the_models()), len(items))
    prompt = _prompt(rollout.responses_create_params, items[:start])
    agent = [index.agent.name] if index.agent and index.agent.name else []
    columns = {name: value for name, value in record.items() if name not in _READ}
    if record.get("mask_sample") is True:
        columns["reward"] = None
    return Member(
        group=group_name(*agent, prompt if index.task is None else index.task),
        prompt=prompt,
        completion=_completion(rollout.response, items[start:]),
        columns=columns,
    )


def _prompt(asked: _Asked, shown: Sequence[_ResponseItem]) -> Any:
    """Return what was asked; shown: what the model was shown ahead of its first words, which some agents record."""
    before = [] if asked.instructions is None else [{"role": "system", "content": asked.instructions}]
    if isinstance(asked.input, str):
        if not (before or shown):
            return asked.input
        before.append({"role": "user", "content": asked.input})
        asked_for = []
    else:
        asked_for = [item.asked() for item in asked.input if item.type != "reasoning"]
    read = [item.asked() for item in shown]
    messages = [*before, *asked_for, *(message for message in read if message not in asked_for)]
    return messages or NO_PROMPT


def _completion(response: _Response, items: Sequence[_ResponseItem]) -> dict[str, Any]:
    cut = response.incomplete_details is not None and response.incomplete_details.reason == "max_output_tokens"
    tokens = None if response.usage is None else response.usage.output_tokens
    if not response.output and response.incomplete_details is None:
        return {"error": "no model was called: the response has no output"}
    return completion_of([item.message() for item in items] or [LoggedMessage(content="")], cut, tokens)


def _recognizes(_: str, first: Mapping[str, Any]) -> bool:
    return ASKED in first and (ANSWERED in first or FAILURE in first)


FORMAT = RecordFormat(
    tool="NeMo-Gym's rollouts", columns=(ASKED,), member=_member, recognizes=_recognizes, one_prompt=False
).as_rollouts()
