"""The parts of benchmarks/gpu.py that score: rewards that hold a model, on a GPU and on the CPU, beside a bare loop."""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bounded_parts import Rows
from gpu_models import texts_of, write_reward_model

TESTS = Path(__file__).parents[1] / "tests" / "tiny_models"
BATCH = 32
TOLERANCE = {"float32": 0.01, "bfloat16": 0.5}
"""how far a value may be from the CPU's float32, in deviations of the values: what is compared are differences"""
ROUNDS = 2
BARE_COMET = """
import json, sys, time, comet
checkpoint, file, device = sys.argv[1:]
pairs = json.load(open(file, encoding="utf-8"))
model = comet.load_from_checkpoint(checkpoint, local_files_only=True)
way = {"batch_size": 64, "gpus": int(device == "cuda"), "num_workers": 0, "progress_bar": False}
model.predict(pairs[:64], **way)
began = time.perf_counter()
scores = model.predict(pairs, **way).scores
print(json.dumps([time.perf_counter() - began, scores]))
"""


def embed(rows: Rows, folder: Path, device: str, size) -> None:
    """Compare embed/cosine with the CPU's, and with sentence-transformers' own encode."""
    from importlib import util

    place = util.spec_from_file_location("embedder", TESTS / "embedder.py")
    builder = util.module_from_spec(place)
    place.loader.exec_module(builder)
    model = folder / "embedder"
    model.mkdir()
    builder.build(model, length=512, initializer_range=0.05, **size.encoder)
    references, responses = _texts(size)
    items = _items(references, [f"<think>{text}</think>" for text in responses])
    values = _compared(rows, "embed/cosine", {"model": str(model), "batch_size": BATCH}, items, device, size)

    from sentence_transformers import SentenceTransformer

    bare = SentenceTransformer(str(model), device=device, local_files_only=True)
    texts = [text for pair in zip(references, responses, strict=True) for text in pair]
    seconds = _best(lambda: bare.encode(texts, batch_size=BATCH, convert_to_tensor=True).float().cpu())
    _beside(rows, "sentence-transformers' encode, float32", len(items) / seconds, values)


def reward_model(rows: Rows, folder: Path, device: str, size) -> None:
    """Compare reward_model/score with the CPU's, and with the bare model over batches sorted by length."""
    model = write_reward_model(folder / "reward_model", size.reward_model)
    _, responses = _texts(size)
    items = _items([""] * len(responses), responses, prompt="How much is left?")
    options = {"model": str(model), "batch_size": BATCH, "scale": 4.0}
    values = _compared(rows, "reward_model/score", options, items, device, size)

    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    bare = AutoModelForSequenceClassification.from_pretrained(model, dtype="float32").to(device).eval()
    texts = [
        tokenizer.apply_chat_template(
            [{"role": "user", "content": "How much is left?"}, {"role": "assistant", "content": text}], tokenize=False
        )
        for text in responses
    ]

    def loop() -> None:
        order = sorted(texts, key=len, reverse=True)
        for start in range(0, len(order), BATCH):
            inputs = tokenizer(order[start : start + BATCH], padding=True, return_tensors="pt").to(device)
            with torch.inference_mode():
                bare(**inputs).logits.float().cpu()

    _beside(rows, "the bare model, float32", len(items) / _best(loop), values)


