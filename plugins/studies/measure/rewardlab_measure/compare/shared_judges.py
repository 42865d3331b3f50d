"""The judges of two recipes that are scored side by side, so that a question that both ask is paid once.

Judges that the recipes declare alike, whatever they call them, are one judge: one rate limit, one budget, one cassette.
Its answers are kept in memory while a row is under way whose questions they may answer, and in the cassette that the
recipes name, if any. An answer is found by model, messages, parameters and draw. Both recipes see the same draw, as
each would when it replays a cassette, so that a difference between the recipes is never the judge's noise.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from rewardlab import Ask, Context, Reply
from rewardlab.concurrency import LoopThread
from rewardlab.errors import JobError
from rewardlab.judging import (
    HostedJudge,
    Judges,
    JudgingSettings,
    NamedJudges,
    judge_identity,
    open_judges,
    question_key,
    require_secrets,
)
from rewardlab.plan import Component, Plan, refuse_policy
from rewardlab.recipe import Price

from rewardlab_measure.compare.shared_settings import differing


@dataclass
class RowProgress:
    """The progress through the rows, counted from 1: the last row begun, and the last one done with all before it."""

    begun: int = 0
    done: int = 0


@dataclass
class RecipeUsage:
    """The usage of one judge by one recipe, whichever recipe paid for the answers; a repeated question counts once.

    Args:
        unanswered: how many of `questions` got no answer.
        usd: None if the recipe gives no price.
    """

    price: Price | None = None
    questions: int = 0
    unanswered: int = 0
    tokens: int = 0
    usd: float | None = None

    def add(self, reply: Reply) -> None:
        """Count a question and its reply."""
        self.questions += 1
        self.unanswered += reply.error is not None
        self.tokens += (reply.prompt_tokens or 0) + (reply.completion_tokens or 0)
        if self.price is not None:
            self.usd = (self.usd or 0.0) + self.price.of(reply)

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        names = ("questions", "unanswered", "tokens", "usd")
        return {name: getattr(self, name) for name in names}


@dataclass
class _KeptReply:
    """A kept answer, and the letters of the recipes that have asked for it."""

    reply: Reply
    asked_by: set[str]


class _SharedJudge:
    """A hosted judge with its answers for the rows under way. Used only on the judges' own event loop."""

    def __init__(self, hosted: HostedJudge, planned: Component, home: LoopThread, progress: RowProgress) -> None:
        self.hosted, self.home = hosted, home
        self._identity = judge_identity(planned.spec, planned.use, planned.options)
        self._progress = progress
        self._kept: dict[str, _KeptReply] = {}
        self._order: deque[tuple[int, str]] = deque()

    async def ask(self, ask: Ask, letter: str, usage: RecipeUsage) -> Reply:
        """Return the reply to a question of recipe `letter`; an answer that is kept costs nothing."""
        self._forget()
        key = question_key(self._identity, ask)
        kept = self._kept.get(key)
        if kept is None:
            reply = await self.hosted.ask(ask)  # the same question under way is waited for
            if reply.error is not None:
                usage.add(reply)
                return reply
            kept = self._keep(key, reply)
        else:
            self.hosted.usage.reused += 1
        if letter not in kept.asked_by:
            kept.asked_by.add(letter)
            usage.add(kept.reply)
        return kept.reply

    def _keep(self, key: str, reply: Reply) -> _KeptReply:
        if key not in self._kept:
            self._kept[key] = _KeptReply(reply, set())
            # it was asked about a row that has begun by now: once all of these are done, nobody needs it
            self._order.append((self._progress.begun, key))
        return self._kept[key]

    def _forget(self) -> None:
        while self._order and self._order[0][0] <= self._progress.done:
            del self._kept[self._order.popleft()[1]]


@dataclass(kw_only=True)
class RecipeJudge:
    """A judge as the rewards of one recipe see it."""

    name: str
    letter: str
    judge: _SharedJudge
    usage: RecipeUsage

    @property
    def stopped(self) -> JobError | None:
        """The error that must end the job, such as a budget that is used up; None while there is none."""
        return self.judge.hosted.stopped

    async def ask(self, ask: Ask) -> Reply:
        """Ask the judge, as `HostedJudge.ask` does."""
        return await self.judge.home.here(self.judge.ask(ask, self.letter, self.usage))

    def report_parsed(self, reply: Reply, ok: bool) -> None:
        """Report whether a reply could be read, as `HostedJudge.report_parsed` does."""
        self.judge.hosted.report_parsed(reply, ok)


