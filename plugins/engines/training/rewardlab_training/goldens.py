"""Goldens: the examples of a rubric, scored by a recipe's judges, or by what a cassette has of their answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rewardlab import Ask, Reply, Score
from rewardlab.judging import JudgingSettings
from rewardlab.plan import Component, Plan
from rewardlab.scoring import Scorer

from rewardlab_training.components_to_measure import measured_plan
from rewardlab_training.golden import Golden

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
    by_name: dict[str, list[GoldenScore]] = {}
    for name, goldens in goldens_of(plan).items():
        with Scorer(measured_plan(plan, [name]), judging=judging) as scorer:
            groups = scorer.score_groups([golden.group for golden in goldens], evaluation=True)
            by_name[name] = [
                GoldenScore(golden, group.components[name]) for golden, group in zip(goldens, groups, strict=True)
            ]
            for line in scorer.judges.summary():
                judging.say(line)
    return by_name


def recorded_golden_scores(plan: Plan) -> dict[str, list[GoldenScore]]:
    """Return the goldens of components whose judges all have a cassette, by the answers there. Nothing is asked."""
    by_name: dict[str, list[GoldenScore]] = {}
    for name, goldens in goldens_of(plan).items():
        measured, lacking = measured_plan(plan, [name]), _NoAnswer()
        if not all(map(_is_recorded, measured.judges.values())):
            continue
        judges = {judge: _replayed(planned, lacking) for judge, planned in measured.judges.items()}
        with Scorer(replace(measured, judges=judges)) as scorer:
            for golden in goldens:
                before = lacking.asked
                (group,) = scorer.score_groups([golden.group], evaluation=True)
                score = GoldenScore(golden, group.components[name], recorded=lacking.asked == before)
                by_name.setdefault(name, []).append(score)
    return by_name


class _NoAnswer:
    """A judge that is asked only for what a cassette lacks, and counts that."""

    def __init__(self) -> None:
        self.asked = 0

    async def ask(self, ask: Ask) -> Reply:
        self.asked += 1
        return Reply(error="the cassette has no answer")


def _is_recorded(planned: Component) -> bool:
    cassette = planned.use.cassette
    return not planned.spec.local and cassette is not None and Path(cassette.path).is_file()


def _replayed(planned: Component, lacking: _NoAnswer) -> Component:
    """Return a judge that only its cassette answers for; an answer that is not there is no reason to stop."""
    cassette = planned.use.cassette.model_copy(update={"mode": "replay"})
    spec = replace(planned.spec, build=lambda options, context: lacking)
    return replace(planned, spec=spec, use=planned.use.model_copy(update={"cassette": cassette}))
