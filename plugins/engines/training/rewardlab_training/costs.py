"""Estimates of what a recipe asks of its judges, made before anything is paid: calls, tokens and money of each stage.

Calls are upper bounds, as long as nothing fails and is retried; tokens are estimates from the texts at hand.
"""

from collections.abc import Iterator

from rewardlab.errors import UserError
from rewardlab.plan import Component, Plan, sources_of
from rewardlab.recipe import EvalStage, RecipePath, RlStage
from rewardlab.text import counted

from rewardlab_training.dataset_checks import with_sources
from rewardlab_training.datasets import has_free_rows
from rewardlab_training.row_counts import Rows, made, questions, source_of, source_rows, together
from rewardlab_training.stage_datasets import evaluation_datasets
from rewardlab_training.stage_rows import evaluation_samples

BYTES_A_TOKEN = 3.0
TEXTS_TOKENS = 1000
"""tokens of the query and the solution that a judge sees"""
PROMPT_TOKENS = 250
"""tokens of the instructions around the texts of a question"""


def data_costs(plan: Plan, place: RecipePath) -> Iterator[str]:
    """Yield lines for people: the data steps at `place` in the order in which they run, each with what it asks.

    A source is read only if a step asks a judge and the source is a local file that exists.
    """
    asks = any(planned.spec.calls is not None for _, planned in with_sources(plan.datasets, place))
    lines, _ = _dataset_costs(plan, place, asks)
    yield from lines


def _dataset_costs(plan: Plan, place: RecipePath, asks: bool) -> tuple[list[str], Rows]:
    """Return the lines about the dataset at `place` and all that it starts from, and the rows that it has."""
    planned = plan.datasets[place]
    below = sources_of(place, planned.use)
    if not below:
        rows = source_rows(plan, place) if asks else Rows(None)
        return [*_starts_from(planned, rows)] if asks else [], rows
    costs_below = [_dataset_costs(plan, source, asks) for source in below]
    lines = [line for lines, _ in costs_below for line in lines]
    rows = together([rows for _, rows in costs_below])
    lines.append(f"{planned.use.use} from {', '.join(source.use for source in below.values())}")
    lines += [f"  {line}" for line in _step_costs(plan, planned, rows)]
    return lines, made(planned, rows)


def _starts_from(source: Component, rows: Rows) -> Iterator[str]:
    if rows.counted:
        yield f"starts from {counted(rows.most or 0, 'row')} of {source.use.use}"
    elif rows.stage is not None or rows.most is None:
        yield f"starts from {source_of(rows, source)}"


def _step_costs(plan: Plan, step: Component, rows: Rows) -> Iterator[str]:
    """Yield what one step asks about its rows; about each of them if it is not known how many they are."""
    if step.spec.calls is None:
        yield from (f"asks {name} {_unknown(step)}" for name in step.judges())
        return
    calls, each = questions(step, rows.most), ""
    if calls is None:
        calls, each = questions(step, 1) or 0, " a row"
    for name in step.judges():
        problem = f"asks {name} up to {counted(calls, 'question')}{each}"
        if rows.size is None:
            started = "" if rows.most is None else f" for {counted(rows.most, 'row')} that it starts from"
            yield problem + started
        else:
            tokens = rows.size / BYTES_A_TOKEN
            amount = _amount(plan, name, calls * (PROMPT_TOKENS + tokens), calls * tokens)
            yield f"{problem} (about {amount})"
        most = longest_answer(plan, step, name)
        if most is not None and not plan.judges[name].spec.local:
            shown = PROMPT_TOKENS + (TEXTS_TOKENS if rows.size is None else rows.size / BYTES_A_TOKEN)
            bound = _amount(plan, name, calls * shown, calls * most)
            yield f"  at most {bound}{each} (every answer as long as it may be)"


def reward_costs(plan: Plan, stage: RlStage) -> Iterator[str]:
    """Yield lines for people: what the rewards of an rl stage ask in training and, separately, in its evaluations.

    Hosted judges whose answers are bounded in length also get an upper bound of the cost of training.
    """
    for component, judge, calls in group_questions(plan, stage.group_size, most_sampled(plan, stage.group_size)):
        if calls == 0:
            yield f"{component} reads replies of {judge} that another component pays for"
            continue
        if calls is None:
            yield f"{component} asks {judge} {_unknown(plan.components[component])}"
            continue
        if plan.replaces_groups:
            more = "and of those that take the place of others (reward.teach: {flat: replace})"
            yield f"{component} asks {judge} up to {calls:,} questions a group, {more}"
            continue
        step = calls * stage.batch_size
        whole = f", {step * stage.steps:,} in {counted(stage.steps, 'step')}" if stage.steps else ""
        yield f"{component} asks {judge} up to {calls:,} questions a group, {step:,} a step{whole}"
        most = longest_answer(plan, plan.components[component], judge)
        if amount := _cost_bound(plan, judge, step * (stage.steps or 1), stage.max_new_tokens, most):
            bound = f"at most about {amount} (every answer of policy and judge as long as it may be)"
            yield f"  {bound}{'' if stage.steps else ' a step'}"
    if stage.evaluation is not None:
        prompts, samples = stage.evaluation.prompts, stage.evaluation.samples
        when = "before and after" if stage.eval_before else "after"
        for component, judge, calls in group_questions(plan, samples, samples):
            if not calls:
                continue
            each = f"{calls * prompts:,} questions each" if prompts else f"{calls:,} questions a prompt"
            yield f"{component} asks {judge} up to {each} in evaluations, {when} at least"


