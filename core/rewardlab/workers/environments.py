"""Managed environments: a Python of its own for what cannot live beside the rest. A plugin builds and keeps them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from rewardlab.registry.loading import ENVIRONMENT, Plugin
from rewardlab.registry.registry import installed

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class InstallStep:
    """One call of the installer.

    Args:
        options: such as "--no-deps", which pip and uv both know.
        variables: environment variables of the installer.
    """

    requirements: Path
    options: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class EnvironmentDefinition:
    """The definition of an environment: its owner's name, the steps that fill it, and distributions of the host's.

    Args:
        distributions: names of distributions of the host's environment, which the first step installs in the same
            way.
    """

    name: str
    steps: tuple[InstallStep, ...]
    distributions: tuple[str, ...] = ()


class ManagedEnvironment(Protocol):
    """An environment as whoever needs its Python sees it."""

    @property
    def folder(self) -> Path:
        """The folder of the environment, whether it exists already or not."""

    @property
    def ready(self) -> bool:
        """Whether it is built and can be used."""

    def provide(self, say: Say | None = None) -> str:
        """Return the path of its interpreter; an environment that is missing is built first.

        `say` is called with a line before that. UserError or JobError if it cannot be built.
        """


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


def managed(definition: EnvironmentDefinition) -> ManagedEnvironment:
    """Return the environment of a definition. UserError if no plugin that builds environments is installed."""
    lacking = f"{definition.name!r} wants an environment of its own, and nothing here builds one"
    environment: ManagedEnvironment = installed().action(ENVIRONMENT, lacking)(definition)
    return environment
