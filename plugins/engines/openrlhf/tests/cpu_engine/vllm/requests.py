"""A request on its way through the engine, and what comes back for it."""

from concurrent.futures import Future
from dataclasses import dataclass, field

from vllm.sampling_params import SamplingParams


@dataclass
class Logprob:
    logprob: float


@dataclass
class CompletionOutput:
    """token_ids include the token that ended it; text does not. logprobs: of the sampled token, at every place."""

    text: str
    token_ids: list[int]
    finish_reason: str
    logprobs: list[dict[int, Logprob]] | None = None
    index: int = 0


@dataclass
class RequestOutput:
    request_id: str
    prompt_token_ids: list[int]
    outputs: list[CompletionOutput]
    finished: bool = True


@dataclass(eq=False)
class Request:
    """Its caller waits for `done` and cancels it to abort the request."""

    request_id: str
    prompt: list[int]
    params: SamplingParams
    limit: int
    """tokens at most"""
    done: Future = field(default_factory=Future)
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)

    def output(self, tokenizer, stopped):
        """What its caller gets; `stopped`: the last token, or a stop string that it completed, ended it."""
        if self.params.stop and not self.params.include_stop_str_in_output:
            raise NotImplementedError("the stand-in keeps stop strings in the text")
        shown = self.tokens[:-1] if stopped and not self.params.stop else self.tokens
        text = tokenizer.decode(shown, skip_special_tokens=self.params.skip_special_tokens)
        logprobs = None
        if self.params.logprobs is not None:
            logprobs = [{token: Logprob(value)} for token, value in zip(self.tokens, self.logprobs, strict=True)]
        completion = CompletionOutput(text, list(self.tokens), "stop" if stopped else "length", logprobs)
        return RequestOutput(self.request_id, list(self.prompt), [completion])
