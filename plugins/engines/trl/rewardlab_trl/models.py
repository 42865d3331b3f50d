"""A causal language model: loaded from a folder or hub name, with the sampling settings of the recipe only."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rewardlab.errors import UserError, one_line
from rewardlab_training import ends_of, load_tokenizer, whole_folder

from rewardlab_trl.position_ids import count_from_the_first_token

if TYPE_CHECKING:
    from transformers import BitsAndBytesConfig

CHANGED = ("pad_token_id", "use_cache")


@dataclass(frozen=True, kw_only=True)
class CausalModel:
    """A causal language model on its device, and its tokenizer (left padding, a padding token).

    `ends` are the ids of the tokens that end a completion, the tokenizer's and those that the model declares.
    `context` is the most tokens of a prompt and its completion; None if the model names no limit.
    """

    model: Any
    tokenizer: Any
    ends: tuple[int, ...]
    context: int | None
    declared_generation: Any
    """the model's own generation config: without effect here, written again with the model"""
    declared_settings: Mapping[str, Any]
    """settings of the model's config that trainers change, as they were"""

    def save(self, folder: Path) -> None:
        """Write model and tokenizer to `folder`, whole or not at all."""
        for name, value in self.declared_settings.items():
            setattr(self.model.config.get_text_config(), name, value)
        with whole_folder(folder) as scratch:
            self.model.save_pretrained(scratch)
            self.tokenizer.save_pretrained(scratch)
            self.declared_generation.to_json_file(scratch / "generation_config.json")


def load_model(
    source: str, device: str, attention: str | None = None, quantization: "BitsAndBytesConfig | None" = None
) -> CausalModel:
    """Load the model in the folder or hub repository `source`, in fp32; a GPU casts as `precision` says.

    Args:
        attention: transformers' implementation of it; None for its own choice.
        quantization: of its linear layers.

    Raises UserError if transformers cannot load it, or would make up weights that are missing.
    """
    from transformers import GenerationConfig

    settings: dict[str, Any] = {"attn_implementation": attention, "quantization_config": quantization}
    if quantization is not None:
        settings["device_map"] = {"": device}  # weights are quantized where they are put
    tokenizer, model = load_tokenizer(source), _model(source, {k: v for k, v in settings.items() if v is not None})
    if max(tokenizer.get_vocab().values()) >= model.get_input_embeddings().num_embeddings:
        raise UserError(f"model {source!r}: its tokenizer has more tokens than the model has embeddings")
    count_from_the_first_token(model)
    declared, ends = model.generation_config, ends_of(tokenizer, model.generation_config)
    # `generate` takes from here whatever it is not given, such as a top_k or a repetition penalty
    model.generation_config = GenerationConfig(eos_token_id=list(ends), pad_token_id=tokenizer.pad_token_id)
    config = model.config.get_text_config()
    context = getattr(config, "max_position_embeddings", None)
    return CausalModel(
        model=model if quantization is not None else model.to(device),
        tokenizer=tokenizer,
        ends=ends,
        context=context if context and context > 0 else None,
        declared_generation=declared,
        declared_settings={name: getattr(config, name) for name in CHANGED if hasattr(config, name)},
    )


def _model(source: str, settings: Mapping[str, Any]) -> Any:
    import torch
    from transformers import AutoModelForCausalLM

    try:
        # Any: the annotation ignores output_loading_info
        both: Any = AutoModelForCausalLM.from_pretrained(
            source, dtype=torch.float32, output_loading_info=True, **settings
        )
    except Exception as error:  # transformers raises many kinds; all mean that the model cannot be used
        raise UserError(f"model {source!r} cannot be loaded as a causal language model: {one_line(error)}") from error
    model, loaded = both
    if missing := sorted(loaded["missing_keys"]):
        raise UserError(
            f"model {source!r} is not a whole causal language model: {len(missing)} of its weights are not "
            f"there, such as {missing[0]}, and transformers would make them up"
        )
    return model
