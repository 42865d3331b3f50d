"""What stage rl makes of an engine that ended well."""

import pytest
from rewardlab.errors import JobError
from rewardlab_openrlhf.job.reinforcement import require_training


def test_a_stage_of_which_every_group_was_left_out_has_failed():
    """OpenRLHF saves the weights that it began with, and ends with 0."""
    with pytest.raises(JobError, match="0-rl: backend.engine.dynamic_filtering left out every group, so nothing was"):
        require_training("0-rl", (1, 0))


@pytest.mark.parametrize("open_step", [(1, 1), (2, 0), (7, 0)])
def test_one_that_trained_now_or_before_its_checkpoint_has_not(open_step):
    require_training("0-rl", open_step)
