"""A tiny policy that has learnt by heart to call a tool and to answer with its result, with Qwen3's chat template."""

from importlib.resources import files
from pathlib import Path
from typing import Any

ENDS = ("<|im_end|>", "<|endoftext|>")
SPECIAL = [*ENDS, "<|im_start|>"]
MARKS = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"]


def write_tool_policy(folder: Path, conversations: list[list[str]], steps: int = 60) -> None:
    """Write a model that goes on as each conversation does: the prompt, its words, what it reads, its words, ..."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = tokenizer_of([text for parts in conversations for text in parts])
    rows, learnt = [], []
    for parts in conversations:
        pieces = [tokenizer(part, add_special_tokens=False)["input_ids"] for part in parts]
        rows.append([token for piece in pieces for token in piece])
        learnt.append([token if place % 2 else -100 for place, piece in enumerate(pieces) for token in piece])
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a step is too small to be divided
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=1,
        num_attention_heads=4,
        num_key_value_heads=4,
        intermediate_size=128,
        max_position_embeddings=1024,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    model = LlamaForCausalLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    width = max(map(len, rows))
    ids = torch.tensor([row + [tokenizer.pad_token_id] * (width - len(row)) for row in rows])
    labels = torch.tensor([row + [-100] * (width - len(row)) for row in learnt])
    for _ in range(steps):
        optimizer.zero_grad()
        model(input_ids=ids, labels=labels).loss.backward()
        optimizer.step()
    torch.set_num_threads(threads)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def tokenizer_of(texts: list[str]) -> Any:
    """Return a tokenizer of these texts with Qwen3's special tokens and chat template."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    digits = pre_tokenizers.Digits(individual_digits=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=1200,
            special_tokens=SPECIAL,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    tokenizer.add_tokens([AddedToken(mark, normalized=False) for mark in MARKS])
    made = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<|endoftext|>", eos_token="<|im_end|>", padding_side="left"
    )
    made.chat_template = (files("trl") / "chat_templates" / "qwen3.jinja").read_text()
    return made
