"""What a stage of trl imports; kills.py forks its attempts from a process that has done so."""

import gc
from importlib import import_module

from rewardlab_trl.trainer_arguments import prepare_process

prepare_process()  # before torch is imported
for name in ("torch", "transformers", "trl", "rewardlab_trl.train"):
    import_module(name)
gc.freeze()
