"""The laws of components as property tests: the names of the distribution rewardlab-testing."""

from rewardlab.lazy import names_of_plugin

__getattr__, __dir__ = names_of_plugin(__name__, "testing", besides=" hypothesis pytest")
