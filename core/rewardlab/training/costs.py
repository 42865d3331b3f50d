"""Estimates of what a recipe asks of its judges, made before anything is paid: calls, tokens and money of each stage.

Calls are upper bounds, as long as nothing fails and is retried; tokens are estimates from the texts at hand.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rewardlab.data import read_dataset
from rewardlab.errors import UserError
from rewardlab.plan import Plan
from rewardlab.plan.component import Component
from rewardlab.plan.dataset_places import sources_of, with_sources
from rewardlab.recipe.evaluation import EvalStage
from rewardlab.recipe.training_stages import RlStage
from rewardlab.recipe.validation import RecipePath
from rewardlab.specs import Context
from rewardlab.training.stage_rows import evaluation_samples
from rewardlab.types import Sample

BYTES_A_TOKEN = 3.0
TEXTS_TOKENS = 1000
"""tokens of the query and the solution that a judge sees"""
SAMPLE_ROWS = 1000
"""rows of a source that nobody has counted"""
MANY_ROWS = 10**9
"""more than any source has: a step that makes far fewer of these bounds the rows itself"""
PROMPT_TOKENS = 250
"""tokens of the instructions around the texts of a question"""


def data_costs(plan: Plan, place: RecipePath) -> Iterator[str]:
    """Yield lines for people: the data steps at `place` in the order in which they run, each with what it asks.

    A source is read only if a step asks a judge and the source is a local file that exists.
    """
    asks = any(planned.spec.calls is not None for _, planned in with_sources(plan.datasets, place))
    lines, _ = _dataset_costs(plan, place, asks)
    yield from lines


@dataclass(frozen=True)
class _Rows:
    """The rows that a step starts from. size: bytes of a row's texts; None while the sources are not known.

    counted: whether that many are there, or may be; else it is `SAMPLE_ROWS`.
    """

    count: int
    size: float | None
    counted: bool = True


def _dataset_costs(plan: Plan, place: RecipePath, asks: bool) -> tuple[list[str], _Rows]:
    """Return the lines about the dataset at `place` and all that it starts from, and the rows that it has."""
    planned = plan.datasets[place]
    below = sources_of(place, planned.use)
    if not below:
        return _source_costs(plan, planned, asks)
    found = [_dataset_costs(plan, source, asks) for source in below]
    lines = [line for lines, _ in found for line in lines]
    rows = _together([rows for _, rows in found])
    lines.append(f"{planned.use.use} from {', '.join(source.use for source in below.values())}")
    lines += [f"  {line}" for line in _step_costs(plan, planned, rows.count, rows.size)]
    return lines, _made(planned, rows)


def _made(planned: Component, rows: _Rows) -> _Rows:
    """Return the rows that a dataset makes of those that it reads."""
    if planned.spec.makes is None:
        return rows
    made, bound = (
        planned.ask("how many rows it makes", planned.spec.makes, planned.options, count)
        for count in (rows.count, MANY_ROWS)
    )
    if not rows.counted and bound < MANY_ROWS // 1000:
        return _Rows(bound, rows.size)
    return _Rows(made, rows.size, rows.counted)


def _source_costs(plan: Plan, source: Component, asks: bool) -> tuple[list[str], _Rows]:
    rows, size = _source_size(plan, source) if asks else (None, 0.0)
    if rows is None:
        return [], _made(source, _Rows(SAMPLE_ROWS, None, counted=False))
    return [f"starts from {rows:,} rows of {source.use.use}"], _Rows(rows, size)


def _together(sources: Sequence[_Rows]) -> _Rows:
    count = sum(rows.count for rows in sources)
    if any(rows.size is None for rows in sources) or not count:
        return _Rows(count, None, all(rows.counted for rows in sources))
    return _Rows(count, sum(rows.count * (rows.size or 0.0) for rows in sources) / count)


def _step_costs(plan: Plan, step: Component, rows: int, size: float | None) -> Iterator[str]:
    """Yield what one step asks about `rows` rows with texts of `size` bytes each; None if the size is unknown yet."""
    if step.spec.calls is None:
        yield from (f"asks {name} {_unknown(step)}" for name in step.judges())
        return
    calls = step.ask("how often it asks", step.spec.calls, step.options, rows)
    for name in step.judges():
        if size is None:
            yield f"asks {name} up to {calls:,} questions for {rows:,} rows that it starts from"
        else:
            tokens = size / BYTES_A_TOKEN
            amount = _amount(plan, name, calls * (PROMPT_TOKENS + tokens), calls * tokens)
            yield f"asks {name} up to {calls:,} questions (about {amount})"
        most = plan.judges[name].most_tokens()
        if most is not None and not plan.judges[name].spec.local:
            shown = PROMPT_TOKENS + (TEXTS_TOKENS if size is None else size / BYTES_A_TOKEN)
            yield f"  at most {_amount(plan, name, calls * shown, calls * most)} (every answer as long as it may be)"


def reward_costs(plan: Plan, stage: RlStage) -> Iterator[str]:
    """Yield lines for people: what the rewards of an rl stage ask in training and, separately, in its evaluations.

    Hosted judges whose answers are bounded in length also get an upper bound of the cost of training.
    """
    for component, judge, calls in _group_questions(plan, stage.group_size, _sampled(plan, stage.group_size)):
        if calls == 0:
            yield f"{component} reads replies of {judge} that another component pays for"
            continue
        if calls is None:
            yield f"{component} asks {judge} {_unknown(plan.components[component])}"
            continue
        step = calls * stage.batch_size
        whole = f", {step * stage.steps:,} in {stage.steps} steps" if stage.steps else ""
        yield f"{component} asks {judge} up to {calls:,} questions a group, {step:,} a step{whole}"
        if amount := _cost_bound(plan, judge, step * (stage.steps or 1), stage.max_new_tokens):
            bound = f"at most about {amount} (every answer of policy and judge as long as it may be)"
            yield f"  {bound}{'' if stage.steps else ' a step'}"
    if stage.evaluation is not None:
        prompts, samples = stage.evaluation.prompts, stage.evaluation.samples
        when = "before and after" if stage.eval_before else "after"
        for component, judge, calls in _group_questions(plan, samples, samples):
            if not calls:
                continue
            each = f"{calls * prompts:,} questions each" if prompts else f"{calls:,} questions a prompt"
            yield f"{component} asks {judge} up to {each} in evaluations, {when} at least"


def describe_evaluation(plan: Plan, index: int) -> Iterator[str]:
    """Yield lines for people: what a stage `eval` samples and from what, and the most that judges are asked for it."""
    stage = plan.recipe.stages[index]
    assert isinstance(stage, EvalStage)
    read = plan.evaluation_datasets(index)
    sets = ", ".join(
        f"{name}{': ' if name else ''}{planned.use.use}{' (held-out rows)' if held_out else ''}"
        for name, (planned, held_out) in read.items()
    )
    of = f" of {stage.policy.model}" if stage.policy is not None and stage.policy.model is not None else ""
    yield f"{stage.samples} completions{of} a prompt of {sets}"
    prompts = _prompts(plan, index, stage)
    if stage.served is not None:
        yield from _served_cost(plan, stage, stage.served, prompts)
    for component, judge, calls in _group_questions(plan, stage.samples, stage.samples):
        if calls == 0:
            continue
        if calls is None:
            yield f"{component} asks {judge} {_unknown(plan.components[component])}"
        else:
            much = f"{calls:,} questions a prompt" if prompts is None else f"{calls * prompts:,} questions"
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


def _prompts(plan: Plan, index: int, stage: EvalStage) -> int | None:
    """Return the number of prompts of a stage `eval`; None if its rows are remote or cannot be read yet."""
    if not all(planned.has_free_rows() for planned, _ in plan.evaluation_datasets(index).values()):
        return stage.prompts
    try:
        rows = len(evaluation_samples(plan, index))
    except UserError:
        return stage.prompts
    return rows if stage.prompts is None else min(rows, stage.prompts)


def _cost_bound(plan: Plan, judge: str, questions: int, answer_tokens: int) -> str | None:
    """Return the most tokens and money of questions that each show two answers of the policy, all of full length.

    None if the judge is local or its answers have no bound.
    """
    most = plan.judges[judge].most_tokens()
    if plan.judges[judge].spec.local or most is None:
        return None
    return _amount(plan, judge, questions * (2 * answer_tokens + TEXTS_TOKENS + PROMPT_TOKENS), questions * most)


def _amount(plan: Plan, judge: str, prompt: float, completion: float) -> str:
    """Format tokens, and money if the recipe gives a price: "1.2 M tokens, $0.80"."""
    price = plan.judges[judge].use.price
    usd = None if price is None else price.cost(round(prompt), round(completion))
    return f"{_short_number(round(prompt + completion))} tokens" + (f", ${usd:,.2f}" if usd is not None else "")


def _group_questions(plan: Plan, size: int, sampled: int) -> Iterator[tuple[str, str, int | None]]:
    """Yield (component, judge, most questions for a group of `size`) for each judge of each component.

    sampled: completions that a group sampler may collect for it; all are scored but for those of group scope. The
    number is None if the component's spec does not say it, and 0 if another component asks the same.
    """
    payers: set[str] = set()
    for name, planned in plan.components.items():
        calls = None
        if planned.spec.calls is not None:
            scored = size if planned.spec.scope == "group" else sampled
            calls = planned.ask("how often it asks", planned.spec.calls, planned.options, scored)
        if planned.spec.dedup_key is not None:
            same = repr((planned.judges(), planned.ask("what it shares", planned.spec.dedup_key, planned.options)))
            calls = 0 if same in payers else calls
            payers.add(same)
        yield from ((name, judge, calls) for judge in planned.judges())


def _sampled(plan: Plan, size: int) -> int:
    """Return the most completions that are sampled for a group of `size` in training."""
    sampler = plan.sampler
    if sampler is None or sampler.spec.most is None:
        return size
    return max(size, int(sampler.ask("how many it may collect", sampler.spec.most, sampler.options, size)))


def _unknown(planned: Component) -> str:
    return f"an unknown number of questions ({planned.use.use} has no `calls` in its spec, so no cost is known)"


def _source_size(plan: Plan, planned: Component) -> tuple[int | None, float]:
    """Return (rows, mean bytes of a text in them); (None, 0.0) if the source is remote or cannot be read yet."""
    if not planned.has_free_rows():
        return None, 0.0
    try:
        sizes = [_text_bytes(sample) for sample in read_dataset(planned, Context(seed=plan.recipe.seed))]
    except UserError:
        return None, 0.0
    return len(sizes), sum(sizes) / len(sizes)


def _text_bytes(sample: Sample) -> float:
    """Return the bytes of a typical text: the mean of the prompt and the longest field, as steps ask about either."""
    prompt = sum(len(message["content"].encode("utf-8", "replace")) for message in sample.prompt)
    texts = [len(value.encode("utf-8", "replace")) for value in sample.fields.values() if isinstance(value, str)]
    return (prompt + max(texts, default=prompt)) / 2


def _short_number(tokens: int) -> str:
    for limit, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if tokens >= limit:
            return f"{tokens / limit:.3g} {unit}"
    return str(tokens)