def describe_evaluation(plan: Plan, index: int) -> Iterator[str]:
    """Yield lines for people: what a stage `eval` samples and from what, and the most that judges are asked for it."""
    stage = plan.recipe.stages[index]
    assert isinstance(stage, EvalStage)
    read = evaluation_datasets(plan, index)
    sets = ", ".join(
        f"{name}{': ' if name else ''}{planned.use.use}{' (held-out rows)' if held_out else ''}"
        for name, (planned, held_out) in read.items()
    )
    of_policy = f" of {stage.policy.model}" if stage.policy is not None and stage.policy.model is not None else ""
    yield f"{counted(stage.samples, 'completion')}{of_policy} a prompt of {sets}"
    prompts = prompts_of(plan, index, stage)
    if stage.served is not None:
        yield from _served_cost(plan, stage, stage.served, prompts)
    for component, judge, calls in group_questions(plan, stage.samples, stage.samples):
        if calls == 0:
            continue
        if calls is None:
            yield f"{component} asks {judge} {_unknown(plan.components[component])}"
        else:
            much = f"{calls:,} questions a prompt" if prompts is None else f"{counted(calls * prompts, 'question')}"
            yield f"{component} asks {judge} up to {much}"


def _served_cost(plan: Plan, stage: EvalStage, name: str, prompts: int | None) -> Iterator[str]:
    """Yield what the policy itself is asked, and the most that it may cost."""
    judge = plan.judges[name]
    own = judge.most_tokens()
    longest = own if own is not None and "max_new_tokens" not in stage.model_fields_set else stage.max_new_tokens
    if prompts is None:
        yield f"asks {name} ({judge.use.use}) {stage.samples} questions a prompt, answers of at most {longest} tokens"
        return
    questions = prompts * stage.samples
    most = "" if judge.spec.local else _amount(plan, name, questions * PROMPT_TOKENS, questions * longest)
    bound = f" (at most about {most}, every answer as long as it may be)" if most else ""
    yield f"asks {name} ({judge.use.use}) up to {questions:,} questions{bound}"


def prompts_of(plan: Plan, index: int, stage: EvalStage) -> int | None:
    """Return the number of prompts of a stage `eval`; None if its rows are remote or cannot be read yet."""
    if not all(has_free_rows(planned) for planned, _ in evaluation_datasets(plan, index).values()):
        return stage.prompts
    try:
        rows = len(evaluation_samples(plan, index))
    except UserError:
        return stage.prompts
    return rows if stage.prompts is None else min(rows, stage.prompts)


def longest_answer(plan: Plan, asker: Component, judge: str) -> int | None:
    """Return the most tokens of a judge's answer to a component or step, which may ask for more or fewer than usual.

    None if nothing bounds it.
    """
    try:
        asks = asker.questions().get(judge, [])
    except UserError:  # a file that its question shows is not there: `check` says so
        asks = []
    own = plan.judges[judge].most_tokens()
    bounds = [ask.params.get("max_completion_tokens", ask.params.get("max_tokens", own)) for ask in asks] or [own]
    return None if None in bounds else max(bounds)


def _cost_bound(plan: Plan, judge: str, questions: int, answer_tokens: int, most: int | None) -> str | None:
    """Return the most tokens and money of questions that each show two answers of the policy, all of full length.

    None if the judge is local or its answers have no bound.
    """
    if plan.judges[judge].spec.local or most is None:
        return None
    return _amount(plan, judge, questions * (2 * answer_tokens + TEXTS_TOKENS + PROMPT_TOKENS), questions * most)


def _amount(plan: Plan, judge: str, prompt: float, completion: float) -> str:
    """Format tokens, and money if the recipe gives a price: "1.2 M tokens, $0.80"."""
    price = plan.judges[judge].use.price
    usd = None if price is None else price.cost(round(prompt), round(completion))
    return f"{_short_number(round(prompt + completion))} tokens" + (f", ${usd:,.2f}" if usd is not None else "")


def group_questions(plan: Plan, size: int, sampled: int) -> Iterator[tuple[str, str, int | None]]:
    """Yield (component, judge, most questions for a group of `size`) for each judge of each component.

    sampled: completions that a group sampler may collect for it; all are scored but for those of group scope. The
    number is None if the component's spec does not say it, and 0 if another component asks the same.
    """
    payers: set[str] = set()
    for name, planned in plan.components.items():
        calls = most_questions(plan, name, size if planned.spec.scope == "group" else sampled)
        if planned.spec.dedup_key is not None:
            shared = planned.ask("what it shares", planned.spec.dedup_key, planned.options)
            same = repr((plan.draws(name), planned.use.commit_first, shared))
            calls = dict.fromkeys(calls, 0) if same in payers else calls
            payers.add(same)
        yield from ((name, judge, calls[judge]) for judge in planned.judges())


def most_questions(plan: Plan, name: str, size: int) -> dict[str, int | None]:
    """Return the most questions about a group of `size` that a component asks each of its judges; None: unknown."""
    planned = plan.components[name]
    if planned.spec.calls is None:
        return dict.fromkeys(planned.judges())
    calls = planned.ask("how often it asks", planned.spec.calls, planned.options, size) + planned.use.commit_first
    twice = 1 + (planned.use.on_unstable is not None and planned.use.on_unstable.then == "ask_more")
    return {judge: calls * times * twice for judge, times in plan.draws(name).items()}


def most_sampled(plan: Plan, size: int) -> int:
    """Return the most completions that are sampled for a group of `size` in training."""
    sampler = plan.sampler
    if sampler is None or sampler.spec.most is None:
        return size
    return max(size, int(sampler.ask("how many it may collect", sampler.spec.most, sampler.options, size)))


def _unknown(planned: Component) -> str:
    return f"an unknown number of questions ({planned.use.use} has no `calls` in its spec, so no cost is known)"


def _short_number(tokens: int) -> str:
    for limit, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if tokens >= limit:
            return f"{tokens / limit:.3g} {unit}"
    return str(tokens)
