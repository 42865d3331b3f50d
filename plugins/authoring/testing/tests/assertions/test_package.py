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


WITHOUT = """
import sys
sys.modules["hypothesis"] = None
import rewardlab.testing, rewardlab_testing.laws.run_laws
for use in (lambda: rewardlab.testing.texts, lambda: rewardlab_testing.laws.run_laws.laws_of("reward")):
    try:
        use()
    except Exception as error:
        print(error)
"""


@pytest.mark.slow
def test_without_hypothesis_it_says_what_to_install():
    said = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True).stdout.splitlines()
    remedy = "needs hypothesis: pip install hypothesis pytest"
    assert said == [f"rewardlab.testing {remedy}", f"trying laws {remedy}"]
