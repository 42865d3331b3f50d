"""The control of a miniature's claim: the same run, but each group's rewards are handed to the wrong completions.

If what is measured rose here too, it would not be the rewards that teach. A run sees the plugin where its PYTHONPATH
begins with a folder that `install` wrote to.
"""

import os

OVERRIDE = "reward.normalize=[control/shuffled]"
PLUGIN = '''
import random
from rewardlab import NormalizerSpec, hookimpl

class Shuffled:
    """The group's rewards, handed to the wrong completions."""
    def shape(self, totals, tokens, kept, seed):
        shuffled = [totals[i] for i in kept]
        random.Random(repr((seed, totals))).shuffle(shuffled)
        return shuffled

@hookimpl
def rewardlab_normalizers():
    return [NormalizerSpec(name="shuffled", summary="a control", build=lambda options, context: Shuffled())]
'''


def install(folder):
    """Write the plugin to a folder; returns the environment of runs that name it."""
    (folder / "rewardlab_control.py").write_text(PLUGIN)
    info = folder / "rewardlab_control-0.0.0.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rewardlab-control\nVersion: 0.0.0\n")
    (info / "entry_points.txt").write_text("[rewardlab]\ncontrol = rewardlab_control\n")
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))}
