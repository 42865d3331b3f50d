"""The numbers of a scored group, without its texts, and what a step's log makes of them."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from rewardlab import Turn
from rewardlab.judging import Usage
from rewardlab.scoring import ScoredGroup, failures_of

TOTAL = "total"
HALF = 0.5
"""the correctness above which an answer is right"""


@dataclass(frozen=True, kw_only=True, slots=True)
class ComponentNumbers:
    """The values of one component in a group: their sum, how many there are, and which completions it failed on."""

    sum: float
    count: int
    varied: bool = False
    """whether two of the values differ"""
    failed: tuple[int, ...] = ()
    cause: str = ""
    """the last failure: the completion's place and the error, without secrets; "" if none failed"""
    calls: int = 0
    """calls of a judge, how many of its replies were unparsable, and its position bias, -1 to 1, if that is known"""
    unparsable: int = 0
    bias: float | None = None
    with_correctness: tuple[float, float, float] | None = None
    """as `with_length` of a group, of the values and the correctness of the same completions; None of correctness
    itself, and if none is named"""
    with_shaped: float | None = None
    """the sum of products of what it contributed and the shaped reward, each less its mean, over the completions with a
    total; of the total, of the shaped reward by itself; None if contributions are not known"""


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupNumbers:
    """The numbers of a group of `size` completions. Some 100 bytes a component, and picklable."""

    size: int
    total: ComponentNumbers
    flat: bool
    """whether it teaches nothing: it is left out, or all totals are equal or missing"""
    std: float
    """population standard deviation of the totals that are not missing; 0 if there is none"""
    components: Mapping[str, ComponentNumbers]
    tokens: float | None = None
    """mean length of the completions whose length is known; None if none is"""
    with_length: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """sums over the completions of products, each factor less its mean: length by length, total by total, both"""
    turns: tuple[float, float] | None = None
    """for completions that are conversations, the mean turns of the policy and calls of tools; None if none is one"""
    failed: int = 0
    """rollouts that failed"""
    by_outcome: tuple[int, int, int, int] | None = None
    """tokens and number of the completions that are right and whose length is known, and of those that are not right;
    None if no correctness is named"""

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the numbers that `as_dict` returned."""
        components = {name: _component(component) for name, component in values["components"].items()}
        read = {"total": _component(values["total"]), "with_length": tuple(values["with_length"])}
        read["turns"] = tuple(values["turns"]) if values.get("turns") else None
        read["by_outcome"] = tuple(values["by_outcome"]) if values["by_outcome"] else None
        return cls(**{**values, **read, "components": components})


def _component(values: Mapping[str, Any]) -> ComponentNumbers:
    products = values["with_correctness"]
    read = {"failed": tuple(values["failed"]), "with_correctness": None if products is None else tuple(products)}
    return ComponentNumbers(**{**values, **read})


def numbers_of_group(scored: ScoredGroup, correctness: str | None = None) -> GroupNumbers:
    """Return the numbers of a scored group.

    Args:
        correctness: the component that says whether an answer is right, if any.
    """
    components = {}
    taught = _taught(scored)
    right = [score.value for score in scored.components.get(correctness or "", ())]
    for name, scores in scored.components.items():
        failed, cause = failures_of(scored, name)
        components[name] = _numbers(
            [score.value for score in scores],
            right if name != correctness else (),
            failed=failed,
            cause=cause,
            with_shaped=taught.get(name),
            **_of_judge(score.info for score in scores),
        )
    total = _numbers(scored.totals, right, with_shaped=taught.get(TOTAL))
    lengths = [completion.token_count for completion in scored.completions]
    known = [length for length in lengths if length is not None]
    return GroupNumbers(
        size=len(scored.totals),
        total=total,
        flat=scored.left_out is not None or not total.varied,
        std=_std([value for value in scored.totals if value is not None]) if total.varied else 0.0,
        components=components,
        tokens=math.fsum(known) / len(known) if known else None,
        with_length=_products(lengths, scored.totals),
        turns=_turns([completion.messages for completion in scored.completions if completion.messages]),
        failed=sum(completion.failure is not None for completion in scored.completions),
        by_outcome=_by_outcome(lengths, right) if right else None,
    )


def _taught(scored: ScoredGroup) -> dict[str, float]:
    """Return `with_shaped` of the total and of each component of it, 0 if nothing is taught; {} if it is not known."""
    if scored.causes is None or not scored.shaped:
        return {}
    teaches = scored.left_out is None
    taught = [index for index, total in enumerate(scored.totals) if teaches and total is not None]
    contributions = scored.causes.attribution.contributions
    columns = {TOTAL: scored.shaped, **contributions}
    values = {name: [column[index] or 0.0 for index in taught] for name, column in columns.items()}
    return {name: _products(column, values[TOTAL])[2] for name, column in values.items()}


def _by_outcome(lengths: Sequence[int | None], right: Sequence[float | None]) -> tuple[int, int, int, int]:
    both = [
        (length, value > HALF) for length, value in zip(lengths, right, strict=True) if length and value is not None
    ]
    sides = [[length for length, is_right in both if is_right is side] for side in (True, False)]
    return sum(sides[0]), len(sides[0]), sum(sides[1]), len(sides[1])


def _turns(conversations: Sequence[Sequence[Turn]]) -> tuple[float, float] | None:
    answers = [message for messages in conversations for message in messages if message["role"] == "assistant"]
    calls = sum(len(message.get("tool_calls", ())) for message in answers)
    return (len(answers) / len(conversations), calls / len(conversations)) if conversations else None


def _numbers(values: Sequence[float | None], right: Sequence[float | None], **more: Any) -> ComponentNumbers:
    present = [value for value in values if value is not None]
    return ComponentNumbers(
        sum=math.fsum(present),
        count=len(present),
        varied=len({*present}) > 1,
        with_correctness=_products(values, right) if right else None,
        **more,
    )


def _of_judge(infos: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what a reward that compares says of its judge in a group; {} if it says nothing, or nothing that fits."""
    judge_info: Mapping[str, Any] = next(
        (info["group"] for info in infos if isinstance(info.get("group"), Mapping)), {}
    )
    calls, unparsable, bias = (judge_info.get(name) for name in ("calls", "unparsable", "position_bias"))
    if not (isinstance(calls, int) and isinstance(unparsable, int) and 0 <= unparsable <= calls):
        return {}
    bias = float(bias) if isinstance(bias, int | float) and abs(bias) <= 1 else None
    return {"calls": calls, "unparsable": unparsable, "bias": bias}


