"""The environments that the installed plugins ask for."""

from pathlib import Path
from typing import Any

from rewardlab.environments.definition import Definition, Step
from rewardlab.registry import Plugin


def wanted_by(plugin: Plugin) -> list[Definition]:
    """The environments of a plugin's rewards and datasets, each once; most plugins have none."""
    found: dict[tuple, Definition] = {}
    for spec in plugin.specs.values():
        if definition := environment_of(plugin, spec):
            found.setdefault((definition.steps[0].requirements, definition.distributions), definition)
    return list(found.values())


def environment_of(plugin: Plugin, spec: Any) -> Definition | None:
    """The environment that a component of this plugin asks for, if any.

    A reward that runs whole in its environment needs rewardlab and its plugin there, too; one that opens a worker
    file needs only what it requires.
    """
    if (file := getattr(spec, "environment", None)) is None:
        return None
    whole = getattr(spec, "runs", None) == "worker"
    return Definition(
        name=plugin.name,
        steps=(Step(requirements=(plugin.home or Path()) / file),),
        distributions=("rewardlab", plugin.distribution) if whole else (),
    )
