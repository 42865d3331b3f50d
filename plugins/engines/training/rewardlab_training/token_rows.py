"""The rows of sft and dpo as token ids: those that fit, cut if the recipe says so, and how many do not."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rewardlab import Sample
from rewardlab.data import kind_of
from rewardlab.errors import UserError
from rewardlab.recipe import DpoStage, SftStage

from rewardlab_training.prompts import PromptFormat


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A row's prompt and the texts to learn from, as token ids; prompt and text together keep to the limit."""

    sample: Sample
    prompt: list[int]
    texts: tuple[list[int], ...]


def tokenized_rows(
    stage: SftStage | DpoStage,
    samples: Sequence[Sample],
    prompt_format: PromptFormat,
    context: int | None,
    where: str,
    say: Callable[[str], None],
) -> list[TokenRow]:
    """Return the rows that can be trained on, sft's with their response, dpo's with both answers; say how many cannot.

    Args:
        context: of the model in tokens, None if it names none.
        where: the stage, for messages.

    Raises UserError for a row without one of the texts, and if no row fits.
    """
    fields = ("response",) if isinstance(stage, SftStage) else ("chosen", "rejected")
    limit = stage.max_tokens or context
    if context is not None and limit is not None and limit > context:
        raise UserError(f"max_tokens {limit} is more than the model's context, {context}", where=where)
    rows, cut = [], 0
    for row in _tokenized(samples, prompt_format, fields):
        longest = len(row.prompt) + max(map(len, row.texts))
        if limit is not None and longest > limit:
            if stage.max_tokens is None or len(row.prompt) >= limit:
                continue
            cut += 1
            row = TokenRow(row.sample, row.prompt, tuple(text[: limit - len(row.prompt)] for text in row.texts))
        rows.append(row)
    if not rows:
        raise UserError(f"none of the {len(samples)} rows fits into {limit} tokens", where=where)
    if cut:
        say(f"cut {cut} of {len(samples)} rows at max_tokens, {limit}")
    if left_out := len(samples) - len(rows):
        reason = "with no room for the response in max_tokens" if stage.max_tokens else "longer than the context"
        say(f"left out {left_out} of {len(samples)} rows {reason}, {limit}")
    return rows


def _tokenized(samples: Sequence[Sample], prompt_format: PromptFormat, fields: Sequence[str]) -> Iterator[TokenRow]:
    for sample in samples:
        texts = [_text(sample, field) for field in fields]
        prompt = prompt_format.tokens(prompt_format.text(sample))
        yield TokenRow(sample, prompt, tuple(prompt_format.answer(sample, text) for text in texts))


def _text(sample: Sample, field: str) -> str:
    text = sample.fields.get(field)
    if not isinstance(text, str):
        raise UserError(f"{field} must be a text, not {kind_of(text)}", where=sample.source or sample.id)
    return text
