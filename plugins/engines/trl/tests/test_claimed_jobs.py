"""What docs/engines.md claims of trl, as jobs: what the loss got, and gave, is what the formulas say."""

import pytest
from helpers.claimed_jobs import each_job, name_of
from helpers.losses import Averages
from helpers.trl_batches import TOLD

pytest.importorskip("trl")
from rewardlab_trl.rl_arguments import PAPER_LOSS

pytestmark = pytest.mark.nightly
AVERAGES = Averages(losses=PAPER_LOSS, entropy_by="seq_mean", tokens_of_step=True)


@pytest.mark.parametrize("lines", each_job("trl"), ids=name_of)
def test_the_loss_gets_what_the_lines_say(claimed_job, command, module_of, monkeypatch, lines):
    from rewardlab_trl import rl

    for name in ("_compute_loss", "_get_per_token_logps_and_entropies"):
        monkeypatch.setattr(rl._Trainer, name, getattr(rl._Trainer, name))  # so that they are put back
    module_of(TOLD / "sitecustomize.py").tell_losses(rl._Trainer)

    def run(recipe, overrides, variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        code, out, err = command(recipe.parent, "run", recipe.name, *overrides)
        assert code == 0, out + err
        return next((recipe.parent / "runs").iterdir())

    claimed_job("trl", lines, {"use": "trl", "device": "cpu"}, run, AVERAGES, micro=4)
