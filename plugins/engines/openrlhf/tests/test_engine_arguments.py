"""Compiled commands against the installed wheel: its own parsers, and its own checks of what they parsed.

The rest of each program's main block runs here as it is, but for `train`, which only keeps what it is given.
"""

import argparse
import ast
import json
import os
import subprocess
import sys
from datetime import datetime
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import ClassVar

import pytest

pytest.importorskip("openrlhf", reason="needs the environment of the OpenRLHF backend")

from rewardlab import Completion, Sample, ScoredGroup
from rewardlab.errors import JobError
from rewardlab.recipe import load
from rewardlab_openrlhf.compile import PROGRAMS, compile_stage
from rewardlab_openrlhf.compile.extra_arguments import EXTRA_ARGUMENTS
from rewardlab_openrlhf.engine_arguments import WHEEL, check_arguments, engine_parser
from rewardlab_openrlhf.engine_settings import argument, setters
from rewardlab_openrlhf.options import options_of
from rewardlab_openrlhf.stage_files import StageFiles
from rewardlab_ray.job.engine import installed_version
from rewardlab_ray.messages import SCORED
from rewardlab_ray.scoring.rewards import rewards
from rewardlab_training import check_recipe
from rewardlab_training.advantages import batch_advantages, whitening

pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]

RECIPE = """
    version: 1
    name: made
    model: org/model
    dataset: {use: data/arithmetic, with: {kind: prompts}, holdout: 0.1}
    reward:
      components: {accuracy: {use: math/accuracy}, format: {use: format/boxed}}
      total: accuracy + format
      correctness: accuracy
    stages:
      - use: sft
        dataset: {use: data/arithmetic, with: {kind: responses}}
        batch_size: 16
        steps: 10
        warmup_steps: 2
      - {use: rl, algorithm: grpo, group_size: 8, batch_size: 8, steps: 10, save_every: 5, max_new_tokens: 32}
      - use: dpo
        dataset: {use: data/jsonl, with: {path: PAIRS}}
        batch_size: 16
        steps: 10
    backend: {use: openrlhf, gpus_per_node: 4}
"""
RL = 1
VARIANTS = {
    "as it is": [],
    "dr_grpo with a kl in the loss": ["stages.1.algorithm=dr_grpo", "stages.1.kl.coef=0.01"],
    "rloo with a kl in the reward": ["stages.1.algorithm=rloo", "stages.1.kl={coef: 0.01, in: reward, estimator: k1}"],
    "reinforce_baseline": ["stages.1.algorithm=reinforce_baseline", "stages.1.updates_per_batch=2"],
    "ppo": ["stages.1.algorithm=ppo", "stages.1.group_size=1", "stages.1.batch_size=16"],
    "evaluation": ["stages.1.eval={samples: 3}", "stages.1.eval_every=5"],
    "apart": ["backend.engine={colocate: false, tensor_parallel: 2}", "stages.1.kl.coef=0.01"],
    "asynchronous": [
        "backend.engine={colocate: false, asynchronous: {queue: 2, partial_rollouts: true}, generate_batch: 16}"
    ],
    "many nodes": ["backend.nodes=4", "backend.engine={zero_stage: 3, tokens_per_gpu: 8192, tensor_parallel: 2}"],
    "rings": ["backend.engine={ring_attention: 2, zero_stage: 3, offload_optimizer: true, offload_reference: true}"],
    "filtering": [
        "reward.teach={flat: replace, by: accuracy}",
        "backend.engine={rollout_micro_batch_size: 2, correction: {}}",
    ],
    "a trust region": ["backend.engine.correction={level: seq, gating: binary_kl, bounds: [0.1]}"],
    "tracked": ["backend.engine.wandb=project", "backend.tensorboard=true"],
    "without packing": ["backend.engine={packing: false, attention: sdpa, prefix_caching: true, eager: true}"],
}
FOLDER = Path("/shared/runs/made-1/engine")


@pytest.fixture
def commands(write):
    """The commands of the three stages under some overrides, by kind."""
    pairs = write("pairs.jsonl", [{"id": "a", "prompt": "1+1?", "chosen": "2", "rejected": "3"}])
    path = write("r.yaml", RECIPE.replace("PAIRS", str(pairs)))

    def made(overrides):
        plan = check_recipe(load(path, overrides))
        found = {}
        for index, stage in enumerate(plan.recipe.stages):
            evaluated = 20 if stage.use == "rl" and stage.evaluation is not None else 0
            files = StageFiles(
                model="org/model",
                folder=FOLDER / stage.use,
                output=FOLDER / stage.use / "model",
                checkpoints=FOLDER / "checkpoints",
                tensorboard=FOLDER / "tensorboard" if options_of(plan).tensorboard else None,
                run_name="made",
                steps=stage.steps,
                rows=stage.steps * stage.batch_size,
                longest_prompt=30,
                evaluation_rows=evaluated,
                resume=True,
            )
            found[stage.use] = compile_stage(plan, index, files)
        return found

    return made


