"""What flows through the library: samples, completions, groups, scores, questions and replies.

Everything is frozen, keyword-only and made of JSON values; no tensors. B prompts, G completions a prompt.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Message = Mapping[str, str]
"""One chat message: {"role": "user", "content": "..."}."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """One prompt and what is known about it.

    `fields` holds the row's other columns (answer, reference, language, ...), as JSON values.
    `source` says where the sample was read ("train.jsonl:17"); it only serves messages.
    A dataset may leave `id` empty: the host then derives one from the prompt.
    """

    id: str = ""
    prompt: Sequence[Message] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    source: str = field(default="", compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """One answer of the policy.

    `text` includes a `<think>` that the chat template opened. `token_count` is None where nobody counted;
    `truncated` is true when generation stopped at the length limit.
    """

    text: str
    token_count: int | None = None
    truncated: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """A prompt with its G completions, in the order in which they were asked for."""

    sample: Sample
    completions: Sequence[Completion]


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """What a reward says of one completion.

    A number; or None without `error`: the reward abstains; or None with `error`: it failed.
    A failure is never a low score. `info` holds JSON values and is kept when `value` is None.
    """

    value: float | None = None
    info: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """A judge's answer. `text` is never parsed or trimmed: the reward that asked makes the verdict.

    `reasoning` is what the server sends apart from the text. `error` set means that there is no answer.
    """

    text: str = ""
    reasoning: str | None = None
    logprobs: Any = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    error: str | None = None
