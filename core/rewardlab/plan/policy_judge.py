"""The judge `policy/self`, which is the model in training."""

from collections.abc import Callable, Mapping

from rewardlab.errors import UserError
from rewardlab.plan.component import Component
from rewardlab.recipe.annotations import RecipePath
from rewardlab.recipe.models import Recipe
from rewardlab.registry.registry import Registry
from rewardlab.specs import BackendSpec, JudgeSpec

POLICY = "policy/self"
"""the judge that is the model in training; no plugin offers it, but a backend that can ask the policy"""
OUTSIDE = f"{POLICY} answers only inside of a training job with a backend that can ask the policy"
PUT_IN = f"{POLICY} is put in by a backend that can ask the policy"


def refuse_outside(kind: str, recipe: Recipe, purpose: str) -> None:
    """Raise UserError if a recipe names the policy as anything but a judge of a training job."""
    if kind != "judge":
        raise UserError(f"{PUT_IN}, as a judge; declare it under `judges`")
    if purpose == "score" and not recipe.stages:
        raise UserError(OUTSIDE)


def policy_judge(backend: Component | None, named: str | None, registry: Registry) -> JudgeSpec:
    """Return the spec of the judge that the recipe's backend offers as the policy.

    Args:
        named: the recipe's name for its backend, for messages.

    Raises UserError if that backend cannot ask the policy.
    """
    spec = backend.spec if backend is not None else None
    if isinstance(spec, BackendSpec) and POLICY in spec.judges:
        return spec.judges[POLICY]
    able = [name for name, other in registry.backends().items() if POLICY in other.judges]
    hint = f"; use `backend: {{use: {able[0]}}}`" if able else ""
    cannot = f", and {backend.use.use if backend is not None else named or 'none is named here'} cannot"
    raise UserError(f"{PUT_IN}{cannot}{hint}")


def refuse_policy(judges: Mapping[str, Component], where: Callable[[RecipePath], str]) -> None:
    """Raise UserError if one of the judges is the policy; for code that asks judges outside of a training job."""
    for name, planned in judges.items():
        if planned.use.use == POLICY:
            raise UserError(OUTSIDE, where=where(("judges", name, "use")))
