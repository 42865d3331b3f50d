"""embed/diverse at scale: time to cluster and rank 20,000 vectors, and memory of a stage over 200,000 rows.

    python benchmarks/diverse_rows.py [--rows 200000] [--keep 20000]

The vectors have 768 dimensions, in 7 bunches with much noise; half of them are chosen under each strategy. The stage is
`rewardlab run` over a file, with the real process of the step: its model looks up random vectors of 768 dimensions for
a text's words, so that next to no time goes into embedding. Memory is the most that the host took and the most that the
model's process took, together.

Aims: each strategy within 60 s on 2 cores, and the stage within 4 GB. Exit code 1 where one is missed.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Generator, Iterator
from pathlib import Path

import numpy as np

AIM_SECONDS, AIM_GB = 60, 4.0
VECTORS, DIMENSION, BUNCHES = 20_000, 768, 7
WORDS = 3_000
RECIPE = """
version: 1
stages:
  - use: data
    dataset:
      use: embed/diverse
      with: {{model: {model}, rows: {keep}, strategy: {strategy}}}
      from: {{use: data/jsonl, with: {{path: {source}}}}}
      threads: 2
    to: {target}
"""


def main() -> int:
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--keep", type=int, default=20_000)
    options = parser.parse_args()
    missed = [strategy for strategy in ("paper", "official_code") if ranking_seconds(strategy) > AIM_SECONDS]
    with tempfile.TemporaryDirectory() as folder:
        missed += ["memory"] if stage_gb(Path(folder), options.rows, options.keep) > AIM_GB else []
    return 1 if missed else 0


def ranking_seconds(strategy: str) -> float:
    """Return the seconds that clusters and choice of half of the vectors take; print them with what was found."""
    from rewardlab_embed.diverse import worker_settings
    from rewardlab_embed.diverse_worker import choice
    from rewardlab_embed.options import DiverseOptions

    vectors = bunched_vectors()
    settings = worker_settings(DiverseOptions(rows=VECTORS // 2, strategy=strategy), 0)
    start = time.perf_counter()
    answer = finished(choice(vectors, VECTORS // 2, settings))
    seconds = time.perf_counter() - start
    print(f"{strategy}: {len(answer['chosen']):,} of {VECTORS:,} vectors in {seconds:.1f} s (aim: {AIM_SECONDS} s)")
    print(f"  clusters {answer['clusters']}, silhouette {answer['silhouette']:.3f}", flush=True)
    return seconds


def finished(work: Generator[None, None, dict]) -> dict:
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def bunched_vectors() -> np.ndarray:
    drawn = np.random.default_rng(0)
    centres = drawn.normal(size=(BUNCHES, DIMENSION))
    vectors = centres[drawn.integers(0, BUNCHES, VECTORS)] + 1.5 * drawn.normal(size=(VECTORS, DIMENSION))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def stage_gb(folder: Path, rows: int, keep: int) -> float:
    """Return the GB that a stage takes at most; print them with its time."""
    source, target, model = folder / "source.jsonl", folder / "chosen.jsonl", folder / "model"
    subprocess.run([sys.executable, "-c", MODEL, str(model), str(WORDS), str(DIMENSION)], check=True)
    with source.open("w") as file:
        file.writelines(written_rows(rows))
    recipe = folder / "recipe.yaml"
    named = {"model": model, "keep": keep, "source": source, "target": target, "strategy": "official_code"}
    recipe.write_text(RECIPE.format(**named))
    start = time.perf_counter()
    command = [sys.executable, "-c", STAGE, "run", str(recipe)]
    shown = subprocess.run(command, cwd=folder, env=os.environ, capture_output=True, text=True)
    if shown.returncode:
        raise SystemExit(shown.stderr)
    host, child = json.loads(shown.stdout.splitlines()[-1])
    made = sum(1 for _ in target.open())
    gb = (host + child) * 1024 / 1e9
    print(f"stage: {made:,} of {rows:,} rows in {time.perf_counter() - start:.0f} s; {gb:.2f} GB (aim: {AIM_GB} GB),")
    print(f"  {host * 1024 / 1e9:.2f} GB of the host and {child * 1024 / 1e9:.2f} GB of the model's process")
    return gb


def written_rows(rows: int) -> Iterator[str]:
    drawn = random.Random(0)
    for number in range(rows):
        topic = 100 * drawn.randrange(BUNCHES)
        words = [f"w{topic + drawn.randrange(100)}" for _ in range(30)]
        words += [f"w{drawn.randrange(WORDS)}" for _ in range(120)]
        yield json.dumps({"id": f"r{number}", "prompt": " ".join(words)}) + "\n"


MODEL = """
import sys
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from tokenizers import Tokenizer, models, pre_tokenizers
folder, words, dimension = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0} | {f"w{n}": n + 1 for n in range(words)}, unk_token="[UNK]"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=dimension)]).save_pretrained(folder)
"""
STAGE = """
import json, resource, sys
from rewardlab.cli import main
code = main(sys.argv[1:])
print(json.dumps([resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]))
sys.exit(code)
"""


if __name__ == "__main__":
    raise SystemExit(main())
