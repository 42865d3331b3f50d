"""The program of a worker process: builds one reward or worker file and answers requests, as JSON lines.

It is run by path (`python -P program.py`) and imports the standard library only, so that it also runs in an
environment without rewardlab. Requests come on stdin, answers leave on what was stdout; whatever the plugin
prints, from Python or from C, goes to stderr. When stdin ends, the process ends at once, even in the middle of a call.

First comes the host's hello: {path: sys.path or null, context, limit} with the {use, options} of a reward or the {file,
settings} of a worker file. It is answered by {cpu} or {failed}. Then a reward answers each request {samples,
completions: [[index of its sample, completion], ...], limit} by {scores: [[value, info, error], ...], cpu}, and a
worker file each {questions, limit} by {answers, cpu}; both answer {raised, cpu} if the plugin raises. `limit` is in
seconds; `cpu` is the processor time, in seconds, that this process has used so far. Each request has a `number`, with
which its answer begins.

A worker file never sees rewardlab. It defines `build(settings: dict, context: dict)`, which returns an object with
`answer(questions: list) -> list`, one JSON value for each.
"""

import faulthandler
import importlib.util
import io
import json
import os
import queue
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.machinery import SourceFileLoader
from numbers import Real
from pathlib import Path
from typing import Any

MARK = b'{"rewardlab worker": 1'  # begins the answer to the hello, unlike whatever start-up prints on stdout
MAX_MESSAGE_LENGTH = 1 << 16
"""characters of an error, which the host cuts when it has hidden the secrets in them"""

Answer = Callable[[Mapping[str, Any]], bytes]
"""From a request to the answer's own member, as JSON: b'"scores": [...]'."""


def main() -> None:
    """Answer requests until stdin ends."""
    # a scheduler sends it to every process of a job; the host hears it, too, and ends this one when it is done
    signal.signal(signal.SIGTERM, lambda *_: None)  # not SIG_IGN, which programs that a reward starts would inherit
    requests, answers = _claim_pipes()
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests, lines), daemon=True).start()
    answer: Answer | None = None
    while True:
        request = json.loads(lines.get())
        # This ends the process without the GIL, in case the thread that sees the end of stdin cannot get it.
        faulthandler.dump_traceback_later(request["limit"] * 1.1 + 1.0, exit=True)
        if answer is None:
            line, answer = _start(request)
        else:
            line = _answer(answer, request)
        faulthandler.cancel_dump_traceback_later()
        _write(answers, line)


