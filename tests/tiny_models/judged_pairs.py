"""Pairs of responses to data/arithmetic's questions, of which one is better by construction, to measure judges on.

    python tests/tiny_models/judged_pairs.py pairs.jsonl [--pairs 200] [--seed 0]

The two have different scores in the sense of data/arithmetic's `kind: judged` (language of the question, and box), and
are about numbers that none of its rows has. `kind` says which scores: "4 over 2".
"""

import argparse
import json
import random
from pathlib import Path

from rewardlab_data.arithmetic import draw, held_out_pairs
from rewardlab_data.judged_response import LEVELS, judged_response

LANGUAGES = ("en", "es", "de", "fr")
LARGEST = 9


def pairs(count, seed):
    """Rows with `prompt`, `chosen` and `rejected`, in all languages in turn."""
    generator = random.Random(f"{seed}/pairs")
    unknown = sorted(held_out_pairs(LARGEST, seed))
    for number in range(count):
        problem = draw(generator, LANGUAGES[number % len(LANGUAGES)], unknown)
        worse, better = sorted(generator.sample(LEVELS, 2))
        chosen, rejected = (judged_response(problem, level, LANGUAGES, "boxed", generator) for level in (better, worse))
        row = {"id": f"pair-{number}", "prompt": problem.question(), "chosen": chosen, "rejected": rejected}
        yield {**row, "language": problem.language, "kind": f"{better} over {worse}"}


def write(path, count=200, seed=0):
    """Write the rows."""
    text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in pairs(count, seed))
    path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    write(given.path, given.pairs, given.seed)


if __name__ == "__main__":
    main()
