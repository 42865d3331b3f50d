"""What docs/engines.md claims of verl, as jobs: what the loss got, and gave, is what the formulas say."""

import pytest
from helpers.claimed_jobs import each_job, name_of
from helpers.losses import Averages

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
from rewardlab_verl.compile.rl import PAPER_LOSS

pytestmark = [pytest.mark.verl, pytest.mark.nightly]
AVERAGES = Averages(losses=PAPER_LOSS)


@pytest.fixture
def run(jobs, tmp_path, toy_path):
    def job(recipe, overrides, variables):
        tokens = {"REWARDLAB_CPU_ENGINE_TOKENS": "8"}
        return jobs.run(tmp_path, recipe, *overrides, env=variables | tokens, paths=[toy_path]).succeeded().directory

    return job


@pytest.mark.parametrize("lines", each_job("verl"), ids=name_of)
def test_the_loss_gets_what_the_lines_say(claimed_job, jobs, run, lines):
    critic = "`algorithm: ppo`" in lines  # verl loads one with FlashAttention alone
    engine = {**jobs.ON_CPU, **({"attention": "flash_attention_2"} if critic else {})}
    precision = "bf16" if critic else "fp32"
    backend = {"use": "verl", "gpus_per_node": 1, "precision": precision, "engine": engine}
    tolerance = {"tolerance": 2**-8} if critic else {}  # what bf16 tells apart, of losses about 1
    claimed_job("verl", lines, backend, run, AVERAGES, **tolerance)


def test_adapters_in_rl_learn_and_are_merged(claimed_job, jobs, run, assert_adapters_are_merged, tmp_path):
    """The reference of the penalty is the model without them."""
    backend = {"use": "verl", "gpus_per_node": 1, "precision": "fp32", "engine": {**jobs.ON_CPU, "lora": {"rank": 4}}}
    claimed_job("verl", ("`kl` in the loss, k1",), backend, run, AVERAGES)
    (folder,) = (tmp_path / "runs").glob("*/models/0-rl")
    assert_adapters_are_merged(folder)
