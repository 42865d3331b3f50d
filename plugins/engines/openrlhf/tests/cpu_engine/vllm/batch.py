"""One padded batch of requests, a token for each at every step."""

import torch
from transformers import DynamicCache


class Batch:
    """`requests` with prompts padded on the left; each is sampled by its own settings.

    stops: ids of the tokens that end a completion. processed: log-probabilities after temperature, top_k and top_p
    (vLLM's logprobs_mode "processed_logprobs") instead of the model's own.
    """

    def __init__(self, model, tokenizer, requests, stops, generator, processed):
        self._model, self._stops, self._generator, self._processed = model, stops, generator, processed
        self._tokenizer = tokenizer
        self._all, self.open = requests, list(requests)
        width = max(len(request.prompt) for request in requests)
        self._ids = torch.tensor([[stops[0]] * (width - len(r.prompt)) + r.prompt for r in requests])
        self._mask = torch.tensor([[0] * (width - len(r.prompt)) + [1] * len(r.prompt) for r in requests])
        self._temperature = torch.tensor([[request.params.temperature] for request in requests])
        self._top_k = [max(request.params.top_k, 0) for request in requests]
        self._top_p = torch.tensor([[request.params.top_p] for request in requests])
        self._min_p = torch.tensor([[request.params.min_p] for request in requests])
        self._cache = DynamicCache()

    def step(self):
        """Sample a token for every open request. Returns those now complete, as (request, whether it stopped)."""
        logits = _penalized(self._forward(), self._all)
        for row, request in enumerate(self._all):
            if len(request.tokens) < request.params.min_tokens:
                logits[row, self._stops] = -torch.inf
        scaled = _likeliest(logits / torch.where(self._temperature > 0, self._temperature, 1), self._top_k)
        scaled = _nucleus(_near_the_likeliest(scaled, self._min_p), self._top_p)
        sampled = torch.multinomial(scaled.softmax(-1), 1, generator=self._generator)
        sampled = torch.where(self._temperature > 0, sampled, logits.argmax(-1, keepdim=True))
        logprobs = (scaled if self._processed else logits).log_softmax(-1).gather(-1, sampled)
        self._ids = sampled
        self._mask = torch.nn.functional.pad(self._mask, (0, 1), value=1)
        return self._take(sampled.flatten().tolist(), logprobs.flatten().tolist())

    def _forward(self):
        """The next token's logits: (requests, vocabulary), float32."""
        positions = (self._mask.cumsum(-1) - 1).clamp(min=0)[:, -self._ids.shape[1] :]
        output = self._model(
            self._ids,
            attention_mask=self._mask,
            position_ids=positions,
            past_key_values=self._cache,
            use_cache=True,
            logits_to_keep=1,
        )
        return output.logits[:, -1].float()

    def _take(self, tokens, logprobs):
        complete, still = [], []
        for request, token, logprob in zip(self._all, tokens, logprobs, strict=True):
            if request not in self.open:
                continue
            request.tokens.append(token)
            request.logprobs.append(logprob)
            stopped = token in self._stops or self._ends_in_a_text(request)
            if stopped or len(request.tokens) >= request.limit:
                complete.append((request, stopped))
            elif not request.done.cancelled():
                still.append(request)
        self.open = still
        return complete

    def _ends_in_a_text(self, request):
        """Whether the completion holds one of its stop strings, as vLLM looks for them: in the text."""
        wanted = request.params.stop
        return bool(wanted) and any(text in self._tokenizer.decode(request.tokens) for text in wanted)


def _penalized(logits, requests):
    """`logits` where each token that a row's prompt or completion has is less likely by its repetition_penalty."""
    for row, request in enumerate(requests):
        if (penalty := request.params.repetition_penalty) != 1:
            there = sorted({*request.prompt, *request.tokens})
            logits[row, there] = torch.where(
                logits[row, there] > 0, logits[row, there] / penalty, logits[row, there] * penalty
            )
    return logits


def _near_the_likeliest(logits, min_p):
    """`logits` without the tokens that have less than `min_p` (rows, 1) of the likeliest one's probability."""
    shares = logits.softmax(-1)
    return logits.masked_fill(shares < min_p * shares.amax(-1, keepdim=True), -torch.inf)


def _likeliest(logits, top_k):
    """`logits` without all but the `top_k[row]` likeliest tokens of each row; 0: all stay."""
    for row, count in enumerate(top_k):
        if 0 < count < logits.shape[-1]:
            logits[row, logits[row] < logits[row].topk(count).values[-1]] = -torch.inf
    return logits


def _nucleus(logits, top_p):
    """`logits` without the tokens beyond the likeliest ones that hold `top_p` (rows, 1) of the probability."""
    if bool((top_p >= 1).all()):
        return logits
    ordered, places = logits.sort(-1, descending=True)
    shares = ordered.softmax(-1)
    ordered[shares.cumsum(-1) - shares >= top_p] = -torch.inf
    return torch.full_like(logits, -torch.inf).scatter(-1, places, ordered)
