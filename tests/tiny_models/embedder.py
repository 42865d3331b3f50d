"""A tiny real sentence-transformers model: a byte-level tokenizer, one BERT layer, mean pooling, normalised.

    python tests/tiny_models/embedder.py OUT_DIR [--train PAIRS.jsonl] [--seed N]

Without --train its weights are random. PAIRS.jsonl has rows {"a": text in some language, "b": the same in English};
trained on them (seconds, one thread), a text is nearer to its own translation than to those of other texts.
The same files and seed give the same model.
"""

import argparse
import json
import random
import sys
from pathlib import Path

SPECIALS = ("[PAD]", "[CLS]", "[SEP]")
LENGTH = 256
"""Tokens that the model reads."""
VOCABULARY = 3000
SIZES = {"hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 128}
INITIALIZER_RANGE = 0.3
BATCH, LEARNING_RATE, TEMPERATURE = 64, 3e-3, 0.05
SEEN = 128
"""Tokens of a text that training looks at."""
SENTENCES = (
    "At first there were 48 books on the shelf, so 24 are left.",
    "Zuerst standen 48 Bücher im Regal, also bleiben 24 übrig.",
    "Al principio había 48 libros en el estante, así que quedan 24.",
    "一开始书架上有48本书，所以还剩下24本。",
    "最初、本棚には48冊の本がありました。",
)
"""What the tokenizer of a model without training is made from. Every other text has a token a byte, at most."""


def build(
    folder: Path, *, pairs: list[tuple[str, str]] | None = None, seed: int = 0, steps: int = 150, **sizes
) -> None:
    """Write the model to `folder`. sizes: of the transformer, in place of SIZES; `length`, `vocabulary` too."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
    from transformers import BertConfig, BertModel
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.manual_seed(seed)
    length, vocabulary = sizes.pop("length", LENGTH), sizes.pop("vocabulary", VOCABULARY)
    texts = [text for pair in pairs for text in pair] if pairs else list(SENTENCES)
    tokenizer = _tokenizer(texts, length, vocabulary)
    sizes = {"initializer_range": INITIALIZER_RANGE, **SIZES, **sizes}
    config = BertConfig(vocab_size=len(tokenizer), max_position_embeddings=length, **sizes)
    bare = folder / "bare"
    BertModel(config).save_pretrained(bare)
    tokenizer.save_pretrained(bare)
    transformer = Transformer(str(bare), max_seq_length=length)
    pooling = Pooling(transformer.get_embedding_dimension(), pooling_mode="mean")
    model = SentenceTransformer(modules=[transformer, pooling, Normalize()], device="cpu")
    if pairs:
        _train(model, pairs, random.Random(seed), steps)
    model.save_pretrained(str(folder), create_model_card=False)
    for path in bare.iterdir():
        path.unlink()
    bare.rmdir()


def _tokenizer(texts: list[str], length: int, vocabulary: int):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(SPECIALS),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    ends = [(name, tokenizer.token_to_id(name)) for name in SPECIALS[1:]]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    names = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "unk_token": None}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=length, **names)


def _train(model, pairs: list[tuple[str, str]], generator: random.Random, steps: int) -> None:
    """Contrastive, in both directions: of a batch's texts, its own translation is the nearest (InfoNCE)."""
    import torch

    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps)
    short = {"processing_kwargs": {"text": {"max_length": min(SEEN, model.max_seq_length)}}}

    def embed(texts: list[str]) -> torch.Tensor:
        return model(model.preprocess(texts, **short))["sentence_embedding"]

    model.train()
    for _ in range(steps):
        # an English text once, for its translations into two languages are both its own
        batch = {b: a for a, b in generator.sample(pairs, min(BATCH, len(pairs)))}
        alike = embed(list(batch.values())) @ embed(list(batch)).T / TEMPERATURE
        own = torch.arange(len(batch))
        loss = torch.nn.functional.cross_entropy(alike, own) + torch.nn.functional.cross_entropy(alike.T, own)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    model.eval()


def read_pairs(path: Path) -> list[tuple[str, str]]:
    """The (a, b) of a JSONL file, each once, in its order."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return list(dict.fromkeys((row["a"], row["b"]) for row in rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT_DIR")
    parser.add_argument("--train", type=Path, metavar="PAIRS.jsonl")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=150)
    arguments = parser.parse_args()

    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
        pairs = read_pairs(arguments.train) if arguments.train else None
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"{getattr(error, 'filename', None) or arguments.train}: {getattr(error, 'strerror', None) or error}")

    import torch

    torch.set_num_threads(1)
    build(arguments.out, pairs=pairs, seed=arguments.seed, steps=arguments.steps)


if __name__ == "__main__":
    main()
