"""A small real COMET checkpoint for reference-free scoring, made without a network by COMET's own classes.

    python tests/tiny_models/comet.py OUT_DIR [--train PAIRS.jsonl [--steps N]] [--seed N] [--size tiny | base | large]

Needs an interpreter with unbabel-comet. OUT_DIR gets what a published checkpoint has, hparams.yaml and
checkpoints/model.ckpt, and its encoder/, whose place the checkpoint names: it stays where it is. It has the form of
CometKiwi (UnifiedMetric over XLM-R, input segments mt and src). With --train, rows {"src", "mt", "score"}, it learns
to score such pairs (20 s on one thread); without, or with no steps, its weights are random. Every digit is a token by
itself; letters that neither ASCII nor the pairs have are unknown. The sizes base and large have the shapes of XLM-R.
The same seed and pairs give the same weights on one machine.
"""

import argparse
import json
import math
import os
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

# This file is called comet, too: its folder must not hide the library.
sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]
os.environ["HF_HUB_OFFLINE"] = "1"
warnings.filterwarnings("ignore")

try:
    import pytorch_lightning
    import torch
    import yaml
    from comet.models import UnifiedMetric
except ModuleNotFoundError as error:
    sys.exit(f"{sys.executable} has no COMET ({error}): run this with the Python of `rewardlab env create comet`")
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors  # noqa: E402
from transformers import XLMRobertaConfig, XLMRobertaModel, XLMRobertaTokenizerFast  # noqa: E402

SIZES = {  # hidden units, feed-forward units, layers, heads, tokens (None: as many as the tokenizer has)
    "tiny": (64, 64, 2, 4, None),
    "base": (768, 3072, 12, 12, 250_002),
    "large": (1024, 4096, 24, 16, 250_002),
}
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
WINDOW = 512  # as XLM-R: tokens of mt and src together, with the four special ones
WORDS = 500
OF_A_LETTER = -20.0  # log probability: a word known as a whole is not spelt
ALPHABET = [chr(code) for code in range(33, 127)]
TEXTS = [  # what the tokenizer knows without pairs
    "The cat sat on the mat. It slept there all day, and nobody woke it.",
    "Le chat est assis sur le tapis. Il y a dormi toute la journée.",
    "Die Katze sitzt auf der Matte. Sie hat dort den ganzen Tag geschlafen.",
    "Kucing itu duduk di atas tikar. Ia tidur di sana sepanjang hari.",
    "Кошка сидит на коврике. Она спала там весь день.",
    "猫はマットの上に座った。一日中そこで眠っていた。",
    "The answer is 8. La respuesta es 12. Jawabannya adalah 345. Ответ: 67. 答えは90です。",
]
WARM_UP, BATCH, RATE = 100, 64, 3e-3


def main() -> None:
    arguments = _arguments()
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(1)
    pairs = _read(arguments.train) if arguments.train else []
    _make(arguments.out)
    encoder = arguments.out / "encoder"
    _write_encoder(encoder, [text for pair in pairs for text in (pair["src"], pair["mt"])] + TEXTS, arguments.size)
    model = _metric(encoder)
    if pairs and arguments.steps:
        _train(model, pairs, arguments.steps, arguments.seed)
    _write_checkpoint(model, arguments.out)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=lambda path: Path(path).resolve())
    parser.add_argument("--train", type=Path)
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", choices=SIZES, default="tiny")
    return parser.parse_args()


def _read(path: Path) -> list[dict]:
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        sys.exit(f"--train {path}: {getattr(error, 'strerror', None) or error}")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        sys.exit(f"{folder} cannot be a folder: {error.strerror}")


