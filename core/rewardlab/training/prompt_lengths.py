"""The filter for prompts that are too long: a prompt and its completion must fit into the model's context."""

from collections.abc import Callable, Sequence

from rewardlab.errors import UserError
from rewardlab.training.prompts import PromptFormat
from rewardlab.types import Sample


def fitting_prompts(
    context: int | None,
    shape: PromptFormat,
    samples: Sequence[Sample],
    max_new_tokens: int,
    max_prompt_tokens: int | None,
    where: str,
    say: Callable[[str], None],
) -> Sequence[Sample]:
    """Return the samples whose prompts fit, in their order: those not longer than either limit, in tokens.

    The limits are `max_prompt_tokens`, and the model's `context` less `max_new_tokens`; None means no limit. `say` gets
    a line with the number of samples left out. Raises UserError, which names the stage at `where`, if none is left.
    """
    room = None if context is None else context - max_new_tokens
    most = min((limit for limit in (room, max_prompt_tokens) if limit is not None), default=None)
    if most is None:
        return samples
    why = f"{most} tokens"
    if most == room:
        why += f" (the model's context of {context} less max_new_tokens, {max_new_tokens})"
    kept = [sample for sample in samples if len(shape.tokens(shape.text(sample))) <= most]
    if not kept:
        raise UserError(f"all {len(samples)} prompts are longer than {why}", where=where)
    if len(kept) < len(samples):
        say(f"left out {len(samples) - len(kept)} of {len(samples)} prompts longer than {why}")
    return kept
