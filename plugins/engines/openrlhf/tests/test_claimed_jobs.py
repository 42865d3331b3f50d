"""What docs/engines.md claims of OpenRLHF, as jobs: what the loss got, and gave, is what the formulas say."""

import pytest
from helpers.claimed_jobs import each_job, name_of
from helpers.losses import Averages

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
from rewardlab_openrlhf.compile.rl import PAPER_LOSS

pytestmark = [pytest.mark.openrlhf, pytest.mark.nightly]
AVERAGES = Averages(losses=PAPER_LOSS, penalty_by_tokens=True, entropy_by="token_mean")


@pytest.mark.parametrize("lines", each_job("openrlhf"), ids=name_of)
def test_the_loss_gets_what_the_lines_say(claimed_job, jobs, tmp_path, toy_path, lines):
    def run(recipe, overrides, variables):
        return jobs.run(tmp_path, recipe, *overrides, env=variables, paths=[toy_path]).succeeded().directory

    engine = {"sleep": False, "zero_stage": 1, "packing": False}
    claimed_job("openrlhf", lines, {"use": "openrlhf", "gpus_per_node": 1, "engine": engine}, run, AVERAGES)
