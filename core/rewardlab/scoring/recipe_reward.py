"""The reward of a recipe for people's own programs: rows in, scored groups out, at once, as a stream, or awaited."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal, Self

from rewardlab.errors import Problem, UserError
from rewardlab.judging.settings import JudgingSettings
from rewardlab.judging.usage import Usage
from rewardlab.lazy import names_of_plugin
from rewardlab.plan import Plan, make_plan
from rewardlab.recipe.loading import RecipeSource, load
from rewardlab.scoring.component_executors import Machine
from rewardlab.scoring.composition import ScoredGroup
from rewardlab.scoring.given_rows import InputRow, Rows, all_rows, rows_one_by_one
from rewardlab.scoring.missing_guard import MissingGuard
from rewardlab.scoring.own_scorer import OwnScorer
from rewardlab.scoring.row_window import due_in_order, scored_in_order
from rewardlab.scoring.scored_completion import ScoredCompletion
from rewardlab.scoring.scorer import Scorer
from rewardlab.types import Group

OpenScorer = Callable[..., Scorer]
"""(plan, machine, judging=settings) -> the scorer, as `Scorer` does; another may score in other processes"""
AT_ONCE = 1024
"""rows that `score` begins at the same time; more go through a window, so that a judge that fails is found early"""


def _warn(text: str) -> None:
    print(text, file=sys.stderr)


def load_reward(
    recipe: RecipeSource,
    *overrides: str,
    device: str = "auto",
    say: Callable[[str], None] = _warn,
) -> "RecipeReward":
    r"""Return the reward of a recipe, with its judges and models ready to score.

        with load_reward("recipe.yaml", "reward.total=accuracy + format") as reward:
            groups = reward.score([{"prompt": "1+1?", "answer": "2", "completions": ["\\boxed{2}", "three"]}])

    Args:
        recipe: a YAML file, a dict, or the folder of a run.
        overrides: as on the command line.
        device: the torch device of models if the recipe names none; "auto" takes a GPU if there is one.
        say: called with warnings about judges, and with what `progress` in the total is.

    Raises a UserError that lists every mistake of the recipe, or names what cannot be built.
    """
    plan = make_plan(load(recipe, overrides, strict=False), purpose="score")
    for line in plan.notes:
        say(line)
    reward = RecipeReward(plan, machine=Machine(device=device), judging=JudgingSettings(say=say))
    again = os.path.abspath(recipe) if not isinstance(recipe, Mapping) and Path(recipe).exists() else recipe
    reward._loaded = partial(load_reward, again, *overrides, device=device, say=say)
    return reward


class RecipeReward:
    """A recipe's reward, ready to score rows; from `load_reward`. Use it in `with` or `async with`, or close it.

    A row is {"prompt", "completions", ...fields} as `rewardlab score` reads it: a dict, or a row of a data frame. Any
    thread may score, also inside of a running event loop (a notebook); rows under way at the same time share judges,
    workers and batches. A fork of the process opens its own at its first use; pickled, it is the recipe and overrides,
    and is loaded again from them.
    """

    _loaded: Callable[[], "RecipeReward"] | None = None

    def __init__(
        self,
        plan: Plan,
        machine: Machine | None = None,
        judging: JudgingSettings | None = None,
        open_scorer: OpenScorer = Scorer,
    ) -> None:
        """Build the rewards and judges of a plan, by `open_scorer`; start its worker processes."""
        if plan.recipe.reward is None:
            raise UserError("the recipe has no reward to score by", where=plan.document.where(("reward",)))
        self.plan = plan
        forks = judging is None or judging.folder is None  # one process writes a folder of answers
        self._own = OwnScorer(partial(_warm_scorer, open_scorer, plan, machine, judging), forks)

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} ({planned.use.use})" for name, planned in self.plan.components.items())
        return f"<RecipeReward {self.plan.recipe.reward.total if self.plan.recipe.reward else ''!s}: {parts}>"

    def score(
        self,
        rows: Rows,
        progress: float | None = None,
        guard: MissingGuard | None = None,
        evaluation: bool = False,
    ) -> list[ScoredGroup]:
        """Return a scored group for each row, in order. All rows are checked before anything is scored.

        Args:
            rows: dicts, or the path of a file.
            progress: of your training, 0 to 1, if the total has one; absent: what the recipe's `reward.progress` says.
            guard: counts failures over many calls; absent: in these rows.
            evaluation: nobody trains on them, so that no group is left out.

        Raises a UserError that lists what is wrong with rows, and a JobError if a component fails or abstains and the
        recipe's on_missing or on_abstain says `fail`, or fails more often than its max_missing allows.
        """
        if progress is not None and not (isinstance(progress, int | float) and 0 <= progress <= 1):
            raise UserError(f"progress is the share of a training that is done, from 0 to 1, and not {progress!r}")
        checked = all_rows(rows, self.plan)
        if len(checked) > AT_ONCE and progress is None:
            return [scored for _, scored in self.in_order(checked, guard, evaluation)]
        groups = self._scorer.score_groups([row.group for row in checked], progress, evaluation)
        with self._guarded(guard, evaluation) as counting:
            for scored in groups:
                counting.add(scored)
        return groups

    async def ascore(
        self, rows: Rows, guard: MissingGuard | None = None, evaluation: bool = False
    ) -> list[ScoredGroup]:
        """Return what `score` returns, without blocking the event loop."""
        checked = await asyncio.to_thread(all_rows, rows, self.plan)
        return [scored async for scored in self._as_they_come(checked, guard, evaluation)]

    def stream(self, rows: Rows) -> Generator[ScoredGroup]:
        """Yield a scored group for each row, in order, as soon as it is there; rows are read as they are needed.

        Up to 256 rows are under way. A bad row is a UserError once the rows before it have been yielded; leaving the
        loop cancels what is under way.
        """
        bad: list[Problem] = []
        with closing(self.in_order(_good(rows_one_by_one(rows, self.plan), bad))) as in_order:
            for _, scored in in_order:
                yield scored
        if bad:
            raise UserError(bad)

    async def astream(self, rows: Rows) -> AsyncGenerator[ScoredGroup]:
        """Yield what `stream` yields, without blocking the event loop."""
        bad: list[Problem] = []
        async for scored in self._as_they_come(_good(rows_one_by_one(rows, self.plan), bad)):
            yield scored
        if bad:
            raise UserError(bad)

    def score_one(self, *, prompt: Any, completion: Any, **fields: Any) -> ScoredCompletion:
        """Return one completion with its total, and each component's value, reason and contribution.

        prompt: a text or messages. completion: likewise, or {"text", "token_count", "truncated"}. fields: what the
        rewards read of the row (answer, language, ...). It is a group of its own: normalizers have nothing to compare
        it with. Raises a UserError if a component compares the completions of a prompt, as it would have no number for
        one alone, and what `score` raises, but for the recipe's max_missing, which is about many.
        """
        self._refuse_comparisons()
        group = self._group_of_one(prompt, completion, fields)
        return self._scorer.score_groups([group], evaluation=True)[0].by_completion()[0]

    async def ascore_one(self, *, prompt: Any, completion: Any, **fields: Any) -> ScoredCompletion:
        """Return what `score_one` returns, without blocking the event loop."""
        self._refuse_comparisons()
        group = self._group_of_one(prompt, completion, fields)
        return (await asyncio.wrap_future(self._scorer.submit(group, evaluation=True))).by_completion()[0]

    def table(self, groups: Iterable[ScoredGroup], library: Literal["pandas", "polars"] | None = None) -> Any:
        """Return a data frame with a row for each completion: texts, totals, values, reasons and contributions.

        library: "pandas" or "polars"; absent: the first that is installed. The columns are those of docs/ledger.md.
        Raises a UserError that says what to install if the library is missing.
        """
        return names_of_plugin("RecipeReward.table", "records")[0]("completion_table")(groups, library)

    def in_order(
        self, rows: Iterable[InputRow], guard: MissingGuard | None = None, evaluation: bool = False
    ) -> Generator[tuple[InputRow, ScoredGroup]]:
        """Yield checked rows with their scores; a JobError follows the row at which too many scores are missing."""
        with self._guarded(guard, evaluation) as own, closing(scored_in_order(self._scorer, rows, evaluation)) as due:
            for row, scored in due:
                yield row, scored
                own.add(scored)

    def _group_of_one(self, prompt: Any, completion: Any, fields: Mapping[str, Any]) -> Group:
        (row,) = rows_one_by_one([{"prompt": prompt, "completions": [completion], **fields}], self.plan)
        if isinstance(row, Problem):
            raise UserError(row.what, where=f"sample {fields['id']!r}" if "id" in fields else "")
        return row.group

    @property
    def _scorer(self) -> Scorer:
        return self._own.get()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._loaded is None:
            raise TypeError("only a reward from load_reward can be pickled")
        return self._loaded, ()

    def usage(self) -> Mapping[str, Usage]:
        """Return what each judge was asked and cost since the reward was loaded: name -> counts, tokens, dollars."""
        return {} if self._own.last is None else self._own.last.judges.attempt_usage()

    def usage_lines(self) -> list[str]:
        """Return the usage of the judges as lines of text, as `rewardlab score` prints them."""
        return [] if self._own.last is None else list(self._own.last.judges.summary())

    def close(self) -> None:
        """End what is under way, judges' connections and worker processes; closing again does nothing."""
        self._own.close()

    async def aclose(self) -> None:
        """Close it without blocking the event loop."""
        await asyncio.to_thread(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _as_they_come(
        self, rows: Iterable[InputRow], guard: MissingGuard | None = None, evaluation: bool = False
    ) -> AsyncGenerator[ScoredGroup]:
        begun = due_in_order(rows, lambda row: self._scorer.submit(row.group, evaluation))
        with self._guarded(guard, evaluation) as counting, closing(begun) as due:
            for _, pending in due:
                yield (scored := await asyncio.wrap_future(pending))
                counting.add(scored)

    def _refuse_comparisons(self) -> None:
        for name, planned in self.plan.components.items():
            if planned.spec.scope == "group":
                text = f"compares the completions of a prompt ({planned.use.use}), and a lone completion has no others"
                where = self.plan.document.where(("reward", "components", name))
                raise UserError(f"{text}; give `score` a row with several, or take this component out", where=where)

    @contextmanager
    def _guarded(self, guard: MissingGuard | None, evaluation: bool) -> Iterator[MissingGuard]:
        """Give a guard of many calls as it is, or one that ends with these rows."""
        own = MissingGuard.over_rows(self.plan.uses_in_total if evaluation else self.plan.guarded_uses)
        yield guard or own
        own.check_end()


def _warm_scorer(opened: OpenScorer, plan: Plan, machine: Machine | None, judging: JudgingSettings | None) -> Scorer:
    scorer = opened(plan, machine, judging=judging)
    try:
        scorer.warm()
    except BaseException:
        scorer.close()
        raise
    return scorer


def _good(rows: Iterable[InputRow | Problem], bad: list[Problem]) -> Iterator[InputRow]:
    """Yield rows up to the first bad one, and put that into `bad`."""
    for row in rows:
        if isinstance(row, Problem):
            bad.append(row)
            return
        yield row
