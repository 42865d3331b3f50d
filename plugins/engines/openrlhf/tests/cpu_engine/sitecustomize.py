"""Python runs this at its start where this folder is on PYTHONPATH: Ray's workers get the stand-ins like that."""

import gc
import os
import sys

if os.environ.get("REWARDLAB_CPU_ENGINE") == "1":
    gc.set_threshold(100_000)  # importing torch, DeepSpeed and OpenRLHF takes a quarter less processor time
    from cpu_patches import PatchOnImport

    sys.meta_path.insert(0, PatchOnImport())
