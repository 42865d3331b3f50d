"""The reward of a recipe as a reward function of TRL's trainers, for people's own training scripts."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

from rewardlab import RecipeReward, ScoredGroup
from rewardlab.errors import JobError, UserError
from rewardlab.training import metrics_of_step

OF_THE_TRAINER = ("trainer_state", "log_extra", "log_metric", "environments")
"""what TRL hands over beside the columns of the dataset"""
PROCESSES = "WORLD_SIZE"


class TrainerReward:
    """A reward function for TRL's trainers that scores by a recipe; from `rewardlab_trl.reward_function`.

    Use it in `with`, or close it after training.
    """

    def __init__(
        self,
        reward: RecipeReward,
        group_size: int | None = None,
        ends: Collection[int] = (),
        opened: str = "",
        name: str = "rewardlab",
    ):
        """Raise a UserError in a job of several processes, each of which would see its own part of the groups."""
        if int(os.environ.get(PROCESSES) or 1) > 1:
            what = f"reward_function scores in one process, and {PROCESSES} is {os.environ[PROCESSES]}"
            raise UserError(f"{what}; `rewardlab run` with `backend: {{use: openrlhf}}` trains on many GPUs")
        self.reward = reward
        self.__name__ = name  # TRL's name for the function in its logs
        self._group_size, self._ends, self._opened = group_size, frozenset(ends), opened

    def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        completion_ids: Sequence[Sequence[int]],
        **columns: Any,
    ) -> list[float]:
        """Return B x G shaped rewards, in the order of the completions; never a 0 for one that could not be scored.

        Such a completion gets the mean of its group's others, and so no advantage by its reward. Raises a UserError
        where rows lack what the recipe's rewards need, and a JobError as the recipe's policies for missing values say.
        """
        fields = {name: values for name, values in columns.items() if name not in OF_THE_TRAINER}
        sizes = list(self._sizes(prompts, fields))
        texts = self._completions(completions, completion_ids)
        scored = self.reward.score(list(_rows(sizes, prompts, texts, fields)))
        self._log(scored, columns.get("log_metric"))
        return [value for group in scored for value in group.shaped]

    def close(self) -> None:
        """End judges' connections and worker processes; closing again does nothing."""
        self.reward.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _sizes(self, prompts: Sequence[Any], fields: Mapping[str, Sequence[Any]]) -> Iterator[int]:
        """Yield the number of completions of each group: the given one, else by the runs of equal rows."""
        if self._group_size is not None:
            if len(prompts) % self._group_size:
                what = f"{len(prompts)} completions do not divide into groups of {self._group_size}"
                raise UserError(f"{what}; group_size is the trainer's num_generations")
            yield from [self._group_size] * (len(prompts) // self._group_size)
            return
        runs = list(_runs([prompts, *fields.values()]))
        if len(set(runs)) > 1:
            what = f"equal rows follow each other in runs of {', '.join(map(str, sorted(set(runs))))}"
            raise UserError(f"{what}, so the groups cannot be told; give group_size, the trainer's num_generations")
        yield from runs

    def _completions(self, completions: Sequence[Any], completion_ids: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
        return [
            {
                "text": self._opened + _text(completion),
                "token_count": len(ids),
                "truncated": bool(self._ends) and (not ids or ids[-1] not in self._ends),
            }
            for completion, ids in zip(completions, completion_ids, strict=True)
        ]

    def _log(self, scored: Sequence[ScoredGroup], log_metric: Any) -> None:
        if log_metric is not None and scored:
            for name, value in metrics_of_step(scored).items():
                log_metric(name, value)


def _runs(columns: Sequence[Sequence[Any]]) -> Iterator[int]:
    """Yield how often each row stands there before another one comes."""
    count = 0
    before: tuple[Any, ...] | None = None
    for row in zip(*columns, strict=True):
        if before is not None and row != before:
            yield count
            count = 0
        count, before = count + 1, row
    if count:
        yield count


def _rows(
    sizes: Iterable[int],
    prompts: Sequence[Any],
    completions: Sequence[Mapping[str, Any]],
    fields: Mapping[str, Sequence[Any]],
) -> Iterator[dict[str, Any]]:
    """Yield a row to score for each group. A row of the dataset that stands in a batch twice gets another id there."""
    seen: Counter[Any] = Counter()
    start = 0
    for size in sizes:
        row = {name: values[start] for name, values in fields.items()}
        if (given := row.get("id")) is not None:
            seen[given] += 1
            row["id"] = given if seen[given] == 1 else f"{given}#{seen[given]}"
        yield {**row, "prompt": prompts[start], "completions": list(completions[start : start + size])}
        start += size


def _text(completion: Any) -> str:
    """Return a completion's text, of a conversation that of its one message."""
    if isinstance(completion, str):
        return completion
    if len(completion) == 1 and isinstance(completion[0].get("content"), str):
        return str(completion[0]["content"])
    roles = ", ".join(str(message.get("role")) for message in completion)
    raise JobError(f"a completion is one message of text; this one has {len(completion)} ({roles})")
