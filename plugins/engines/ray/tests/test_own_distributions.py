"""The environment of an engine has every distribution of rewardlab that those in it need: an index may have none."""

import re
from importlib.metadata import requires

from rewardlab_ray.own_distributions import own_distributions


def test_what_ours_require_of_ours_is_there_and_another_engine_is_not():
    found = own_distributions("rewardlab-trl")
    lines = [line for name in found for line in requires(name) or () if "extra ==" not in line]
    needed = {re.match(r"[\w-]+", line)[0] for line in lines if line.startswith("rewardlab-")}
    assert {"rewardlab-core", "rewardlab-ray"} <= needed <= {*found}
    assert "rewardlab-trl" not in found
