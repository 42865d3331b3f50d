"""Models with random weights and real shapes, written as folders without a network, for benchmarks/gpu.py."""

import random
from dataclasses import dataclass
from pathlib import Path

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")  # as Qwen2's: by other names transformers adds these
CHAT = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n"


@dataclass(frozen=True)
class Shape:
    """The shape of a decoder, and how many of its tokens end a completion, so that lengths differ."""

    hidden: int
    layers: int
    heads: int
    keys: int
    inner: int
    vocabulary: int
    ends: int


def tokenizer_of(vocabulary: int):
    """A byte-level tokenizer that has a word for each of as many tokens: whatever is sampled is a text."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = [f"Ġw{number}" for number in range(vocabulary - len(SPECIAL) - len(alphabet))]
    ids = {token: place for place, token in enumerate([*SPECIAL, *alphabet, *words])}
    tokenizer = Tokenizer(models.BPE(vocab=ids, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=SPECIAL[0], eos_token=SPECIAL[2], chat_template=CHAT
    )


def write_policy(folder: Path, shape: Shape) -> Path:
    """Write a causal model; the same shape gives the same weights."""
    import torch
    from transformers import GenerationConfig, Qwen2ForCausalLM

    if folder.exists():
        return folder
    torch.manual_seed(0)
    model = Qwen2ForCausalLM(_config(shape)).to(torch.bfloat16)
    ends = list(range(shape.vocabulary - shape.ends, shape.vocabulary))
    model.generation_config = GenerationConfig(eos_token_id=[SPECIAL.index("<|im_end|>"), *ends], pad_token_id=0)
    return _written(folder, model, shape)


def write_reward_model(folder: Path, shape: Shape) -> Path:
    """Write a sequence classifier with one output."""
    import torch
    from transformers import Qwen2ForSequenceClassification

    torch.manual_seed(1)
    config = _config(shape)
    config.num_labels = 1
    model = Qwen2ForSequenceClassification(config)
    model.score.weight.data.normal_(std=1.0)  # so that scores of different texts are apart
    return _written(folder, model, shape)


def _written(folder: Path, model, shape: Shape) -> Path:
    """Write a model with its tokenizer; the folder is there only once both are, whatever ends the part meanwhile."""
    half = folder.with_name(f"{folder.name}-half")
    model.save_pretrained(half)
    tokenizer_of(shape.vocabulary).save_pretrained(half)
    return half.rename(folder)


def _config(shape: Shape):
    from transformers import Qwen2Config

    return Qwen2Config(
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.keys,
        intermediate_size=shape.inner,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        pad_token_id=0,
        bos_token_id=None,
        eos_token_id=SPECIAL.index("<|im_end|>"),
    )


WORDS = (
    *("the", "answer", "half", "of", "what", "remains", "after", "she", "gives", "twelve", "apples", "away", "so"),
    *("la", "respuesta", "es", "mitad", "lo", "que", "queda", "Antwort", "ist", "Hälfte", "von", "übrig", "zwölf"),
    *("jawabannya", "adalah", "setengah", "sisa", "答えは", "残り", "半分", "です", "ответ", "половина", "осталось"),
)


def texts_of(count: int, longest: int, seed: int) -> list[str]:
    """Texts of 8 to `longest` words in several scripts; the same seed gives the same."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randint(8, longest))) for _ in range(count)]
