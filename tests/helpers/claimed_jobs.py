"""The jobs that show what engines claim: lines of docs/engines.md about a stage rl, in a recipe of all difficulties.

Its reward looks at whole groups, weighs a component by `progress`, and has one that fails, whose completions have no
total and no vote; groups are flat, completions cut, and a step takes several updates and passes, so that ratios differ.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

from rewardlab.recipe import RlStage, TokenSampling, load
from rewardlab.recipe.training_stages import Kl
from rewardlab_testing.backend_laws.ledger import read_rows

from helpers.claims import claims, overrides_of
from helpers.engine_jobs import read_lines
from helpers.losses import Averages, Differences, differences

TOLERANCE = 1e-5
"""of a difference: less is rounding, more another formula"""
RECIPE = """
version: 1
seed: 1
model: MODEL
dataset: {use: toy/counting, with: {rows: 24}}
reward:
  components:
    letters: {use: toy/letters}
    longest: {use: toy/longest}
    accuracy: {use: math/accuracy}
    faulty: {use: toy/faulty, with: {how: fail, when: " "}, on_missing: zero_advantage, max_missing: 1}
  total: (1 + progress) * letters + 0.1 * longest + 0.5 * accuracy + faulty
stages: [{use: rl, algorithm: grpo}]
backend: BACKEND
"""
SIZES = (
    "stages.0.group_size=4",
    "stages.0.batch_size=4",
    "stages.0.steps=2",
    "stages.0.max_new_tokens=8",
    "stages.0.learning_rate=1.0e-2",
    "stages.0.warmup_steps=0",
    "stages.0.updates_per_batch=2",
    "stages.0.epochs_per_batch=2",
)
JOBS: tuple[tuple[str, ...], ...] = (
    (
        "`algorithm: grpo`",
        "`preset: dapo`",
        "`loss: token_mean`",
        "`clip: [0.2, 0.28]`",
        "`updates_per_batch`, `epochs_per_batch`",
        "`kl` in the loss, k3",
        "`top_p`",
        "`eval` within `rl`",
    ),
    (
        "`algorithm: dr_grpo`",
        "`preset: dr_grpo`",
        "`loss: constant`",
        "`entropy_coef`",
        "`kl` in the reward",
        "`top_k`",
        "`eval` with `top_p` and `top_k` of its own",
    ),
    (
        "`preset: gspo`",
        "`importance_sampling_level: sequence` (GSPO)",
        "`loss: seq_mean`",
        "`on_truncated: zero`",
        "`stop`",
    ),
    ("`algorithm: rloo`", "`dual_clip: 3`", "`kl` in the loss, k2", "`min_p`"),
    (
        "`algorithm: reinforce_baseline`",
        "`kl` in the reward, with `reinforce_baseline`",
        "`repetition_penalty`",
        "`eval` with `min_p` and `repetition_penalty` of its own",
    ),
    ("`algorithm: ppo`",),
    ("`preset: cispo`", "`loss: cispo`"),
    ("`reward.normalize`", "`kl` in the loss, k1", "`curriculum`", "`max_prompt_tokens`"),
    ("`reward.normalize: [normalize/gdpo]` (GDPO)", "`dual_clip: 3` with GSPO"),
    ("`reward.normalize: [normalize/length]`",),
    ("`on_truncated: mask`", "`kl.sync_every`"),
)
"""of each job the lines whose settings it has; an engine leaves out those that it does not claim"""
ENDS = "stages.0.stop=['a', 'e', 'o', 's', 't']"
BOUNDS = ("stages.0.clip=[0.001, 0.002]", "stages.0.dual_clip=1.004")
IN_SMALL = {
    "`algorithm: ppo`": ("reward.components.faulty.on_missing=group_mean",),
    **dict.fromkeys(("`on_truncated: mask`", "`stop`", "`reward.normalize: [normalize/length]`"), (ENDS,)),
    **dict.fromkeys(("`loss: token_mean`", "`loss: constant`"), (ENDS,)),
    "`dual_clip: 3`": BOUNDS,
    # a sequence's ratio is the mean of its tokens', so it lies closer to 1
    "`dual_clip: 3` with GSPO": ("stages.0.clip=[0.0001, 0.0002]", "stages.0.dual_clip=1.0004"),
    "`kl.sync_every`": ("stages.0.kl={coef: 0.01, sync_every: 1}",),
}
"""a line -> what its job says, too: numbers by which it does something in a small job; a critic needs all rewards"""
OTHERWISE: Mapping[str, Mapping[str, Any]] = {
    "`loss: token_mean`": {"loss": "seq_mean"},
    "`loss: seq_mean`": {"loss": "token_mean"},
    "`loss: constant`": {"loss": "token_mean"},
    "`loss: cispo`": {"loss": "token_mean"},
    "`clip: [0.2, 0.28]`": {"clip": (0.2, 0.2)},
    "`importance_sampling_level: sequence` (GSPO)": {"importance_sampling_level": "token"},
    "`entropy_coef`": {"entropy_coef": 0.0},
    "`dual_clip: 3`": {"dual_clip": None},
    "`dual_clip: 3` with GSPO": {"dual_clip": None},
    **{f"`kl` in the loss, {estimator}": {"kl": Kl()} for estimator in ("k1", "k2", "k3")},
}
"""a line -> another value of its setting, with which the loss would have been another"""
Lines = tuple[str, ...]


def each_job(engine: str) -> list[Lines]:
    """Return the lines of each job of an engine."""
    claimed = set(chain(*claims(engine).values()))
    jobs = (tuple(line for line in lines if line in claimed) for lines in JOBS)
    return [lines for lines in jobs if lines]


def name_of(lines: Lines) -> str:
    """Return a job's name, by which pytest knows it."""
    return lines[0]