def _products(values: Sequence[float | None], others: Sequence[float | None]) -> tuple[float, float, float]:
    both = [(x, y) for x, y in zip(values, others, strict=True) if x is not None and y is not None]
    if len(both) < 2:
        return 0.0, 0.0, 0.0
    x_mean, y_mean = (math.fsum(column) / len(both) for column in zip(*both, strict=True))
    moved = [(x - x_mean, y - y_mean) for x, y in both]
    return math.fsum(x * x for x, _ in moved), math.fsum(y * y for _, y in moved), math.fsum(x * y for x, y in moved)


def _std(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))


def metrics_of_step(
    groups: Sequence[ScoredGroup | GroupNumbers],
    usage: Mapping[str, Usage] | None = None,
    correctness: str | None = None,
    generated: Sequence[GroupNumbers] = (),
) -> dict[str, float]:
    """Return the metrics of a step's groups, of which there is at least one.

    The keys are the same at every step: agreement if there is a correctness, length if it is known, agent of
    conversations, and position_bias and unparsable of components that compare.

    reward/total, reward/<component>: means over the completions that have a value, NaN if none has.
    teaching/total: mean total of the groups that teach: what the policy learns from, beside all that was generated.
    generated/total: where other prompts take the place of flat groups, mean total of all that were generated for it.
    advantage/<component>: of each in the total, its share in the variance of the shaped rewards inside of groups: they
    add up to 1 where the total is nothing else, and one below 0, such as a length penalty, takes from what the others
    give. NaN if no rewards differ.
    reward/groups_without_variance: share, 0 to 1, of groups that teach nothing: those that `teach` leaves
    out, and those whose totals are all equal or missing.
    group/std: mean over the groups of the standard deviation of their totals.
    missing/<component>: share, 0 to 1, of completions whose score failed with an error, rollouts that failed aside.
    agreement/total, agreement/<component>: correlation with correctness inside of groups, -1 to 1; NaN if one of both
    never differs.
    varied/<component>: share, 0 to 1, of groups in which it tells two completions apart.
    length/mean, length/total: tokens, and their correlation with the total inside of groups.
    length/right, length/wrong: mean tokens of the completions whose correctness is above 0.5, and of the others; NaN if
    there is none.
    rollout/failed: share, 0 to 1, of rollouts that failed: completions that are no answer.
    agent/turns, agent/tool_calls: of conversations, means of the policy's turns and of its calls of tools.
    position_bias/<component>, unparsable/<component>: of the judge that it compares by, the mean over the groups, -1 to
    1, above 0 if what stands first wins; and the share of its replies.
    judge/<name>/calls, judge/<name>/tokens (of prompts and answers), judge/<name>/usd and judge/<name>/seconds (of its
    answered calls, added up): of each judge in `usage`.

    Args:
        correctness: as in `numbers_of_group`.
        generated: the groups in whose place others came, and those that are in `groups`.
    """
    numbers = [group if isinstance(group, GroupNumbers) else numbers_of_group(group, correctness) for group in groups]
    names = dict.fromkeys(name for group in numbers for name in group.components)  # a damaged ledger lacks some
    having = {name: [group for group in numbers if name in group.components] for name in names}
    metrics = {"reward/total": _mean([group.total for group in numbers])}
    metrics["reward/groups_without_variance"] = sum(group.flat for group in numbers) / len(numbers)
    metrics["teaching/total"] = _mean([group.total for group in numbers if not group.flat])
    if generated:
        metrics["generated/total"] = _mean([group.total for group in generated])
    metrics["group/std"] = math.fsum(group.std for group in numbers) / len(numbers)
    for name, scored in having.items():
        of_component = [group.components[name] for group in scored]
        metrics[f"reward/{name}"] = _mean(of_component)
        failed = sum(len(group.components[name].failed) - group.failed for group in scored)
        metrics[f"missing/{name}"] = failed / max(1, sum(group.size - group.failed for group in scored))
        metrics[f"varied/{name}"] = sum(component.varied for component in of_component) / len(scored)
        metrics |= {f"{metric}/{name}": value for metric, value in _judge_metrics(of_component)}
    for name in ("total", *names):
        of_name = (
            [group.total for group in numbers]
            if name == "total"
            else [group.components[name] for group in having[name]]
        )
        if products := [component.with_correctness for component in of_name if component.with_correctness is not None]:
            metrics[f"agreement/{name}"] = _correlation(products)
    if known := [group.tokens for group in numbers if group.tokens is not None]:
        metrics["length/mean"] = math.fsum(known) / len(known)
        metrics["length/total"] = _correlation([group.with_length for group in numbers])
        if outcomes := [group.by_outcome for group in numbers if group.by_outcome is not None]:
            right, rights, wrong, wrongs = (sum(column) for column in zip(*outcomes, strict=True))
            metrics["length/right"] = right / rights if rights else math.nan
            metrics["length/wrong"] = wrong / wrongs if wrongs else math.nan
    metrics |= _advantages(numbers, list(names))
    metrics["rollout/failed"] = sum(group.failed for group in numbers) / sum(group.size for group in numbers)
    if played := [group.turns for group in numbers if group.turns is not None]:
        turns, calls = (math.fsum(column) / len(played) for column in zip(*played, strict=True))
        metrics |= {"agent/turns": turns, "agent/tool_calls": calls}
    for name, since in (usage or {}).items():
        metrics[f"judge/{name}/calls"] = float(since.calls)
        metrics[f"judge/{name}/tokens"] = float(since.prompt_tokens + since.completion_tokens)
        metrics[f"judge/{name}/usd"] = since.usd
        metrics[f"judge/{name}/seconds"] = since.seconds
    return metrics


