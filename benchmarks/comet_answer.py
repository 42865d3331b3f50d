"""comet/answer against COMET's own predict, on the same checkpoint and the same short answers.

    python benchmarks/comet_answer.py [--sizes tiny,base] [--pairs 1024] [--repeats 3] [--python COMETS_PYTHON]
                                      [--device cpu | cuda] [--batch-tokens N]

Checkpoints have random weights and real shapes (tests/tiny_models/comet.py). COMET's way is model.predict, which
comet-score calls: with its defaults, and with the best of a few settings (no processes to load data, no progress
bar, batches of 16, 64 or 256). Ours is the reward with its worker process, pipe included. Each has one math thread;
wall and processor time (of all processes) are the best of the repeats, after a first call; on a busy machine trust the
processor time. Exit code 1 if a score differs by more than 1e-6.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rewardlab import Completion, Context, Sample
from rewardlab.registry import Registry
from rewardlab.workers.shared import Workers

ROOT = Path(__file__).parents[1]
USE = "comet/answer"
EQUAL = 1e-6
CALL = 8  # pairs of the small call: one group

REFERENCES = (
    "{}",
    "The answer is {}.",
    "${}.50",
    "{} kilometres per hour",
    "x = {} or x = 3",
    "About {} of the students",
)
PREDICTIONS = (
    *("{}", "La respuesta es {}.", "Jawabannya adalah {}", "{} км/ч", "答えは{}です。", "Die Lösung ist x = {}."),
    *("${},50", "Environ {} des élèves", "Jibu ni {} kwa sababu kuna mara mbili zaidi", "{} e não mais do que isso"),
)

THEIRS = """
import json, os, sys, time, comet
checkpoint, file, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3])
model = comet.load_from_checkpoint(checkpoint + "/checkpoints/model.ckpt", local_files_only=True)
pairs, small = json.load(open(file, encoding="utf-8"))
lean = {"num_workers": 0, "progress_bar": False}
ways = {"default": {}} | {f"batches of {size}": {"batch_size": size, **lean} for size in (16, 64, 256)}
found = {}
def timed(work, **way):
    begin, used = time.perf_counter(), sum(os.times()[:4])
    scores = model.predict(work, **way).scores
    return time.perf_counter() - begin, sum(os.times()[:4]) - used, scores
for name, way in ways.items():
    found[name] = {}
    for key, work in (("few", small), ("all", pairs)):
        runs = [timed(work, **way) for _ in range(repeats + 1)][1:]
        found[name] |= {key: [min(run[i] for run in runs) for i in (0, 1)], "scores": runs[0][2]}
