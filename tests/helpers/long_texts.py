"""Long texts of the shapes that make careless patterns quadratic, and the check that a reader takes them in its stride.

A policy that has collapsed writes such texts, and so does a server that breaks. What is bounded is work, processor time
of a process of its own: a linear reader takes some hundredths of a second for each, a quadratic one minutes, in one
call that nothing interrupts.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator

from helpers.paths import TESTS

LENGTH = 400_000
LIMIT_S = 60
"""seconds of processor time for all shapes, several times what linear readers take"""
UNITS = [
    *("a", "A", "é", "字", "0", " ", "\n", "\t", "{", "}", "{}", "(", "[", "\\", "$"),
    *("^", "_", "-", "=", "*", "`", '"', "a b ", "word. ", "1,", "1.", "1 ", "a@", "://"),
    *("\\boxed", "\\boxed ", "\\boxed{", "\\boxed{\n", "\\boxed{}", "\\boxed{A}", "\\text{", "\\frac{", "\\(", "\\["),
    *("<think>", "</think>", "<answer>", "</answer>", "<title>", "<title"),
]
OPENINGS = ["", "\\boxed{", "<think>", "1"]
ENCLOSING = [("```", "```"), ("$", "$"), ("\\[", "\\]"), ("\\boxed{", "}"), ("", "@"), ("", "://")]
ENCLOSED = ["a", "a ", "0", "字", "a://u:p/", '\\"']
"""what stands between an opener and its closer, which comes only at the end"""


def shapes(length: int) -> Iterator[tuple[str, str]]:
    """Yield (what it is, text of that length)."""
    for opening in OPENINGS:
        for unit in UNITS:
            yield f"{opening!r} + many {unit!r}", (opening + unit * (length // len(unit) + 1))[:length]
    for opener, closer in ENCLOSING:
        for unit in ENCLOSED:
            yield f"many {unit!r} in {opener!r}, {closer!r}", opener + unit * (length // len(unit)) + closer


def reward(use: str, **fields: str) -> str:
    """Return the reader that scores a completion by a reward with its default options, for a row with these fields."""
    return (
        "from rewardlab import Completion, Context, Sample; from rewardlab.registry import Registry; "
        f"spec = Registry().find('reward', {use!r}); reward = spec.build(spec.config(), Context()); "
        f"sample = Sample(id='a', prompt=({{'role': 'user', 'content': '?'}},), fields={fields!r}); "
        "reward.score([(sample, Completion(text=text))])"
    )


def assert_linear(reader: str, length: int = LENGTH) -> None:
    """Assert that a reader ("import statements; an expression of `text`") reads each shape within the limit."""
    program = f"import helpers.long_texts as long_texts\n{reader.rpartition(';')[0]}\n"
    program += f"long_texts.read_all(lambda text: {reader.rpartition(';')[2]}, {length})"
    paths = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        encoding="utf-8",
        timeout=20 * LIMIT_S,
    )
    last = done.stdout.splitlines()[-1:]
    assert done.returncode == 0, f"{reader}: ended with {done.returncode} while it read {last}\n{done.stderr[-2000:]}"


def read_all(read, length: int) -> None:
    """Read every shape in this process, which ends by a signal where that takes too much work."""
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
    for what, text in shapes(length):
        print(what, flush=True)
        read(text)
