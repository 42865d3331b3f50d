"""The policy: loaded from a folder or hub name, or a tiny one built here."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rewardlab.backends.trl.prompts import as_text
from rewardlab.errors import UserError, one_line
from rewardlab.recipe import TinyModel
from rewardlab.types import Sample

PAD, END = "<pad>", "<eos>"


def load_tokenizer(path: str) -> Any:
    """The tokenizer of a model folder or hub name, ready for generation (left padding, a padding token)."""
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(path, padding_side="left")
    except Exception as error:  # transformers raises many kinds; all mean that the model cannot be used
        raise UserError(f"model {path!r} has no tokenizer that transformers can load: {one_line(error)}") from error
    if tokenizer.eos_token is None:
        raise UserError(f"model {path!r}: its tokenizer has no end-of-sequence token, so no completion could end")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def load_model(path: str) -> Any:
    """The causal language model of a folder or hub name, in fp32: on a GPU training casts as `precision` says."""
    import torch
    from transformers import AutoModelForCausalLM

    try:
        return AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)
    except Exception as error:  # transformers raises many kinds; all mean that the model cannot be used
        raise UserError(f"model {path!r} cannot be loaded as a causal language model: {one_line(error)}") from error


def build_tiny(tiny: TinyModel, corpus: Sequence[Sample], seed: int, folder: Path) -> None:
    """Write a random Llama and a byte-level BPE tokenizer trained on `corpus` to `folder`."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = _tokenizer(_texts(corpus), tiny.vocabulary)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=tiny.hidden_size,
        num_hidden_layers=tiny.layers,
        num_attention_heads=tiny.heads,
        num_key_value_heads=tiny.heads,
        intermediate_size=tiny.intermediate_size,
        max_position_embeddings=tiny.context,
        tie_word_embeddings=True,
        initializer_range=0.05,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    model = LlamaForCausalLM(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _texts(corpus: Sequence[Sample]) -> Iterator[str]:
    for sample in corpus:
        yield as_text(sample.prompt) + str(sample.fields.get("response") or sample.fields.get("reference") or "")


def _tokenizer(texts: Iterator[str], vocabulary: int) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    # a digit is a token, so that the model can learn to count; any byte is one, so that any text can be read
    digits = pre_tokenizers.Digits(individual_digits=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[PAD, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )
