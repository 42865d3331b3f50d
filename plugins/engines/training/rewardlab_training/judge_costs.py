"""The most that a recipe's judges may cost, added up by judge and stage: the bounds that a dry run says one by one.

Who is paid is a judge with a `price` or a key. Counts of questions and lengths of answers are bounds, as long as
nothing fails and is asked again; lengths of questions are estimates. A `budget` holds whatever happens.
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
    longest_answer,
    most_sampled,
    prompts_of,
)
from rewardlab_training.dataset_checks import with_sources
from rewardlab_training.row_counts import most_steps, questions, rows_below

UNKNOWN = "asks an unknown number of questions"
REPLACED = "is asked about other prompts, too, in place of groups that do not teach (reward.teach: {flat: replace})"


@dataclass(frozen=True)
class QuestionBound:
    """The most that one part of a stage asks a judge.

    Args:
        questions: how many at most; None if that is not known.
        shown: tokens of each, by estimate.
        longest: tokens of the longest answer; None if nothing bounds it.
        why: why it is not known how many they are.
    """

    judge: str
    questions: int | None
    shown: float
    longest: int | None
    why: str = UNKNOWN


@dataclass(frozen=True)
class JudgeCosts:
    """The most that a judge may cost in US dollars.

    Args:
        by_stage: stage -> dollars.
        questions: stage -> questions, of those whose dollars are known.
        unknown: stage -> why its dollars are not known.
        budget: the dollars at which the run stops; None without one.
    """

    by_stage: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    questions: dict[int, int] = field(default_factory=lambda: defaultdict(int))
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
    if not any(map(_is_paid, plan.judges.values())):  # rows are counted for those alone
        return costs
    for index in range(len(plan.recipe.stages)):
        for asked in _asked(plan, index) if only in (None, index) else ():
            judge, count = plan.judges[asked.judge], asked.questions
            if count == 0 or not _is_paid(judge):
                continue
            made = costs.setdefault(asked.judge, JudgeCosts(budget=_budget(judge)))
            if judge.use.price is None:
                made.unknown[index] = "has no price"
            elif count is None:
                made.unknown[index] = asked.why
            elif asked.longest is None:
                made.unknown[index] = "may answer at any length (max_tokens)"
            else:
                made.questions[index] += count
                made.by_stage[index] += judge.use.price.cost(count * asked.shown, count * asked.longest)
    return costs


def cost_lines(costs: Mapping[str, JudgeCosts]) -> Iterator[str]:
    """Yield a line with the sum of what is known, and one for each judge; nothing if nobody is paid."""
    if not costs:
        return
    known = [cost.usd for cost in costs.values() if cost.usd is not None]
    rest = ", and what is not known" if len(known) < len(costs) else ""
    yield f"judges cost at most about ${sum(known):,.2f}{rest}"
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
    recorded = judge.use.cassette is not None and judge.use.cassette.mode == "strict"  # a miss is an error there
    asked = not judge.spec.local and not recorded
    return asked and (judge.use.price is not None or bool(secret_variables(judge.options)))


def _budget(judge: Component) -> float | None:
    """Return the dollars of a judge's budget; of one in tokens, if each has the highest of its prices."""
    budget, price = judge.use.budget, judge.use.price
    if budget is None or price is None:
        return None
    tokens = budget.tokens
    bounds = [budget.usd, None if tokens is None else max(price.cost(tokens, 0), price.cost(0, tokens))]
    return min(bound for bound in bounds if bound is not None)


def _asked(plan: Plan, index: int) -> Iterator[QuestionBound]:
    stage = plan.recipe.stages[index]
    if isinstance(stage, DataStage):
        yield from _by_data(plan, index)
    elif isinstance(stage, RlStage):
        yield from _by_training(plan, index, stage)
    elif isinstance(stage, EvalStage):
        yield from _by_evaluation(plan, index, stage)


def _by_data(plan: Plan, index: int) -> Iterator[QuestionBound]:
    for place, step in with_sources(plan.datasets, ("stages", index, "dataset")):
        if not step.judges():
            continue
        rows = rows_below(plan, place)
        count = None if step.spec.calls is None else questions(step, rows.most)
        shown = PROMPT_TOKENS + (TEXTS_TOKENS if rows.size is None else rows.size / BYTES_A_TOKEN)
        yield from (QuestionBound(name, count, shown, longest_answer(plan, step, name)) for name in step.judges())


def _by_training(plan: Plan, index: int, stage: RlStage) -> Iterator[QuestionBound]:
    steps = most_steps(plan, index)
    groups = None if plan.replaces_groups else _times(stage.batch_size, steps)
    why = REPLACED if plan.replaces_groups else UNKNOWN
    yield from _by_groups(plan, stage.group_size, groups, stage.max_new_tokens, why)
    if (evaluation := stage.evaluation) is None:
        return
    done = stage.eval_every or steps
    often = None if steps is None or done is None else -(-steps // done) + stage.eval_before
    groups = _times(evaluation.prompts, often)
    yield from _by_groups(plan, evaluation.samples, groups, stage.max_new_tokens, sampler=False)


def _by_evaluation(plan: Plan, index: int, stage: EvalStage) -> Iterator[QuestionBound]:
    prompts, longest = prompts_of(plan, index, stage), stage.max_new_tokens
    if (served := stage.served) is not None:
        own = None if "max_new_tokens" in stage.model_fields_set else plan.judges[served].most_tokens()
        longest = own or longest
        yield QuestionBound(served, _times(stage.samples, prompts), PROMPT_TOKENS, longest)
    yield from _by_groups(plan, stage.samples, prompts, longest, sampler=False)


def _by_groups(
    plan: Plan, size: int, groups: int | None, longest: int, why: str = UNKNOWN, sampler: bool = True
) -> Iterator[QuestionBound]:
    """Yield what components ask about so many groups of `size` completions of at most `longest` tokens.

    A question shows two of them; one to a judge that has solved the prompt itself, its solution too.
    """
    sampled = most_sampled(plan, size) if sampler else size
    for name, judge, calls in group_questions(plan, size, sampled):
        asker = plan.components[name]
        most = longest_answer(plan, asker, judge)
        solution = (most or 0) if asker.use.commit_first else 0
        shown = 2 * longest + solution + TEXTS_TOKENS + PROMPT_TOKENS
        yield QuestionBound(judge, _times(calls, groups), shown, most, why)


def _times(count: int | None, times: int | None) -> int | None:
    """Return the product; what is asked 0 times is so however often."""
    if count == 0:
        return 0
    return None if count is None or times is None else count * times
