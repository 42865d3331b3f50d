"""The identity of an environment: what it is made from, hashed, and the folder that follows from it."""

import hashlib
import json
import sys
import sysconfig
from functools import cached_property
from pathlib import Path
from typing import Any

from rewardlab.files import cache_dir
from rewardlab.workers import EnvironmentDefinition

from .distributions import as_installed_here
from .requirements import requirement_lines

KEY_LENGTH = 12


class EnvironmentIdentity:
    """The identity of an environment: what it is made from, as texts, and the key and folder that follow."""

    def __init__(self, definition: EnvironmentDefinition) -> None:
        self.definition = definition

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Everything that decides what is installed. UserError if requirements or distributions cannot be found."""
        return {
            "steps": [
                {"requirements": requirement_lines(step.requirements), "options": list(step.options)}
                | ({"variables": dict(step.variables)} if step.variables else {})
                for step in self.definition.steps
            ],
            "distributions": [as_installed_here(name) for name in self.definition.distributions],
            "python": host_python(),
        }

    @cached_property
    def key(self) -> str:
        """The first 12 hexadecimal digits of the identity's SHA-256."""
        text = json.dumps(self.identity, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]

    @property
    def folder(self) -> Path:
        """The folder of the environment, whether it exists already or not."""
        return environments_dir() / f"{self.definition.name}-{self.key}"

    @property
    def empty(self) -> bool:
        """Whether there is nothing to install at all."""
        return not self.identity["distributions"] and not any(s["requirements"] for s in self.identity["steps"])


def environments_dir() -> Path:
    """Return the folder of all managed environments of this user."""
    return cache_dir() / "environments"


def host_python() -> str:
    """Return this Python's kind, version and platform, such as "cpython-311 linux-x86_64": wheels are made for one."""
    return f"{sys.implementation.cache_tag} {sysconfig.get_platform()}"


def python_in(folder: Path) -> Path:
    """Return the path of the interpreter of the environment in a folder."""
    return folder / "bin" / "python"
