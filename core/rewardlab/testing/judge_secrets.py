"""The law `secrets` of judges: what an environment variable holds that an option names is told nowhere."""

import json
import os
import secrets as random
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError

from rewardlab.judging.answers import identity
from rewardlab.specs import Config
from rewardlab.testing.outcome import Broken, NothingToTry, Untried
from rewardlab.testing.questions import opened, questions, reply_of
from rewardlab.testing.trial import Trial
from rewardlab.types import Ask
from rewardlab.uses import JudgeUse

VARIABLE = "REWARDLAB_LAW_SECRET"
AROUND = 100
"""characters on either side of a value that is told"""


def secrets(tested: Trial) -> int:
    """Each such option names a variable with a random value; the judge is built and asked, a blank question too."""
    names = [name for name in tested.spec.config.model_fields if name.endswith("_env")]
    if not names:
        raise NothingToTry("no option names a variable: none ends in _env")
    for name in names:
        options = _naming(tested, name)
        with _a_secret() as value:
            for where, text in _told(tested, options):
                if value in text:
                    raise Broken(_leak(name, where, text, value))
    return len(names)


def _naming(tested: Trial, name: str) -> Config:
    """The options with one that names the variable, as a text or in a mapping, and without others that name some."""
    own = tested.options.model_dump(by_alias=True, exclude_unset=True)
    known = {option: value for option, value in own.items() if not option.endswith("_env")}
    for value in (VARIABLE, {"X-Law": VARIABLE}, [VARIABLE]):
        try:
            return tested.spec.config.model_validate({**known, name: value})
        except ValidationError:
            continue
    raise Untried(f"needs an option {name} that takes the name of a variable, as a text or in a mapping")


@contextmanager
def _a_secret() -> Iterator[str]:
    value, before = f"sk-{random.token_hex(16)}", os.environ.get(VARIABLE)
    os.environ[VARIABLE] = value
    try:
        yield value
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


def _told(tested: Trial, options: Config) -> Iterator[tuple[str, str]]:
    """(where, what) is told of the judge."""
    known = identity(tested.spec, JudgeUse(use=tested.use), options)
    yield "its identity", json.dumps(known, default=repr, ensure_ascii=False)
    with opened(tested, options) as (judge, run):
        for ask in (*questions(tested)[:1], Ask()):
            yield "its text form", f"{judge!r} {judge}"
            try:
                yield "the error of its reply", run(reply_of(judge, ask)).error or ""
            except Exception as error:
                yield "what it raises", _with_its_causes(error)
        yield "its text form", f"{judge!r} {judge}"


def _with_its_causes(error: BaseException) -> str:
    """Its text and that of every exception that hangs on it, those that a traceback leaves out, too."""
    said, left, seen = "".join(traceback.format_exception_only(error)), [error], set[int]()
    while left:
        one = left.pop()
        if id(one) not in seen:
            seen.add(id(one))
            said += f"\n{one!r} {one} {vars(one)!r}"
            left += filter(None, (one.__cause__, one.__context__))
    return said


def _leak(name: str, where: str, text: str, value: str) -> str:
    place = text.index(value)
    around = text[max(0, place - AROUND) : place + len(value) + AROUND].replace(value, f"${VARIABLE}")
    return f"under {name}: {VARIABLE}, looked into {where}\ngot {around!r}\nexpected it without the variable's value"
