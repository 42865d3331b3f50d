"""The judges of two recipes that are scored side by side, so that a question that both ask is paid once.

Judges that the recipes declare alike, whatever they call them, are one: one pace, one budget, one cassette. Its answers
are kept in memory for as long as a row is under way whose questions they may answer, and in the cassette that the
recipes name, if any. An answer goes by model, messages, parameters and draw: both recipes see the same draw, as each
would see it again out of a cassette, and a difference between them is none of the judge's noise.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from rewardlab.comparing.alike import differing
from rewardlab.cross_checks import refuse_policy
from rewardlab.errors import JobError
from rewardlab.judging import HostedJudge, Judges, Keeping, open_judges, require_secrets
from rewardlab.judging.answers import identity
from rewardlab.judging.budget import cost
from rewardlab.judging.cassette import question_key
from rewardlab.judging.judges import NamedJudges
from rewardlab.loops import LoopThread
from rewardlab.plan import Plan
from rewardlab.planned import Planned
from rewardlab.specs import Context
from rewardlab.types import Ask, Reply
from rewardlab.uses import Price


@dataclass
class Progress:
    """Rows, counted from 1 in their order: the last one that was begun, the last one that is done with all before."""

    begun: int = 0
    done: int = 0


@dataclass
class Asked:
    """What one recipe asked one judge, whoever paid for the answers; a question that it asks again is one.

    unanswered: of `questions`. usd: None where the recipe gives no price.
    """

    price: Price | None = None
    questions: int = 0
    unanswered: int = 0
    tokens: int = 0
    usd: float | None = None

    def add(self, reply: Reply) -> None:
        """Count a question and what came."""
        self.questions += 1
        self.unanswered += reply.error is not None
        prompt, completion = reply.prompt_tokens or 0, reply.completion_tokens or 0
        self.tokens += prompt + completion
        if self.price is not None:
            self.usd = (self.usd or 0.0) + (cost(self.price, prompt, completion) or 0.0)

    def as_dict(self) -> dict[str, Any]:
        """JSON values."""
        names = ("questions", "unanswered", "tokens", "usd")
        return {name: getattr(self, name) for name in names}


@dataclass
class _Kept:
    """An answer, and the recipes that have asked for it."""

    reply: Reply
    asked_by: set[str]


class _OneJudge:
    """A hosted judge and its answers to the rows under way. All of it happens on the judges' own loop."""

    def __init__(self, hosted: HostedJudge, planned: Planned, home: LoopThread, progress: Progress):
        self.hosted, self.home = hosted, home
        self._identity = identity(planned.spec, planned.use, planned.options)
        self._progress = progress
        self._kept: dict[str, _Kept] = {}
        self._order: deque[tuple[int, str]] = deque()

    async def ask(self, ask: Ask, letter: str, asked: Asked) -> Reply:
        """The reply to a question of recipe `letter`; an answer that is kept costs nothing."""
        self._forget()
        key = question_key(self._identity, ask)
        kept = self._kept.get(key)
        if kept is None:
            reply = await self.hosted.ask(ask)  # the same question under way is waited for
            if reply.error is not None:
                asked.add(reply)
                return reply
            kept = self._keep(key, reply)
        else:
            self.hosted.usage.reused += 1
        if letter not in kept.asked_by:
            kept.asked_by.add(letter)
            asked.add(kept.reply)
        return kept.reply

    def _keep(self, key: str, reply: Reply) -> _Kept:
        if key not in self._kept:
            self._kept[key] = _Kept(reply, set())
            # it was asked about a row that had begun by now, so when all of these are done nobody needs it
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
    judge: _OneJudge
    asked: Asked

    @property
    def stopped(self) -> JobError | None:
        """What must end the job, such as a budget that is used up."""
        return self.judge.hosted.stopped

    async def ask(self, ask: Ask) -> Reply:
        """As `HostedJudge.ask`."""
        return await self.judge.home.here(self.judge.ask(ask, self.letter, self.asked))

    def understood(self, reply: Reply, ok: bool) -> None:
        """As `HostedJudge.understood`."""
        self.judge.hosted.understood(reply, ok)


