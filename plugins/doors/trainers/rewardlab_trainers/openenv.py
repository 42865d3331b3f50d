"""OpenEnv: a recipe's reward as the rubric of an environment."""

from collections.abc import Callable, Collection, Coroutine, Mapping
from typing import Any

from openenv.core.rubrics import Rubric, RubricDict
from rewardlab import ScoredCompletion

from rewardlab_trainers.recipe_door import Recipe, RecipeDoor, Trainer, row_of

OPENENV = Trainer(name="OpenEnv", known="0.10", groups=False, completions=("token_count", "seconds"))
RowOf = Callable[[Any, Any], Mapping[str, Any] | None]


class RecipeRubric(Rubric):
    """A rubric that rewards what an action says, by a recipe; the components are its children, with their last values.

        RecipeRubric("recipe.yaml", row=lambda action, seen: {"prompt": seen.task, "completion": action.text})

    Args:
        row: the prompt, the completion and the fields of a step, or None at a step that has no answer yet, whose
            reward is 0.
        awaited: whether the environment awaits it (`step_async`); else it waits in its thread.
        fields: the names that rows have; given, a recipe that needs others is refused at once.

    Raises a UserError that lists every mistake of the recipe, or says that it compares completions: a rubric sees one.
    An answer that cannot be scored is an error.
    """

    def __init__(
        self,
        recipe: Recipe,
        *overrides: str,
        row: RowOf,
        awaited: bool = False,
        fields: Collection[str] | None = None,
        device: str = "auto",
    ) -> None:
        super().__init__()
        self._door = RecipeDoor(OPENENV, recipe, overrides, fields=fields, device=device)
        self._door.expect(self, "last_score", "named_rubrics")
        self._row_of, self._awaited = row, awaited
        self.components = RubricDict({name: RecipeComponent() for name in self._door.reward.plan.components})

    def forward(self, action: Any, observation: Any) -> Any:
        """Return the total of an action, or what gives it if it is awaited."""
        given = self._row_of(action, observation)
        row = None if given is None else _row(given)
        if self._awaited:
            return self._later(row)
        return 0.0 if row is None else self._number(self._door.alone_now(row))

    async def _later(self, row: Mapping[str, Any] | None) -> float:
        return 0.0 if row is None else self._number(await self._door.alone(row))

    def _number(self, completion: ScoredCompletion) -> float:
        for name, part in completion.components.items():
            self.components[name].last_score = part.value
        return completion.shaped


class RecipeComponent(Rubric):
    """The last value of a component, which its recipe's rubric computes."""

    def forward(self, action: Any, observation: Any) -> Coroutine[Any, Any, float]:
        """Raise an error: a component has no value without the others."""
        raise NotImplementedError("call the rubric of the whole recipe")


def _row(given: Mapping[str, Any]) -> dict[str, Any]:
    columns = {name: value for name, value in given.items() if name != "completion"}
    return row_of(columns, None, [given.get("completion")])
