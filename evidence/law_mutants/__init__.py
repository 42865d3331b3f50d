"""Components with one fault each, to see that the laws of rewardlab.testing find it.

A mutant is a spec: its summary says what is wrong, and its laws hold the examples under which it is tried. Each module
begins with a component that is right, its name `correct_...`, and offers it and its mutants by the hooks of a plugin.
They were written before the laws that they are tried with, and `evidence/laws.py` tells which laws find which.
"""

from collections.abc import Iterator
from importlib import import_module

from rewardlab.registry.loading import HOOKS
from rewardlab.specs import Spec

MODULES = (
    "reward_mutants_reading",
    "reward_mutants_paying",
    "reward_mutants_batches",
    "reward_mutants_state",
    "reward_mutants_rows",
    "reward_mutants_groups",
    "reward_mutants_judged",
    "reward_mutants_rubric",
    "reward_mutants_languages",
    "reward_mutants_validity",
    "reward_mutants_checklist",
    "reward_mutants_consistency",
    "judge_mutants",
    "dataset_mutants",
    "step_mutants",
    "step_mutants_rubric",
    "step_mutants_kept",
    "step_mutants_checklist",
    "mix_mutants",
    "curriculum_mutants",
    "difficulty_mutants",
    "sampler_mutants",
    "normalizer_mutants",
    "length_mutants",
)
CONTROL = "correct_"


def specs() -> Iterator[Spec]:
    """Every mutant and every control, module by module."""
    for name in MODULES:
        module = import_module(f"{__name__}.{name}")
        for hook in HOOKS:
            yield from getattr(module, hook, list)()


def is_control(spec: Spec) -> bool:
    """Whether nothing is wrong with it."""
    return spec.name.startswith(CONTROL)
