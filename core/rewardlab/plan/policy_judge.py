"""The judge `policy/self`, which is the model in training, and judges that a stage `eval` samples from as policies."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from rewardlab.errors import UserError, nearest
from rewardlab.plan.component import Component
from rewardlab.recipe.annotations import RecipePath
from rewardlab.recipe.evaluation import EvalStage
from rewardlab.recipe.models import Recipe
from rewardlab.recipe.validation import Finding
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


def served_findings(recipe: Recipe, judges: Mapping[str, Component], declared: Sequence[str]) -> Iterator[Finding]:
    """Yield findings for policies that are no judge or cannot answer, and for settings that a server cannot apply.

    Args:
        judges: those that were found.
        declared: the names of all that the file has.
    """
    for index, stage in enumerate(recipe.stages):
        if isinstance(stage, EvalStage) and stage.served is not None:
            yield from (
                (("stages", index, *path), what) for path, what in _served(stage, stage.served, judges, declared)
            )


def _served(stage: EvalStage, name: str, judges: Mapping[str, Component], declared: Sequence[str]) -> Iterator[Finding]:
    place = ("policy", "judge")
    judge = judges.get(name)
    if name not in declared:
        yield place, f"no judge {name!r}{nearest(name, declared)}; a folder or hub name goes to policy.model"
    elif judge is not None and judge.use.use == POLICY:
        yield place, f"{POLICY} is the model in training; leave out `policy` to evaluate that"
    elif judge is not None and judge.spec.reads != "messages":
        yield place, f"{judge.use.use} reads the parts of a comparison and no prompts; name one that is a model"
    if stage.chat.template is not None:
        problem = "a server applies the template that it was started with; set it there, or leave this out"
        yield ("chat", "template"), problem
