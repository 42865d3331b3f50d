"""The models of the miniature of PB-RLSVR, trained here in half a minute from data/arithmetic's own sentences.

    python tests/tiny_models/build.py DIR [--comet-python PYTHON] [--seed N] [--reasoning]

DIR/comet scores an answer against the English one (src: the right number, mt: a number): 1 for the same, 0 for
another or for none. DIR/embedder puts a reasoning near to its English translation and away from other ones. With
--reasoning DIR/comet_reasoning scores a reasoning against the English one: 1 for a translation, 0 for that of another
one or for its words in disorder. The pairs that they are trained on stay beside them. COMET's interpreter is that of
`rewardlab env create comet`, which is built where it is missing, unless you name one.
"""

import argparse
import json
import os
import random
import subprocess
import sys
from pathlib import Path

from rewardlab import Config, Context
from rewardlab.errors import JobError, RewardlabError
from rewardlab.registry import Registry, installed
from rewardlab.workers import interpreter_of
from rewardlab_answers import sections

HERE = Path(__file__).parent
FIND = "import importlib.util, sys; sys.exit(importlib.util.find_spec('comet') is None)"
LANGUAGES = ("es", "de", "fr")
LARGEST = 9
NO_ANSWERS = ("the", "bananas", "El", "Wir", "Nous", "1 2", "3 + 4")
"""What a policy without practice writes in the place of a number."""
ROWS = 1500
"""Reasonings, in equal shares in LANGUAGES and in English, where the two texts are one."""
TRANSLATIONS, STEPS = 600, 400
"""Of them, those that --reasoning trains with, and for how long: a batch of whole reasonings takes 50 ms."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="DIR")
    parser.add_argument("--comet-python", metavar="PYTHON", default=os.environ.get("REWARDLAB_COMET_PYTHON"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reasoning", action="store_true", help="make DIR/comet_reasoning, too (20 s)")
    given = parser.parse_args()
    try:
        build(**vars(given))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}; name a folder that can be made")
    except RewardlabError as error:
        sys.exit(str(error))
    except subprocess.CalledProcessError as error:
        sys.exit(f"{Path(error.cmd[1]).name} ended with {error.returncode}; what it said stands above")


def build(out: Path, comet_python: str | None = None, seed: int = 0, reasoning: bool = False) -> None:
    """Write the models to `out`, side by side.

    A JobError where COMET's environment cannot be had, an OSError of `out`, a CalledProcessError of a builder.
    """
    out.mkdir(parents=True, exist_ok=True)
    first = "" if comet_python else "; COMET's environment is made first where it is missing (1.5 GB, minutes)"
    print(f"training a tiny COMET and a tiny embedding model in {out}: half a minute{first}", flush=True)
    python = _with_comet(comet_python) if comet_python else _managed_python()
    commands = [
        [python, HERE / "comet.py", out / "comet", "--train", _write(out / "answers.jsonl", answers()), "--seed", seed],
        [
            *(sys.executable, HERE / "embedder.py", out / "embedder"),
            *("--train", _write(out / "reasonings.jsonl", reasonings(seed)), "--seed", seed),
        ],
    ]
    if reasoning:
        pairs = _write(out / "translations.jsonl", translations(seed))
        commands.append([python, HERE / "comet.py", out / "comet_reasoning", "--train", pairs, "--steps", STEPS])
    commands = [list(map(str, command)) for command in commands]
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    codes = [process.wait() for process in running]
    for command, code in zip(commands, codes, strict=True):
        if code:
            raise subprocess.CalledProcessError(code, command)


def _managed_python() -> str:
    """The interpreter of COMET's own environment, which is built where it is missing."""
    registry = installed()
    return interpreter_of(registry.find("reward", "comet/answer"), Config(), registry.plugin("comet"))


def _with_comet(python: str) -> str:
    """The interpreter that was named, if it has COMET."""
    try:
        done = subprocess.run([python, "-c", FIND], capture_output=True, text=True)
    except OSError as error:
        raise JobError(f"--comet-python {python}: {error.strerror}") from error
    if done.returncode:
        raise JobError(
            f'--comet-python {python} has no COMET: `{python} -m pip install unbabel-comet==2.2.7 "setuptools<82"`, '
            "or leave the option out for the managed environment"
        )
    return python


def answers() -> list[dict]:
    """Rows {"src", "mt", "score"}: every number against every other, the right ones as often as the wrong ones."""
    numbers = list(map(str, range(2 * LARGEST + 1)))
    rows = []
    for right in numbers:
        wrong = [number for number in (*numbers, *NO_ANSWERS) if number != right]
        rows += [{"src": right, "mt": number, "score": 0.0} for number in wrong]
        rows += [{"src": right, "mt": right, "score": 1.0}] * len(wrong)
    return rows


def reasonings(seed: int = 0) -> list[dict]:
    """Rows {"a": a reasoning, "b": the same in English}, some of them switching language."""
    spec = Registry().find("dataset", "data/arithmetic")
    shares = {"english": 0.0, "switched": 0.3, "unboxed": 0.0, "slipped": 0.0}
    options = spec.config(
        kind="responses", form="tagged", languages=(*LANGUAGES, "en"), rows=ROWS, largest=LARGEST, **shares
    )
    rows = []
    for sample in spec.build(options, Context(seed=seed)):
        thought, _ = sections.split(sample.fields["response"])
        english, _ = sections.split(sample.fields["reference"])
        rows.append({"a": thought, "b": english})
    return rows


def translations(seed: int = 0) -> list[dict]:
    """Rows {"src", "mt", "score"}: an English reasoning with a translation, with another's, with a shuffled one."""
    generator, rows = random.Random(seed), []
    pairs = reasonings(seed)[:TRANSLATIONS]
    for pair in pairs:
        words = pair["a"].split()
        others = [other["a"] for other in pairs if other["b"] != pair["b"]]
        wrong = (generator.choice(others), " ".join(generator.sample(words, len(words))))
        rows += [{"src": pair["b"], "mt": pair["a"], "score": 1.0}]
        rows += [{"src": pair["b"], "mt": text, "score": 0.0} for text in wrong]
    return rows


def _write(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
