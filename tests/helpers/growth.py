"""How the work of a component grows with a hostile text: twice as long a text may take twice the work, not four times.

A component is tried by the examples of its laws, as `rewardlab.testing` builds them: rewards on completions, and
rewards and data steps that ask judges on their replies. What is compared is processor time of a process of its own at
a fourth of the length and at all of it, and only where it is more than a trifle.
"""

import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from rewardlab import Completion
from rewardlab.errors import JobError
from rewardlab.registry import installed
from rewardlab_testing.harness.component_under_test import ComponentUnderTest, open_trial
from rewardlab_testing.harness.dataset_rows import StepSource, read_rows
from rewardlab_testing.harness.reward_harness import fresh_bench
from rewardlab_testing.laws.reward_laws import cases
from rewardlab_testing.laws.run_laws import examples_of
from rewardlab_testing.outcomes.outcome import BuildFailure, UnmetNeed

WHOLE = 50_000
TRIFLE_S = 0.05
"""seconds of processor time for a text, of which not even a quadratic reader takes one for four times the text"""
MAX_OF_PART = 6
"""times the work for a fourth of the text, above which four times the text is looked at, too"""
MAX_GROWTH = 9
"""times the work for four times the length: a linear reader takes 4, a quadratic one 16"""
MAX_S = 20
LIMIT_S = 600
"""seconds of processor time for all shapes"""
SKIPPED = 77
AT_START = [
    *("a", "é", "字", "0", " ", "\n", "{", "}", "[", "(", "<", "`", '"', "\\", "*", "- ", "word. ", "a b ", "1,", "1/"),
    *("a@", "://", "<think>", "</think>", "<answer>", "\\boxed{", "\\boxed{\n", '{"score": ', '"a": "', "<|im_start|>"),
    *("The answer is ", "not ", "A or ", "(A) ", "**A", "\\[", "$", "\\text{", "a.\n\n", "A: "),
]
IN_A_BOX = ["\\text{", "\\frac{", "\\mathrm{", "\\left(", "{", "(", "1,", "A, ", "x=", " "]
MAX_FRAGMENTS = 4
MAX_SAID = 50
MAX_ROWS = 2
Made = Callable[[int], str]


def many(unit: str, before: str = "", after: str = "") -> Made:
    """Return what makes a text of as many of a unit as a length has room for, between other texts."""
    return lambda length: before + unit * (length // len(unit)) + after


def shapes(known: Sequence[str]) -> Iterator[tuple[str, Made]]:
    """Yield (what it is, a function of a length that makes such a text). known: texts that a component understands."""
    for unit in AT_START:
        yield f"many {unit!r}", many(unit)
    for opening in ("\\boxed ", "\\boxed{"):
        for unit in IN_A_BOX:
            yield f"{opening!r} + many {unit!r}", many(unit, before=opening)
    for text in known:
        for unit in _fragments(text):
            yield f"many {unit!r}", many(unit)
            yield f"many {unit!r} before {text!r}", many(unit, after=text)


def _fragments(text: str) -> list[str]:
    """Return beginnings of a text that end behind a sign, which leave open what it opens."""
    ends = [place + 1 for place, sign in enumerate(text) if not sign.isalnum() and not sign.isspace()]
    step = max(1, len(ends) // MAX_FRAGMENTS)
    return [text[:end] for end in ends[::step]][:MAX_FRAGMENTS]


def names(kind: str) -> list[str]:
    """Return the names of all installed components of a kind."""
    return [f"{plugin.name}/{name}" for plugin in installed() for of, name in plugin.specs if of == kind]


def try_component(kind: str, use: str) -> None:
    """Read every shape with a component, under the options of each of its examples, in this process.

    It ends by a signal where that takes too much work, and with SKIPPED if no example can be built here.
    """
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S + 5))
    registry = installed()
    spec, plugin = registry.find(kind, use), registry.plugin(use.partition("/")[0])
    tried = 0
    for example in {repr(one.options): one for one in examples_of(spec, plugin)}.values():
        print(f"{use}: {example.title or example.options}", flush=True)
        with suppress(UnmetNeed, BuildFailure), open_trial(spec, example, tries=1, plugin=plugin) as tested:
            tried += TRIES[kind](tested)
    sys.exit(0 if tried else SKIPPED)


