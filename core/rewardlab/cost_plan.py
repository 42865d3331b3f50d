"""What a recipe will ask of its judges, said before anything is paid: calls, tokens and money of each stage.

Calls are the most that are made when nothing fails; tokens are estimates from the texts that are there.
"""

from collections.abc import Iterator, Mapping

from rewardlab.datasets import chain, read_dataset
from rewardlab.errors import UserError
from rewardlab.judging.budget import cost
from rewardlab.plan import Plan
from rewardlab.planned import Planned
from rewardlab.recipe import RlStage
from rewardlab.specs import Context
from rewardlab.types import Sample
from rewardlab.validation import Path

BYTES_A_TOKEN = 3.0
TEXTS_TOKENS = 1000
"""of the query and the solution that a judge sees"""
SAMPLE_ROWS = 1000
PROMPT_TOKENS = 250
"""of the instructions around the texts of a question"""


def data_costs(plan: Plan, place: Path) -> Iterator[str]:
    """The data steps at `place` in the order in which they work, each with what it asks.

    The source is read where a step asks and it is there.
    """
    *steps, source = (planned for _, planned in chain(plan.datasets, place))
    rows, size = None, 0.0
    if any(step.spec.calls is not None for step in steps):
        rows, size = _source(plan, source)
    if rows is not None:
        yield f"starts from {rows:,} rows of {source.use.use}"
    made = rows if rows is not None else getattr(source.options, "rows", None) or SAMPLE_ROWS
    for step in reversed(steps):
        yield f"{step.use.use} from {step.use.source.use}"
        yield from (f"  {line}" for line in _step_costs(plan, step, made, None if rows is None else size))
        if step.spec.makes is not None:
            made = step.ask("how many rows it makes", step.spec.makes, step.options, made)


def _step_costs(plan: Plan, step: Planned, rows: int, size: float | None) -> Iterator[str]:
    """What one step asks about so many rows with texts of `size` bytes, None where nobody knows them yet."""
    if step.spec.calls is None:
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
    """What the rewards of an rl stage ask, its evaluations apart; the cost at most, where answers are bounded."""
    for component, judge, calls in _asked(plan.components, stage.group_size):
        step = calls * stage.batch_size
        whole = f", {step * stage.steps:,} in {stage.steps} steps" if stage.steps else ""
        yield f"{component} asks {judge} up to {calls:,} questions a group, {step:,} a step{whole}"
        if amount := _at_most(plan, judge, step * (stage.steps or 1), stage.max_new_tokens):
            bound = f"at most about {amount} (every answer of policy and judge as long as it may be)"
            yield f"  {bound}{'' if stage.steps else ' a step'}"
    if stage.evaluation is not None:
        prompts, samples = stage.evaluation.prompts, stage.evaluation.samples
        for component, judge, calls in _asked(plan.components, samples):
            each = f"{calls * prompts:,} questions each" if prompts else f"{calls:,} questions a prompt"
            yield f"{component} asks {judge} up to {each} in evaluations, before and after at least"


def _at_most(plan: Plan, judge: str, questions: int, answer_tokens: int) -> str | None:
    """Tokens and money of questions that show two of the policy's answers, all as long as they may be."""
    most = plan.judges[judge].most_tokens()
    if plan.judges[judge].spec.local or most is None:
        return None
    return _amount(plan, judge, questions * (2 * answer_tokens + TEXTS_TOKENS + PROMPT_TOKENS), questions * most)


def _amount(plan: Plan, judge: str, prompt: float, completion: float) -> str:
    """Tokens, and money where the recipe gives a price: "1.2 M tokens, $0.80"."""
    usd = cost(plan.judges[judge].use.price, round(prompt), round(completion))
    return f"{_short(round(prompt + completion))} tokens" + (f", ${usd:,.2f}" if usd is not None else "")


def _asked(components: Mapping[str, Planned], size: int) -> Iterator[tuple[str, str, int]]:
    for name, planned in components.items():
        if planned.spec.calls is not None:
            calls = planned.ask("how often it asks", planned.spec.calls, planned.options, size)
            yield from ((name, judge, calls) for judge in planned.judges())


def _source(plan: Plan, planned: Planned) -> tuple[int | None, float]:
    """(rows, mean bytes of a row's prompt and texts); None where the source is remote or not there yet."""
    if planned.spec.step or planned.spec.remote:
        return None, 0.0
    try:
        sizes = [_bytes(sample) for sample in read_dataset(planned, Context(seed=plan.recipe.seed))]
    except UserError:
        return None, 0.0
    return len(sizes), sum(sizes) / len(sizes)


def _bytes(sample: Sample) -> float:
    """Of one text: the mean of the prompt and the longest field, which a step asks about in turn."""
    prompt = sum(len(message["content"].encode("utf-8", "replace")) for message in sample.prompt)
    texts = [len(value.encode("utf-8", "replace")) for value in sample.fields.values() if isinstance(value, str)]
    return (prompt + max(texts, default=prompt)) / 2


def _short(tokens: int) -> str:
    for limit, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if tokens >= limit:
            return f"{tokens / limit:.3g} {unit}"
    return str(tokens)
