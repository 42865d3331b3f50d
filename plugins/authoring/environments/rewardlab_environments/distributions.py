"""Distributions of the host's environment, as requirement lines by which pip installs the same ones elsewhere."""

import json
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rewardlab.errors import UserError

HATCHLING = ("hatchling", "editables")
"""what builds a folder by hatchling, also one that stays where it is"""


def as_installed_here(name: str) -> str:
    """Return the requirement line of an installed distribution: "-e FOLDER", a folder, "NAME @ URL" or "NAME==VERSION".

    A distribution that was installed from a folder or a URL is taken from there again (PEP 610). UserError if the
    host has no such distribution.
    """
    try:
        installed = distribution(name)
    except PackageNotFoundError as error:
        raise UserError(f"the distribution {name!r} is not installed here; pip install {name}") from error
    return _from_its_url(installed) or f"{installed.name}=={installed.version}"


def built_by_hatchling(line: str) -> bool:
    """Return whether a requirement line names a folder that hatchling builds: all such are built in one environment.

    Else pip fills an environment with hatchling for each of them, which takes minutes for our twenty.
    """
    project = Path(line.removeprefix("-e ")) / "pyproject.toml"
    if not project.is_absolute() or not project.is_file():
        return False
    system = tomllib.loads(project.read_text(encoding="utf-8")).get("build-system", {})
    return system.get("build-backend") == "hatchling.build" and len(system.get("requires", ())) == 1


def _from_its_url(distribution: Distribution) -> str | None:
    text = distribution.read_text("direct_url.json")
    if text is None:
        return None
    origin = json.loads(text)
    url = origin["url"]
    if "dir_info" in origin:
        folder = unquote(urlsplit(url).path)
        return f"-e {folder}" if origin["dir_info"].get("editable") else folder
    if "vcs_info" in origin:
        return f"{distribution.name} @ {origin['vcs_info']['vcs']}+{url}@{origin['vcs_info']['commit_id']}"
    return f"{distribution.name} @ {url}"
