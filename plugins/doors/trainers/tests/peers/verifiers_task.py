"""How verifiers 0.4.0 scores a trace by a plugged function: its own code if it is installed, else copies.

`Task.score` and `TaskData`: verifiers/v1/task.py. `plugged_fn`, `load_plugged_fn`: verifiers/v1/utils/loaders.py.
`invoke`: verifiers/v1/utils/decorators.py. `boundary`: verifiers/v1/errors.py. `Trace`: verifiers/v1/trace.py, of which
the copy has what a reward may read and write.
"""

import functools
import importlib
import inspect
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

try:
    import verifiers.v1 as vf
    from verifiers.v1.trace import AgentInfo, TraceTask
except ImportError:
    vf = None


class CopiedTaskData(BaseModel):
    model_config = ConfigDict(frozen=True)

    idx: int | None = None
    id: str | None = None
    name: str | None = None
    prompt: str | None = None
    system_prompt: str | None = None
    skills: list[str] = Field(default_factory=list)

    @property
    def prompt_text(self):
        return self.prompt or ""


class SumData(vf.TaskData if vf else CopiedTaskData):
    answer: str | None = None


class CopiedMessage(BaseModel):
    role: str = "assistant"
    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: list | None = None
    tool_call_id: str | None = None


class CopiedTrace:
    def __init__(self, messages):
        self.messages, self.is_truncated, self.num_output_tokens = messages, False, 0
        self.assistant_messages = [one for one in messages if one.role == "assistant"]
        self.rewards, self.metrics = {}, {}

    @property
    def last_reply(self):
        return (self.assistant_messages[-1].content or "").strip()

    @property
    def reward(self):
        return sum(score * weight for score, weight in self.rewards.values())

    def record_metrics(self, values):
        self.metrics.update({name: float(value) for name, value in values.items()})


class CopiedError(Exception):
    """`TaskError`, which ends a rollout."""


TaskError = vf.TaskError if vf else CopiedError


async def scored(place, data, reply, thinking=None, weight=1.0, tool=None, judge=None):
    """The trace of a reply that `--taskset.task.rewards.total.fn PLACE` has rewarded, or a judge that TOML plugs.

    tool: what one said before it. judge: what `judges` has, in place of a function.
    """
    if vf is None:
        return await _scored_by_copies(place, data, reply, thinking, weight, tool, judge)

    class Sum(vf.Task[SumData, vf.State, vf.TaskConfig]):
        pass

    plugged = {"judges": [judge]} if judge else {"rewards": {"total": {"fn": place, "weight": weight}}}
    task = Sum(data, vf.TaskConfig(**plugged))
    asked = vf.MessageNode(message=vf.UserMessage(content=data.prompt))
    said = [vf.AssistantMessage(content=reply, reasoning_content=thinking)]
    if tool is not None:
        call = vf.ToolCall(id="c", name="calc", arguments="{}")
        said[:0] = [vf.AssistantMessage(tool_calls=[call]), vf.ToolMessage(tool_call_id="c", content=tool)]
    nodes = [asked]
    for parent, message in enumerate(said):
        nodes.append(vf.MessageNode(message=message, sampled=message.role == "assistant", parent=parent))
    info = {"task": TraceTask(type="Sum", data=data), "agent": AgentInfo(config=vf.AgentConfig())}
    trace = vf.Trace(**info, nodes=nodes)
    await task.score(trace)
    return trace


def _plugged_judge(entry):
    """`judge_class`, `judge_config_type` and `load_judge`: verifiers/v1/utils/loaders.py."""
    module = importlib.import_module(entry["id"].replace("-", "_"))
    (found,) = (getattr(module, name) for name in module.__all__)
    _, config = found.__orig_bases__[0].__args__
    return found(config.model_validate(entry))


async def _scored_by_copies(place, data, reply, thinking, weight, tool, judge):
    if judge:
        built = _plugged_judge(judge)
        function, name, weight = built.score, built.reward_name, built.config.weight
    else:
        module, _, attribute = place.rpartition(":")
        function, name = getattr(importlib.import_module(module), attribute), "total"

    @functools.wraps(function)
    def plugged(*args, **kwargs):
        return function(*args, **kwargs)

    said = [CopiedMessage(role="user", content=data.prompt)]
    if tool is not None:
        call = {"id": "c", "name": "calc", "arguments": "{}"}
        said += [CopiedMessage(tool_calls=[call]), CopiedMessage(role="tool", tool_call_id="c", content=tool)]
    trace = CopiedTrace([*said, CopiedMessage(content=reply, reasoning_content=thinking)])
    available = {"task": data, "trace": trace}
    try:
        found = await plugged(**{name: available[name] for name in inspect.signature(plugged).parameters})
    except Exception as error:
        raise CopiedError(f"task Sum scoring: {type(error).__name__}: {error}") from error
    for key, value in (found if isinstance(found, Mapping) else {name: found}).items():
        trace.rewards[key] = (float(value), weight)
    return trace
