"""The tokenizer of a model, and the tokens that end a completion."""

from typing import Any

from rewardlab.errors import UserError, one_line


def load_tokenizer(source: str) -> Any:
    """Return the tokenizer in the folder or hub repository `source`, with left padding and a padding token.

    Raises UserError if transformers cannot load it, or if it has no end-of-sequence token.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(source, padding_side="left")
    except Exception as error:  # transformers raises many kinds; all mean that the model cannot be used
        raise UserError(f"model {source!r} has no tokenizer that transformers can load: {one_line(error)}") from error
    if tokenizer.eos_token is None:
        raise UserError(f"model {source!r}: its tokenizer has no end-of-sequence token, so no completion could end")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def ends_of(tokenizer: Any, generation: Any) -> tuple[int, ...]:
    """Return the ids of the tokens that end a completion: the tokenizer's, then those of the generation config."""
    declared = generation.eos_token_id
    if not isinstance(declared, list):
        declared = [] if declared is None else [declared]
    return tuple(dict.fromkeys([tokenizer.eos_token_id, *declared]))
