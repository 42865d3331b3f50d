"""The most that a recipe's judges may cost, added up by judge and stage: the bounds that a dry run says one by one.

Who is paid is a judge with a `price` or a key. Bounds hold as long as nothing fails and is asked again, a `budget`
whatever happens.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rewardlab.plan import Component, Plan, secret_variables
from rewardlab.recipe import DataStage, EvalStage, RlStage

from rewardlab_training.costs import (
    BYTES_A_TOKEN,
    PROMPT_TOKENS,
    TEXTS_TOKENS,
    group_questions,
    most_sampled,
    prompts_of,
)
from rewardlab_training.dataset_checks import with_sources
from rewardlab_training.row_counts import questions, rows_below

UNKNOWN = "asks an unknown number of questions"
Asked = tuple[str, int | None, float, int | None]
"""judge, its most questions, tokens of each, and of its longest answer if that is not the judge's own bound"""


@dataclass(frozen=True)
class JudgeCosts:
    """The most that a judge may cost in US dollars.

    Args:
        by_stage: stage -> dollars.
        unknown: stage -> why its dollars are not known.
        budget: the dollars at which the run stops; None without one.
    """

    by_stage: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    unknown: dict[int, str] = field(default_factory=dict)
    budget: float | None = None

    @property
    def usd(self) -> float | None:
        """The most in all stages; None if that is not known."""
        asked = None if self.unknown else sum(self.by_stage.values())
        return min((bound for bound in (asked, self.budget) if bound is not None), default=None)


def judge_costs(plan: Plan, only: int | None = None) -> Mapping[str, JudgeCosts]:
    """Return what each paid judge that is asked in a stage, or in stage `only`, may cost."""
    costs: dict[str, JudgeCosts] = {}
    for index in range(len(plan.recipe.stages)):
        for name, count, shown, longest in _asked(plan, index) if only in (None, index) else ():
            judge = plan.judges[name]
            if count == 0 or not _is_paid(judge):
                continue
            made = costs.setdefault(name, JudgeCosts(budget=_budget(judge)))
            most = judge.most_tokens() if longest is None else longest
            if judge.use.price is None:
                made.unknown[index] = "has no price"
            elif count is None:
                made.unknown[index] = UNKNOWN
            elif most is None:
                made.unknown[index] = "may answer at any length (max_tokens)"
            else:
                made.by_stage[index] += judge.use.price.cost(count * shown, count * most)
    return costs


def cost_lines(costs: Mapping[str, JudgeCosts]) -> Iterator[str]:
    """Yield a line with the sum of what is known, and one for each judge; nothing if nobody is paid."""
    if not costs:
        return
    known = [cost.usd for cost in costs.values() if cost.usd is not None]
    rest = ", and what is not known" if len(known) < len(costs) else ""
    yield f"judges cost at most ${sum(known):,.2f}{rest}"
    yield from (f"  {name}: {_in_words(cost)}" for name, cost in costs.items())


def as_data(costs: Mapping[str, JudgeCosts]) -> dict[str, Any]:
    """Return the costs for programs: {judge: {"usd", "by_stage", "unknown", "budget"}}."""
    return {
        name: {"usd": cost.usd, "by_stage": dict(cost.by_stage), "unknown": cost.unknown, "budget": cost.budget}
        for name, cost in costs.items()
    }


def _in_words(cost: JudgeCosts) -> str:
    parts = [f"${usd:,.2f} in stage {index}" for index, usd in cost.by_stage.items()]
    parts += [f"{why} (stage {index})" for index, why in cost.unknown.items()]
    stop = "no budget" if cost.budget is None else f"the run stops at its budget of ${cost.budget:,.2f}"
    return f"{', '.join(parts)}; {stop}"


def _is_paid(judge: Component) -> bool:
    return not judge.spec.local and (judge.use.price is not None or bool(secret_variables(judge.options)))


def _budget(judge: Component) -> float | None:
    """Return the dollars of a judge's budget; of one in tokens, if each has the highest of its prices."""
    budget, price = judge.use.budget, judge.use.price
    if budget is None or price is None:
        return None
    tokens = budget.tokens
    bounds = [budget.usd, None if tokens is None else max(price.cost(tokens, 0), price.cost(0, tokens))]
    return min(bound for bound in bounds if bound is not None)


def _asked(plan: Plan, index: int) -> Iterator[Asked]:
    stage = plan.recipe.stages[index]
    if isinstance(stage, DataStage):
        yield from _by_data(plan, index)
    elif isinstance(stage, RlStage):
        yield from _by_training(plan, stage)
    elif isinstance(stage, EvalStage):
        yield from _by_evaluation(plan, index, stage)


def _by_data(plan: Plan, index: int) -> Iterator[Asked]:
    for place, step in with_sources(plan.datasets, ("stages", index, "dataset")):
        if not step.judges():
            continue
        rows = rows_below(plan, place)
        count = None if step.spec.calls is None else questions(step, rows.most)
        shown = PROMPT_TOKENS + (TEXTS_TOKENS if rows.size is None else rows.size / BYTES_A_TOKEN)
        yield from ((name, count, shown, None) for name in step.judges())


def _by_training(plan: Plan, stage: RlStage) -> Iterator[Asked]:
    shown = 2 * stage.max_new_tokens + TEXTS_TOKENS + PROMPT_TOKENS
    groups = None if stage.steps is None else stage.steps * stage.batch_size
    for _, judge, calls in group_questions(plan, stage.group_size, most_sampled(plan, stage.group_size)):
        yield judge, _times(calls, groups), shown, None
    if (evaluation := stage.evaluation) is None:
        return
    done = stage.steps if stage.eval_every is None else stage.eval_every
    often = None if stage.steps is None or done is None else -(-stage.steps // done) + stage.eval_before
    for _, judge, calls in group_questions(plan, evaluation.samples, evaluation.samples):
        yield judge, _times(_times(calls, evaluation.prompts), often), shown, None


def _by_evaluation(plan: Plan, index: int, stage: EvalStage) -> Iterator[Asked]:
    prompts, shown = prompts_of(plan, index, stage), 2 * stage.max_new_tokens + TEXTS_TOKENS + PROMPT_TOKENS
    if (served := stage.served) is not None:
        own = None if "max_new_tokens" not in stage.model_fields_set else stage.max_new_tokens
        longest = own or plan.judges[served].most_tokens() or stage.max_new_tokens
        yield served, _times(stage.samples, prompts), PROMPT_TOKENS, longest
    for _, judge, calls in group_questions(plan, stage.samples, stage.samples):
        yield judge, _times(calls, prompts), shown, None


def _times(count: int | None, times: int | None) -> int | None:
    """Return the product; what is asked 0 times is so however often."""
    if count == 0:
        return 0
    return None if count is None or times is None else count * times
