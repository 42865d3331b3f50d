"""What does as each text says: a reward of the plugin `cases`, and by itself a worker file."""

import ctypes
import itertools
import os
import signal
import sys
import time
from decimal import Decimal
from pathlib import Path

Score = dict  # the plugin puts rewardlab's in its place


class Obeys:
    """Scores are the values of the texts: Python expressions over this module's names, `context` and `sample`."""

    def __init__(self, context):
        assert ("rewardlab" in sys.modules) == (Score is not dict)
        self.context, self.sample = context, None

    def score(self, items):
        self.sample = items[0][0]
        return self.answer([completion.text for _, completion in items])

    def answer(self, texts):
        results = [eval(text, globals() | {"context": self.context, "sample": self.sample}) for text in texts]
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


def crunch():
    """Compute without end in eight children, each a session of its own: sessions share a crowded machine."""
    for number in itertools.count():
        if number >= 8:
            os.wait()
        if os.fork() == 0:
            os.setsid()
            burn(0.01)
            os._exit(0)


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


def take(gigabytes):
    """Use that much memory, for as long as it takes."""
    kept = []
    while len(kept) * 0.01 < gigabytes:
        kept.append(b"x" * 10_000_000)
    time.sleep(60)


def helper(flag, session=False):
    """A forked child of the worker that would outlive it; its id is written to the file `flag`."""
    child = os.fork()
    if child == 0:
        if session:
            os.setsid()
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


def build(settings, context):
    return Obeys(context)


__all__ = [
    "Decimal",
    "announce",
    "build",
    "burn",
    "crunch",
    "die_once",
    "helper",
    "hold_gil",
    "loud",
    "pid",
    "raised",
    "take",
]
