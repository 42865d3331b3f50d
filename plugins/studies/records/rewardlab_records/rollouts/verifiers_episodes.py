"""The episodes that verifiers saves (traces.jsonl of `eval`, and of trainers on it), as rows to score.

A line is an episode: `group` (its id, if a trainer asked for a group), `task` with `data` (what the taskset states,
such as `answer`), and `traces`, of which each has `nodes` (a tree of messages, `sampled` if the model wrote it),
`calls`, `rewards` and `metrics`. Source: verifiers/v1/episode.py, trace.py and graph.py, version 0.4.0.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from rewardlab_records.rollouts.forms import LoggedForm, LoggedMessage, completion_of, first_fault
from rewardlab_records.rollouts.records import Member, RecordFormat, group_name

COLUMNS = ("id", "env", "task", "ok", "traces")
ANOTHER = "a reward scores one conversation"


class _Data(LoggedForm):
    """The data of a task beside what the taskset adds. The names are those of verifiers' TaskData."""

    model_config = ConfigDict(strict=True, extra="allow")

    idx: Any = None
    id: Any = None
    name: Any = None
    description: Any = None
    prompt: Any = None
    system_prompt: Any = None
    image: Any = None
    workdir: Any = None
    agent_user: Any = None
    skills: Any = None
    network_allow: Any = None
    network_block: Any = None
    artifacts: Any = None
    artifact_max_bytes: Any = None
    timeout: Any = None
    resources: Any = None


class _Task(LoggedForm):
    data: _Data
    key: str | None = None
    hash: str | None = None


class _Id(LoggedForm):
    id: str


class _Node(LoggedForm):
    message: LoggedMessage
    parent: int | None = None
    sampled: bool = False


class _Call(LoggedForm):
    node: int | None = None
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None


class _Reward(LoggedForm):
    score: float | None = None


class _TraceAgent(LoggedForm):
    trainable: bool = True


class _TraceError(LoggedForm):
    type: str
    message: str


class _Trace(LoggedForm):
    agent: _TraceAgent
    ok: bool = False
    nodes: list[_Node] = Field(default_factory=list)
    calls: list[_Call] = Field(default_factory=list)
    rewards: dict[str, _Reward | None] = Field(default_factory=dict)
    metrics: dict[str, float | None] = Field(default_factory=dict)
    errors: list[_TraceError] = Field(default_factory=list)


class _Episode(LoggedForm):
    id: str
    env: _Id
    task: _Task
    group: _Id | None = None
    traces: list[_Trace]
    errors: list[_TraceError] = Field(default_factory=list)


def _member(record: Mapping[str, Any]) -> Member:
    try:
        episode = _Episode.model_validate(dict(record))
    except ValidationError as error:
        raise ValueError(first_fault(error)) from None
    traces = [trace for trace in episode.traces if trace.agent.trainable]
    if len(traces) != 1:
        raise ValueError(f"the episode has {len(traces)} traces of agents that are trained; {ANOTHER}")
    [trace] = traces
    if not trace.ok:
        last = (trace.errors or episode.errors)[-1:]
        raise ValueError(f"the episode failed: {last[0].type}: {last[0].message[:120]}" if last else "is not complete")
    start = _start(trace)
    data = episode.task.data
    own = episode.task.key or episode.task.hash or data.id or data.idx or episode.id
    return Member(
        group=episode.group.id if episode.group else group_name(episode.env.id, own),
        prompt=[node.message.plain() for node in trace.nodes[:start]],
        completion=_completion(trace, start),
        fields={"task": episode.env.id, **(data.model_extra or {})},
        columns={name: reward and reward.score for name, reward in trace.rewards.items()} | trace.metrics,
    )


def _start(trace: _Trace) -> int:
    """Return the place of the model's first message, which begins the completion."""
    if any(node.parent != (number - 1 if number else None) for number, node in enumerate(trace.nodes)):
        raise ValueError(f"the trace branches; {ANOTHER}")
    start = next((number for number, node in enumerate(trace.nodes) if node.sampled), None)
    if start is None:
        raise ValueError("the trace has no message of the model")
    return start


def _completion(trace: _Trace, start: int) -> dict[str, Any]:
    """Return all that follows the prompt. Its tokens are those that the model wrote, if each call says how many."""
    last = trace.calls[-1] if trace.calls else _Call()
    counts = {call.node: (call.usage or {}).get("completion_tokens") for call in trace.calls}.values()
    known = [count for count in counts if isinstance(count, int)]
    token_count = sum(known) if known and len(known) == len(counts) else None
    messages = [node.message for node in trace.nodes[start:]]
    return completion_of(messages, last.finish_reason == "length", token_count)


FORMAT = RecordFormat(tool="verifiers' episodes", columns=COLUMNS, member=_member).as_rollouts()
