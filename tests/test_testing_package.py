"""What `rewardlab.testing` offers is imported when it is asked for, and says what it needs."""

import subprocess
import sys

import pytest
import rewardlab.testing


def test_everything_that_is_named_is_there():
    assert all(getattr(rewardlab.testing, name) for name in rewardlab.testing.__all__)
    assert {*rewardlab.testing.__all__} <= {*dir(rewardlab.testing)}
    with pytest.raises(AttributeError, match="has no attribute 'check_rewards'"):
        _ = rewardlab.testing.check_rewards


@pytest.mark.parametrize(
    "use", ["from rewardlab.testing import texts", "import rewardlab.testing.trying as t; t.laws_of('reward')"]
)
def test_without_hypothesis_it_says_what_to_install(use):
    script = f"import sys; sys.modules['hypothesis'] = None; {use}"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert said.stderr.endswith(" needs hypothesis: pip install 'rewardlab[testing]'\n")
