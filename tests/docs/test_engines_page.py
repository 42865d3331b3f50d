"""docs/engines.md says what each engine has; `python tests/docs/test_engines_page.py` asks `check`, and writes it."""

import json
import re
import tempfile
from itertools import chain
from pathlib import Path

import pytest
from rewardlab.errors import UserError
from rewardlab.recipe import load
from rewardlab.recipe.presets import PRESETS
from rewardlab_training import check_recipe

PAGE = Path(__file__).parents[2] / "docs" / "engines.md"
ENGINES = {"trl": {}, "openrlhf": {"gpus_per_node": 4}, "verl": {"gpus_per_node": 4}}
SFT, DPO = "stages.0={use: sft, steps: 2, batch_size: 8}", "stages.0={use: dpo, steps: 2, batch_size: 8}"
KL = "stages.0.kl={{coef: 0.01, estimator: {}}}"
ROWS = {
    "Stages": {
        "`data`": ("stages.0={use: data, dataset: {use: data/jsonl, with: {path: rows.jsonl}}, to: made.jsonl}",),
        "`sft`": (SFT,),
        "`dpo`": (DPO,),
        "`rl`": (),
        "`eval`": ("stages.0={use: eval, samples: 4}", "dataset.holdout=0.5"),
    },
    "How rewards become advantages": {
        f"`algorithm: {name}`": (f"stages.0.algorithm={name}",)
        for name in ("grpo", "dr_grpo", "rloo", "reinforce_baseline", "ppo")
    },
    "Papers by name": {f"`preset: {name}`": (f"stages.0={{use: rl, preset: {name}, steps: 2}}",) for name in PRESETS},
    "The loss": {
        **{f"`loss: {name}`": (f"stages.0.loss={name}",) for name in ("token_mean", "seq_mean", "constant")},
        "`loss: cispo`": ("stages.0.loss=cispo", "stages.0.clip=[1, 4]"),
        "`importance_sampling_level: sequence` (GSPO)": ("stages.0.importance_sampling_level=sequence",),
        "`entropy_coef`": ("stages.0.entropy_coef=0.01",),
        "`kl.sync_every`": ("stages.0.kl={coef: 0.01, sync_every: 8}",),
        "`clip: [0.2, 0.28]`": ("stages.0.clip=[0.2, 0.28]",),
        "`dual_clip: 3`": ("stages.0.dual_clip=3",),
        "`dual_clip: 3` with GSPO": ("stages.0={use: rl, preset: gspo, steps: 2, dual_clip: 3}",),
        "`updates_per_batch`, `epochs_per_batch`": ("stages.0.updates_per_batch=2", "stages.0.epochs_per_batch=2"),
        **{f"`kl` in the loss, {name}": (KL.format(name),) for name in ("k3", "k2", "k1")},
        "`kl` in the reward": ("stages.0.kl={coef: 0.01, in: reward}",),
        "`kl` in the reward, with `reinforce_baseline`": (
            "stages.0.kl={coef: 0.01, in: reward}",
            "stages.0.algorithm=reinforce_baseline",
        ),
    },
    "Groups": {
        "`on_truncated: zero`": ("stages.0.on_truncated=zero",),
        "`on_truncated: mask`": ("stages.0.on_truncated=mask",),
        "`reward.teach: {flat: drop}`": ("reward.teach={flat: drop}", "reward.correctness=accuracy"),
        "`reward.teach: {flat: replace}`": ("reward.teach={flat: replace}", "reward.correctness=accuracy"),
        "`sampler`": (
            "sampler={use: curriculum/balanced, with: {reasoning: format, answer: accuracy}}",
            "reward.components.format={use: format/boxed}",
        ),
        "`curriculum`": ("curriculum={use: curriculum/file_order}",),
        "`reward.normalize`": ("reward.normalize=[{use: normalize/std}]", "stages.0.algorithm=dr_grpo"),
        "`reward.normalize: [normalize/gdpo]` (GDPO)": (
            "reward.normalize=[{use: normalize/gdpo}]",
            "stages.0.algorithm=dr_grpo",
        ),
        "`reward.normalize: [normalize/length]`": (
            "reward.normalize=[{use: normalize/length, with: {reference_length: 8}}]",
            "stages.0.algorithm=dr_grpo",
        ),
    },
    "Sampling": {
        "`top_p`": ("stages.0.top_p=0.9",),
        "`top_k`": ("stages.0.top_k=20",),
        "`min_p`": ("stages.0.min_p=0.1",),
        "`repetition_penalty`": ("stages.0.repetition_penalty=1.1",),
        "`stop`": ("stages.0.stop=['User:']",),
        "`max_prompt_tokens`": ("stages.0.max_prompt_tokens=64",),
        "`eval` within `rl`": (
            "stages.0.eval={samples: 4, temperature: 0.6}",
            "stages.0.eval_every=2",
            "dataset.holdout=0.5",
        ),
        "`eval` with `top_p` and `top_k` of its own": (
            "stages.0.eval={samples: 4, top_p: 0.9, top_k: 20}",
            "dataset.holdout=0.5",
        ),
        "`eval` with `min_p` and `repetition_penalty` of its own": (
            "stages.0.eval={samples: 4, min_p: 0.1, repetition_penalty: 1.1}",
            "dataset.holdout=0.5",
        ),
        "functions that the policy calls (`agent.tools`)": (
            f"stages.0.agent={{tools: ['{PAGE.parent}/examples/agent/functions.py:multiply']}}",
        ),
        "an environment with tools (`agent.use`)": (
            f"stages.0.agent={{use: '{PAGE.parent}/examples/agent/multiplier.py:Multiplier'}}",
        ),
        "the policy as a judge (`policy/self`)": (
            "judges={me: {use: policy/self}}",
            "reward.components.wins={use: pairwise/win_rate, with: {judge: me}}",
            "reward.total=wins",
            "CONTEXT",
        ),
    },
    "Training": {
        "`arguments` of a stage": ("stages.0.arguments={adam_epsilon: 1.0e-8}",),
        "`schedule: cosine`": ("stages.0.schedule=cosine",),
        "`schedule: linear`": ("stages.0.schedule=linear",),
        "`keep: best` of `sft`": (
            "stages.0={use: sft, steps: 2, batch_size: 8, save_every: 1, keep: best, "
            "validation: {component: accuracy}}",
            "dataset.holdout=0.5",
        ),
        "adapters (`lora`) in `sft`": (SFT, "LORA"),
        "adapters in `dpo`": (DPO, "LORA"),
        "adapters in `rl`": ("LORA",),
        "adapters over weights in 4 bits (QLoRA)": {
            "trl": "backend={use: trl, lora: {rank: 8}, quantization: {bits: 4}}",
            "openrlhf": "backend.engine.arguments={ds.load_in_4bit: true}",
            "verl": "backend.quantization={bits: 4}",
        },
        "`attention: sdpa`": {
            "trl": "backend.attention=sdpa",
            "openrlhf": "backend.engine={attention: sdpa, packing: false}",
            "verl": "backend.engine={attention: sdpa, packing: false}",
        },
        "`precision: fp32`": ("backend.precision=fp32",),
        "`precision: bf16`": ("backend.precision=bf16",),
        "a model shared by FSDP": {
            "trl": "backend.accelerate={distributed_type: FSDP, num_processes: 2}",
            "openrlhf": "backend.accelerate={distributed_type: FSDP, num_processes: 2}",
            "verl": "backend.engine.strategy=fsdp2",
        },
        "a model shared by DeepSpeed ZeRO 3": {
            "trl": "backend.accelerate={distributed_type: DEEPSPEED, num_processes: 2, "
            "deepspeed_config: {zero_stage: 3, zero3_save_16bit_model: true}}",
            "openrlhf": "backend.engine.zero_stage=3",
            "verl": "backend.accelerate={distributed_type: DEEPSPEED, num_processes: 2}",
        },
        "several GPUs of a machine": ("backend.gpus_per_node=2",),
        "several nodes": {
            "trl": "backend={use: trl, accelerate: {distributed_type: MULTI_GPU, num_machines: 2, num_processes: 8, "
            "main_process_ip: 10.0.0.1}}",
            "openrlhf": "backend.nodes=2",
            "verl": "backend.nodes=2",
        },
    },
    "vLLM, by the engine's own names": {
        "engines on GPUs of their own": {
            "trl": "backend.generation={engine: vllm, mode: server, url: 'http://node:8000'}",
            "openrlhf": "backend.engine.colocate=false",
            "verl": "backend.engine.arguments={actor_rollout_ref.rollout.nnodes: 1}",
        },
        **{
            f"`{name}`": {
                "trl": f"backend.generation={{engine: vllm, {name}: {value}}}",
                "openrlhf": f"backend.engine.arguments={{vllm.{name}: {value}}}",
                "verl": f"backend.engine.arguments={{actor_rollout_ref.rollout.{name}: {value}}}",
            }
            for name, value in (("max_num_seqs", 256), ("max_num_batched_tokens", 16384), ("quantization", "fp8"))
        },
    },
}
HEAD = """# What each engine has

If you choose an engine, this page says which settings each of ours obeys. It is generated and tested: each line is a
recipe that `rewardlab check` takes, or refuses with what stands in the cell. Stages, settings and their defaults are in
[recipes.md](recipes.md) and [settings](reference/README.md#settings); what goes through to an engine by its own names
is in its plugin's page.

"""