tokens = sum(len(model.encoder.tokenizer(pair["mt"], pair["src"]).input_ids) for pair in pairs) / len(pairs)
print(json.dumps([found, tokens]))
"""


def pairs_of(count: int, seed: int) -> list[dict[str, str]]:
    """Short answers, no pair twice: {"src": English reference, "mt": prediction}."""
    rng, found = random.Random(seed), {}
    while len(found) < count:
        number = rng.randrange(1000)
        said = number if rng.random() < 0.5 else rng.randrange(1000)
        found[rng.choice(REFERENCES).format(number), rng.choice(PREDICTIONS).format(said)] = None
    return [{"src": src, "mt": mt} for src, mt in found]


def theirs(arguments: argparse.Namespace, checkpoint: Path, pairs: list[dict]) -> tuple[dict[str, dict], float]:
    """By way: [wall, processor] seconds for all pairs and for a few, and the scores; and mean tokens of a pair."""
    file = checkpoint / "pairs.json"
    file.write_text(json.dumps([pairs, pairs[:CALL]]), encoding="utf-8")
    command = [arguments.python, "-W", "ignore", "-c", THEIRS, str(checkpoint), str(file), str(arguments.repeats)]
    shown = subprocess.run(command, check=True, capture_output=True, text=True, env=_one_thread(arguments.device))
    return json.loads(shown.stdout.splitlines()[-1])


def ours(arguments: argparse.Namespace, checkpoint: Path, pairs: list[dict]) -> dict[str, list]:
    """The same of the reward, and of as many pairs where each is there four times."""
    spec = Registry().find("reward", USE)
    with Workers() as workers:
        place = workers.of(use=USE, python=arguments.python, device=arguments.device, timeout=600.0)
        options = spec.config(checkpoint=str(checkpoint), batch_tokens=arguments.batch_tokens)
        reward = spec.build(options, Context(workers=place))
        items = [_item(pair) for pair in pairs]
        scores = asyncio.run(reward.score(items))
        again = [item for item in items[: len(items) // 4] for _ in range(4)]
        return {
            "all": _best(lambda: asyncio.run(reward.score(items)), arguments.repeats),
            "few": _best(lambda: asyncio.run(reward.score(items[:CALL])), arguments.repeats),
            "again": _best(lambda: asyncio.run(reward.score(again)), arguments.repeats),
            "scores": [score.info["raw"] for score in scores],
        }


def _item(pair: dict[str, str]) -> tuple[Sample, Completion]:
    text = f"<think>...</think><answer>{pair['mt']}</answer>"
    return Sample(fields={"reference": pair["src"]}), Completion(text=text)


def _best(call: Callable[[], object], repeats: int) -> list[float]:
    """[wall, processor] seconds, each the least of the repeats."""
    times = []
    for _ in range(repeats):
        begin, used = time.perf_counter(), _processor()
        call()
        times.append((time.perf_counter() - begin, _processor() - used))
    return [min(time[i] for time in times) for i in (0, 1)]


def _processor() -> float:
    """Processor seconds of this process and of those that it has started, so far."""
    pids = [str(os.getpid())]
    for task in Path("/proc/self/task").iterdir():
        pids += (task / "children").read_text().split()
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")


def _one_thread(device: str) -> dict[str, str]:
    hidden = {"CUDA_VISIBLE_DEVICES": ""} if device == "cpu" else {}
    return os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"} | hidden


def compare(size: str, pairs: list[dict], arguments: argparse.Namespace) -> float:
    """Prints one size; the greatest difference of a score."""
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = Path(folder)
        words = checkpoint / "words.jsonl"  # so that the tokenizer knows the words, as XLM-R's does
        words.write_text("".join(json.dumps(pair) + "\n" for pair in pairs), encoding="utf-8")
        command = [arguments.python, str(ROOT / "tests" / "tiny_models" / "comet.py"), folder, "--size", size]
        subprocess.run([*command, "--train", str(words), "--steps", "0"], check=True, capture_output=True)
        own = ours(arguments, checkpoint, pairs)
        found, tokens = theirs(arguments, checkpoint, pairs)
    best = min((name for name in found if name != "default"), key=lambda name: found[name]["all"][1])
    heads = [f"{name}, {time}" for name in (f"{len(pairs)} pairs", f"{CALL} pairs") for time in ("wall", "processor")]
    print("\n" + f"{size:<26}" + "".join(f"{head:>22}" for head in heads))
    print(_row("comet/answer", own, own))
    print(_row("predict, default", found["default"], own))
    print(_row(f"predict, {best}", found[best], own))
    print(_row("ours, each pair 4 times", {"all": own["again"], "few": own["few"]}, own))
    gap = max(abs(a - b) for way in found.values() for a, b in zip(own["scores"], way["scores"], strict=True))
    print(f"{tokens:.1f} tokens a pair; greatest difference of a score: {gap:.1e}", flush=True)
    return gap


def _row(name: str, way: dict, own: dict) -> str:
    """Seconds, and how many times ours that is."""
    cells = []
    for key in ("all", "few"):
        for mine, their in zip(own[key], way[key], strict=True):
            ratio = f"{their / mine:.1f}x" if mine else "-"
            cells.append(f"{their:.3f} s {ratio:>7}")
    return f"{name:<26}" + "".join(f"{cell:>22}" for cell in cells)


def _interpreter() -> str:
    if own := os.environ.get("REWARDLAB_COMET_PYTHON"):
        return own
    from rewardlab import Config, installed
    from rewardlab.workers import interpreter_of

    return interpreter_of(installed().find("reward", "comet/answer"), Config(), installed().plugin("comet"))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="tiny,base", help="of tiny,base,large")
    parser.add_argument("--pairs", type=int, default=1024)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--python", help="an interpreter with COMET; else the managed environment")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--batch-tokens", type=int)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    arguments.python = arguments.python or _interpreter()
    return arguments


def main() -> int:
    arguments = _arguments()
    pairs = pairs_of(arguments.pairs, arguments.seed)
    gaps = [compare(size, pairs, arguments) for size in arguments.sizes.split(",")]
    return 0 if max(gaps) <= EQUAL else 1


if __name__ == "__main__":
    sys.exit(main())
