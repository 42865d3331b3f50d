"""Tiny real reward models, trained for a second to like the good answers of the plugin's examples."""

from pathlib import Path

import pytest
from rewardlab_reward_model.examples import BAD, BOOKS, GOOD

TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
LENGTH = 256


@pytest.fixture(scope="session")
def tiny_tokenizer():
    """tiny_tokenizer(chat): a byte-level tokenizer, with or without a chat template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    def make(chat):
        alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
        words = {token: place for place, token in enumerate(["<pad>", "</s>", *alphabet])}
        tokenizer = Tokenizer(models.BPE(vocab=words, merges=[]))
        tokenizer.add_special_tokens(["<pad>", "</s>"])
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        tokenizer.post_processor = processors.TemplateProcessing(
            single="$A </s>", pair="$A </s> $B:1 </s>:1", special_tokens=[("</s>", 1)]
        )
        made = PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, model_max_length=LENGTH, pad_token="<pad>", eos_token="</s>"
        )
        made.chat_template = TEMPLATE if chat else None
        return made

    return make


@pytest.fixture(scope="session")
def tiny_model(tiny_tokenizer, tmp_path_factory):
    """tiny_model(kind): the folder of a model: chat, pair, labels (three), or unpadded (names no padding token)."""
    made: dict[str, Path] = {}

    def build(kind="chat"):
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp(kind) / "model"
            _build(made[kind], tiny_tokenizer(kind != "pair"), kind)
        return made[kind]

    return build


def _build(folder, tokenizer, kind):
    import torch
    from transformers import LlamaConfig, LlamaForSequenceClassification

    torch.manual_seed(0)
    labels = 3 if kind == "labels" else 1
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=LENGTH,
        num_labels=labels,
        pad_token_id=None if kind == "unpadded" else 0,
        bos_token_id=None,
        eos_token_id=1,
    )
    if labels > 1:
        config.id2label = {0: "poor", 1: "fair", 2: "good"}
    model = LlamaForSequenceClassification(config)
    _train(model, tokenizer, labels)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _train(model, tokenizer, labels):
    """Teach it which of the examples are good: by the sign of one output, or by the last label."""
    import torch

    responses = [*GOOD, *BAD[1:], "So 24.", "Who cares."]
    liked = [True] * len(GOOD) + [False] * len(BAD[1:]) + [True, False]
    rows = [_ids(tokenizer, response.rpartition("</think>")[2]) for response in responses]
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for _ in range(40):
        losses = []
        for ids, good in zip(rows, liked, strict=True):
            outputs = model(torch.tensor([ids])).logits[0].float()
            if labels > 1:
                losses.append(torch.nn.functional.cross_entropy(outputs, torch.tensor(2 if good else 0)))
            else:
                losses.append(torch.nn.functional.softplus(-outputs[0] if good else outputs[0]))
        optimizer.zero_grad()
        torch.stack(losses).mean().backward()
        optimizer.step()


def _ids(tokenizer, response):
    messages = [*BOOKS.prompt, {"role": "assistant", "content": response}]
    if tokenizer.chat_template is None:
        return tokenizer(messages[0]["content"], response)["input_ids"]
    return tokenizer(tokenizer.apply_chat_template(messages, tokenize=False), add_special_tokens=False)["input_ids"]
