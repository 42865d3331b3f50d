"""The environments that the installed plugins ask for."""

from pathlib import Path
from typing import Any

from rewardlab.registry.loading import Plugin
from rewardlab.workers.environments.definition import EnvironmentDefinition, InstallStep


def environments_of(plugin: Plugin) -> list[EnvironmentDefinition]:
    """Return the environments of a plugin's rewards and datasets, each once; most plugins have none."""
    found: dict[tuple[Any, ...], EnvironmentDefinition] = {}
    for spec in plugin.specs.values():
        if definition := environment_of(plugin, spec):
            found.setdefault((definition.steps[0].requirements, definition.distributions), definition)
    return list(found.values())


def environment_of(plugin: Plugin, spec: Any) -> EnvironmentDefinition | None:
    """Return the environment that a component of this plugin asks for; None if it asks for none.

    A reward that runs whole in its environment needs rewardlab and its plugin there, too; one that opens a worker
    file needs only its requirements.
    """
    if (file := getattr(spec, "environment", None)) is None:
        return None
    whole = getattr(spec, "runs", None) == "worker"
    return EnvironmentDefinition(
        name=plugin.name,
        steps=(InstallStep(requirements=(plugin.home or Path()) / file),),
        distributions=("rewardlab-core", plugin.distribution) if whole else (),
    )