def _advantages(numbers: Sequence[GroupNumbers], names: Sequence[str]) -> dict[str, float]:
    """Return the share of each component in the variance of the shaped rewards."""
    known = [group for group in numbers if group.total.with_shaped is not None]
    whole = math.fsum(group.total.with_shaped or 0.0 for group in known)
    shares = {}
    for name in names:
        parts = [group.components[name].with_shaped for group in known if name in group.components]
        if any(part is not None for part in parts):
            part = math.fsum(part or 0.0 for part in parts)
            shares[f"advantage/{name}"] = part / whole if whole > 0 else math.nan
    return shares


def _judge_metrics(of_component: Sequence[ComponentNumbers]) -> Iterator[tuple[str, float]]:
    biases = [component.bias for component in of_component if component.bias is not None]
    if biases:
        yield "position_bias", math.fsum(biases) / len(biases)
    if calls := sum(component.calls for component in of_component):
        yield "unparsable", sum(component.unparsable for component in of_component) / calls


def _correlation(products: Sequence[tuple[float, float, float]]) -> float:
    """Return the correlation inside of groups; NaN if one of both never differs."""
    values, others, both = (math.fsum(column) for column in zip(*products, strict=True))
    scale = math.sqrt(values) * math.sqrt(others)
    return both / scale if scale > 0 else math.nan


def _mean(numbers: Sequence[ComponentNumbers]) -> float:
    count = sum(component.count for component in numbers)
    return math.fsum(component.sum for component in numbers) / count if count else math.nan
