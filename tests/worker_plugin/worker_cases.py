"""A plugin `cases` for the tests of workers."""

import ctypes
import os
import signal
import sys
import time
from decimal import Decimal
from functools import partial
from pathlib import Path

from rewardlab import Config, RewardSpec, Score, hookimpl


class Options(Config):
    factor: float = 1.0
    folder: Path = Path("/nowhere")


class Echo:
    """A reward of ordinary manners: the value is the text's length, `info` tells all that it was given."""

    def __init__(self, options, context):
        self.options, self.context = options, context

    def score(self, items):
        return [self.one(sample, completion) for sample, completion in items]

    def one(self, sample, completion):
        if not completion.text:
            return Score(info={"why": "empty"}) if completion.truncated else Score(error="empty")
        info = {
            "sample": [
                sample.id,
                [dict(message) for message in sample.prompt],
                dict(sample.fields),
                sample.source,
            ],
            "completion": [completion.text, completion.token_count, completion.truncated],
            "context": [self.context.seed, str(self.context.cache_dir), self.context.device],
            "folder": str(self.options.folder),
        }
        return Score(value=len(completion.text) * self.options.factor, info=info)


class Obeys:
    """Does what each text says: a Python expression over this module's names and the reward's `context`."""

    def __init__(self, options, context):
        self.context = context

    def score(self, items):
        results = [eval(completion.text, globals() | {"context": self.context}) for _, completion in items]
        return results[0] if len(results) == 1 else [score for scores in results for score in scores]


def said(value=0.0, **info):
    return [Score(value=value, info=info)]


def pid():
    return said(pid=os.getpid())


def loud():
    print("from Python")
    os.write(1, b"from os.write\n")
    libc = ctypes.CDLL(None)
    libc.puts(b"from C")
    libc.fflush(None)
    sys.__stdout__.write('{"cpu": 0, "scores": [[666, {}, null]]}\n')
    os.system("echo from a program")
    return said(0.5, stdin=sys.stdin.read())


def raised(error):
    raise error


def burn(seconds):
    """Use that much processor time."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    return said()


def hold_gil():
    ctypes.PyDLL(None).sleep(60)


def helper(flag):
    """A forked child of the worker that would outlive it; its id is written to the file `flag`."""
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    Path(flag).write_text(str(child))


def announce(flag):
    """Tell the test, by a file that appears at once with its content, which process this is."""
    Path(flag + ".new").write_text(str(os.getpid()))
    os.replace(flag + ".new", flag)


def die(how=signal.SIGKILL):
    print("last words", file=sys.stderr)
    os.kill(os.getpid(), how)


def die_once(flag):
    if not os.path.exists(flag):
        Path(flag).touch()
        die()
    return said(1.0)


class Grouped:
    """The place of each text by length."""

    async def score(self, stream):
        seen = {index: len(completion.text) async for index, completion in stream}
        order = sorted(seen.values())
        group = await stream.group()
        return [Score(value=float(order.index(len(completion.text)))) for completion in group.completions]


def fails_to_build(options, context):
    print("about to fail", file=sys.stderr)
    raise ImportError("no module named 'heavy'")


def dies_in_build(options, context):
    os._exit(7)


reward = partial(RewardSpec, summary="a case", range=(0.0, 1e9), runs="worker", config=Options)


@hookimpl
def rewardlab_rewards():
    return [
        reward(name="echo", build=Echo),
        reward(name="obeys", build=Obeys),
        reward(name="grouped", scope="group", build=lambda options, context: Grouped()),
        reward(name="fails_to_build", build=fails_to_build),
        reward(name="dies_in_build", build=dies_in_build),
    ]


__all__ = ["Decimal", "announce", "burn", "die_once", "helper", "hold_gil", "loud", "pid", "raised"]
