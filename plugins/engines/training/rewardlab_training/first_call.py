"""One call to each judge before a run, which shows a wrong key, model or address before anything is trained."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from rewardlab import Ask, redact
from rewardlab.errors import Problem, UserError
from rewardlab.judging import HostedJudge, JudgingSettings
from rewardlab.plan import POLICY, Component, Plan

from rewardlab_training.opened_judges import opened_judges
from rewardlab_training.stage_datasets import policy_judges, scores


def probe_judges(plan: Plan, say: Callable[[str], None], only: int | None = None, patient: bool = False) -> None:
    """Ask each judge that the stages (or stage `only`) will ask.

    Args:
        patient: wait for a judge that is down, as long as a job under way waits for it, and say so; for a job that
            goes on.

    Raises UserError with the errors of the judges that do not answer.
    """
    reached = {name: planned for name, planned in judges_asked(plan, only).items() if not planned.spec.local}
    judges = [name for name, planned in reached.items() if planned.use.use != POLICY]
    if not judges:
        return
    with opened_judges(plan, judges, JudgingSettings(say=say)) as (opened, home):
        questions = first_questions(plan, only)
        asked = {name: _probe(judge, questions.get(name, ()), patient) for name, judge in opened.items()}
        errors = dict(zip(asked, home.run(_all(asked.values())), strict=True))
    problems = [
        Problem(where=plan.document.where(("judges", name)), what=redact(why), path=("judges", name))
        for name, why in errors.items()
        if why is not None
    ]
    if problems:
        raise UserError(problems)
    say(f"judges that answer: {', '.join(judges)}")


async def _all(probes: Iterable[Coroutine[Any, Any, str | None]]) -> list[str | None]:
    """Return what all probes find; they wait at the same time."""
    return await asyncio.gather(*probes)


async def _probe(judge: HostedJudge, questions: Sequence[Ask], patient: bool) -> str | None:
    """Ask the judge each of the questions, or a trivial one; return why there is no answer, or None."""
    if not questions:
        return await judge.probe(patient=patient)
    for question in questions:
        if (error := await judge.probe(question, patient)) is not None:
            return error
    return None


def first_questions(plan: Plan, only: int | None = None) -> dict[str, list[Ask]]:
    """Map judges to a question for each form (roles, parameters) in which the recipe, or stage `only`, asks them.

    A judge whose askers do not say how they ask is not in it.
    """
    asks: dict[str, dict[str, Ask]] = {}
    for planned in chain.from_iterable(_askers(plan, only)):
        for name, questions in planned.questions().items():
            for question in questions:
                form = repr(([message["role"] for message in question.messages], question.params))
                asks.setdefault(name, {}).setdefault(form, question)
    return {name: list(forms.values()) for name, forms in asks.items()}


def _askers(plan: Plan, only: int | None) -> tuple[list[Component], list[Component]]:
    """Return the data steps, and, if something scores, the rewards of the recipe or of stage `only`."""
    stages = {index: stage for index, stage in enumerate(plan.recipe.stages) if only in (None, index)}
    scored = only is None or any(map(scores, stages.values()))
    steps = [planned for place, planned in plan.datasets.items() if place[0] == "stages" and place[1] in stages]
    return steps, list(plan.components.values()) if scored else []


def judges_asked(plan: Plan, only: int | None = None) -> Mapping[str, Component]:
    """Return the judges that something in the recipe, or in stage `only`, asks."""
    steps, rewards = _askers(plan, only)
    names = {name for planned in steps for name in planned.judges()} | policy_judges(plan, only)
    names |= plan.asked_by_rewards if rewards else set()
    return {name: planned for name, planned in plan.judges.items() if name in names}
