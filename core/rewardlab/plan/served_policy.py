"""Checks of a policy that is served: a judge that a stage `eval` samples from."""

from collections.abc import Iterator, Mapping, Sequence

from rewardlab.errors import nearest
from rewardlab.plan.component import Component
from rewardlab.plan.policy_judge import POLICY
from rewardlab.recipe.models import EvalStage, Recipe
from rewardlab.recipe.validation import Finding


def served_findings(recipe: Recipe, judges: Mapping[str, Component], declared: Sequence[str]) -> Iterator[Finding]:
    """Yield findings for policies that are no judge or cannot answer, and for settings that a server cannot apply.

    judges: those that were found; declared: the names of all that the file has.
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
        what = "a server applies the template that it was started with; set it there, or leave this out"
        yield ("chat", "template"), what
