"""Completions of several turns: the policy calls tools, reads their results, and goes on until it answers.

Token ids are only ever appended, so that the policy learns from what it was sampled with: a turn is never rendered
again, and what is between two turns comes from the chat template. `own` marks the policy's tokens; the others, of
results, are not trained on.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rewardlab import Completion, Sample
from rewardlab.errors import JobError, UserError, one_line
from rewardlab_training import PromptFormat

from rewardlab_trl.agent_tools import AgentTools, Tools, results_of
from rewardlab_trl.models import CausalModel

Generate = Callable[[list[list[int]], int], list[list[int]]]
"""generate(rows of token ids, most new tokens): the ids that follow each row, up to an end token or a stop text"""


RESULT = "a tool's result"
Turn = Mapping[str, Any]
"""a message of the conversation behind the prompt"""


@dataclass(kw_only=True)
class Played:
    """One completion as it is played: `ids` follow those of the prompt, `own` says which of them the policy wrote."""

    prompt: list[int]
    room: int
    """tokens that it may have, those of results among them"""
    tools: Tools
    ids: list[int] = field(default_factory=list)
    own: list[int] = field(default_factory=list)
    messages: list[Turn] = field(default_factory=list)
    turns: int = 0
    cut: bool = False
    """whether a limit ended it: of tokens, or of turns while a call had no result"""

    @property
    def left(self) -> int:
        """The number of tokens that it may still have."""
        return self.room - len(self.ids)

    def append(self, ids: Sequence[int], own: int) -> None:
        """Append token ids that the policy wrote (own 1), or read (0)."""
        self.ids += ids
        self.own += [own] * len(ids)

    def completion(self) -> Completion:
        """Return what rewards read; its length is that of the policy's own tokens."""
        return Completion.of(self.messages, token_count=sum(self.own), truncated=self.cut)


class Turns:
    """Plays completions of a stage with its agent. Raises UserError if the model's chat template has no tools."""

    def __init__(self, tools: AgentTools, prompt_format: PromptFormat, model: CausalModel) -> None:
        self._tools, self._format = tools, prompt_format
        self._tokenizer, self._ends, self._context = model.tokenizer, model.ends, model.context
        _teach_to_read_calls(self._tokenizer)
        tokens = prompt_format.tokens_of_results([{"role": "tool", "name": "", "content": RESULT}])
        if RESULT not in prompt_format.decode([tokens])[0]:
            raise UserError(
                "agent: the chat template ends a turn that calls tools with no token that ends a completion"
            )

    def play(self, samples: Sequence[Sample], generate: Generate, room: int, stop: Sequence[str]) -> list[Played]:
        """Return a completion of at most `room` tokens for each sample, all of them played at the same time."""
        played = [self._begun(sample, place, room) for place, sample in enumerate(samples)]
        going = played
        while going:
            made = generate(
                [completion.prompt + completion.ids for completion in going],
                max(completion.left for completion in going),
            )
            for completion, ids in zip(going, made, strict=True):
                self._take(completion, ids[: completion.left], stop)
            going = [completion for completion in going if self._goes_on(completion)]
        return played

    def _begun(self, sample: Sample, place: int, room: int) -> Played:
        opening, tools = self._tools.begin(sample, place)
        turns: list[Turn] = [{"role": "user", "content": opening}] if opening else []
        prompt = self._format.tokens(self._format.text(_with_start(sample, opening) if opening else sample))
        left = room if self._context is None else min(room, self._context - len(prompt))
        if left < 1:
            raise JobError(f"agent: the prompt of {sample.id!r}, with what reset returned, fills the model's context")
        return Played(prompt=prompt, room=left, tools=tools, messages=turns)

    def _take(self, played: Played, ids: list[int], stop: Sequence[str]) -> None:
        """Append a turn of the policy, as ids and as a message; a limit may have cut it."""
        message = self._read(played.prompt + played.ids, ids)
        content = message["content"]
        end = min((content.index(text) + len(text) for text in stop if text in content), default=None)
        played.append(ids, own=1)
        played.turns += 1
        played.messages.append({**message, "content": content[:end]})
        stopped = any(text in self._format.decode([ids])[0] for text in stop)
        played.cut = not stopped and ids[-1] not in self._ends

    def _read(self, before: list[int], ids: list[int]) -> dict[str, Any]:
        """Return a turn as rewards read it: texts, and calls whose arguments are JSON. What is no call is a text."""
        from trl.chat_template_utils import parse_response

        try:
            return _message(parse_response(self._tokenizer, ids, prefix=before, tools=self._tools.schemas))
        except Exception:  # the policy wrote it, nested deeper than JSON is read for instance
            return {"role": "assistant", "content": self._format.decode([ids])[0]}

    def _goes_on(self, played: Played) -> bool:
        """Call the tools of a turn, and return whether there is room for another one."""
        calls = played.messages[-1].get("tool_calls", ())
        if played.cut or not calls:
            return False
        played.cut = True
        if played.turns == self._tools.max_turns:
            return False
        results = list(results_of(played.tools, calls))
        between = self._format.tokens_of_results(results)
        if played.ids[-1] in self._ends:  # or a stop text ended the turn
            between = between[1:]
        if len(between) >= played.left:
            return False
        played.cut = False
        played.append(between, own=0)
        played.messages += results
        return True


def _with_start(sample: Sample, opening: str) -> Sample:
    """Return the sample with what the environment says at the start behind its last message, as TRL puts it."""
    *before, last = sample.prompt
    asked = (*before, {**last, "content": last["content"] + opening})
    return Sample(id=sample.id, prompt=asked, fields=sample.fields, source=sample.source)


def _message(read: Mapping[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": _text(read.get("content"))}
    if reasoning := _text(read.get("reasoning_content") or read.get("thinking")):
        message["reasoning_content"] = reasoning
    if calls := [_call(call.get("function", call)) for call in read.get("tool_calls") or ()]:
        message["tool_calls"] = calls
    return message


def _call(function: Mapping[str, Any]) -> dict[str, Any]:
    arguments = function["arguments"]
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"type": "function", "function": {"name": function["name"], "arguments": text}}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _teach_to_read_calls(tokenizer: Any) -> None:
    """Let a tokenizer parse turns: by its own response template, or by the one that TRL has for its chat template."""
    from trl.chat_template_utils import add_response_schema, supports_tool_calling

    if not supports_tool_calling(tokenizer):
        raise UserError("agent: the model's chat template shows no calls of tools; take a model for tools")
    if getattr(tokenizer, "response_template", None) or getattr(tokenizer, "response_schema", None):
        return
    try:
        add_response_schema(tokenizer)
    except ValueError as error:
        problem = "TRL does not know how this chat template's calls are read; give the tokenizer a response_template"
        raise UserError(f"agent: {problem} ({one_line(error)})") from error