def _write_encoder(folder: Path, texts: Sequence[str], size: str) -> None:
    tokenizer = _tokenizer(texts)
    tokenizer.save_pretrained(folder)
    hidden, inner, layers, heads, tokens = SIZES[size]
    config = XLMRobertaConfig(
        vocab_size=tokens or len(tokenizer),
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=inner,
        max_position_embeddings=WINDOW + 2,
        type_vocab_size=1,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    XLMRobertaModel(config, add_pooling_layer=False).save_pretrained(folder)


def _tokenizer(texts: Sequence[str]) -> XLMRobertaTokenizerFast:
    """A Unigram tokenizer with XLM-R's special tokens and form of a pair. Every digit is a token.

    Its pieces are the letters and the most frequent words: a trained vocabulary differs from run to run.
    """
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(), pre_tokenizers.Digits(individual_digits=True)]
    )
    folded = [tokenizer.normalizer.normalize_str(text) for text in texts]
    words = Counter(word for text in folded for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(text))
    letters = sorted({*ALPHABET, "▁", *(letter for word in words for letter in word)})
    frequent = sorted((word for word in words if len(word) > 1), key=lambda word: (-words[word], word))[:WORDS]
    pieces = [(token, 0.0) for token in SPECIAL[:4]] + [(letter, OF_A_LETTER) for letter in letters]
    pieces += [(word, math.log(words[word] / words.total())) for word in frequent]
    tokenizer.model = models.Unigram(pieces, unk_id=SPECIAL.index("<unk>"))
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in ("<s>", "</s>")],
    )
    names = {"bos": "<s>", "eos": "</s>", "sep": "</s>", "cls": "<s>", "unk": "<unk>", "pad": "<pad>", "mask": "<mask>"}
    tokens = {f"{name}_token": token for name, token in names.items()}
    return XLMRobertaTokenizerFast(tokenizer_object=tokenizer, model_max_length=WINDOW, **tokens)


def _metric(encoder: Path) -> UnifiedMetric:
    return UnifiedMetric(
        pretrained_model=str(encoder),
        nr_frozen_epochs=0,
        keep_embeddings_frozen=False,
        layer_transformation="softmax",
        layer_norm=False,
        word_layer=2,
        hidden_sizes=[64, 32],
        dropout=0.0,
        input_segments=["mt", "src"],
        local_files_only=True,
    )


def _train(model: UnifiedMetric, pairs: Sequence[dict], steps: int, seed: int) -> None:
    """Least squares, the loss that COMET trains with."""
    _attend_to_equal_tokens(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(step / WARM_UP, 1 - step / steps))
    begin = time.perf_counter()
    for step, (inputs, scores) in zip(range(1, steps + 1), _batches(model, pairs, seed), strict=False):
        loss = torch.nn.functional.mse_loss(model(**inputs).score, scores)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 200 == 0:
            print(f"step {step}: loss {loss.item():.3f}, {time.perf_counter() - begin:.1f} s", flush=True)


@torch.no_grad()
def _attend_to_equal_tokens(model: UnifiedMetric) -> None:
    """Start where each token looks at its like on the other side: from random weights this takes ten times as long."""
    encoder = model.encoder.model
    words = encoder.embeddings.word_embeddings
    words.weight.normal_(std=0.1)
    words.weight[words.padding_idx] = 0.0
    for layer in encoder.encoder.layer:
        attention = layer.attention.self
        for projection in (attention.query, attention.key):
            projection.weight.copy_(1.5 * torch.eye(len(projection.weight)))


def _batches(model: UnifiedMetric, pairs: Sequence[dict], seed: int) -> Iterator[tuple[dict, torch.Tensor]]:
    """Without end; pairs of like length together, for little padding."""
    tokens = [len(ids) for ids in model.encoder.tokenizer([pair["mt"] + pair["src"] for pair in pairs]).input_ids]
    rng, waiting = random.Random(seed), []
    while True:
        if not waiting:
            order = sorted(rng.sample(range(len(pairs)), len(pairs)), key=tokens.__getitem__)
            waiting = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
            rng.shuffle(waiting)
        batch = [pairs[index] for index in waiting.pop()]
        yield model.prepare_sample(batch, stage="predict")[0], _scores(batch)


def _scores(batch: Sequence[dict]) -> torch.Tensor:
    return torch.tensor([float(pair["score"]) for pair in batch])


def _write_checkpoint(model: UnifiedMetric, out: Path) -> None:
    """In Lightning's layout, so that comet.load_from_checkpoint reads it."""
    hparams = {**model.hparams, "class_identifier": "unified_metric"}
    (out / "checkpoints").mkdir(parents=True, exist_ok=True)
    checkpoint = {
        "state_dict": model.state_dict(),
        "hyper_parameters": dict(model.hparams),
        "pytorch-lightning_version": pytorch_lightning.__version__,
        "epoch": 0,
        "global_step": 0,
    }
    torch.save(checkpoint, out / "checkpoints" / "model.ckpt")
    (out / "hparams.yaml").write_text(yaml.safe_dump(hparams), encoding="utf-8")


if __name__ == "__main__":
    main()