def cell(engine: str, overrides: tuple[str, ...] | dict[str, str], rows: Path) -> str:
    """What the engine says to a recipe with these overrides, or with its own one."""
    overrides = (overrides[engine],) if isinstance(overrides, dict) else overrides
    backend = {"use": engine, **ENGINES[engine]}
    recipe = {
        "version": 1,
        "model": {"use": "tiny", "context": 4096},
        "dataset": {"use": "data/jsonl", "with": {"path": str(rows)}},
        "reward": {"components": {"accuracy": {"use": "math/accuracy"}}, "total": "accuracy"},
        "stages": [
            {"use": "rl", "algorithm": "grpo", "group_size": 4, "batch_size": 8, "steps": 4, "max_new_tokens": 16}
        ],
        "backend": backend,
    }
    lora = "backend.lora={rank: 8}" if engine == "trl" else "backend.engine.lora={rank: 8}"
    context = "backend.engine.context=2048" if engine == "openrlhf" else "seed=1"
    words = {"LORA": lora, "CONTEXT": context, "rows.jsonl": str(rows)}
    given = [re.sub("LORA|CONTEXT|rows.jsonl", lambda found: words[found[0]], override) for override in overrides]
    try:
        check_recipe(load(recipe, given))
    except UserError as error:
        problem = error.problems[0]
        return f"no: {problem.what.replace('|', ' or ')}"
    return "yes"