@dataclass(kw_only=True)
class SharedJudges:
    """The judges of both recipes that are not local; close it.

    of_recipe: letter -> the recipe's judges by its own names. progress: whoever reads the rows keeps it up to date.
    """

    of_recipe: dict[str, NamedJudges[RecipeJudge]] = field(default_factory=dict)
    progress: Progress = field(default_factory=Progress)
    _opened: list[Judges] = field(default_factory=list)
    _closing: ExitStack = field(default_factory=ExitStack)

    def check(self) -> None:
        """Raises the JobError of a judge that must end the job."""
        for judges in self.of_recipe.values():
            judges.check()

    def paid(self) -> list[tuple[str, Any]]:
        """(whose and how it is called there, its Usage) of each judge that was asked."""
        names: dict[int, list[str]] = {}
        for letter, judges in self.of_recipe.items():
            for name, judge in judges.items():
                names.setdefault(id(judge.judge.hosted), []).append(f"{letter.upper()} {name}")
        return [
            (" = ".join(names[id(opened[name])]), usage)
            for opened in self._opened
            for name, usage in opened.usage_since().items()
        ]

    def cassettes(self) -> tuple[list[str], list[str]]:
        """(the cassettes that new answers go into, the judges whose answers go nowhere)."""
        kept: dict[str, None] = {}
        lost: dict[str, None] = {}
        for letter, judges in self.of_recipe.items():
            for name, judge in judges.items():
                if judge.judge.hosted.usage.calls:
                    path = judge.judge.hosted.kept_in
                    (kept if path else lost).setdefault(str(path) if path else f"{letter.upper()} {name}")
        return list(kept), list(lost)

    def close(self) -> None:
        """Idempotent."""
        self._closing.close()


def open_shared(plans: Mapping[str, Plan], say: Callable[[str], None]) -> SharedJudges:
    """The judges of these recipes (by letter); a UserError or JobError names what cannot be."""
    for plan in plans.values():
        refuse_policy(plan.judges, plan.document.where)
        require_secrets(plan, plan.asked_by_rewards)
    shared = SharedJudges()
    home = LoopThread("rewardlab-judges")
    shared._closing.callback(home.close)
    made: list[tuple[Planned, _OneJudge]] = []
    try:
        for letter, plan in plans.items():
            remote = {name: planned for name, planned in plan.judges.items() if not planned.spec.local}
            alike = {name: _alike(planned, made) for name, planned in remote.items()}
            new = {name: planned for name, planned in remote.items() if alike[name] is None}
            opened = open_judges(new, home, Context(seed=plan.recipe.seed), Keeping(say=say))
            shared._opened.append(opened)
            shared._closing.callback(opened.close)
            own = {n: _OneJudge(opened[n], planned, home, shared.progress) for n, planned in new.items()}
            for name, judge in own.items():
                _tell_of_near(letter, name, new[name], made, judge.hosted, say)
            made += [(new[name], judge) for name, judge in own.items()]
            judges = {name: alike[name] or own[name] for name in remote}
            shared.of_recipe[letter] = NamedJudges(
                {
                    name: RecipeJudge(name=name, letter=letter, judge=judge, asked=Asked(price=remote[name].use.price))
                    for name, judge in judges.items()
                }
            )
    except BaseException:
        shared.close()
        raise
    return shared


def _alike(planned: Planned, made: Sequence[tuple[Planned, _OneJudge]]) -> _OneJudge | None:
    return next((judge for other, judge in made if not differing(planned, other)), None)


def _tell_of_near(
    letter: str,
    name: str,
    planned: Planned,
    made: Sequence[tuple[Planned, _OneJudge]],
    own: HostedJudge,
    say: Callable[[str], None],
) -> None:
    """That two judges would give the same answers, and are paid for by each recipe because of other settings."""
    ours = identity(planned.spec, planned.use, planned.options)
    for other, judge in made:
        if judge.hosted is not own and identity(other.spec, other.use, other.options) == ours:
            settings = ", ".join(differing(planned, other))
            what = f"judge {name!r} of {letter.upper()} is {judge.hosted.name!r} of A but for {settings}"
            say(f"note: {what}; each asks for itself, and what both ask is paid twice")