def main_block(command, monkeypatch):
    """What the program's own main block gives to `train`; its asserts are those of the wheel."""
    source = Path(find_spec("openrlhf").submodule_search_locations[0], "cli", f"{command.module.split('.')[-1]}.py")
    tree = ast.parse(source.read_text())
    (block,) = (node for node in tree.body if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test))
    given = []
    monkeypatch.setattr(sys, "argv", [command.module, *command.arguments])
    names = {"argparse": argparse, "datetime": datetime, "train": given.append}
    exec(compile(ast.Module(body=block.body, type_ignores=[]), str(source), "exec"), names)
    (arguments,) = given
    return arguments


def test_it_is_the_version_that_arguments_are_written_for():
    assert installed_version("openrlhf") == WHEEL


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kind", PROGRAMS)
def test_the_wheel_takes_the_command_and_changes_nothing_in_it(commands, monkeypatch, capsys, variant, kind):
    command = commands(VARIANTS[variant])[kind]
    check_arguments(command.module, command.arguments)
    main_block(command, monkeypatch)
    said = capsys.readouterr().out
    assert "Set args" not in said
    assert "[Warning]" not in said


def test_what_openrlhf_trains_with_is_what_the_recipe_says(commands, monkeypatch):
    overrides = [*VARIANTS["asynchronous"], *VARIANTS["evaluation"], "stages.1.clip=[0.2, 0.28]"]
    found = main_block(commands(overrides)["rl"], monkeypatch)
    assert found.algo.advantage.estimator == "dr_grpo"
    assert found.actor.eps_clip_low_high == [0.2, 0.28]
    assert (found.rollout.batch_size, found.rollout.n_samples_per_prompt, found.train.batch_size) == (8, 8, 64)
    assert (found.rollout.vllm_generate_batch_size, found.train.async_queue_size) == (16, 2)
    assert (found.train.async_enable, found.train.partial_rollout_enable, found.train.colocate_all) == (
        True,
        True,
        False,
    )
    assert (found.eval.steps, found.eval.n_samples_per_prompt, found.data.max_samples) == (5, 3, 80)
    assert found.reward.remote_url == ["agent"]
    assert found.critic.model_name_or_path is None
    assert found.ckpt.load_enable


def test_the_critic_of_ppo_begins_as_the_policy(commands, monkeypatch):
    found = main_block(commands(VARIANTS["ppo"])["rl"], monkeypatch)
    assert found.critic.model_name_or_path == found.actor.model_name_or_path


def test_sft_has_no_template_of_openrlhfs_own(commands, monkeypatch):
    assert main_block(commands([])["sft"], monkeypatch).data.input_template == ""


class TestAdvantages:
    """Through OpenRLHF's own compute_advantages_and_returns, as the compiled command sets it up."""

    VALUES: ClassVar = [0.1, 0.9, 0.4, 0.2, 0.8, 0.3, 0.6, 0.7]
    BATCHES: ClassVar = {
        # those behind the first are furthest from the others' mean
        "different": [VALUES, [41.0] + [0.0] * 7, [0.0] + [41.0] * 7],
        "constant": [[total] * 8 for total in (0.7, 0.1, 1 / 3, -2.3, 0.0, 1e6)],
        "missing": [[None, *VALUES[1:]], [0.1, None, 0.4, None, 0.8, None, 0.6, None]],
    }
    """by name: groups of shaped rewards, None where a completion has no value"""
    ALGORITHMS = ("grpo", "dr_grpo", "rloo", "reinforce_baseline")
    CASES = (*product(ALGORITHMS, BATCHES), ("dr_grpo", "pool"))
    POOL: ClassVar = [[3.317, 3.317, *[-0.302] * 6], [-0.302] * 8]
    """what normalize/std makes of 8 of a pool of 2 right and 22 wrong: its mean is off, and the group's stays on"""
    estimates: ClassVar = {}

    @pytest.fixture
    def found(self, commands, jobs):
        """What the engine makes of the rewards that it is sent: {(algorithm, batch): G advantages for each group}."""
        if not self.estimates:  # one process for all: it imports the engine
            self.estimates.update(zip(self.CASES, self.estimated(commands, jobs), strict=True))
        return self.estimates

    def estimated(self, commands, jobs):
        given = []
        for algorithm, batch in self.CASES:
            command = commands([f"stages.1.algorithm={algorithm}", "reward.total='40 * accuracy + format'"])["rl"]
            groups = [self.scored(group, batch == "pool") for group in self.BATCHES.get(batch, self.POOL)]
            made = [rewards(group, range(8), None, 8, algorithm) for group in groups]
            sent = [[(value, log[SCORED]) for value, log in zip(one.values, one.logs, strict=True)] for one in made]
            given.append({"module": command.module, "arguments": command.arguments})
            given[-1] |= {"whitening": whitening(algorithm, False), "groups": sent}
        done = subprocess.run(
            [sys.executable, Path(__file__).with_name("estimate.py")],
            input=json.dumps(given),
            env={**os.environ, **jobs.ENVIRONMENT, "PYTHONPATH": str(jobs.ENGINE)},
            capture_output=True,
            text=True,
            timeout=180,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout.splitlines()[-1])

    @staticmethod
    def scored(group, centred=False):
        present = [value for value in group if value is not None]
        mean = sum(present) / len(present)
        return ScoredGroup(
            sample=Sample(id="s"),
            completions=[Completion(text="")] * len(group),
            components={},
            totals=group,
            shaped=[mean if value is None else value for value in group],
            centred=centred,
        )

    def kit(self, algorithm, groups):
        found = batch_advantages(algorithm, [self.scored(group) for group in groups])
        return [found[at : at + 8] for at in range(0, len(found), 8)]

    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_are_those_of_the_kit_and_not_clipped(self, found, algorithm):
        wanted = self.kit(algorithm, self.BATCHES["different"])
        assert found[algorithm, "different"] == [pytest.approx(group, abs=1e-5) for group in wanted]

    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_of_a_group_without_variance_are_nothing(self, found, algorithm):
        assert found[algorithm, "constant"] == [[0.0] * 8] * len(self.BATCHES["constant"])

    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_leave_a_completion_without_a_value_out_of_every_statistic(self, found, algorithm):
        groups = self.BATCHES["missing"]
        present = [[value for value in group if value is not None] for group in groups]
        wanted = iter(batch_advantages(algorithm, [self.scored(group) for group in present]))
        for group, made in zip(groups, found[algorithm, "missing"], strict=True):
            assert made == pytest.approx([0.0 if value is None else next(wanted) for value in group], abs=1e-5)

    def test_keep_the_mean_of_a_pool(self, found):
        assert found["dr_grpo", "pool"] == [pytest.approx(group, abs=1e-5) for group in self.POOL]


