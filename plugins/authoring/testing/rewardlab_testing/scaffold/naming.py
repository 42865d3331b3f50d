"""The names that a new plugin can have: valid ones that nobody else has, for a folder that holds nothing."""

import re
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from rewardlab.errors import UserError
from rewardlab.registry import installed

NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
COMMANDS = ("new", "check")
"""no names of plugins: `rewardlab plugins new` means the command"""


def package_name(name: str) -> str:
    """Return the Python package of a plugin: "my-terms" lives in rewardlab_my_terms."""
    return f"rewardlab_{name.replace('-', '_')}"


def refuse_taken(name: str, folder: Path) -> None:
    """Raise a UserError that says what to type instead if the name or the folder cannot be had."""
    if not NAME.fullmatch(name):
        raise UserError(f"{name!r} is not a valid plugin name: use small letters, digits, - and _{_suggestion(name)}")
    if name in COMMANDS:
        raise UserError(f"`rewardlab plugins {name}` is a command; write `rewardlab plugins new my-{name}`")
    if owner := _owner(name):
        raise UserError(f"the name {name!r} is taken by {owner}; write `rewardlab plugins new my-{name}`")
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file; write `rewardlab plugins new {name} --into DIR`")
    if folder.is_dir() and any(folder.iterdir()):
        raise UserError(f"{folder} exists and is not empty; write `rewardlab plugins new {name} --into DIR`")


def _suggestion(name: str) -> str:
    tidy = "-".join(re.findall("[a-z0-9]+", name.lower())).lstrip("0123456789-")
    return f"; write `rewardlab plugins new {tidy}`" if tidy else ""


def _owner(name: str) -> str | None:
    """Return who has the plugin's name, its distribution's or its package's; None if all are free."""
    registry = installed()
    if name in registry.names():
        plugin = registry.plugin(name)
        return f"{plugin.distribution} {plugin.version}"
    try:
        return f"the distribution rewardlab-{name} {version(f'rewardlab-{name}')}"
    except PackageNotFoundError:
        pass
    spec = find_spec(package_name(name))
    return f"the package {package_name(name)} in {Path(spec.origin).parent}" if spec and spec.origin else None
