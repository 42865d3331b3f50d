"""Modules of the core that hand on the names of a distribution of ours."""

import sys
from importlib import import_module

import pytest
from helpers.each_case import each_case
from rewardlab.first_party import pip_install


@each_case("module, plugin", [("judging.http", "http"), ("testing", "testing"), ("training", "training")])
def test_a_module_of_a_plugin_that_is_not_installed_says_what_brings_it(module, plugin):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, f"rewardlab_{plugin}", None)
        with pytest.raises(ImportError) as caught:
            _ = import_module(f"rewardlab.{module}").anything
    assert f"rewardlab.{module} needs rewardlab-{plugin}: {pip_install(plugin)}" in str(caught.value)
