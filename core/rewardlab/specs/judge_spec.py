"""The spec of a judge: how it is built, and what a host may ask of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from rewardlab.references import Function
from rewardlab.specs.context import Context, Judge, Spec


@dataclass(frozen=True, kw_only=True)
class JudgeSpec(Spec):
    """A judge. `build` returns an object with `async ask(Ask) -> Reply`; `async aclose()`, if it has one, ends its use.

    An exception from `ask` is a failure that another try may mend (`rewardlab.errors.TryAgain` can say when);
    a Reply with `error` is final. An option whose name ends in `_env` holds the name of an environment variable with a
    secret.

    Args:
        reads: "messages" (a chat model) or "parts" (a scripted judge that needs the structured pieces).
        local: true when it makes no network call, so that nothing needs probing, limiting, recording or paying.
        identity: a function of the options: what decides its answers besides the question ({"model": ..., "params":
            {...}}), for the keys of cassettes; absent: its name and all options but those that end in `_env`.
        address: names of the options that say where it is reached and not who it is; they may change between attempts.
        most_tokens: a function of the options: the most tokens that one answer can have, None if nothing bounds it; a
            budget needs it.
        writes_cache: a function of the options: whether its server bills questions that it puts into a cache at a price
            of their own; `check` then wants `cache_write` in a judge's `price`.
        logprobs: whether its replies have the log-probabilities that a question asks for by `params: {"logprobs":
            True}`; `check` refuses a question that asks any other judge for them.
        supports_prefill: a function of the options: whether it goes on writing the last message, of role assistant, of
            a question that asks for it by `params: {"continue_final_message": True}`, and replies with what follows;
            `check` refuses such a question to any other judge.
    """

    kind: ClassVar[str] = "judge"
    build: Function[Callable[[Any, Context], Judge]] = Function()
    reads: Literal["messages", "parts"] = "messages"
    local: bool = False
    identity: Function[Callable[[Any], Mapping[str, Any]] | None] = Function(None)
    address: Sequence[str] = ()
    most_tokens: Function[Callable[[Any], int | None] | None] = Function(None)
    writes_cache: Function[Callable[[Any], bool] | None] = Function(None)
    logprobs: bool = False
    supports_prefill: Function[Callable[[Any], bool] | None] = Function(None)