def try_readers(names: Sequence[str]) -> None:
    """Read every shape with functions of one text, by their full names, in this process."""
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S + 5))
    for name in names:
        module, _, function = name.rpartition(".")
        read = getattr(import_module(module), function)
        for what, made in shapes([]):
            refuse_growth(f"{name}: {what}", read, made)


def _try_reward(tested: ComponentUnderTest) -> bool:
    known = [*cases.good(tested)[:1], *cases.bad(tested)[:1]]
    items = cases.items(tested.example.sample, known)
    replies = Replies(tested)
    with fresh_bench(tested, judges=replies.judges) as bench:
        bench.score(items)
        for what, made in shapes([one.text for one in known]):
            refuse_growth(f"a completion of {what}", lambda text: bench.raw(_with(items, text)), made)
        replies.refuse_growth(lambda: bench.raw(items))
    return True


def _try_step(tested: ComponentUnderTest) -> bool:
    """Try a data step, and return whether it asks judges."""
    replies = Replies(tested)
    if not replies.judges:
        return False

    def read() -> None:
        source = {"source": StepSource(list(tested.example.source)[:MAX_ROWS])} if tested.spec.step else {}
        with suppress(JobError):  # no reply of such a shape can be used
            read_rows(tested.build(judges=replies.judges, **source), MAX_ROWS)

    read()
    replies.refuse_growth(read)
    return True


TRIES = {"reward": _try_reward, "dataset": _try_step}


class Replies:
    """The replies of an example's judges, to which hostile texts are put once their own are known."""

    def __init__(self, tested: ComponentUnderTest) -> None:
        self._said: list[str] = []
        self._change: Callable[[str], str] = lambda reply: reply
        self.judges = {name: SimpleNamespace(ask=self._asking(judge)) for name, judge in tested.judges.items()}

    def refuse_growth(self, read: Callable[[], object]) -> None:
        """Raise an AssertionError if the work of reading all over again is out of proportion to its replies."""
        for what, made in shapes(list(dict.fromkeys(self._said))[:2]) if self._said else ():
            for where, joined in REPLIES.items():

                def read_changed(text: str, joined: Any = joined) -> None:
                    self._change = lambda reply: joined(text, reply)
                    read()

                refuse_growth(f"a reply of {what}{where}", read_changed, made)

    def _asking(self, judge: Any) -> Callable[[Any], Any]:
        async def ask(question: Any) -> Any:
            reply = await judge.ask(question)
            self._said += [reply.text][: len(self._said) < MAX_SAID]
            return replace(reply, text=self._change(reply.text))

        return ask


REPLIES = {
    "": lambda text, reply: text,
    " before a reply": lambda text, reply: text + reply,
    " behind a reply": lambda text, reply: reply + text,
}


def _with(items: Sequence[tuple[Any, Completion]], text: str) -> list[tuple[Any, Completion]]:
    (sample, first), *others = items
    return [(sample, cases.with_text(first, text)), *others]


def refuse_growth(what: str, read: Callable[[str], object], made: Made) -> None:
    """Raise an AssertionError if the work for four times the text is out of proportion, twice in a row."""
    print(what, flush=True)
    for last in (False, True):
        whole = _seconds(read, made(WHOLE))
        if whole < TRIFLE_S or whole < MAX_OF_PART * _seconds(read, made(WHOLE // 4)):
            return
        assert whole < MAX_S, f"{what}: {whole:.1f} s for {WHOLE:,} characters"
        more = _seconds(read, made(4 * WHOLE))
        if more <= MAX_GROWTH * whole:
            return
        assert not last, f"{what}: {whole:.2f} s for {WHOLE:,} characters, {more:.2f} s for {4 * WHOLE:,}"


def _seconds(read: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    with suppress(ValueError):  # what is too long may be refused
        read(text)
    return time.process_time() - began
