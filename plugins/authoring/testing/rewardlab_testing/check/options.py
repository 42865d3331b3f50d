"""The KEY=VALUE arguments of `rewardlab plugins check`, as options of a plugin's components."""

import re
from collections.abc import Sequence
from typing import Any

from rewardlab import Spec
from rewardlab.errors import Problem, UserError, nearest
from rewardlab.recipe import parse_value
from rewardlab.registry import Plugin

_FORM = re.compile(r"(?:(?P<use>[^/=:]+/[^/=:]+):)?(?P<key>[^=:/\s]+)=(?P<value>.*)", re.DOTALL)


def options_by_component(
    plugin: Plugin, specs: Sequence[Spec], settings: Sequence[str]
) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the options given for each component, by its (kind, name), with values read as YAML.

    KEY=VALUE goes to every component that has such an option; <plugin>/<component>:KEY=VALUE goes to that one alone and
    replaces the former there. Raises a UserError that names every setting that fits no component.
    """
    given: dict[tuple[str, str], dict[str, Any]] = {(spec.kind, spec.name): {} for spec in specs}
    problems: list[Problem] = []
    for setting in sorted(settings, key=lambda text: bool((form := _FORM.fullmatch(text)) and form["use"])):
        try:
            use, key, value = _parsed(setting)
            for spec in _specs_with(plugin, specs, use, key):
                given[spec.kind, spec.name][key] = value
        except UserError as error:
            problems += [Problem(where=repr(setting), what=problem.what) for problem in error.problems]
    if problems:
        raise UserError(problems)
    return given


def _parsed(setting: str) -> tuple[str | None, str, Any]:
    form = _FORM.fullmatch(setting)
    if form is None:
        raise UserError("an option is KEY=VALUE or <plugin>/<component>:KEY=VALUE")
    return form["use"], form["key"], parse_value(form["value"].strip(), "")


def _specs_with(plugin: Plugin, specs: Sequence[Spec], use: str | None, key: str) -> list[Spec]:
    """Return the specs that a setting is for; raise a UserError if there is none."""
    uses = [f"{plugin.name}/{spec.name}" for spec in specs]
    if use is not None and use not in uses:
        raise UserError(f"{use} is not checked here{nearest(use, uses)}")
    meant = [spec for spec in specs if use in (None, f"{plugin.name}/{spec.name}")]
    having = [spec for spec in meant if key in _keys(spec)]
    if not having:
        owner = use or (uses[0] if len(specs) == 1 else f"any component of {plugin.name}")
        raise UserError(f"no option {key!r} of {owner}{nearest(key, [key for spec in meant for key in _keys(spec)])}")
    return having


def _keys(spec: Spec) -> list[str]:
    return [info.alias or name for name, info in spec.config.model_fields.items()]
