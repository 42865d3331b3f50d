"""Programs that solve nothing, in the form of a row's honest one."""

from collections.abc import Mapping

from rewardlab_probe.attempts.material import Material, NoCompletion, Texts
from rewardlab_probe.attempts.program_changes import other_operator
from rewardlab_probe.attempts.programs import (
    altered_programs,
    equal_programs,
    peeking_programs,
    query_attempts,
    stub_programs,
)


def equal_to_all(material: Material) -> Texts:
    """Return programs whose functions return what is equal to everything."""
    return written(material, equal_programs(_functions(material)))


def peeking(material: Material) -> Texts:
    """Return programs that read what is expected, or change how it is compared."""
    return written(material, peeking_programs(_functions(material)))


def stubs(material: Material) -> Texts:
    """Return programs or queries that do nothing of what was asked."""
    made: dict[str, str] = {}
    if material.is_python:
        made |= stub_programs(material.answer, material.functions, material.slow)
    elif material.is_sql:
        made |= query_attempts(material.answer)
    if not made:
        raise NoCompletion("the honest completion is neither Python nor SQL")
    return written(material, made)


def nearly_right(material: Material) -> Texts:
    """Return the honest program with another operator, or with results that are a little wrong."""
    changed = other_operator(material.answer)
    made = {"": changed} if changed else {}
    if material.functions:
        made |= altered_programs(material.answer, material.functions, material.prompt)
    if not made:
        raise NoCompletion("the honest completion has no operator and no function")
    return written(material, made)


def written(material: Material, programs: Mapping[str, str]) -> Mapping[str, str]:
    """Return programs in the form of the honest one."""
    return {name: material.form.write("", program) for name, program in programs.items()}


def _functions(material: Material) -> list[str]:
    if not material.functions:
        raise NoCompletion("the honest completion is not Python with a function")
    return material.functions