class TestParser:
    RL = PROGRAMS["rl"]

    @pytest.mark.parametrize(
        ("given", "what"),
        [
            (["--actor.adam.learning_rate", "1"], "unrecognized arguments: --actor.adam.learning_rate"),
            (["--actor.adam.l", "1"], "unrecognized arguments: --actor.adam.l"),
            (["--train.seed", "x"], "--train.seed: invalid int value: 'x'"),
            (["--actor.eps_clip_low_high", "0.2"], "expected 2 arguments"),
            (["--actor.loss_agg_mode", "constant"], "invalid choice: 'constant'"),
            (["--help"], "unrecognized arguments: --help"),
        ],
    )
    def test_what_the_program_does_not_take_is_named(self, given, what):
        with pytest.raises(JobError) as raised:
            check_arguments(self.RL, given)
        assert self.RL in str(raised.value)
        assert what in str(raised.value)

    def test_a_negative_bound_is_a_number(self):
        assert vars(check_arguments(self.RL, ["--reward.clip_range", "-0.00001", "4"]))["reward.clip_range"] == [
            -1e-5,
            4,
        ]

    def test_a_program_that_is_not_there_is_an_error(self):
        with pytest.raises(JobError, match="its parser cannot be found"):
            engine_parser("openrlhf.cli.train_nothing")


class TestLora:
    def test_openrlhf_sends_adapters_as_they_are_so_rl_refuses_them(self):
        """Of a policy with adapters no weight has the name that a rollout engine knows, and nothing merges them."""
        from peft import LoraConfig, get_peft_model
        from transformers import LlamaConfig, LlamaForCausalLM

        folder = Path(find_spec("openrlhf").submodule_search_locations[0], "trainer", "ray")
        sender = (folder / "ppo_actor.py").read_text()
        assert "for n, p in model.named_parameters()" in sender
        assert "merge" not in sender.partition("def broadcast_to_vllm")[2].partition("\nclass ")[0]
        assert "merge" not in (folder / "vllm_worker_wrap.py").read_text()
        sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
        policy = LlamaForCausalLM(LlamaConfig(vocab_size=32, **sizes))
        known = {name for name, _ in policy.named_parameters()}
        adapted = get_peft_model(policy, LoraConfig(r=2, target_modules="all-linear"))
        assert not known & {name for name, _ in adapted.named_parameters()}


class TestFurther:
    @pytest.mark.parametrize("kind", PROGRAMS)
    def test_what_may_be_added_is_what_the_wheel_takes(self, kind):
        actions = {name: action for action in engine_parser(PROGRAMS[kind])._actions for name in action.option_strings}
        for name in EXTRA_ARGUMENTS[kind]:
            action, packaged = actions[f"--{name}"], argument(kind, name)
            assert (packaged.kind == "flag") == (action.nargs == 0), name
            assert tuple(packaged.values) == tuple(action.choices or ()), name

    def test_the_page_of_arguments_lists_the_wheels(self):
        named = [action.option_strings[-1] for action in engine_parser(PROGRAMS["rl"])._actions]
        assert [f"--{name}" for name in setters()] == [name for name in named if name != "--help"]

    @pytest.mark.parametrize("variant", VARIANTS)
    def test_none_of_it_is_said_elsewhere(self, commands, variant):
        for kind, command in commands(VARIANTS[variant]).items():
            assert not {f"--{name}" for name in EXTRA_ARGUMENTS[kind]} & set(command.arguments)
