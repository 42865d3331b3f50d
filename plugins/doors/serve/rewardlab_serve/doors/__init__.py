"""Doors: the routes of other trainers, in their own words. Each file has one, which `door` finds by its name.

A door reads a trainer's request as rows, and writes the answer that it expects. What it cannot carry is said at
start-up (`refuse_recipe`), so that no trainer learns from a number that means something else.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from rewardlab.errors import UserError, nearest
from rewardlab.plan import Plan
from starlette.routing import Route

from rewardlab_serve.metrics import Metrics
from rewardlab_serve.native_api import member_of
from rewardlab_serve.reward_service import RewardService


@dataclass(frozen=True, kw_only=True)
class DoorOptions:
    """The facts about a trainer that doors need.

    Args:
        label: the field of the recipe that a trainer's label, reference or ground truth is.
        group_size: completions of a group, for doors whose requests do not say it.
        end_tokens: texts of special tokens that a trainer leaves at the end of its answers.
    """

    label: str = "answer"
    group_size: int | None = None
    end_tokens: Sequence[str] = ()

    def without_end(self, answer: str) -> str:
        """Return an answer without the token that ended it, which no reward should read."""
        for token in self.end_tokens:
            answer = answer.removesuffix(token)
        return answer


@dataclass(frozen=True, kw_only=True)
class Door:
    """A trainer's dialect.

    Args:
        path: of its route, for people.
        groups: whether the trainer says which completions belong together.
        says_size: whether it says how many these are.
        messages: whether it sends what tools did, beside the last answer.
        bounds: of the numbers that it takes; None: any.
        ends_answers: whether its answers come with the token that ended them.
    """

    name: str
    path: str
    groups: bool
    says_size: bool = False
    messages: bool = False
    routes: Callable[[RewardService, Metrics, DoorOptions], Sequence[Route]]
    bounds: tuple[float, float] | None = None
    ends_answers: bool = False


OF_THE_ROW = ("id", "prompt", "completion", "completions")
NAMES = ("openrlhf", "slime", "nemo_gym", "openreward", "google", "aws", "eval_protocol")


async def scored_alone(
    service: RewardService, fields: Mapping[str, Any], prompt: Any, completion: Any
) -> dict[str, Any]:
    """Return the scores of a completion whose group the trainer does not say, as `member_of` gives them."""
    return member_of(await service.group(row_of(fields, prompt, completion)), 0)


def values_of(member: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the value of each component for a completion; None if it has none."""
    return {name: score["value"] for name, score in member["components"].items()}


def row_of(fields: Mapping[str, Any], prompt: Any, completion: Any) -> dict[str, Any]:
    """Return a row with one completion; an `id` among the fields is that of a prompt, whose completions are many."""
    columns = {name: value for name, value in fields.items() if name not in OF_THE_ROW}
    return {**columns, "prompt": prompt, "completions": [completion]}


def door(name: str) -> Door:
    """Return a door by its name. Raises a UserError for another name."""
    if name.replace("-", "_") not in NAMES:
        raise UserError(f"no door {name!r}{nearest(name, NAMES)}", where="--door")
    module_door: Door = import_module(f"{__name__}.{name.replace('-', '_')}").DOOR
    return module_door


def refuse_recipe(plan: Plan, candidate: Door, options: DoorOptions) -> None:
    """Raise a UserError if a door cannot carry a recipe: its groups, or its numbers."""
    compared = [*plan.comparisons, *(["reward.teach"] if plan.left_out_by else [])]
    if compared and not candidate.groups:
        others = ", ".join(name for name in NAMES if door(name).groups)
        problem = (
            f"this trainer does not say which completions are of one prompt, and {', '.join(compared)} compares them"
        )
        raise UserError(
            f"{problem}; doors that carry groups: {others}, and /v1/groups", where=f"--door {candidate.name}"
        )
    if compared and options.group_size is None and candidate.groups and not candidate.says_size:
        raise UserError("give --group-size, the completions of a group", where=f"--door {candidate.name}")
    if (readers := plan.readers_of_messages) and not candidate.messages:
        others = ", ".join(name for name in NAMES if door(name).messages)
        problem = f"{', '.join(readers)} reads whole conversations, and this trainer sends the last answer"
        raise UserError(f"{problem}; doors that carry them: {others}, and /v1/groups", where=f"--door {candidate.name}")
    if candidate.ends_answers and not options.end_tokens:
        problem = (
            "this trainer sends answers with the special token that ended them: say which, as in --end-token '</s>'"
        )
        raise UserError(problem, where=f"--door {candidate.name}")
    bounds = plan.shaped_range(options.group_size or 1)
    if candidate.bounds is None:
        return
    low, high = candidate.bounds
    if bounds is None or bounds[0] < low or bounds[1] > high:
        bounds_text = "unknown bounds" if bounds is None else f"{bounds[0]:g} to {bounds[1]:g}"
        problem = f"this trainer takes rewards from {low:g} to {high:g}, and the recipe's have {bounds_text}"
        raise UserError(f"{problem}; scale `total`", where=f"--door {candidate.name}")
