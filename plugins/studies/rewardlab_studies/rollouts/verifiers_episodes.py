"""The episodes that verifiers saves (traces.jsonl of `eval`, and of trainers on it), as rows to score.

A line is an episode: `group` (its id, if a trainer asked for a group), `task` with `data` (what the taskset states,
such as `answer`), and `traces`, of which each has `nodes` (a tree of messages, `sampled` if the model wrote it),
`calls`, `rewards` and `metrics`. Source: verifiers/v1/episode.py, trace.py and graph.py, version 0.4.0.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from rewardlab_studies.rollouts.forms import LoggedForm, LoggedMessage, content_text, first_fault
from rewardlab_studies.rollouts.records import Member, RecordFormat, group_name

COLUMNS = ("id", "env", "task", "ok", "traces")
ANOTHER = "a reward scores one answer to one prompt"


class _Data(LoggedForm):
    """What a task holds beside what the taskset adds. The names are those of verifiers' TaskData."""

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


class _TraceMessage(LoggedMessage):
    tool_calls: list[Any] | None = None


class _Node(LoggedForm):
    message: _TraceMessage
    parent: int | None = None
    sampled: bool = False


class _Call(LoggedForm):
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None


class _Reward(LoggedForm):
    score: float


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
    data = episode.task.data
    own = episode.task.key or episode.task.hash or data.id or data.idx or episode.id
    return Member(
        group=episode.group.id if episode.group else group_name(episode.env.id, own),
        prompt=[node.message.plain() for node in trace.nodes[:-1]],
        completion=_completion(trace),
        fields={"task": episode.env.id, **(data.model_extra or {})},
        columns={name: reward and reward.score for name, reward in trace.rewards.items()} | trace.metrics,
    )


def _completion(trace: _Trace) -> dict[str, Any]:
    """Return the model's answer, which is the last of messages in a row."""
    if any(node.parent != (number - 1 if number else None) for number, node in enumerate(trace.nodes)):
        raise ValueError(f"the trace branches; {ANOTHER}")
    last = trace.nodes[-1] if trace.nodes else None
    if last is None or not last.sampled or last.message.tool_calls:
        raise ValueError("the trace does not end with a text of the model")
    call = trace.calls[-1] if trace.calls else _Call()
    found: dict[str, Any] = {"text": content_text(last.message.content), "truncated": call.finish_reason == "length"}
    count = (call.usage or {}).get("completion_tokens")
    return found if count is None else found | {"token_count": count}


FORMAT = RecordFormat(tool="verifiers' episodes", columns=COLUMNS, member=_member).as_rollouts()
