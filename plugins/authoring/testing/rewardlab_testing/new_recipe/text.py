"""The text of a recipe for somebody's rows, with comments that say what was guessed and what to set next."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from rewardlab.text import counted

from rewardlab_testing.new_recipe.column_guess import ColumnGuess

SHOWN = 48
"""characters of a value in a comment"""
_PLAIN = re.compile(r"[A-Za-z_./~][\w./~-]*")
_TINY = re.compile(r"""\s*\{?\s*(?:use\s*[:=]\s*)?["']?tiny["']?\s*\}?\s*""", re.IGNORECASE)
_WORDS = ("true", "false", "null", "~")
BOXED = "Reason step by step, and put the final answer into \\boxed{}."
SETTINGS = {
    "accuracy": "{use: math/accuracy}",
    "format": "{use: format/boxed}",
    "language": "{use: language/fidelity, with: {threshold: 0.7}}",
    "preference": "{use: pairwise/win_rate, with: {judge: main, privileged: reference}}",
}
MEANS = {
    "accuracy": "1 if the last box holds the right answer; `extract: last_number` reads answers without a box",
    "format": "1 for an answer in a box",
    "language": "1 if 70% of the response is in the row's language",
    "preference": "the share of the group's other answers that this one beats before a judge who sees the reference",
}


@dataclass(frozen=True, kw_only=True)
class RecipeParts:
    """The parts of a recipe that differ between users.

    Args:
        rows: the path of the rows.
        read: how many were looked at.
        first: the first one.
        model: None if the user named none.
        rewards: component -> reward.
        held_out: the share of the rows for evaluation; None: there are too few.
        has_split: whether a column `split` decides instead, for every row.
    """

    rows: str
    read: int
    file: Path
    model: str | None
    default_model: str
    columns: Mapping[str, ColumnGuess]
    first: Mapping[str, Any]
    unused: Sequence[str]
    rewards: Mapping[str, str]
    left_out: Mapping[str, str]
    held_out: float | None
    has_split: bool


def recipe_text(parts: RecipeParts) -> str:
    """Return a recipe as YAML."""
    sections = (_head, _dataset, _judges, _reward, _stages)
    return "\n".join(line for section in sections for line in section(parts)) + "\n"


def _head(parts: RecipeParts) -> Iterator[str]:
    file = quote(str(parts.file))
    yield f"# rewardlab run {_comment(file)}"
    yield "#"
    read = counted(parts.read, "row")
    yield f"# Written by `rewardlab new recipe` from the columns of {_comment(parts.rows)} ({read} read)."
    yield "# Read what was guessed. `rewardlab check` finds every mistake, `rewardlab run --dry-run` prints the plan."
    yield "# `rewardlab plugins rl` lists what a stage takes, `rewardlab plugins math/accuracy` what a component takes."
    yield "version: 1"
    yield f"name: {scalar(_name(parts.file))}"
    yield "seed: 0"
    yield _model(parts.model or parts.default_model)
    yield ""


def _model(name: str) -> str:
    if _TINY.fullmatch(name) and not Path(name).exists():
        return "model: {use: tiny}    # small, with random weights, built here; else a folder, or a name on the hub"
    return f"model: {scalar(name)}    # any causal language model: a folder, or a name on the Hugging Face hub"


def _name(file: Path) -> str:
    return file.stem.strip() or "mine"


def _dataset(parts: RecipeParts) -> Iterator[str]:
    yield "dataset:"
    yield "  use: data/jsonl"
    yield f"  with: {{path: {scalar(parts.rows)}}}"
    yield "  fields:    # our name: your column"
    for field, guess in parts.columns.items():
        first = _shown(parts.first.get(guess.column))
        yield f"    {field}: {scalar(guess.column)}    # {guess.why}; the first is {first}"
    if parts.unused:
        yield f"  # columns that nothing here uses: {', '.join(map(_comment, parts.unused))}"
    if parts.has_split:
        yield "  # your column `split` says which rows are held out of training: test, validation, ..."
    elif parts.held_out is None:
        yield "  # too few rows to hold some out of training; with more: holdout: 0.1"
    else:
        yield f"  holdout: {parts.held_out}    # share of the rows that never train and serve `eval`"
    yield ""


def _judges(parts: RecipeParts) -> Iterator[str]:
    if "preference" not in parts.rewards:
        return
    yield "judges:"
    yield "  # Counts what an answer shares with the reference; asks no network. A model judges better:"
    yield '  # main: {use: openai/chat, with: {model: MODEL, base_url: "http://localhost:8000/v1", max_tokens: 1024}}'
    yield "  main: {use: pairwise/overlap}"
    yield ""


def _reward(parts: RecipeParts) -> Iterator[str]:
    yield "reward:"
    yield "  components:"
    for name in parts.rewards:
        yield f"    # {MEANS[name]}"
        yield f"    {name}: {SETTINGS[name]}"
    for name, why in parts.left_out.items():
        yield f"    # without {name}: {_comment(why)}"
    if "accuracy" not in parts.rewards and "preference" not in parts.rewards:
        yield "    # Nothing here says yet what a good answer is: `rewardlab plugins` lists rewards, and"
        yield "    # `rewardlab plugins new NAME` starts one of your own."
    yield f"  total: {json.dumps(' + '.join(parts.rewards))}"
    if "accuracy" in parts.rewards:
        yield "  correctness: accuracy"
    yield ""


def _stages(parts: RecipeParts) -> Iterator[str]:
    yield "stages:"
    if "response" in parts.columns:
        yield "  # Your rows have responses: to train on them first, take away the five signs `# `."
        yield "  # - use: sft"
        yield "  #   batch_size: 16"
        yield "  #   micro_batch_size: 4"
        yield "  #   steps: 100"
        yield "  #   learning_rate: 1.0e-5"
        yield ""
    yield "  - use: rl"
    yield "    algorithm: dr_grpo"
    yield "    group_size: 8           # completions a prompt"
    yield "    batch_size: 16          # prompts a step"
    yield "    micro_batch_size: 8     # completions in one forward pass: less takes less memory"
    yield "    steps: 50"
    yield "    learning_rate: 1.0e-6"
    yield "    max_new_tokens: 512"
    yield "    save_every: 10"
    if "format" in parts.rewards:
        yield f"    chat: {{system: {json.dumps(BOXED)}}}"
    if parts.held_out is not None:
        by = "[language]" if "language" in parts.columns else "[]"
        yield f"    eval: {{samples: 4, prompts: 64, by: {by}}}    # before and after, on held-out prompts"
    yield ""
    yield "backend: {use: trl}    # one machine; docs/cluster.md has several"


def scalar(text: str) -> str:
    """Return a text as YAML writes it."""
    if _PLAIN.fullmatch(text) and text not in _WORDS:
        return text
    text = text.replace("\\", "\\\\").replace("${", "\\${") if "${" in text else text
    return "".join(map(_escaped, json.dumps(text, ensure_ascii=False)))


def _escaped(letter: str) -> str:
    """Return a character as double quotes hold it; YAML has no pairs of surrogates, which JSON writes for emoji."""
    return letter if letter.isprintable() else f"\\U{ord(letter):08x}"


def _comment(text: str) -> str:
    """Return a text as it can stand in a comment, on one line."""
    return text if text.isprintable() else json.dumps(text)[1:-1]


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text if text.isprintable() else json.dumps(value, default=str)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
