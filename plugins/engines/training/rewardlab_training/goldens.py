"""Goldens: the examples of a rubric, scored by a recipe's judges, or by what a cassette has of their answers."""

import asyncio
import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rewardlab import Ask, Context, GroupStream, Reply, Score
from rewardlab.judging import Judges, JudgingSettings
from rewardlab.plan import Component, Plan, build

from rewardlab_training.golden import Golden
from rewardlab_training.opened_judges import opened_judges

ROUNDING = 1e-9


@dataclass(frozen=True)
class GoldenScore:
    """A golden with what a component's judge said of it.

    Args:
        recorded: false if the cassette lacks an answer.
    """

    golden: Golden
    scores: Sequence[Score]
    recorded: bool = True

    @property
    def right(self) -> bool:
        """Whether each value lies in its interval."""
        return all(map(_is_right, self.scores, self.golden.values))

    @property
    def problem(self) -> str:
        """What is wrong with the first value that does not."""
        pairs = zip(self.scores, self.golden.values, strict=True)
        score, (low, high) = next(pair for pair in pairs if not _is_right(*pair))
        if score.value is None:
            return f"it has no value: {score.error or score.info.get('reason')}"
        raw = f" (the judge says {score.info['raw']!r})" if score.info.get("raw") is not None else ""
        return f"it is worth {score.value:.3g}{raw}, and not from {low:.3g} to {high:.3g}"


def _is_right(score: Score, bounds: tuple[float, float]) -> bool:
    return score.value is not None and bounds[0] - ROUNDING <= score.value <= bounds[1] + ROUNDING


def goldens_of(plan: Plan) -> dict[str, Sequence[Golden]]:
    """Return the goldens of each component whose rubric has some."""
    of_component = {
        name: planned.ask("its goldens", planned.spec.goldens, planned.options)
        for name, planned in plan.components.items()
        if planned.spec.goldens is not None
    }
    return {name: goldens for name, goldens in of_component.items() if goldens}


def golden_scores(plan: Plan, judging: JudgingSettings) -> dict[str, list[GoldenScore]]:
    """Return each component's goldens with what its judges say of them, who are asked.

    Raises UserError for keys that are not set, and JobError if a judge must end the job.
    """
    goldens = goldens_of(plan)

    async def scored(rewards: Mapping[str, Any]) -> dict[str, list[GoldenScore]]:
        asked = {name: [_scores(plan, rewards, name, golden) for golden in of_one] for name, of_one in goldens.items()}
        return {
            name: list(map(GoldenScore, goldens[name], await asyncio.gather(*waiting)))
            for name, waiting in asked.items()
        }

    with opened_judges(plan, _judges_of(plan, goldens), judging) as (judges, home):
        by_name = home.run(scored(_rewards(plan, goldens, judges)))
        judges.check()
        for line in judges.summary():
            judging.say(line)
    return by_name


def recorded_golden_scores(plan: Plan) -> dict[str, list[GoldenScore]]:
    """Return the goldens of components whose judges all have a cassette, by the answers there. Nothing is asked."""
    cassettes = {name: planned.use.cassette for name, planned in plan.judges.items() if not planned.spec.local}
    there = {name for name, use in cassettes.items() if use is not None and Path(use.path).is_file()}
    able = {name: golden for name, golden in goldens_of(plan).items() if {*plan.components[name].judges()} <= there}
    if not able:
        return {}
    lacking = _NoAnswer()
    replayed = {name: _replayed(plan.judges[name], lacking) for name in _judges_of(plan, able)}

    async def scored(rewards: Mapping[str, Any]) -> dict[str, list[GoldenScore]]:
        made: dict[str, list[GoldenScore]] = {name: [] for name in able}
        for name, golden in ((name, golden) for name, goldens in able.items() for golden in goldens):
            before = lacking.asked
            scores = await _scores(plan, rewards, name, golden)
            made[name].append(GoldenScore(golden, scores, recorded=lacking.asked == before))
        return made

    with opened_judges(replace(plan, judges=replayed), replayed, JudgingSettings()) as (judges, home):
        return home.run(scored(_rewards(plan, able, judges)))


class _NoAnswer:
    """A judge that is asked only for what a cassette lacks, and counts that."""

    def __init__(self) -> None:
        self.asked = 0

    async def ask(self, ask: Ask) -> Reply:
        self.asked += 1
        return Reply(error="the cassette has no answer")


def _replayed(planned: Component, lacking: _NoAnswer) -> Component:
    """Return a judge that only its cassette answers for; an answer that is not there is no reason to stop."""
    cassette = planned.use.cassette.model_copy(update={"mode": "replay"})
    spec = replace(planned.spec, build=lambda options, context: lacking)
    return replace(planned, spec=spec, use=planned.use.model_copy(update={"cassette": cassette}))


def _judges_of(plan: Plan, names: Iterable[str]) -> set[str]:
    return {judge for name in names for judge in plan.components[name].judges()}


def _rewards(plan: Plan, names: Iterable[str], judges: Judges) -> dict[str, Any]:
    context = Context(seed=plan.recipe.seed, judges=judges)
    uses = {name: plan.components[name] for name in names}
    return {name: build(use, context, f"component {name!r} ({use.use.use})", "score") for name, use in uses.items()}


async def _scores(plan: Plan, rewards: Mapping[str, Any], name: str, golden: Golden) -> list[Score]:
    spec, group = plan.components[name].spec, golden.group
    items = [(group.sample, completion) for completion in group.completions]
    scores = rewards[name].score(GroupStream.of(group) if spec.scope == "group" else items)
    return list(await scores if inspect.isawaitable(scores) else scores)
