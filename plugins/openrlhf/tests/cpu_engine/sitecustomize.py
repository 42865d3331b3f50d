"""Python runs this at its start where this folder is on PYTHONPATH: Ray's workers get the stand-ins like that."""

import os
import sys

if os.environ.get("REWARDLAB_CPU_ENGINE") == "1":
    from cpu_patches import PatchOnImport

    sys.meta_path.insert(0, PatchOnImport())
