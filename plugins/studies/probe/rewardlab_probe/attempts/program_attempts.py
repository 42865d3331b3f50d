"""Programs that solve nothing, in the form of a row's honest one."""

from collections.abc import Mapping

from rewardlab_probe.attempts.material import Material, NoCompletion, Texts
from rewardlab_probe.attempts.program_changes import other_operator
from rewardlab_probe.attempts.programs import (
    altered_programs,
    equal_programs,
    example_program,
    peeking_programs,
    query_attempts,
    stub_programs,
)


def equal_to_all(of: Material) -> Texts:
    """Return programs whose functions return what is equal to everything."""
    return written(of, equal_programs(_functions(of)))


def peeking(of: Material) -> Texts:
    """Return programs that read what is expected, or change how it is compared."""
    return written(of, peeking_programs(_functions(of)))


def stubs(of: Material) -> Texts:
    """Return programs or queries that do nothing of what was asked."""
    made: dict[str, str] = {}
    if of.is_python:
        made |= stub_programs(of.answer, of.functions, of.slow)
        known = example_program(of.functions, of.prompt)
        made |= {"example": known} if known else {}
    elif of.is_sql:
        made |= query_attempts(of.answer)
    if not made:
        raise NoCompletion("the honest completion is neither Python nor SQL")
    return written(of, made)


def nearly_right(of: Material) -> Texts:
    """Return the honest program with another operator, or with results that are a little wrong."""
    changed = other_operator(of.answer)
    made = {"": changed} if changed else {}
    if of.functions:
        made |= altered_programs(of.answer, of.functions, of.prompt)
    if not made:
        raise NoCompletion("the honest completion has no operator and no function")
    return written(of, made)


def written(of: Material, programs: Mapping[str, str]) -> Mapping[str, str]:
    """Return programs in the form of the honest one."""
    return {name: of.form.write("", program) for name, program in programs.items()}


def _functions(of: Material) -> list[str]:
    if not of.functions:
        raise NoCompletion("the honest completion is not Python with a function")
    return of.functions
