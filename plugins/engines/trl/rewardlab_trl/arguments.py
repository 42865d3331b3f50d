"""The `arguments` of a stage: fields of TRL's configurations by their own names and types, checked without TRL.

trl_arguments.yaml lists the fields that pass, made from the dataclasses of one version of TRL; owned_arguments.yaml
says of each of the others which key of the recipe says it, or why it cannot be given.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from rewardlab.errors import nearest

CONFIGS = {"sft": "SFTConfig", "dpo": "DPOConfig", "rl": "GRPOConfig"}
"""kind of a stage -> the configuration of its trainer"""
TYPES: Mapping[str, Callable[[Any], bool]] = {
    "true | false": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "text": lambda value: isinstance(value, str),
    "mapping": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
    "[text]": lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
    "[number]": lambda value: isinstance(value, list) and all(TYPES["number"](item) for item in value),
}
"""what a field takes, in words -> whether a value is that"""


def passed_fields(kind: str) -> dict[str, dict[str, Any]]:
    """Return the fields that a stage of this kind passes on: name -> {takes, one_of (if few values go), does}."""
    return _of_kind(_table("trl_arguments.yaml")["fields"], kind)


def owned_fields(kind: str, by: str) -> dict[str, str]:
    """Return the fields that it does not: name -> the key that says it (by "recipe"), or why ("not")."""
    table = _table("owned_arguments.yaml")
    return _of_kind({section: named.get(by, {}) for section, named in table.items()}, kind)


def argument_findings(kind: str, given: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (name, why it cannot be given) for the arguments of a stage; options: those under `backend`."""
    passed, needs = passed_fields(kind), owned_fields(kind, "needs")
    for name, value in given.items():
        if name not in passed:
            yield name, _refusal(kind, name)
        elif name in needs and not options.get(needs[name]):
            yield name, f"has no effect without backend.{needs[name]}"
        elif not any(TYPES[name_of_type](value) for name_of_type in passed[name]["takes"]):
            yield name, f"must be {' or '.join(passed[name]['takes'])}, not {value!r}"
        elif (only := passed[name].get("one_of")) and value not in only:
            yield name, f"{value!r} is not known to TRL{nearest(str(value), only)}"


def argument_lines(kind: str, given: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each argument of a stage: its value, and what TRL says that it does."""
    for name, value in given.items():
        yield f"{CONFIGS[kind]}.{name} = {value!r}: {passed_fields(kind)[name]['does']}"


def _refusal(kind: str, name: str) -> str:
    if key := owned_fields(kind, "recipe").get(name):
        return f"the recipe says it elsewhere: {key}"
    if why := owned_fields(kind, "not").get(name):
        return f"cannot be given: {why}"
    others = [config for other, config in CONFIGS.items() if name in passed_fields(other)]
    if others:
        return f"is a field of TRL's {' and '.join(others)}, not of {CONFIGS[kind]}"
    known = {*passed_fields(kind), *owned_fields(kind, "recipe"), *owned_fields(kind, "not")}
    return f"TRL {_table('trl_arguments.yaml')['version']} has no {CONFIGS[kind]}.{name}{nearest(name, known)}"


def _of_kind(table: Mapping[str, dict[str, Any]], kind: str) -> dict[str, Any]:
    return {**table["all"], **table[kind]}


@cache
def _table(name: str) -> dict[str, Any]:
    import yaml

    text = files("rewardlab_trl").joinpath(name).read_text(encoding="utf-8")
    table: dict[str, Any] = yaml.safe_load(text)
    return table