def helpers_of(pid: int) -> list[int]:
    """Return the processes that a process and its helpers started, also those with a session of their own (Linux)."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
        except (OSError, IndexError):  # it has ended
            continue
        parents.setdefault(parent, []).append(int(folder.name))
    helpers = list(parents.get(pid, ()))
    for helper in helpers:
        helpers += parents.get(helper, ())
    return helpers


def kill_all(processes: Sequence[int]) -> None:
    """Kill processes, those that have ended apart."""
    for pid in processes:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue


def _claim_pipes() -> tuple[int, int]:
    """Return the pipes to the host, moved out of reach of whatever reads fd 0 or writes fd 1."""
    requests, answers = os.dup(0), os.dup(1)
    devnull = os.open(os.devnull, os.O_RDONLY)
    os.dup2(devnull, 0)
    os.close(devnull)
    os.dup2(2, 1)
    for stream in (sys.stdout, sys.stderr):
        assert isinstance(stream, io.TextIOWrapper)
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    faulthandler.enable()
    os.register_at_fork(after_in_child=_close_in_helpers(answers))
    return requests, answers


def _close_in_helpers(answers: int) -> Callable[[], None]:
    """Return a function that closes the pipe in a helper forked by the reward.

    The host sees by the end of the pipe that the worker died, so that no helper may hold it open.
    """
    held = [answers]

    def close_in_child() -> None:
        if held:  # else this is a helper's helper
            os.close(held.pop())

    return close_in_child


def _read(requests: int, lines: "queue.SimpleQueue[bytes]") -> None:
    with open(requests, "rb", closefd=False) as stream:
        for line in stream:
            lines.put(line)
    kill_all(helpers_of(os.getpid()))
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)  # with the helpers that the reward started
    os._exit(0)


def _write(answers: int, answer: bytes) -> None:
    rest = memoryview(answer)
    while rest:
        rest = rest[os.write(answers, rest) :]


def _start(hello: Mapping[str, Any]) -> tuple[bytes, Answer | None]:
    answer: Answer | None = None
    outcome: dict[str, Any] = {}
    try:
        if hello["path"] is not None:
            sys.path[:] = hello["path"]
        answer = _from_file(hello) if "file" in hello else _from_registry(hello)
        outcome["cpu"] = _cpu_seconds()
    except (Exception, SystemExit, GeneratorExit) as error:  # a plugin may raise anything while it is imported or built
        outcome["failed"] = _describe(error)
    # The newline ends what start-up may have printed on stdout.
    return b"\n" + MARK + b", " + json.dumps(outcome).encode()[1:] + b"\n", answer


def _answer(answer: Answer, request: Mapping[str, Any]) -> bytes:
    try:
        member = answer(request)
        return b'{"number": %d, "cpu": %f, %s}\n' % (request["number"], _cpu_seconds(), member)
    except (Exception, SystemExit, GeneratorExit) as error:  # a plugin's exception becomes an answer
        raised = {"number": request["number"], "cpu": _cpu_seconds(), "raised": _describe(error)}
        return json.dumps(raised).encode() + b"\n"


def _from_registry(hello: Mapping[str, Any]) -> Answer:
    from rewardlab.plan.unused_async import unawaited
    from rewardlab.registry.registry import installed
    from rewardlab.specs import Context
    from rewardlab.types import Completion, Sample, Score

    spec: Any = installed().find("reward", hello["use"])
    given = hello["context"]
    context = Context(
        seed=given["seed"], judges=_NoJudges(), cache_dir=Path(given["cache_dir"]), device=given["device"]
    )
    reward = spec.build(spec.config.model_validate(hello["options"]), context)
    if wrong := unawaited(spec, reward):
        raise TypeError(wrong)
    score_all = _group_wise(reward) if spec.scope == "group" else reward.score

    def answer(request: Mapping[str, Any]) -> bytes:
        known = [
            Sample(**{**sample, "fields": _Fields(sample["fields"], left_out)})
            for sample in request["samples"]
            for left_out in [sample.pop("left_out", {})]
        ]
        scores = score_all([(known[index], Completion(**completion)) for index, completion in request["completions"]])
        return b'"scores": ' + _encode([[s.value, dict(s.info), s.error] for s in _list_of(Score, scores)])

    return answer


def _group_wise(reward: Any) -> Callable[[Sequence[tuple[Any, ...]]], Any]:
    import asyncio

    from rewardlab.group_stream import GroupStream
    from rewardlab.types import Group

    loop = asyncio.Runner()

    def score(items: Sequence[tuple[Any, ...]]) -> Any:
        group = Group(sample=items[0][0], completions=tuple(completion for _, completion in items))
        return loop.run(reward.score(GroupStream.of(group)))

    return score


def _from_file(hello: Mapping[str, Any]) -> Answer:
    name = f"rewardlab_worker_{Path(hello['file']).stem}"  # not the name of a library that it may import
    loader = SourceFileLoader(name, hello["file"])
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    worker = module.build(hello["settings"], hello["context"])

    def answer(request: Mapping[str, Any]) -> bytes:
        answers = worker.answer(request["questions"])
        if not isinstance(answers, list):
            raise TypeError(f"answer returned {type(answers).__name__}, not a list")
        return b'"answers": ' + json.dumps(answers).encode()

    return answer


class _Fields(dict[str, Any]):
    """The fields of a row, some of which could not be handed over: reading one raises, so that none seems absent."""

    def __init__(self, fields: Mapping[str, Any], left_out: Mapping[str, str]) -> None:
        super().__init__(fields)
        self._left_out = left_out

    def __missing__(self, name: str) -> Any:
        if name in self._left_out:
            raise TypeError(f"{self._left_out[name]}, and a process of its own is handed nothing else")
        raise KeyError(name)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self or name in self._left_out else default


class _NoJudges(Mapping[str, Any]):
    """The stand-in for judges in a worker: every access raises, and no KeyError, which `get` and `in` would hide."""

    def __getitem__(self, name: str) -> Any:
        raise RuntimeError(f"judge {name!r}: a judge cannot be asked from a worker; use runs='async'")

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def _list_of(kind: type, scores: Any) -> Sequence[Any]:
    if not isinstance(scores, list | tuple):
        raise TypeError(f"score returned {type(scores).__name__}, not a list of {kind.__name__}")
    for position, score in enumerate(scores):
        if not isinstance(score, kind):
            raise TypeError(f"score returned {type(score).__name__} at {position}, not a {kind.__name__}")
    return scores


def _encode(scores: list[Any]) -> bytes:
    for score in scores:
        if isinstance(score[0], Real) and not isinstance(score[0], int):
            score[0] = float(score[0])  # numpy's numbers are reals that JSON does not know
    try:
        return json.dumps(scores).encode()
    except (TypeError, ValueError, RecursionError) as error:
        for position, (value, info, _) in enumerate(scores):
            problem = describe_non_json({"value": value}, "score") or describe_non_json(info, "info")
            if problem:
                raise TypeError(f"score {position}: {problem}") from error
        raise


def describe_non_json(values: Any, name: str) -> str | None:
    """Return which of a dict's values JSON cannot carry, as "info['x'] is not a JSON value: ..."; None for none."""
    if not isinstance(values, dict):
        return f"{name} is {type(values).__name__}, not a dict"
    for key, value in values.items():
        try:
            json.dumps({key: value})
        except (TypeError, ValueError, RecursionError) as error:
            return f"{name}[{key!r}] is not a JSON value: {error}"
    return None


def _describe(error: BaseException) -> str:
    """Return an exception as "ValueError: text (at file:line)", where the line is the one that raised it."""
    try:
        text = " ".join(str(error).split())
    except Exception as another:
        text = f"its message cannot be read: {type(another).__name__}"
    text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if len(text) > MAX_MESSAGE_LENGTH:
        text = text[: MAX_MESSAGE_LENGTH - 3] + "..."
    line = traceback.extract_tb(error.__traceback__)[-1]
    return text if line.filename == __file__ else f"{text} (at {line.filename}:{line.lineno})"


def _cpu_seconds() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    main()
