"""The tools of a stage's `agent`: what the policy is told of them, and what a call of one returns."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rewardlab import Sample
from rewardlab.errors import JobError, RewardlabError, one_line, one_line_at
from rewardlab.recipe import Agent
from rewardlab_training import environment_tools, load_code

Tools = Mapping[str, Callable[..., Any]]
"""the functions that one completion may call, by name"""


class AgentTools:
    """The functions that a stage names, and the methods of its environment; each completion has an instance of its own.

    schemas: what the policy is told of each tool, as JSON. Instances are made once and begin each episode with `reset`.
    Raises UserError if they cannot be imported or described.
    """

    def __init__(self, agent: Agent) -> None:
        from transformers.utils import get_json_schema

        self.max_turns = agent.max_turns
        functions = [load_code(place) for place in agent.tools]
        self._functions: dict[str, Any] = {function.__name__: function for function in functions}
        self._environment = None if agent.use is None else load_code(agent.use)
        self._instances: list[Any] = []
        methods = {} if self._environment is None else self._methods(self._instance(0))
        self.schemas: list[Any] = [get_json_schema(tool) for tool in (self._functions | methods).values()]

    def begin(self, sample: Sample, place: int) -> tuple[str, Tools]:
        """Return what the environment says at the start of an episode, "" for nothing, and the tools of the completion.

        Args:
            place: of the completion, among those that are played at the same time.
        """
        if self._environment is None:
            return "", self._functions
        instance = self._instance(place)
        try:
            opening = instance.reset(**sample.as_row())
        except Exception as error:
            raise JobError(f"agent: reset failed for sample {sample.id!r}: {one_line_at(error)}") from error
        if not (opening is None or isinstance(opening, str)):
            raise JobError(f"agent: reset returned {type(opening).__name__}; return a text, or None")
        return opening or "", self._functions | self._methods(instance)

    def _instance(self, place: int) -> Any:
        while len(self._instances) <= place:
            try:
                self._instances.append(self._environment())  # type: ignore[misc]
            except Exception as error:
                raise JobError(f"agent: the environment cannot be made: {one_line_at(error)}") from error
        return self._instances[place]

    def _methods(self, instance: Any) -> dict[str, Any]:
        return {name: getattr(instance, name) for name in environment_tools(type(instance))}


def results_of(tools: Tools, calls: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the message of each call's result; the policy is told what it has called wrong, and what a tool raised."""
    for call in calls:
        name = call["function"]["name"]
        result = _result(tools, name, call["function"]["arguments"])
        # half a character of two, which JSON can spell, is no text that a tokenizer reads
        yield {"role": "tool", "name": name, "content": result.encode("utf-8", "replace").decode()}


def _result(tools: Tools, name: str, arguments: str) -> str:
    if name not in tools:
        return _failed(f"there is no tool {name!r}")
    try:
        given = json.loads(arguments)
        if not isinstance(given, dict):
            return _failed("arguments must be an object")
        result = tools[name](**given)
        return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    except RewardlabError as error:  # of a tool that has no answer: no fault of the policy's
        raise JobError(f"tool {name}: {error}") from error
    except Exception as error:
        return _failed(one_line(error))


def _failed(why: str) -> str:
    return json.dumps({"error": why}, ensure_ascii=False)
