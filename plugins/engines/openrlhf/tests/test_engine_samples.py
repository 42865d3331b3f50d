"""The samples that OpenRLHF gets: what it averages of them for its lines and trackers."""

import math
from types import SimpleNamespace

import pytest
from rewardlab_openrlhf.rollout.engine_samples import fill_missing_logs

pytestmark = pytest.mark.slow  # torch is loaded


def means(*values):
    """What OpenRLHF makes of the logs of a step whose samples have these totals and parts."""
    torch = pytest.importorskip("torch")
    samples = [
        SimpleNamespace(
            info={"reward": torch.tensor([0.0]), "reward/total": torch.tensor([t]), "reward/p": torch.tensor([p])}
        )
        for t, p in values
    ]
    fill_missing_logs(samples)
    return {name: torch.cat([one.info[name] for one in samples]).mean().item() for name in samples[0].info}


def test_a_group_without_a_total_does_not_count_in_the_mean_of_the_step():
    nan = math.nan
    told = means((0.25, nan), (0.75, nan), (nan, 1.0), (nan, 0.5))
    assert told == {"reward": 0.0, "reward/total": 0.5, "reward/p": 0.75}


def test_what_no_sample_of_the_step_has_has_no_mean():
    told = means((0.25, math.nan), (0.75, math.nan))
    assert told["reward/total"] == 0.5
    assert math.isnan(told["reward/p"])


def test_what_all_have_stays_as_it_is():
    assert means((0.25, 0.0), (1.0, 0.5)) == {"reward": 0.0, "reward/total": 0.625, "reward/p": 0.25}
    fill_missing_logs([])
