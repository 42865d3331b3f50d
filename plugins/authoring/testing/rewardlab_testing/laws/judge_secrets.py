"""The law `secrets` of judges: the value of an environment variable that an option names shows up nowhere."""

import json
import os
import secrets as random
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError
from rewardlab import Ask, Config
from rewardlab.judging import judge_identity
from rewardlab.recipe import JudgeUse

from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.harness.judge_harness import ask_strictly, open_judge, questions
from rewardlab_testing.outcomes.outcome import LawViolation, NothingToTry, UnmetNeed

VARIABLE = "REWARDLAB_LAW_SECRET"
AROUND = 100
"""characters shown on either side of a value that was found"""


def secrets(tested: ComponentUnderTest) -> int:
    """Build and ask the judge for each option that names a variable, which then holds a random value; look for that."""
    names = [name for name in tested.spec.config.model_fields if name.endswith("_env")]
    if not names:
        raise NothingToTry("no option names a variable: none ends in _env")
    for name in names:
        options = _options_with(tested, name)
        with _secret_in_environment() as value:
            for where, text in _texts(tested, options):
                if value in text:
                    raise LawViolation(_leak(name, where, text, value))
    return len(names)


def _options_with(tested: ComponentUnderTest, name: str) -> Config:
    """Return the options with `name` set to our variable, as text or in a mapping, and without others of this sort."""
    own = tested.options.model_dump(by_alias=True, exclude_unset=True)
    known = {option: value for option, value in own.items() if not option.endswith("_env")}
    for value in (VARIABLE, {"X-Law": VARIABLE}, [VARIABLE]):
        try:
            return tested.spec.config.model_validate({**known, name: value})
        except ValidationError:
            continue
    raise UnmetNeed(f"needs an option {name} that takes the name of a variable, as a text or in a mapping")


@contextmanager
def _secret_in_environment() -> Iterator[str]:
    value, before = f"sk-{random.token_hex(16)}", os.environ.get(VARIABLE)
    os.environ[VARIABLE] = value
    try:
        yield value
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


def _texts(tested: ComponentUnderTest, options: Config) -> Iterator[tuple[str, str]]:
    """Yield (where, text) for everything that the judge shows to others; a blank question is asked, too."""
    known = judge_identity(tested.spec, JudgeUse(use=tested.use), options)
    yield "its identity", json.dumps(known, default=repr, ensure_ascii=False)
    with open_judge(tested, options) as (judge, run):
        for ask in (*questions(tested)[:1], Ask()):
            yield "its text form", f"{judge!r} {judge}"
            try:
                yield "the error of its reply", run(ask_strictly(judge, ask)).error or ""
            except Exception as error:
                yield "what it raises", _with_causes(error)
        yield "its text form", f"{judge!r} {judge}"


def _with_causes(error: BaseException) -> str:
    """Return the texts of an exception and of all its causes and contexts, including those that tracebacks omit."""
    text, left, seen = "".join(traceback.format_exception_only(error)), [error], set[int]()
    while left:
        raised = left.pop()
        if id(raised) not in seen:
            seen.add(id(raised))
            text += f"\n{raised!r} {raised} {vars(raised)!r}"
            left += filter(None, (raised.__cause__, raised.__context__))
    return text


def _leak(name: str, where: str, text: str, value: str) -> str:
    place = text.index(value)
    around = text[max(0, place - AROUND) : place + len(value) + AROUND].replace(value, f"${VARIABLE}")
    return f"under {name}: {VARIABLE}, looked into {where}\ngot {around!r}\nexpected it without the variable's value"
