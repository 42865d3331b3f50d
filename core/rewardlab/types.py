"""The values that flow through the library: samples, completions, groups, scores, questions and replies.

All of them are frozen, keyword-only and made of JSON values, never tensors. B prompts, G completions a prompt.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, overload

Message = Mapping[str, str]
"""One chat message: {"role": "user", "content": "..."}."""
Turn = Mapping[str, Any]
"""One message of a completion that is a conversation: a Message which may have, as OpenAI's chat has them, `tool_calls`
(a list of {"type": "function", "function": {"name", "arguments": JSON as text}}, often with an `id`), `tool_call_id`,
`name` and `reasoning_content`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """A prompt and what is known about it.

    `fields` holds the row's other columns (answer, reference, language, ...), as JSON values.
    `source` says where the sample was read ("train.jsonl:17"); only messages use it.
    A dataset may leave `id` empty: the host then derives one from the prompt.
    """

    id: str = ""
    prompt: Sequence[Message] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    source: str = field(default="", compare=False)

    def place(self, completion: int | None = None) -> str:
        """Return where something happened, for a message: this sample, or its completion with this index (from 0)."""
        place = f"sample {self.id!r}" + (f" ({self.source})" if self.source else "")
        return place if completion is None else f"{place}, completion {completion}"

    def as_dict(self) -> dict[str, Any]:
        """Return {"id", "prompt", "fields", "source"} of plain dicts and lists; `Sample(**...)` reverses it."""
        return {
            "id": self.id,
            "prompt": [dict(message) for message in self.prompt],
            "fields": dict(self.fields),
            "source": self.source,
        }

    def as_row(self) -> dict[str, Any]:
        """Return the sample as a row of a dataset file: {"id", "prompt"} and a column for each field."""
        values = self.as_dict()
        return {"id": values["id"], "prompt": values["prompt"], **values["fields"]}


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """One answer of the policy to a prompt: a text, or a conversation with tools or a user.

    `text` includes a `<think>` that the chat template opened; of a conversation it is the assistant's last message with
    a text, "" if there is none. `messages` is the conversation behind the prompt, empty if there is only a text.
    `token_count` is what the policy's engine counted, None if unknown; `truncated` is true if generation stopped at the
    length limit. `seconds` is what the rollout took, None if unknown. `error` says why the rollout failed, such as a
    sandbox that died: then the completion is no answer, whatever its text is.
    """

    text: str
    token_count: int | None = None
    truncated: bool = False
    messages: Sequence[Turn] = field(default=(), hash=False)
    seconds: float | None = None
    error: str | None = None

    @classmethod
    def of(cls, messages: Sequence[Turn], token_count: int | None = None, truncated: bool = False, **more: Any) -> Self:
        """Return the completion that is this conversation."""
        last = _last_answer(messages)
        text = "" if last is None else messages[last]["content"]
        return cls(text=text, token_count=token_count, truncated=truncated, messages=tuple(messages), **more)

    @property
    def failure(self) -> str | None:
        """The reason why this is no answer: its `error`, or that the policy sampled nothing, not even an end."""
        if self.error is None and (self.token_count != 0 or self.text or self.messages):
            return None
        return self.error or "the policy sampled no token"

    def conversation(self) -> Sequence[Turn]:
        """Return the messages, for rewards of trajectory scope; of a text alone, the assistant's one message."""
        return self.messages or ({"role": "assistant", "content": self.text},)

    def with_text(self, text: str) -> Self:
        """Return the completion with another text, which takes the place of a conversation's last answer."""
        messages, last = list(self.messages), _last_answer(self.messages)
        if last is not None:
            messages[last] = {**messages[last], "content": text}
        elif messages:
            messages.append({"role": "assistant", "content": text})
        return replace(self, text=text, messages=tuple(messages))

    @property
    def characters(self) -> int:
        """The number of characters of its text and messages, roughly: the memory that it takes."""
        return len(self.text) + sum(len(str(message)) for message in self.messages)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields, of those behind `truncated` the ones that it has; `Completion(**...)` reverses it."""
        fields = {"text": self.text, "token_count": self.token_count, "truncated": self.truncated}
        more = {"messages": list(map(dict, self.messages)) or None, "seconds": self.seconds, "error": self.error}
        return fields | {name: value for name, value in more.items() if value is not None}


def _last_answer(messages: Sequence[Turn]) -> int | None:
    """Return the place of the assistant's last message that has a text."""
    turns = [at for at, turn in enumerate(messages) if turn["role"] == "assistant" and turn["content"].strip()]
    return turns[-1] if turns else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """A prompt with its G completions, in the order in which they were requested."""

    sample: Sample
    completions: Sequence[Completion]


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """A reward's verdict on one completion.

        Score(value=1.0, info={"answer": "4"})          # a number
        Score(info={"reason": "the row has no answer"})  # the reward abstains
        Score(error="the judge gave no verdict")         # the reward failed

    `value` is a number; or None without `error`: the reward abstains; or None with `error`: it failed.
    A failure is never a low score. `info` holds JSON values and is kept when `value` is None.
    """

    value: float | None = None
    info: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolEntry:
    """One completion of a pool; `scores`: component name -> score, for components of completion and batch scope."""

    completion: Completion
    scores: Mapping[str, Score]


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidates(Sequence[PoolEntry]):
    """The pool of one prompt, as a group sampler sees it: P entries, of which `size` will be trained on."""

    sample: Sample
    size: int
    entries: tuple[PoolEntry, ...]

    @overload
    def __getitem__(self, index: int) -> PoolEntry: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[PoolEntry]: ...

    def __getitem__(self, index: int | slice) -> PoolEntry | Sequence[PoolEntry]:
        return self.entries[index]

    def __len__(self) -> int:
        return len(self.entries)


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask:
    """A question to a judge.

    `messages` is the prompt for judges that read text. `parts` holds the structured pieces (query, a, b,
    reference) for judges that do not. `params` goes to the server as it is (temperature, max_tokens, ...).
    `draw` numbers repeated samples of one question.
    """

    messages: Sequence[Message] = ()
    parts: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    draw: int = 0


