"""The grader's side of a probe: imports a callable in its process, says what it wants, and calls it.

A worker file (see `rewardlab.workers`), which imports the standard library only, so that it runs in the grader's own
environment. A question is {"do": "describe"}, answered by {"parameters", "async", "validates", "texts", "file",
"line"} or {"failed"}, or {"arguments", "signature", "count"}: a call, answered by {"values"}, {"raised", "exits"} or
{"unfit"}, and what the call did beside that: {"cpu", "started", "left", "connects"}.
"""

import asyncio
import importlib
import importlib.util
import inspect
import math
import resource
import sys
import traceback
import typing
from collections.abc import Mapping, Sequence
from itertools import islice
from numbers import Real
from pathlib import Path
from typing import Any

MAX_TEXT = 300
"""characters of an exception that are handed on"""
MAX_TEXTS = 400
"""texts of its code that are handed on"""
STARTS = ("os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.spawn", "subprocess.Popen")
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""inspect's words for scores"""
INSPECT_STATE = (
    "from inspect_ai.model import ChatMessageUser, ModelOutput; from inspect_ai.scorer import Target; "
    "from inspect_ai.solver import TaskState; state = lambda asked, answered: TaskState(model='grader', sample_id=1, "
    "epoch=1, input=asked, messages=[ChatMessageUser(content=asked)], "
    "output=ModelOutput.from_content('grader', answered))"
)
"""How a completion becomes what a scorer of inspect reads; a reproduction has the same line."""


def build(settings: Mapping[str, Any], _: Mapping[str, Any]) -> "GraderWorker":
    """Return the worker of `settings`: {"target", "path", "network", "reader"}, the last the file code_texts.py."""
    return GraderWorker(settings)


class UnfitValueError(Exception):
    """What a grader returned is no score."""


class GraderWorker:
    """A callable, and what its calls do beside returning a score."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._target, self._network, self._reader = settings["target"], settings["network"], settings["reader"]
        self._connects: list[str] = []
        self._placed: list[str] = []
        self._started = 0
        self._loop = asyncio.Runner()
        sys.path[:0] = [place for place in settings["path"] if place not in sys.path]
        sys.addaudithook(self._watch)

    def answer(self, questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Answer each question."""
        return [
            self._describe() if question.get("do") == "describe" else self._call(question) for question in questions
        ]

    def _watch(self, event: str, given: tuple[Any, ...]) -> None:
        """Count the processes that the grader starts; refuse connections to anywhere but sockets of files."""
        if event in STARTS:
            self._started += 1
        elif event == "socket.getaddrinfo":
            self._refuse(str(given[0]))
        elif event == "socket.connect" and isinstance(given[1], tuple):
            self._refuse(str(given[1][0]))

    def _refuse(self, host: str) -> None:
        if host not in self._connects:
            self._connects.append(host)
        if not self._network:
            raise PermissionError(f"a probe lets no grader call the network ({host})")

    def _describe(self) -> dict[str, Any]:
        try:
            self._function = function = load(self._target)
            if not callable(function):
                return {"failed": f"{self._target} is {type(function).__name__}, which cannot be called"}
            if inspect.isclass(function):
                return {"failed": f"{self._target} is a class; write {self._target}() for one of it, which is called"}
            parameters = inspect.signature(function).parameters.values()
            self._placed = [p.name for p in parameters if p.kind is p.POSITIONAL_ONLY]
        except (Exception, SystemExit) as error:
            return {"failed": describe(error)}
        code = inspect.unwrap(getattr(function, "__func__", function))
        awaits = inspect.iscoroutinefunction(code) or inspect.iscoroutinefunction(type(function).__call__)
        place = getattr(code, "__code__", None)
        return {
            "parameters": [[p.name, p.kind.name, p.default is p.empty] for p in parameters],
            "async": awaits,
            "validates": _body_type(function) is not None,
            "texts": self._texts(function),
            "file": place.co_filename if place else "",
            "line": place.co_firstlineno if place else 0,
        }

    def _texts(self, function: Any) -> list[str]:
        """Return texts that the code of the grader has."""
        spec = importlib.util.spec_from_file_location("rewardlab_code_texts", self._reader)
        assert spec is not None
        assert spec.loader is not None
        reader = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(reader)
        start = function if inspect.isroutine(function) else type(function).__call__
        return list(islice(reader.code_texts(inspect.unwrap(start)), MAX_TEXTS))

    def _call(self, question: Mapping[str, Any]) -> dict[str, Any]:
        self._started, self._connects = 0, []
        before = _cpu()
        answer: dict[str, Any]
        try:
            named = built(self._function, question["arguments"], question["signature"])
            placed = [named.pop(name) for name in self._placed if name in named]
            returned = self._function(*placed, **named)
            if inspect.isawaitable(returned):
                returned = self._loop.run(_awaited(returned))
            answer = {"values": values_of(returned, question["signature"], question["count"])}
        except UnfitValueError as error:
            answer = {"unfit": str(error)}
        except (Exception, SystemExit, GeneratorExit, asyncio.CancelledError) as error:
            answer = {"raised": describe(error), "exits": isinstance(error, SystemExit | GeneratorExit)}
        did = {"cpu": _cpu() - before, "started": self._started, "left": _children(), "connects": self._connects}
        return answer | did


