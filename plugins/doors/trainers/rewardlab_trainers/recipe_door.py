"""The reward of a recipe as the adapters of trainers ask it: whole groups, or completions whose others are unknown.

What a trainer cannot carry is refused when its file is imported, before anything is generated.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Any

from rewardlab import ScoredCompletion, ScoredGroup, load_reward
from rewardlab.errors import JobError, UserError
from rewardlab.scoring import MissingGuard, as_trainers_get_it

WITH_GROUPS = "slime, miles, tinker-cookbook, SkyRL, NeMo-RL's synchronous rollouts, TRL, or `rewardlab serve`"
Recipe = str | PathLike[str] | Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Trainer:
    """A trainer as its adapter knows it.

    Args:
        known: the version whose code the adapter was written for.
        groups: whether it hands over whole groups.
        messages: whether the adapter hands on what tools did, beside the last answer.
        completions: of "token_count" and "seconds", what its completions have beside their text.
    """

    name: str
    known: str
    groups: bool
    messages: bool = False
    completions: Collection[str] = ("token_count",)


class RecipeDoor:
    """The reward of a recipe for one trainer; it ends with the last that refers to it.

    Raises a UserError that lists every mistake of the recipe, and says if it compares completions that the trainer does
    not hand over together, or needs a field that is not among `fields`, the names that the trainer sends (None: they
    are not known before the first row, of which a missing one is an error, too).
    """

    def __init__(
        self,
        trainer: Trainer,
        recipe: Recipe,
        overrides: Sequence[str] = (),
        fields: Collection[str] | None = None,
        device: str = "auto",
    ) -> None:
        self.trainer = trainer
        self.reward = load_reward(recipe, *overrides, device=device)
        plan = self.reward.plan
        self._guard = MissingGuard.over_rows(plan.guarded_uses)
        try:
            if not trainer.groups:
                self.refuse_alone(f"doors with whole groups: {WITH_GROUPS}")
            if (readers := plan.readers_of_messages) and not trainer.messages:
                problem = (
                    f"{', '.join(readers)} reads whole conversations, and {trainer.name} hands over the last answer"
                )
                raise UserError(f"{problem}; verifiers, TRL and `rewardlab serve` carry them", where="reward")
            self._refuse_replacing()
            self._refuse_unknown()
            if fields is not None:
                self._refuse_lacking(fields)
        except UserError:
            self.reward.close()
            raise

    async def groups(self, rows: Sequence[Mapping[str, Any]], evaluation: bool = False) -> list[ScoredGroup]:
        """Return a scored group for each row, without blocking the event loop; what is raised is no reward.

        evaluation: whether nothing is trained on them; failures are counted in these rows then.
        """
        guard = None if evaluation else self._guard
        scored = await self.reward.ascore(rows, guard=guard, evaluation=evaluation)
        return [as_trainers_get_it(group) for group in scored]

    def groups_now(self, rows: Sequence[Mapping[str, Any]]) -> list[ScoredGroup]:
        """Return what `groups` returns of a training, for code that waits in a thread of its own."""
        return [as_trainers_get_it(group) for group in self.reward.score(rows, guard=self._guard)]

    async def alone(self, row: Mapping[str, Any]) -> ScoredCompletion:
        """Return the one completion of a row. Raises a JobError if it has no total."""
        (scored,) = await self.groups([row])
        return self.with_total(scored.by_completion()[0])

    def alone_now(self, row: Mapping[str, Any]) -> ScoredCompletion:
        """Return what `alone` returns, for code that waits in a thread of its own."""
        (scored,) = self.groups_now([row])
        return self.with_total(scored.by_completion()[0])

    def with_total(self, completion: ScoredCompletion) -> ScoredCompletion:
        """Return a completion that nothing can mask. Raises a JobError if it has no total."""
        if completion.total is None:
            reasons = [f"{name}: {part.reason}" for name, part in completion.components.items() if part.failed]
            why = "; ".join(reasons) or "no total"
            raise JobError(
                f"no reward for {completion.sample.place()}: {why}; {self.trainer.name} has no mask for it here"
            )
        return completion

    def refuse_alone(self, instead: str) -> None:
        """Raise a UserError if the recipe needs the group of a completion that the trainer hands over alone."""
        reward = self.reward.plan.recipe.reward
        if compared := self.reward.plan.comparisons:
            needs, where = f"{', '.join(compared)} compares the completions of a prompt", "reward"
        elif reward is not None and reward.teach.flat == "drop":
            needs, where = "which groups are flat is not known of one completion", "reward.teach"
        else:
            return
        raise UserError(f"{needs}, and {self.trainer.name} hands over each alone here; {instead}", where=where)

    def expect(self, received: object, *names: str) -> None:
        """Raise a UserError if an object of the trainer lacks what the adapter reads: it is of another version."""
        has = received.__contains__ if isinstance(received, Mapping) else partial(hasattr, received)
        if lacking := [name for name in names if not has(name)]:
            problem = (
                f"{type(received).__name__} has no {', '.join(lacking)}, so it is of another version than this adapter"
            )
            raise UserError(f"{problem} knows; install {self.trainer.name} {self.trainer.known}")

    def _refuse_replacing(self) -> None:
        """Raise a UserError if the recipe has other prompts in the place of groups, which no trainer generates here."""
        reward = self.reward.plan.recipe.reward
        assert reward is not None
        if reward.teach.flat == "replace":
            problem = f"{self.trainer.name} generates no other prompts for a reward; write drop"
            raise UserError(f"{problem}: one reward for all of a flat group", where="reward.teach.flat")

    def _refuse_unknown(self) -> None:
        """Raise a UserError if the total needs of a completion what the trainer does not say of it."""
        plan, trainer = self.reward.plan, self.trainer
        known = {*trainer.completions, *(["messages"] if trainer.messages else [])}
        for name, use in plan.uses_in_total.items():
            lacking = [need for need in plan.components[name].spec.completion_needs if need not in known]
            if lacking and use.on_abstain == "fail":
                problem = f"{use.use} needs the {' and '.join(lacking)} of each completion"
                advice = "leave it out, or set on_abstain to a number; `rewardlab serve` takes all of a completion"
                where = f"reward.components.{name}"
                raise UserError(f"{problem}, and {trainer.name} does not say them; {advice}", where=where)

    def _refuse_lacking(self, sent: Collection[str]) -> None:
        plan = self.reward.plan
        columns = plan.recipe.columns
        lacking = {name: by for name, by in plan.row_needs.fields.items() if not {name, columns.get(name)} & {*sent}}
        if lacking:
            needed = "; ".join(f"{name!r} is needed by {readers}" for name, readers in lacking.items())
            hint = f"map its column with `dataset: {{fields: {{{next(iter(lacking))}: <column>}}}}`, or have it sent"
            problem = f"{needed}, and {self.trainer.name} sends {', '.join(sorted(sent)) or 'no field'}; {hint}"
            raise UserError(problem, where="reward")


def row_of(columns: Mapping[str, Any], prompt: Any, completions: Sequence[Any], **label: Any) -> dict[str, Any]:
    """Return a row to score. A `prompt` among the columns counts: what the trainer has may be in its chat template."""
    given = {name: value for name, value in [*columns.items(), *label.items()] if value is not None}
    return {"prompt": prompt, **given, "completions": list(completions)}


def numbers_of(completion: ScoredCompletion) -> dict[str, float]:
    """Return the total and the value of each component that has one, for a trainer's logs."""
    numbers = {"total": completion.total, **{name: part.value for name, part in completion.components.items()}}
    return {f"rewardlab/{name}": value for name, value in numbers.items() if value is not None}


def with_thinking(thinking: str | None, text: str) -> str:
    """Return an answer as the model wrote it, where a trainer keeps the thoughts before it apart."""
    return f"<think>{thinking}</think>{text}" if thinking else text