def recipe_of(lines: Lines, model: object, backend: Mapping[str, Any], micro: int = 8) -> tuple[str, list[str]]:
    """Return the recipe of a job, and what it says otherwise."""
    overrides = sorted(chain(*map(overrides_of, lines)), key=lambda override: not override.startswith("stages.0="))
    overrides += [*SIZES, f"stages.0.micro_batch_size={micro}"]
    overrides += chain(*(IN_SMALL.get(line, ()) for line in lines))
    return RECIPE.replace("MODEL", str(model)).replace("BACKEND", json.dumps(backend)), overrides


def run_job(
    engine: str,
    lines: Lines,
    folder: Path,
    model: object,
    backend: dict,
    run: Callable[[Path, Sequence[str], dict[str, str]], Path],
    averages: Averages,
    micro: int = 8,
) -> Differences:
    """Run a job, tell its numbers to the file that REWARDLAB_DIFFERENCES names, and return them.

    run: runs a recipe with overrides and environment variables, and returns the folder of the run.
    """
    path, losses, requests = (folder / name for name in ("recipe.yaml", "losses.jsonl", "requests.jsonl"))
    text, overrides = recipe_of(lines, model, backend, micro)
    path.write_text(text, encoding="utf-8")
    variables = {"REWARDLAB_LOSSES": str(losses), "REWARDLAB_REQUESTS": str(requests)}
    directory = run(path, overrides, variables)
    resolved = load(directory / "recipe.resolved.yaml").tree
    stage = RlStage.model_validate(resolved["stages"][0])
    if requests.exists():
        assert_sampled(requests, stage)
    normalizers = [use if isinstance(use, str) else use["use"] for use in resolved["reward"].get("normalize") or []]
    normalized = normalizers[0].partition("/")[2] if normalizers else ""
    told = losses, list(read_rows(directory))
    result = differences(*told, stage, normalized, averages)
    for line in set(lines) & set(OTHERWISE):
        other = differences(*told, stage.model_copy(update=OTHERWISE[line]), normalized, averages)
        assert other.loss > TOLERANCE, f"{line} did nothing"
    if normalized:
        assert differences(*told, stage, "", averages).advantages > TOLERANCE, f"normalize/{normalized} did nothing"
    if path := os.environ.get("REWARDLAB_DIFFERENCES"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{json.dumps({'engine': engine, 'job': name_of(lines), **asdict(result)})}\n")
    return result


def assert_sampled(requests: Path, stage: RlStage) -> None:
    """Assert that the rollout engine was asked for completions as the recipe samples them, and its evaluations."""

    def settings(sampling: TokenSampling, temperature: float) -> tuple:
        return (
            temperature,
            sampling.top_p,
            sampling.top_k or 0,
            sampling.min_p,
            sampling.repetition_penalty,
            tuple(sampling.stop),
        )

    wanted = {settings(stage, stage.temperature)}
    if (evaluation := stage.evaluation) is not None:
        own = stage.temperature if evaluation.temperature is None else evaluation.temperature
        wanted.add(settings(stage.evaluation_sampling, own))
    asked = {(*numbers, tuple(stop)) for *numbers, stop in read_lines(requests)}
    assert asked == wanted
