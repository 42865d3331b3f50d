"""One server lends the limits of its judges to the others behind the same address, so that they hold for all of them.

The server that lends (`--share-judges`) answers POST /v1/leases; one that borrows (`--judges-of URL`) reports there
what it wants, several times a second while questions wait.
"""

import hashlib
import json
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from rewardlab.errors import UserError, one_line
from rewardlab.files import FileLock
from rewardlab.judging import JudgingSettings, judge_identity
from rewardlab.plan import Component, Plan
from rewardlab.scoring import Machine, Scorer
from rewardlab_leases import JudgeLenders, JudgeShare, LeaseGrant, LeaseReport, shared_judges
from starlette.requests import Request
from starlette.routing import Route

from rewardlab_serve.errors import bad_request, conflict
from rewardlab_serve.json_answers import json_endpoint
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.requests import Requests

PATH = "/v1/leases"
SILENT = 30.0
"""seconds after which a server that reports nothing loses its places, which others may wait for"""
ANSWER = 10.0
"""seconds for the lender's answer, which takes it milliseconds: one that is suspended or cut off is asked again"""
TRIES, FEW_TRIES = 14, 2
"""of a report while the lender is started again; and of the first, which tells a wrong address, and of the last"""


class LeaseBody(BaseModel):
    """The report of a server that borrows. judges: a digest of each, as both servers have to have them."""

    model_config = ConfigDict(extra="forbid", strict=True)

    process: str
    judges: dict[str, str]
    reports: dict[str, LeaseReport]


class JudgeLending:
    """The limits of a recipe's judges, for all servers that report here; from any thread.

    folder: keeps what was spent, so that a budget holds over restarts. After one, nothing is lent for as long as a
    server may still have something.
    """

    def __init__(self, plan: Plan, folder: Path) -> None:
        """Open the folder. Raises a UserError if another server lends from it, or if it cannot be one."""
        self._digests = digests(plan)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            restarted = any(folder.iterdir())
            self._lock = FileLock(folder / "lock")
        except BlockingIOError:
            what = "another server lends from this folder, and a budget is kept by one: borrow with --judges-of"
            raise UserError(what, where=str(folder)) from None
        except OSError as error:
            raise UserError(f"cannot keep what is spent: {error.strerror}", where=str(folder)) from error
        self._lenders = JudgeLenders.open(shared_judges(plan), folder, borrowers=1, restarted=restarted)
        self._own = uuid.uuid4().hex
        self._numbers: dict[str, int] = {}
        self._seen: dict[str, float] = {}
        self._one = threading.Lock()

    def refuse_others(self, judges: Mapping[str, str], reported: Iterable[str]) -> None:
        """Raise a RequestError if a server's judges are not those that this one lends."""
        if unknown := next((name for name in reported if name not in self._digests), None):
            raise conflict(f"no judge {unknown!r} is lent here: serve the same recipe on both servers")
        for name, digest in judges.items():
            if self._digests.get(name) != digest:
                raise conflict(f"judge {name!r} is another one here: serve the same recipe on both servers")

    async def lease(self, reports: Mapping[str, LeaseReport]) -> dict[str, LeaseGrant]:
        """Return what this server itself may have of each judge. Raises JobError if what is spent cannot be kept."""
        return self._exchange(self._own, reports)

    def close(self) -> None:
        """Keep what was spent."""
        with self._one, closing(self._lock):
            self._lenders.close()

    def route(self, metrics: Metrics) -> Route:
        """Return the route at which other servers report."""

        async def lease(body: Any, _: Request) -> dict[str, Any]:
            try:
                given = LeaseBody.model_validate_json(json.dumps(body))
            except ValidationError as error:
                raise bad_request(f"this is no report of a server that borrows: {one_line(error)}") from None
            self.refuse_others(given.judges, given.reports)
            grants = self._exchange(given.process, given.reports)
            return {"grants": {name: asdict(grant) for name, grant in grants.items()}}

        return Route(PATH, json_endpoint("leases", metrics, lease), methods=["POST"])

    def _exchange(self, process: str, reports: Mapping[str, LeaseReport]) -> dict[str, LeaseGrant]:
        alone = {name: replace(report, stopped=None) for name, report in reports.items()}  # others need not stop
        with self._one:
            now = time.monotonic()
            for other, seen in list(self._seen.items()):
                if now - seen > SILENT:
                    del self._seen[other]
                    self._lenders.suspend((self._numbers[other], other))
            self._seen[process] = now
            number = self._numbers.setdefault(process, len(self._numbers) + 1)
            return self._lenders.exchange((number, process), alone)


class Borrower:
    """A server that borrows parts of judges from one that lends them."""

    def __init__(self, plan: Plan, url: str, token: str | None) -> None:
        self._requests = Requests(url, token, timeout=ANSWER, connections=4)
        self._about = {"process": uuid.uuid4().hex, "judges": digests(plan)}
        self._tries = FEW_TRIES

    async def begin(self) -> None:
        """Raise a UserError or JobError if there is no lender, or one of other judges."""
        await self.lease({})
        self._tries = TRIES

    def end(self) -> None:
        """Wait no longer for a lender that is gone: what was borrowed counts as spent there."""
        self._tries = FEW_TRIES

    async def close(self) -> None:
        """End the connections."""
        await self._requests.close()

    async def lease(self, reports: Mapping[str, LeaseReport]) -> dict[str, LeaseGrant]:
        """Return what the lender grants; a JobError if it stays away for some four to six minutes."""
        body = {**self._about, "reports": {name: asdict(report) for name, report in reports.items()}}
        found = await self._requests.post(PATH, body, self._tries, "no answer of the server that lends its judges")
        return {name: _grant(grant) for name, grant in found["grants"].items()}


@contextmanager
def open_scorer(
    plan: Plan, judging: JudgingSettings, lending: JudgeLending | None = None, borrower: Borrower | None = None
) -> Iterator[Scorer]:
    """Yield the scorer of a plan, whose judges have their limits on loan if one of the two is given."""
    lender = lending or borrower
    if lender is None:
        with Scorer(plan, Machine(), judging=judging) as scorer:
            yield scorer
        return
    share = JudgeShare(lender.lease, {})
    with Scorer(plan, Machine(), judging=replace(judging, sharing=share)) as scorer, ExitStack() as ending:
        if borrower is not None:
            ending.callback(lambda: scorer.home.run(borrower.close()))
            scorer.home.run(borrower.begin())
        scorer.home.run(share.start({name: scorer.judges[name] for name in shared_judges(plan)}))
        ending.callback(lambda: scorer.home.run(share.close()))
        if borrower is not None:
            ending.callback(borrower.end)
        yield scorer


def digests(plan: Plan) -> dict[str, str]:
    """Return a digest of each judge and of its limits, by name."""
    return {name: _digest(judge) for name, judge in shared_judges(plan).items()}


def _digest(judge: Component) -> str:
    use = judge.use
    limits = use.model_dump(mode="json", include={"concurrency", "requests_per_minute", "tokens_per_minute", "budget"})
    identity = judge_identity(judge.spec, use, judge.options)
    return hashlib.sha256(json.dumps([identity, limits], sort_keys=True, default=str).encode()).hexdigest()


def _grant(values: Mapping[str, Any]) -> LeaseGrant:
    return LeaseGrant(**{**values, "lent": tuple(values["lent"])})
