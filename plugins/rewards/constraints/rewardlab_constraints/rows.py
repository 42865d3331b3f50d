"""Read the instructions of a row, or say what is wrong with them, with the place in the row."""

from collections.abc import Mapping
from typing import Any

from rewardlab import Sample
from rewardlab.errors import nearest

from rewardlab_constraints.instruction_check import CHECKS, Instruction, InstructionCheck
from rewardlab_constraints.language_rules import LanguageRules, language_of
from rewardlab_constraints.options import FollowingOptions


def instructions_of(options: FollowingOptions, sample: Sample) -> list[Instruction]:
    """Return the instructions of a row, in order. Raises ValueError that names the field, the place and the key."""
    names, given = sample.fields.get(options.instructions), sample.fields.get(options.arguments)
    if not isinstance(names, list | tuple) or not names or not all(isinstance(name, str) for name in names):
        raise ValueError(
            f"field {options.instructions!r}: a list of names of instructions is needed, not {_shown(names)}"
        )
    if given is None:
        given = [{}] * len(names)
    if not isinstance(given, list | tuple) or len(given) != len(names):
        raise ValueError(
            f"field {options.arguments!r}: a list of {len(names)} mappings is needed, one for each instruction, "
            f"not {_shown(given)}"
        )
    return [
        Instruction(found := _check(options, place, name), _arguments(options, place, found, values))
        for place, (name, values) in enumerate(zip(names, given, strict=True))
    ]


def language_in(options: FollowingOptions, sample: Sample) -> LanguageRules:
    """Return the language of a row; English if it has none. Raises ValueError for one that is no text."""
    tag = sample.fields.get(options.language)
    if tag is not None and (not isinstance(tag, str) or not tag.strip()):
        raise ValueError(f"field {options.language!r}: a code or name of a language is needed, not {_shown(tag)}")
    return language_of("en" if tag is None else tag)


def _check(options: FollowingOptions, place: int, name: str) -> InstructionCheck:
    if name not in CHECKS:
        raise ValueError(f"{options.instructions}[{place}]: no instruction {_shown(name)}{nearest(name, CHECKS)}")
    return CHECKS[name]


def _arguments(options: FollowingOptions, place: int, check: InstructionCheck, values: Any) -> dict[str, Any]:
    where = f"{options.arguments}[{place}]"
    if values is None:
        values = {}
    if not isinstance(values, Mapping):
        raise ValueError(f"{where}: a mapping of the arguments of {check.name} is needed, not {_shown(values)}")
    given = {key: value for key, value in values.items() if value is not None}
    for key in given:
        if key not in check.arguments:
            takes = nearest(str(key), check.arguments) if check.arguments else "; it takes none"
            raise ValueError(f"{where}: {check.name} has no argument {_shown(key)}{takes}")
    for key in check.arguments:
        if key not in given:
            raise ValueError(f"{where}: {check.name} needs {key!r}")
    return {key: _argument(f"{where}.{key}", check, key, value) for key, value in given.items()}


def _argument(where: str, check: InstructionCheck, key: str, value: Any) -> Any:
    try:
        return check.arguments[key](value)
    except ValueError as error:
        raise ValueError(f"{where}: {error}, not {_shown(value)} ({check.name})") from None


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}..."