MAX_REFUSAL = 160
"""characters of a judge's refusal that a message repeats"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """A judge's answer. `text` is never parsed or trimmed: the reward that asked makes the verdict.

    `reasoning` is text that the server sends separately. `finish_reason` is stop, length, content_filter or tool_calls,
    as at OpenAI, or refusal, by which `text` has the judge's words. If `error` is set, there is no answer; `refused`
    then says that there never will be one to this question, though there may be to others. Of `prompt_tokens`,
    `cache_read_tokens` came from the server's cache and `cache_write_tokens` were put there, at prices of their own.
    """

    text: str = ""
    reasoning: str | None = None
    logprobs: Any = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    error: str | None = None
    refused: bool = False

    @property
    def cut_off(self) -> bool:
        """Whether the text is not all that its writer would say: at the token limit, by a filter, or in a refusal."""
        return self.finish_reason in ("length", "content_filter", "refusal")

    @property
    def fault(self) -> str | None:
        """The reason why the text cannot be the whole answer, in words; None if nothing says that it is not."""
        blank = not self.text.strip()
        if self.finish_reason == "refusal":
            return "the judge refused to answer" + ("" if blank else f": {' '.join(self.text[:MAX_REFUSAL].split())}")
        if self.finish_reason == "length":
            where = " in its reasoning" if blank and self.reasoning else " before it had a text" if blank else ""
            return f"the reply was cut at its token limit (max_tokens){where}"
        if self.finish_reason == "content_filter":
            return "a content filter stopped the reply"
        if not blank:
            return None
        if self.finish_reason == "tool_calls":
            return "the reply calls a tool and has no text"
        return "the reply is reasoning alone, without a text" if self.reasoning else "the reply has no text"