@dataclass(kw_only=True)
class SharedJudges:
    """The judges of both recipes that are not local, to be closed after use.

    Args:
        of_recipe: letter -> the recipe's judges by its own names.
        progress: kept up to date by the reader of the rows.
    """

    of_recipe: dict[str, NamedJudges[RecipeJudge]] = field(default_factory=dict)
    progress: RowProgress = field(default_factory=RowProgress)
    _opened: list[Judges] = field(default_factory=list)
    _closing: ExitStack = field(default_factory=ExitStack)

    def check(self) -> None:
        """Raise the JobError of a judge that must end the job."""
        for judges in self.of_recipe.values():
            judges.check()

    def paid(self) -> list[tuple[str, Any]]:
        """Return ("A main = B judge": the judge's names by recipe, its Usage) for each judge that was asked."""
        names: dict[int, list[str]] = {}
        for letter, judges in self.of_recipe.items():
            for name, judge in judges.items():
                names.setdefault(id(judge.judge.hosted), []).append(f"{letter.upper()} {name}")
        return [
            (" = ".join(names[id(opened[name])]), usage)
            for opened in self._opened
            for name, usage in opened.attempt_usage().items()
        ]

    def cassettes(self) -> tuple[list[str], list[str]]:
        """Return (the cassettes that hold the new answers, the judges whose new answers are kept nowhere)."""
        kept: dict[str, None] = {}
        lost: dict[str, None] = {}
        for letter, judges in self.of_recipe.items():
            for name, judge in judges.items():
                if judge.judge.hosted.usage.calls:
                    path = judge.judge.hosted.kept_in
                    (kept if path else lost).setdefault(str(path) if path else f"{letter.upper()} {name}")
        return list(kept), list(lost)

    def close(self) -> None:
        """Close the judges and their event loop; calling it again does nothing."""
        self._closing.close()


def open_shared(plans: Mapping[str, Plan], say: Callable[[str], None]) -> SharedJudges:
    """Open the judges of these plans, {letter: plan}. A UserError or JobError says why one cannot be opened."""
    for plan in plans.values():
        refuse_policy(plan.judges, plan.document.where)
        require_secrets(plan, plan.asked_by_rewards)
    shared = SharedJudges()
    home = LoopThread("rewardlab-judges")
    shared._closing.callback(home.close)
    made: list[tuple[Component, _SharedJudge]] = []
    try:
        for letter, plan in plans.items():
            remote = {name: planned for name, planned in plan.judges.items() if not planned.spec.local}
            alike = {name: _alike(planned, made) for name, planned in remote.items()}
            new = {name: planned for name, planned in remote.items() if alike[name] is None}
            opened = open_judges(new, home, Context(seed=plan.recipe.seed), JudgingSettings(say=say))
            shared._opened.append(opened)
            shared._closing.callback(opened.close)
            own = {n: _SharedJudge(opened[n], planned, home, shared.progress) for n, planned in new.items()}
            for name, judge in own.items():
                _note_paid_twice(letter, name, new[name], made, judge.hosted, say)
            made += [(new[name], judge) for name, judge in own.items()]
            judges = {name: alike[name] or own[name] for name in remote}
            shared.of_recipe[letter] = NamedJudges(
                {
                    name: RecipeJudge(
                        name=name, letter=letter, judge=judge, usage=RecipeUsage(price=remote[name].use.price)
                    )
                    for name, judge in judges.items()
                }
            )
    except BaseException:
        shared.close()
        raise
    return shared


def _alike(planned: Component, made: Sequence[tuple[Component, _SharedJudge]]) -> _SharedJudge | None:
    return next((judge for other, judge in made if not differing(planned, other)), None)


def _note_paid_twice(
    letter: str,
    name: str,
    planned: Component,
    made: Sequence[tuple[Component, _SharedJudge]],
    own: HostedJudge,
    say: Callable[[str], None],
) -> None:
    """Print a note for each judge that would give the same answers and is paid for twice because of other settings."""
    identity = judge_identity(planned.spec, planned.use, planned.options)
    for other, judge in made:
        if judge.hosted is not own and judge_identity(other.spec, other.use, other.options) == identity:
            settings = ", ".join(differing(planned, other))
            difference = f"judge {name!r} of {letter.upper()} is {judge.hosted.name!r} of A but for {settings}"
            say(f"note: {difference}; each asks for itself, and what both ask is paid twice")
