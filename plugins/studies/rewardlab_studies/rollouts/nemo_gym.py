"""The rollouts that NeMo-Gym collects (`ng_collect_rollouts`), as rows to score.

A line is a rollout: `responses_create_params` (what was asked, as OpenAI's Responses API takes it), `response` (what
it returned), `reward`, what the verifier and the dataset say, `_ng_task_index` and `_ng_rollout_index`.
Source: nemo_gym/rollout_collection.py and its example_rollouts.jsonl, repository of 22 August 2026 (after 0.5).
"""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from rewardlab_studies.rollouts.forms import LoggedForm, LoggedMessage, completion_of, first_fault
from rewardlab_studies.rollouts.records import Member, RecordFormat, group_name

COLUMNS = ("responses_create_params", "response", "reward")
_READ = {*COLUMNS[:2], "_ng_task_index", "_ng_rollout_index", "agent_ref"}


class _Asked(LoggedForm):
    input: str | list[LoggedMessage]
    instructions: str | None = None


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


class _Cut(LoggedForm):
    reason: str | None = None


class _ResponseUsage(LoggedForm):
    output_tokens: int | None = None


class _Response(LoggedForm):
    output: list[_ResponseItem]
    incomplete_details: _Cut | None = None
    usage: _ResponseUsage | None = None


class _GymAgent(LoggedForm):
    name: str | None = None


class _Rollout(LoggedForm):
    responses_create_params: _Asked
    response: _Response


class _Index(LoggedForm):
    task: int | None = None
    agent: _GymAgent | None = None


def _member(record: Mapping[str, Any]) -> Member:
    try:
        rollout = _Rollout.model_validate(dict(record))
        index = _Index(task=record.get("_ng_task_index"), agent=record.get("agent_ref"))
    except ValidationError as error:
        raise ValueError(first_fault(error)) from None
    prompt = _prompt(rollout.responses_create_params)
    agent = [index.agent.name] if index.agent and index.agent.name else []
    return Member(
        group=group_name(*agent, prompt if index.task is None else index.task),
        prompt=prompt,
        completion=_completion(rollout.response),
        columns={name: value for name, value in record.items() if name not in _READ},
    )


def _prompt(asked: _Asked) -> Any:
    before = [] if asked.instructions is None else [{"role": "system", "content": asked.instructions}]
    if isinstance(asked.input, str):
        return [*before, {"role": "user", "content": asked.input}] if before else asked.input
    return [*before, *(one.plain() for one in asked.input)]


def _completion(response: _Response) -> dict[str, Any]:
    said = [item.message() for item in response.output if item.type != "reasoning"]
    cut = response.incomplete_details is not None and response.incomplete_details.reason == "max_output_tokens"
    if not said and not response.output and not cut:
        raise ValueError("the model's answer has neither a message nor a call")
    tokens = None if response.usage is None else response.usage.output_tokens
    return completion_of(said or [LoggedMessage(content="")], cut, tokens)


FORMAT = RecordFormat(tool="NeMo-Gym's rollouts", columns=COLUMNS, member=_member).as_rollouts()
