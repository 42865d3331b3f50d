"""The model of `model: {use: tiny}`: a small Llama with random weights, and a tokenizer of the dataset's texts."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rewardlab.files import whole_folder
from rewardlab.recipe.models import TinyModel
from rewardlab.training.prompts import as_text
from rewardlab.types import Sample

PAD, END = "<pad>", "<eos>"


def build_tiny(tiny: TinyModel, corpus: Sequence[Sample], seed: int, folder: Path) -> None:
    """Write a random Llama and a byte-level BPE tokenizer, trained on `corpus`, to `folder`, whole or not at all."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
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
    with whole_folder(folder) as scratch:
        LlamaForCausalLM(config).save_pretrained(scratch)
        tokenizer.save_pretrained(scratch)


def _texts(corpus: Sequence[Sample]) -> Iterator[str]:
    for sample in corpus:
        yield as_text(sample.prompt) + str(sample.fields.get("response") or sample.fields.get("reference") or "")


def _tokenizer(texts: Iterator[str], vocabulary: int) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    # each digit is a token, so that the model can learn to count; each byte is one, so that it can read any text
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
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )
