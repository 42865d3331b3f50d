"""Load a complete reward model, and read outputs and lengths from its configuration."""

from pathlib import Path
from typing import Any

from transformers import AutoModelForSequenceClassification, AutoTokenizer

UNBOUNDED = 1 << 30
"""tokens; transformers uses a number above this if a tokenizer has no limit"""


def load_model(settings: dict) -> Any:
    """Return the classifier. Raises ValueError if weights are missing: transformers would make them up."""
    name = settings["model"]
    both: Any = AutoModelForSequenceClassification.from_pretrained(
        name,
        dtype=settings["dtype"],
        trust_remote_code=settings["trust_remote_code"],
        local_files_only=Path(name).is_dir(),
        output_loading_info=True,
    )
    model, loaded = both
    if missing := sorted(loaded["missing_keys"]):
        raise ValueError(
            f"model {name!r} is not a trained reward model: {len(missing)} of a classifier's weights are not there, "
            f"such as {missing[0]}, and transformers would make them up"
        )
    return model


def load_tokenizer(settings: dict, config: Any) -> Any:
    """Return the tokenizer; it pads on the right, with the model's padding token."""
    tokenizer = AutoTokenizer.from_pretrained(
        settings["model"],
        trust_remote_code=settings["trust_remote_code"],
        local_files_only=Path(settings["model"]).is_dir(),
    )
    tokenizer.padding_side = "right"
    padding = config.get_text_config().pad_token_id
    if padding is not None:
        tokenizer.pad_token = tokenizer.convert_ids_to_tokens(padding)
    return tokenizer


def place_of_label(config: Any, label: str | None) -> int | None:
    """Return the place of a label among a model's outputs; None for a model with one. Raises ValueError."""
    if config.num_labels == 1:
        if label is not None:
            raise ValueError("label: this model has one output, and no labels; leave it out")
        return None
    known = [str(config.id2label[place]) for place in range(config.num_labels)]
    if label not in known:
        given = "missing" if label is None else f"the model has no {label!r}"
        raise ValueError(f"label: {given}; its {len(known)} are {', '.join(known[:16])}")
    return known.index(label)


def most_tokens(config: Any, tokenizer: Any, wanted: int | None) -> int | None:
    """Return how many tokens the model reads, lowered to `wanted`; None if unbounded.

    Raises ValueError if `wanted` is more.
    """
    positions = getattr(config.get_text_config(), "max_position_embeddings", None)
    bounds = [bound for bound in (positions, tokenizer.model_max_length) if bound is not None and 0 < bound < UNBOUNDED]
    most = min(bounds, default=None)
    if wanted is not None and most is not None and wanted > most:
        raise ValueError(f"max_tokens {wanted}: this model reads at most {most} tokens")
    return wanted or most