def comet(rows: Rows, folder: Path, device: str, size) -> None:
    """Compare comet/answer, which is always float32, with the CPU's, and with COMET's own predict."""
    python = os.environ["COMET_PYTHON"]
    checkpoint = folder / "comet"
    references, responses = _texts(size)
    words = folder / "words.jsonl"
    words.write_text(
        "".join(json.dumps({"src": a, "mt": b}) + "\n" for a, b in zip(references, responses, strict=True)), "utf-8"
    )
    made = [python, str(TESTS / "comet.py"), str(checkpoint), "--size", size.comet, "--train", str(words)]
    subprocess.run([*made, "--steps", "0"], check=True)
    file = str(checkpoint / "checkpoints" / "model.ckpt")
    items = _items(references, [f"<think>...</think><answer>{text}</answer>" for text in responses])
    options = {"checkpoint": str(checkpoint), "environment": {"python": python}}
    values = _compared(rows, "comet/answer", options, items, device, size, python=python)
    pairs = folder / "pairs.json"
    pairs.write_text(
        json.dumps([{"src": a, "mt": b} for a, b in zip(references, responses, strict=True)]), encoding="utf-8"
    )
    command = [python, "-W", "ignore", "-c", BARE_COMET, file, str(pairs), device]
    shown = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    seconds, _ = json.loads(shown.splitlines()[-1])
    _beside(rows, "COMET's own predict, batches of 64", len(items) / seconds, values)


def _texts(size) -> tuple[list[str], list[str]]:
    return texts_of(size.pairs, size.words, 1), texts_of(size.pairs, size.words, 2)


def _items(references: Sequence[str], responses: Sequence[str], prompt: str = "?") -> list:
    from rewardlab import Completion, Sample

    return [
        (
            Sample(id=str(number), prompt=[{"role": "user", "content": prompt}], fields={"reference": reference}),
            Completion(text=response),
        )
        for number, (reference, response) in enumerate(zip(references, responses, strict=True))
    ]


def _compared(rows: Rows, use: str, options: dict, items: list, device: str, size, python=None) -> dict[str, float]:
    """Write how far values are from the CPU's float32, and return the pairs a second by the dtype."""
    few = items[: size.compared]
    dtypes = {"float32": {}} if python else {name: {"dtype": name} for name in TOLERANCE}
    right, _ = _scored(use, options | dtypes["float32"], few, "cpu", python)
    spread = statistics.pstdev(right)
    rows.add(f"{use}: deviation of {len(few)} values on the CPU", f"{spread:.2g}", spread > 0)
    rates = {}
    for dtype, given in dtypes.items():
        values, seconds = _scored(use, options | given, items, device, python)
        rates[dtype] = len(items) / seconds
        furthest = max(abs(a - b) for a, b in zip(values, right, strict=False)) / spread
        said = f"{furthest:.1e} deviations (at most {TOLERANCE[dtype]:g})"
        rows.add(f"{use} in {dtype} on {device}: furthest from them", said, furthest <= TOLERANCE[dtype])
        rows.add(f"{use} in {dtype} on {device}", f"{rates[dtype]:,.0f} pairs a second")
    return rates


def _scored(use: str, options: dict, items: list, device: str, python: str | None) -> tuple[list[float], float]:
    """Return what a reward's model gives in its worker on a device, and the seconds after a first call."""
    from rewardlab import Context
    from rewardlab.registry import Registry
    from rewardlab.workers.shared import Workers

    spec, on_cpu = Registry().find("reward", use), device == "cpu"
    threads = (os.cpu_count() or 1) if on_cpu else 1  # the CPU is only asked what is right; else as a recipe has it
    with Workers() as workers:
        opened = workers.of(use=use, python=python, device=device, threads=threads, timeout=600.0)
        reward = spec.build(spec.config(**options), Context(workers=opened))
        warm = texts_of(2 if on_cpu else 2 * BATCH, 100, 3)
        asyncio.run(reward.score(_items(warm, [f"<think>{text}</think><answer>{text}</answer>" for text in warm])))
        began = time.perf_counter()
        scores = asyncio.run(reward.score(items))
        seconds = time.perf_counter() - began
    if failed := [score.error for score in scores if score.error]:
        sys.exit(f"{use} on {device}: {len(failed)} of {len(items)} pairs failed: {failed[0]}")
    return [score.info.get("raw", score.value) for score in scores], seconds


def _best(call: Callable[[], object]) -> float:
    call()
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times)


def _beside(rows: Rows, name: str, rate: float, rates: dict[str, float]) -> None:
    rows.add(name, f"{rate:,.0f} pairs a second: the reward's float32 is {rates['float32'] / rate:.2f} times that")
