"""The reward of a recipe as a reward function of TRL's trainers, for people's own training scripts."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, Self

from rewardlab import RecipeReward, ScoredGroup
from rewardlab.data import kind_of
from rewardlab.errors import JobError, UserError
from rewardlab.scoring import MissingGuard, common_reward
from rewardlab_training import metrics_of_step, refuse_step

from rewardlab_trl.group_rows import fits, key_of, rows_of, runs_of
from rewardlab_trl.ranks import gather, rank, shared_work

OF_THE_TRAINER = ("trainer_state", "log_extra", "log_metric", "environments")
"""what TRL hands over beside the columns of the dataset"""
NAME = "rewardlab"
Beside = Callable[..., Sequence[float | None]]
"""another reward function, with TRL's arguments"""


class TrainerReward:
    """A reward function for TRL's trainers that scores by a recipe; from `rewardlab_trl.reward_function`.

    Use it in `with`, or close it after training. In a job of several processes each has one, and all of them are called
    together: groups are put together from all parts of the batch, and each process scores some of them.
    """

    def __init__(
        self,
        reward: RecipeReward,
        group_size: int | None = None,
        ends: Collection[int] | int | None = (),
        opened: str = "",
        name: str = NAME,
        beside: Mapping[Beside, float] | None = None,
    ) -> None:
        self.reward = reward
        self.__name__ = name  # TRL's name for the function in its logs
        self._id_column = reward.plan.recipe.columns.get("id", "id")
        if group_size is not None and not (isinstance(group_size, int) and group_size > 0):
            raise UserError(f"group_size is the trainer's num_generations, and not {group_size!r}")
        if beside is not None and not isinstance(beside, Mapping):
            raise UserError(f"beside is a mapping of reward functions to their weights, not {kind_of(beside)}")
        _refuse_other_prompts(reward)
        self._beside = dict(beside or {})
        self._group_size, self._opened = group_size, opened
        self._guard: MissingGuard | None = None
        self._ends = frozenset([ends] if isinstance(ends, int) else ends or ())  # a tokenizer may have none

    def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        completion_ids: Sequence[Sequence[int]] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return a shaped reward for each completion, in their order; never a 0 for one that could not be scored.

        Columns that no reward reads may hold anything, such as pictures. completion_ids: None if they are not known.

        Such a completion gets None, by which the trainer leaves it out of its group; beside other functions of the
        trainer, which would count as the whole reward then, it gets the mean of its group's others. Raises a UserError
        if rows lack what the recipe's rewards need or something has not a value for each completion, and a JobError as
        the recipe's policies for missing values say.
        """
        fields = {name: values for name, values in columns.items() if name not in OF_THE_TRAINER}
        _refuse_other_lengths(completions, prompts=prompts, completion_ids=completion_ids)
        _refuse_other_lengths(completions, "the column ", **fields)
        names, texts = [*fields], self._completions(completions, completion_ids)
        own = list(zip(prompts, texts, *fields.values(), strict=True))
        gathered = gather(own)  # a group may lie on several processes
        if not gathered:
            return []
        all_prompts, all_texts, *values = zip(*gathered, strict=True)
        all_fields = dict(zip(names, values, strict=True))
        sizes = list(self._sizes(all_prompts, all_fields))
        rows = list(rows_of(sizes, all_prompts, all_texts, all_fields, self._id_column))
        model = getattr(getattr(columns.get("log_metric"), "__self__", None), "model", None)
        evaluation = not getattr(model, "training", True)
        progress = None if evaluation else _progress(model, **columns)
        score = partial(self.reward.score, progress=progress, guard=self._guard, evaluation=evaluation)
        scored = shared_work(rows, score)
        if self._guard is None:  # the guard is that of `rewardlab run`
            plan = self.reward.plan
            refuse_step(plan.uses_in_total if evaluation else plan.guarded_uses, scored)
        start = rank() * len(own)
        self._log(scored, columns, slice(start, start + len(own)))
        given = {"prompts": prompts, "completions": completions, "completion_ids": completion_ids, **columns}
        others, alone = gather(self._of_others(len(own), **given)), self._is_alone(columns.get("log_metric"))
        rewards = [
            reward
            for group, end in zip(scored, accumulate(sizes), strict=True)
            for reward in _rewards(group, others[end - len(group.totals) : end], alone)
        ]
        return rewards[start:][: len(own)]

    def _of_others(self, count: int, **arguments: Any) -> list[float | None]:
        """Return the weighted sum of the functions that are a part of this one; None if one of them has no value."""
        sums: list[float | None] = [0.0] * count
        for function, weight in self._beside.items():
            values = function(**arguments)
            if len(values) != len(sums):
                name = getattr(function, "__name__", function)
                raise JobError(f"{name} gave {len(values)} rewards for {len(sums)} completions")
            known = [None if value is None or value != value else value for value in values]  # NaN is TRL's None
            sums = [None if a is None or b is None else a + weight * b for a, b in zip(sums, known, strict=True)]
        return sums

    def _is_alone(self, log_metric: Any) -> bool:
        """Return whether a trainer has no other function, so that None leaves a completion out; False if unknown."""
        return len(getattr(getattr(log_metric, "__self__", None), "reward_funcs", ())) == 1

    def close(self) -> None:
        """End judges' connections and worker processes; closing again does nothing."""
        self.reward.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _sizes(self, prompts: Sequence[Any], fields: Mapping[str, Sequence[Any]]) -> Iterator[int]:
        """Yield the number of completions of each group: the given one if it fits, else the runs of equal rows.

        In an evaluation the trainer may sample another number.
        """
        rows = [key_of(row) for row in zip(prompts, *fields.values(), strict=True)]
        if self._group_size is not None and fits(rows, self._group_size):
            yield from [self._group_size] * (len(rows) // self._group_size)
            return
        runs = list(runs_of(rows))
        if len(set(runs)) > 1:
            problem = f"equal rows follow each other in runs of {', '.join(map(str, sorted(set(runs))))}"
            raise UserError(f"{problem}, so the groups are not known; give group_size, the trainer's num_generations")
        yield from runs

    def _completions(
        self, completions: Sequence[Any], completion_ids: Sequence[Sequence[int]] | None
    ) -> list[dict[str, Any]]:
        if completion_ids is None:
            if self._ends:
                raise UserError("completion_ids say which completions are truncated, as `ends` asks; give them, too")
            return [_answer_of(completion, self._opened) for completion in completions]
        for index, ids in enumerate(completion_ids):
            if not hasattr(ids, "__len__"):
                raise UserError(f"completion_ids[{index}] must be a list of the ids of tokens, not {kind_of(ids)}")
        return [
            {
                **_answer_of(completion, self._opened),
                "token_count": len(ids),
                "truncated": bool(self._ends) and (len(ids) == 0 or int(ids[-1]) not in self._ends),
            }
            for completion, ids in zip(completions, completion_ids, strict=True)
        ]

    def _log(self, scored: Sequence[ScoredGroup], columns: Mapping[str, Any], here: slice) -> None:
        """Hand the step's means to the trainer's logs, and each component's values to its table of completions."""
        log_metric, log_extra = columns.get("log_metric"), columns.get("log_extra")
        before = "" if self.__name__ == NAME else f"{self.__name__}/"
        if log_metric is not None and scored:
            section = self.reward.plan.recipe.reward
            for name, value in metrics_of_step(
                scored, correctness=None if section is None else section.correctness
            ).items():
                log_metric(f"{before}{name}", value)
        if log_extra is not None and scored:
            for name in scored[0].components:
                values = [score.value for group in scored for score in group.components[name]]
                log_extra(f"{before}reward/{name}", values[here])


def _rewards(group: ScoredGroup, others: Sequence[float | None], alone: bool) -> list[float | None]:
    """Return what the trainer gets of a group with what other functions add: of one that is left out the mean."""
    rewards = [
        None if (total is None and alone) or other is None else shaped + other
        for shaped, total, other in zip(group.shaped, group.totals, others, strict=True)
    ]
    known = [reward for reward in rewards if reward is not None]
    if group.left_out is None or len(known) < 2:
        return rewards
    level = common_reward(known)
    return [None if reward is None else level for reward in rewards]


def _refuse_other_prompts(reward: RecipeReward) -> None:
    section = reward.plan.recipe.reward
    if section is not None and section.teach.flat == "replace":
        problem = (
            "TRL generates no other prompts; write drop: all of a flat group get the same reward, and no advantage"
        )
        raise UserError(problem, where=reward.plan.document.where(("reward", "teach", "flat")))


def _progress(model: Any, trainer_state: Any = None, **_: Any) -> float | None:
    """Return the share of the training's updates that is done; None if the trainer does not tell it."""
    steps = getattr(trainer_state, "max_steps", 0)
    return float(trainer_state.global_step / steps) if steps > 0 and model is not None else None


def _refuse_other_lengths(completions: Sequence[Any], kind: str = "", **given: Any) -> None:
    """Raise a UserError that names what has not a value for each completion."""
    for name, values in given.items():
        if values is None and not kind:
            continue
        if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
            problem = f"{kind}{name} must be a list with a value for each of {len(completions)} completions"
            raise UserError(f"{problem}, not {kind_of(values)}")
        if len(values) != len(completions):
            count = f"{len(values)} value{'' if len(values) == 1 else 's'}"
            raise UserError(f"{kind}{name} has {count} for {len(completions)} completions")


def _answer_of(completion: Any, opened: str) -> dict[str, Any]:
    """Return a completion's text, or its messages if there are more or it calls a tool.

    opened: what the prompt's end adds to the beginning of an answer.
    """
    if isinstance(completion, str):
        return {"text": opened + completion}
    if not isinstance(completion, list | tuple) or not all(isinstance(turn, Mapping) for turn in completion):
        return {"text": completion}  # which the check of rows refuses and names
    first = completion[0] if len(completion) == 1 else {}
    if first.get("role") == "assistant" and isinstance(first.get("content"), str) and not first.get("tool_calls"):
        return {"text": opened + first["content"]}
    return {"messages": [_opened(turn, opened) for turn in completion]}


def _opened(turn: Mapping[str, Any], opened: str) -> Mapping[str, Any]:
    answers = turn.get("role") == "assistant" and turn.get("content") and isinstance(turn["content"], str)
    return {**turn, "content": opened + turn["content"]} if answers else turn
