"""How a completion is sampled; what vLLM refuses is refused here, with its kind of error."""

from dataclasses import dataclass, field


@dataclass
class SamplingParams:
    """The settings OpenRLHF and rewardlab use; any other keyword is a TypeError, as a misspelt one is in vLLM.

    temperature 0 is greedy. max_tokens None: as many as fit. logprobs: how many a token, None for none.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    max_tokens: int | None = 16
    min_tokens: int = 0
    logprobs: int | None = None
    skip_special_tokens: bool = True
    stop: list[str] = field(default_factory=list)
    include_stop_str_in_output: bool = False

    def __post_init__(self):
        least, most, logprobs = self.min_tokens, self.max_tokens, self.logprobs
        for wrong, message in (
            (self.temperature < 0, f"temperature must be non-negative, got {self.temperature}."),
            (not 0 < self.top_p <= 1, f"top_p must be in (0, 1], got {self.top_p}."),
            (self.top_k < -1, f"top_k must be 0 (disable), or at least 1, got {self.top_k}."),
            (not 0 <= self.min_p <= 1, f"min_p must be in [0, 1], got {self.min_p}."),
            (
                self.repetition_penalty <= 0,
                f"repetition_penalty must be greater than zero, got {self.repetition_penalty}.",
            ),
            (most is not None and most < 1, f"max_tokens must be at least 1, got {most}."),
            (least < 0, f"min_tokens must be greater than or equal to 0, got {least}."),
            (most is not None and least > most, f"min_tokens must be less than or equal to max_tokens={most}."),
            (logprobs is not None and logprobs < 0, f"logprobs must be non-negative, got {logprobs}."),
        ):
            if wrong:
                raise ValueError(message)