def load(target: str) -> Any:
    """Return what a target names: "package.module:name", or "file.py:name", with `.attribute` and `()` behind it."""
    place, _, names = target.partition(":")
    file: Path | None = None
    if place.endswith(".py"):
        file = Path(place).resolve()
        sys.path.insert(0, str(file.parent))
        place = file.stem
    value: Any = importlib.import_module(place)
    if file is not None and Path(getattr(value, "__file__", None) or "").resolve() != file:
        raise ImportError(f"{file.name} has the name of another module; call the file something else")
    for name in names.split("."):
        value = getattr(value, name.removesuffix("()"))
        value = value() if name.endswith("()") else value
    return value


def built(function: Any, arguments: Mapping[str, Any], signature: str) -> dict[str, Any]:
    """Return the arguments as the grader takes them: a body or a state is an object."""
    if signature == "nemo_gym":
        kind = _body_type(function)
        return {"body": arguments["body"] if kind is None else kind.model_validate(arguments["body"])}
    if signature == "inspect":
        names: dict[str, Any] = {}
        exec(INSPECT_STATE, names)  # a constant of this file
        state, target = arguments["state"], arguments["target"]
        return {"state": names["state"](state["prompt"], state["completion"]), "target": names["Target"](target)}
    return dict(arguments)


def _body_type(function: Any) -> Any:
    """Return the pydantic type of the parameter `body`; None if it has none."""
    try:
        kind = typing.get_type_hints(function).get("body")
    except (NameError, TypeError):  # a type that is imported for type checkers alone, or an object without types
        return None
    return kind if hasattr(kind, "model_validate") else None


def values_of(returned: Any, signature: str, count: int) -> list[float | None]:
    """Return the score of each completion, None where the grader says nothing. UnfitValueError if they are none."""
    if signature in ("trl", "trl_messages"):
        each = list(returned) if isinstance(returned, list | tuple) or hasattr(returned, "tolist") else None
        if each is None or len(each) != count:
            kind = type(returned).__name__ if each is None else f"{len(each)} values"
            raise UnfitValueError(f"it returns {kind} for {count} completions")
        return [None if value is None else number(value) for value in each]
    if signature == "inspect":
        value = getattr(returned, "value", returned)
        return [GRADES[value] if isinstance(value, str) and value in GRADES else number(value)]
    if signature in ("nemo_gym", "verl", "plain"):
        returned = _part(returned)
    return [number(returned)]


def _part(returned: Any) -> Any:
    """Return the score in a dict, an object with a reward, or a tuple that begins with it."""
    for key in ("score", "reward"):
        if isinstance(returned, Mapping) and key in returned:
            return returned[key]
        if hasattr(returned, key) and not isinstance(returned, Mapping):
            return getattr(returned, key)
    return returned[0] if isinstance(returned, tuple | list) and returned else returned


def number(value: Any) -> float:
    """Return a score as a finite number; UnfitValueError if it is none."""
    if hasattr(value, "item") and not isinstance(value, Real):
        try:
            value = value.item()  # of numpy's bool and torch's tensors
        except Exception:
            raise UnfitValueError(f"it returns {type(value).__name__}, not a number") from None
    if not isinstance(value, Real):
        raise UnfitValueError(f"it returns {'None' if value is None else type(value).__name__}, not a number")
    if not math.isfinite(value):
        raise UnfitValueError(f"it returns {float(value)}")
    return float(value)


def describe(error: BaseException) -> str:
    """Return an exception as "ValueError: text (at file:line)", with the line nearest to it outside of this file."""
    try:
        text = " ".join(str(error).split())[:MAX_TEXT]
    except Exception as another:
        text = f"its message cannot be read: {type(another).__name__}"
    lines = [line for line in traceback.extract_tb(error.__traceback__) if line.filename != __file__]
    place = f" (at {Path(lines[-1].filename).name}:{lines[-1].lineno})" if lines else ""
    return f"{type(error).__name__}{': ' if text else ''}{text}{place}"


async def _awaited(awaitable: Any) -> Any:
    return await awaitable


def _cpu() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _children() -> int:
    """Return how many processes that were started here still run, those that have ended and wait to be read apart."""
    try:
        children = [child for task in Path("/proc/self/task").glob("*/children") for child in task.read_text().split()]
        return sum(Path(f"/proc/{child}/stat").read_bytes().rpartition(b") ")[2][:1] != b"Z" for child in children)
    except OSError:  # no Linux, or one of them has just ended
        return 0
