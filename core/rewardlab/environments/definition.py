"""What an environment is made from, and the folder that this leads to."""

import hashlib
import json
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from rewardlab.cache import cache_dir
from rewardlab.environments.distributions import as_installed_here
from rewardlab.environments.requirements import requirement_lines

KEY_LENGTH = 12


@dataclass(frozen=True, kw_only=True)
class Step:
    """One call of the installer.

    options: such as "--no-deps", which pip and uv both know; variables: of the process that installs.
    """

    requirements: Path
    options: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Definition:
    """An environment: whose it is, the steps that fill it, and what of the host's environment goes in with the first.

    distributions: names of distributions that are installed beside rewardlab, and there in the same way.
    """

    name: str
    steps: tuple[Step, ...]
    distributions: tuple[str, ...] = ()

    @cached_property
    def identity(self) -> dict[str, Any]:
        """All that decides what is installed. A UserError where requirements or distributions cannot be found."""
        return {
            "steps": [
                {"requirements": requirement_lines(step.requirements), "options": list(step.options)}
                | ({"variables": dict(step.variables)} if step.variables else {})
                for step in self.steps
            ],
            "distributions": [as_installed_here(name) for name in self.distributions],
            "python": host_python(),
        }

    @cached_property
    def key(self) -> str:
        """The first 12 hexadecimal digits of the identity's SHA-256."""
        text = json.dumps(self.identity, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]

    @property
    def folder(self) -> Path:
        """Where the environment stands, or will."""
        return environments_dir() / f"{self.name}-{self.key}"

    @property
    def empty(self) -> bool:
        """Whether nothing at all is to be installed."""
        return not self.identity["distributions"] and not any(s["requirements"] for s in self.identity["steps"])


def environments_dir() -> Path:
    """The folder of all managed environments of this user."""
    return cache_dir() / "environments"


def host_python() -> str:
    """This Python's kind, version and platform, such as "cpython-311 linux-x86_64": what wheels are made for."""
    return f"{sys.implementation.cache_tag} {sysconfig.get_platform()}"


def python_in(folder: Path) -> Path:
    """The interpreter of the environment in a folder."""
    return folder / "bin" / "python"