def _rows(folder: str) -> Path:
    row = {"prompt": "1+1?", "answer": "2", "response": "2", "chosen": "2", "rejected": "3"}
    Path(folder, "rows.jsonl").write_text(f"{json.dumps(row)}\n" * 16)
    return Path(folder, "rows.jsonl")


def page() -> str:
    """The whole page."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        rows = _rows(folder)
        for title, group in ROWS.items():
            lines += [f"## {title}", "", f"| | {' | '.join(ENGINES)} |", "|---|" + "---|" * len(ENGINES)]
            for label, overrides in group.items():
                cells = [cell(engine, overrides, rows) for engine in ENGINES]
                lines.append(f"| {label} | {' | '.join(cells)} |")
            lines.append("")
    return HEAD + "\n".join(lines)


@pytest.mark.slow
def test_the_page_says_what_check_says():
    pytest.importorskip("rewardlab_trl")
    assert PAGE.read_text(encoding="utf-8") == page(), f"run: python {Path(__file__).relative_to(PAGE.parents[1])}"


def test_what_an_engine_claims_a_job_shows():
    """Lines of a stage rl are run themselves (test_claimed_jobs.py of each engine); of the others a test is named."""
    from helpers.claimed_jobs import JOBS, each_job
    from helpers.claims import ELSEWHERE, claims

    for engine in ENGINES:
        file = PAGE.parents[1] / "plugins" / "engines" / engine / "tests" / "test_claimed_jobs.py"
        assert f'each_job("{engine}")' in file.read_text(encoding="utf-8")
        shown = set(chain(*each_job(engine))) | {label for label, tests in ELSEWHERE.items() if engine in tests}
        assert set(chain(*claims(engine).values())) - shown == set(), (engine, "claimed, and no job runs it")
    assert set(chain(*JOBS)) - set(chain(*ROWS.values())) == set(), "lines that the page has not"
    for tests in ELSEWHERE.values():
        for place in (place for place in tests.values() if not place.startswith("no job: ")):
            file, _, name = place.partition("::")
            text = (PAGE.parents[1] / file).read_text(encoding="utf-8")
            assert not name or f"def {name}" in text or f"class {name}" in text, place


def test_the_jobs_have_recipes_that_check_takes(toy, tmp_path):
    """They are run at night only."""
    from helpers.claimed_jobs import each_job, recipe_of

    path = tmp_path / "recipe.yaml"
    for engine, sizes in ENGINES.items():
        for lines in each_job(engine):
            text, overrides = recipe_of(
                lines, "{use: tiny, context: 4096}", {"use": engine, **dict.fromkeys(sizes, 1)}, micro=4
            )
            path.write_text(text, encoding="utf-8")
            try:
                check_recipe(load(path, overrides))
            except UserError as error:
                raise AssertionError(f"{engine}, {lines[0]}: {error}") from error


def test_each_line_is_had_by_some_engine():
    """Else the line itself would be wrong."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert [line for line in lines if "| yes |" not in line] == []
    assert len(lines) > 30


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
