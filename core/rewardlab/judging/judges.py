"""The judges of a recipe, built and hosted, by the names that the recipe gives them."""

import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import wait
from typing import Any, Protocol, TypeVar

from rewardlab.concurrency.threads import CLOSE_LIMIT, LoopThread
from rewardlab.errors import JobError, Problem, UserError, nearest, one_line
from rewardlab.judging.hosted_judge import HostedJudge
from rewardlab.judging.settings import JudgingSettings
from rewardlab.judging.usage import Usage
from rewardlab.plan import Plan
from rewardlab.plan.component import Component, build, secret_variables
from rewardlab.specs import Context

J = TypeVar("J", bound="CanStop")


class CanStop(Protocol):
    """A judge that may have to end the job, wherever it is hosted."""

    @property
    def stopped(self) -> JobError | None:
        """The reason why the job must end; None as long as it need not."""


class NamedJudges(Mapping[str, J]):
    """Judges by the names that a recipe gives them; an unknown name is a UserError."""

    def __init__(self, judges: Mapping[str, J]) -> None:
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
        """Raise the JobError of a judge that must end the job, for example because its budget is used up."""
        for judge in self._judges.values():
            if judge.stopped is not None:
                raise judge.stopped


class Judges(NamedJudges[HostedJudge]):
    """The judges that a recipe declares, hosted in this process."""

    def __init__(self, judges: Mapping[str, HostedJudge], home: LoopThread | None = None) -> None:
        super().__init__(judges)
        self._home = home

    def usage(self) -> dict[str, Usage]:
        """Return the usage of each judge that was asked over a network, over all attempts of the job."""
        return {name: judge.usage for name, judge in self._judges.items() if judge.usage.asked}

    def attempt_usage(self) -> dict[str, Usage]:
        """Return the usage of each judge that was asked since these judges were opened: of this attempt alone."""
        since = {name: judge.usage.minus(judge.earlier_usage) for name, judge in self._judges.items()}
        return {name: usage for name, usage in since.items() if usage.asked}

    def summary(self) -> list[str]:
        """Return a line for each judge that was asked in this attempt."""
        return format_summary({name: (judge.usage, judge.earlier_usage) for name, judge in self._judges.items()})

    def close(self) -> None:
        """Close the judges, from a thread other than their home's; calling it again does nothing.

        Code that blocks the home loop, and an `aclose` that hangs, are waited for as long as `LoopThread.close` does.
        """
        if self._home is None:
            return
        home, self._home = self._home, None
        closing = home.submit(_close_all(list(self._judges.values())))
        if not wait([closing], CLOSE_LIMIT).done:
            closing.cancel()
            return
        closing.result()


def format_summary(usages: Mapping[str, tuple[Usage, Usage]]) -> list[str]:
    """Return a line for each judge that was asked in this attempt; given are its counts now and when that began."""
    lines = []
    for name, (usage, earlier) in usages.items():
        since = usage.minus(earlier)
        before = f" (earlier attempts: {earlier.line()})" if earlier.calls else ""
        lines += [f"judge {name}: {since.line()}{before}"] if since.asked else []
    return lines


async def _close_all(judges: list[HostedJudge]) -> None:
    """Close all judges, whatever happens. Raises JobError that names the first that could not be closed."""
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


def open_judges(
    planned: Mapping[str, Component], home: LoopThread, context: Context, judging: JudgingSettings
) -> Judges:
    """Build and host judges. Raises UserError or JobError that names the judge that cannot be built."""
    return home.run(_open(planned, home, context, judging))


async def _open(
    planned: Mapping[str, Component], home: LoopThread, context: Context, judging: JudgingSettings
) -> Judges:
    hosted: dict[str, HostedJudge] = {}
    try:
        for name, component in planned.items():
            judge: Any = build(component, context, f"judge {name!r} ({component.use.use})", "ask")
            hosted[name] = HostedJudge(name, judge, component.spec, component.use, home, component.options, judging)
    except BaseException:
        await _close_all(list(hosted.values()))
        raise
    return Judges(hosted, home)


def require_secrets(plan: Plan, names: Iterable[str]) -> None:
    """Raise UserError that names every key of these judges that is not set; a replay needs none."""
    problems = []
    for name in names:
        planned = plan.judges[name]
        cassette = planned.use.cassette
        if planned.spec.local or (cassette is not None and cassette.mode != "record"):
            continue
        for option, variable in secret_variables(planned.options).items():
            if not os.environ.get(variable, "").strip():
                place = ("judges", name, "with", *option.split("."))
                problem = f"the environment variable {variable} is not set; it should hold a key"
                problems.append(Problem(where=plan.document.where(place), what=problem, path=place))
    if problems:
        raise UserError(problems)
