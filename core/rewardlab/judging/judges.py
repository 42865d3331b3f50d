"""The judges of a recipe, built and hosted, by the names that it gives them."""

import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import wait
from typing import Any, Protocol, TypeVar

from rewardlab.building import build
from rewardlab.errors import JobError, Problem, UserError, nearest, one_line
from rewardlab.judging.host import HostedJudge
from rewardlab.judging.keeping import Keeping
from rewardlab.judging.usage import Usage
from rewardlab.loops import CLOSE_LIMIT, LoopThread
from rewardlab.plan import Plan
from rewardlab.planned import Planned, secret_variables
from rewardlab.specs import Context

J = TypeVar("J", bound="CanStop")


class CanStop(Protocol):
    """What any judge tells of itself, wherever it is hosted."""

    @property
    def stopped(self) -> JobError | None:
        """Why the job must end, once that is so."""


class NamedJudges(Mapping[str, J]):
    """Judges by the names that a recipe gives them; an unknown name is a clear error."""

    def __init__(self, judges: Mapping[str, J]):
        self._judges = dict(judges)

    def __getitem__(self, name: str) -> J:
        try:
            return self._judges[name]
        except KeyError:
            raise UserError(f"no judge {name!r}{nearest(str(name), self._judges)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._judges

    def __iter__(self) -> Iterator[str]:
        return iter(self._judges)

    def __len__(self) -> int:
        return len(self._judges)

    def check(self) -> None:
        """Raises the JobError of a judge that must end the job, such as a budget that is used up."""
        for judge in self._judges.values():
            if judge.stopped is not None:
                raise judge.stopped


class Judges(NamedJudges[HostedJudge]):
    """The judges that a recipe declares, hosted in this process."""

    def __init__(self, judges: Mapping[str, HostedJudge], home: LoopThread | None = None):
        super().__init__(judges)
        self._home = home

    def usage(self) -> dict[str, Usage]:
        """What each judge that has a network was asked, over all attempts."""
        return {name: judge.usage for name, judge in self._judges.items() if judge.usage.asked}

    def usage_since(self) -> dict[str, Usage]:
        """The same since these judges were opened: of this attempt alone."""
        since = {name: judge.usage.minus(judge.before) for name, judge in self._judges.items()}
        return {name: usage for name, usage in since.items() if usage.asked}

    def summary(self) -> list[str]:
        """A line for each judge that was asked in this attempt."""
        return [f"judge {name}: {self._line(name, usage)}" for name, usage in self.usage_since().items()]

    def _line(self, name: str, usage: Usage) -> str:
        earlier = self._judges[name].before
        return usage.line() + (f" (earlier attempts: {earlier.line()})" if earlier.calls else "")

    def close(self) -> None:
        """Close what the judges hold open, from another thread than their home's; idempotent.

        Waits for code that holds the home loop, or for an `aclose` that hangs, as long as `LoopThread.close` does.
        """
        if self._home is None:
            return
        home, self._home = self._home, None
        closing = home.submit(_close_all(list(self._judges.values())))
        if not wait([closing], CLOSE_LIMIT).done:
            closing.cancel()
            return
        closing.result()


async def _close_all(judges: list[HostedJudge]) -> None:
    """All are closed, whatever happens; a JobError names the first that could not be."""
    problems = []
    for judge in judges:
        try:
            await judge.aclose()
        except JobError as error:
            problems.append(error)
        except Exception as error:
            problems.append(JobError(f"judge {judge.name!r} could not be closed: {one_line(error)}"))
    if problems:
        raise problems[0]


def open_judges(planned: Mapping[str, Planned], home: LoopThread, context: Context, keeping: Keeping) -> Judges:
    """Build and host judges; a UserError or JobError names the one that cannot be."""
    return home.run(_open(planned, home, context, keeping))


async def _open(planned: Mapping[str, Planned], home: LoopThread, context: Context, keeping: Keeping) -> Judges:
    hosted: dict[str, HostedJudge] = {}
    try:
        for name, one in planned.items():
            judge: Any = build(one, context, f"judge {name!r} ({one.use.use})", "ask")
            hosted[name] = HostedJudge(name, judge, one.spec, one.use, home, one.options, keeping)
    except BaseException:
        await _close_all(list(hosted.values()))
        raise
    return Judges(hosted, home)


def require_secrets(plan: Plan, names: Iterable[str]) -> None:
    """A UserError for every key of these judges that is not set; a replay needs none."""
    problems = []
    for name in names:
        planned = plan.judges[name]
        cassette = planned.use.cassette
        if planned.spec.local or (cassette is not None and cassette.mode != "record"):
            continue
        for option, variable in secret_variables(planned.options).items():
            if not os.environ.get(variable, "").strip():
                place = ("judges", name, "with", *option.split("."))
                what = f"the environment variable {variable} is not set; it should hold a key"
                problems.append(Problem(where=plan.document.where(place), what=what, path=place))
    if problems:
        raise UserError(problems)
