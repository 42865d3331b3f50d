"""The kit for backends, and runs of recipes from Python: the names of the distribution rewardlab-training."""

from rewardlab.lazy import names_of_plugin

__getattr__, __dir__ = names_of_plugin(__name__, "training")
