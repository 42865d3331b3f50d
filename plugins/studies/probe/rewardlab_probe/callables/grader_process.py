"""A grader in a process of its own: resident, with a deadline a call; one that is lost is replaced, a few times."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rewardlab.errors import JobError, UserError
from rewardlab.workers import WorkerProcess, WorkerStartError, WorkerTimeout, message_line

from rewardlab_probe import code_texts
from rewardlab_probe.callables.signatures import Parameters

WORKER = Path(__file__).with_name("callable_worker.py")
READER = Path(code_texts.__file__)
START_S = 300.0
"""seconds for the import of a grader, which may load a model"""
PATIENCE = 6.0
"""times the deadline: that of the first call of a process, which may build what it keeps"""
MAX_LOST = 8
"""processes that may be lost before no other is begun"""
MAX_LEFT = 32
"""processes that a grader may leave running before its own is ended with them"""
MAX_BEGINNING = 200
"""bytes of what it prints that are kept"""
Trouble = Literal["", "raised", "exits", "unfit", "deadline", "died", "memory", "not_asked"]
"""What became of a call: it raised, left by SystemExit, returned no score, passed the deadline, ended its process, took
too much memory, or was not made any more."""
COMPUTING, WAITING = "computing", "waiting"


@dataclass(frozen=True, kw_only=True)
class CallResult:
    """The result of a call: a value for each completion, or the trouble and why in one line. cpu: seconds."""

    values: Sequence[float | None] = ()
    trouble: Trouble = ""
    why: str = ""
    cpu: float = 0.0


@dataclass
class Behaviour:
    """What the calls did beside returning scores.

    Args:
        calls: how many there were.
        printed: bytes that were printed. beginning: the first of them.
        started: calls that started processes. left: most processes that still ran behind a call.
        connects: hosts, and in how many calls each was called.
        troubles: kind of trouble -> calls.
    """

    calls: int = 0
    printed: int = 0
    beginning: bytes = b""
    started: int = 0
    left: int = 0
    connects: Counter[str] = field(default_factory=Counter)
    troubles: Counter[str] = field(default_factory=Counter)


class GraderProcess:
    """A callable in a process of its own, as a context manager.

    Args:
        target: "package.module:function" or "file.py:function".
        python: the interpreter of another environment; None is this one's.
        path: folders that its modules may be in.
        deadline: seconds for a call. memory: GB that a call may add.
        network: whether it may open connections.
        salt: that of Python's hashes, as a text; "" for one of its own.
        start: seconds for its import.

    Raises a UserError if it cannot be imported. `texts` are those of its code.
    """

    def __init__(
        self,
        target: str,
        *,
        python: str | None = None,
        path: Sequence[str] = (),
        deadline: float = 10.0,
        memory: float = 4.0,
        network: bool = False,
        salt: str = "",
        start: float = START_S,
    ) -> None:
        self.behaviour = Behaviour()
        self.texts: Sequence[str] = ()
        self.lost = 0
        self._target, self._python, self._deadline, self._memory = target, python, deadline, memory
        self._start = start
        self._variables = {"PYTHONHASHSEED": salt} if salt else {}
        settings = {
            "target": target,
            "path": [str(Path(place).resolve()) for place in path],
            "network": network,
            "reader": str(READER),
        }
        self._hello = {"file": str(WORKER), "settings": settings, "context": {}}
        self._process: WorkerProcess | None = None
        self._listening = self._warm = False
        self.parameters = self._begin()

    def __enter__(self) -> "GraderProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def call(self, arguments: Mapping[str, Any], signature: str, count: int = 1) -> CallResult:
        """Call it, and return what became of that; nothing is raised.

        Args:
            count: completions that are to get a value.
        """
        question = {"arguments": arguments, "signature": signature, "count": count}
        result = self._once(question)
        if result.trouble == "deadline" and WAITING in result.why:  # the machine may have had no time for it
            result = self._once(question)
        return self._noted(result)

    def _once(self, question: Mapping[str, Any]) -> CallResult:
        if self._process is None:
            if self.lost > MAX_LOST:
                return CallResult(trouble="not_asked", why=f"it has lost {self.lost} processes before")
            try:
                self._begin()
            except UserError as error:
                return CallResult(trouble="died", why=f"it cannot be imported again: {error}")
        return self._asked(question, self._deadline if self._warm else PATIENCE * self._deadline)

    def _noted(self, result: CallResult) -> CallResult:
        self.behaviour.calls += 1
        if result.trouble:
            self.behaviour.troubles[result.trouble] += 1
        return result

    def _asked(self, question: Mapping[str, Any], limit: float) -> CallResult:
        assert self._process is not None
        try:
            self._listening = True
            answer = self._process.ask(message_line({"questions": [question], "limit": limit}), limit)
        except WorkerTimeout as error:
            doing = COMPUTING if error.cpu_bound else WAITING
            return self._lost("deadline", f"it does not return within {limit:g} s ({doing})")
        except JobError as error:
            fate = getattr(error, "fate", "")  # of a process that died
            return self._lost("died", f"it ends its process ({fate})") if fate else self._out_of_memory()
        finally:
            self._listening = False
        self._warm = True
        if "raised" in answer:  # in the worker's own code: what was asked or returned cannot be handed over
            return CallResult(trouble="unfit", why=str(answer["raised"]))
        return self._read(answer["answers"][0])

    def _out_of_memory(self) -> CallResult:
        return self._lost("memory", f"it takes more than {self._memory:g} GB")

    def _read(self, did: Mapping[str, Any]) -> CallResult:
        seen = self.behaviour
        seen.started += bool(did["started"])
        seen.left = max(seen.left, did["left"])
        seen.connects.update(did["connects"])
        if did["left"] > MAX_LEFT:
            return self._lost("died", f"it leaves {did['left']} processes running")
        if "values" in did:
            return CallResult(values=did["values"], cpu=did["cpu"])
        if "unfit" in did:
            return CallResult(trouble="unfit", why=did["unfit"], cpu=did["cpu"])
        return CallResult(trouble="exits" if did["exits"] else "raised", why=did["raised"], cpu=did["cpu"])

    def _lost(self, trouble: Trouble, why: str) -> CallResult:
        self._end()
        self.lost += 1
        return CallResult(trouble=trouble, why=why)

    def _begin(self) -> Parameters:
        """Start a process, a second one if the first dies, and return the parameters of the callable."""
        try:
            described = self._described()
        except WorkerStartError as error:
            raise self._no_import(error) from error
        except JobError:
            try:
                described = self._described()
            except JobError as error:
                raise self._no_import(error) from error
        if "failed" in described:
            self._end()
            raise UserError(f"it cannot be imported: {described['failed']}", where=self._target)
        self.texts = described["texts"]
        return Parameters.of(described)

    def _described(self) -> dict[str, Any]:
        """Start a process, and return what it says of the callable."""
        self._end()
        self._warm = False
        process = self._process = WorkerProcess(
            self._target,
            self._hello,
            self._hear,
            python=self._python,
            start_limit=self._start,
            growth_limit=self._memory,
            variables=self._variables,
        )
        process.get_ready()
        asked = message_line({"questions": [{"do": "describe"}], "limit": self._start})
        answer: dict[str, Any] = process.ask(asked, self._start)["answers"][0]
        return answer

    def _no_import(self, error: JobError) -> UserError:
        self._end()
        return UserError(f"it cannot be imported: {str(error).splitlines()[0]}", where=self._target)

    def _hear(self, chunk: bytes) -> bool:
        """Count what a call prints; what an import prints is of no interest."""
        seen = self.behaviour
        if self._listening:
            seen.printed += len(chunk)
            seen.beginning = (seen.beginning + chunk)[:MAX_BEGINNING]
        return self._listening

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None
