"""The environments that the installed plugins ask for."""

from collections.abc import Iterator
from pathlib import Path

from rewardlab.environments.definition import Definition, Step
from rewardlab.registry import Plugin


def wanted_by(plugin: Plugin) -> list[Definition]:
    """The environments of a plugin's rewards and datasets, each once; most plugins have none.

    A reward that runs whole in its environment needs rewardlab and its plugin there, too; one that opens a worker
    file needs only what it requires.
    """
    found: dict[tuple, Definition] = {}
    for file, distributions in _asked(plugin):
        step = Step(requirements=(plugin.home or Path()) / file)
        definition = Definition(name=plugin.name, steps=(step,), distributions=distributions)
        found.setdefault((file, distributions), definition)
    return list(found.values())


def _asked(plugin: Plugin) -> Iterator[tuple[str, tuple[str, ...]]]:
    for spec in plugin.specs.values():
        if file := getattr(spec, "environment", None):
            whole = getattr(spec, "runs", None) == "worker"
            yield file, ("rewardlab", plugin.distribution) if whole else ()
