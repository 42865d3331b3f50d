"""What a wheel of ours must have: licence, types, classifiers, URLs, a description, entry points, the right needs."""

import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from configparser import ConfigParser
from email import message_from_string
from email.message import Message
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any

URLS = ("Repository", "Documentation", "Changelog", "Issues")
"""the project URLs of every wheel"""
META = "rewardlab"
"""the distribution without files of its own, whose command is the core's"""
PYTHONS = ("3.11", "3.12", "3.13")
REFUSED = (r"(^|/)tests?/.*\.py$", r"__pycache__", r"\.pyc$", r"(^|/)\.", r"\.jsonl$")
"""patterns of files that no wheel has"""


def wheel_problems(wheel: Path, project: Mapping[str, Any], urls: Mapping[str, str], licence: Path) -> list[str]:
    """Return what is wrong with a wheel: project is what its pyproject says, licence the file that it must have."""
    with zipfile.ZipFile(wheel) as packed:
        files = {name: packed.read(name) for name in packed.namelist() if not name.endswith("/")}
    (info,) = {PurePosixPath(name).parts[0] for name in files if ".dist-info/" in name}
    metadata = message_from_string(files[f"{info}/METADATA"].decode())
    return [
        *_of_metadata(metadata, project, urls),
        *_of_licence(metadata, files, info, licence.read_bytes()),
        *_of_files(files, info),
        *_of_entry_points(files, info, project),
        *_by_twine(wheel),
    ]


def _of_metadata(metadata: Message, project: Mapping[str, Any], urls: Mapping[str, str]) -> Iterator[str]:
    for key in ("Name", "Version"):
        if metadata[key] != project[key.lower()]:
            yield f"{key} {metadata[key]} is not pyproject's {project[key.lower()]}"
    if metadata["Requires-Python"] != f">={PYTHONS[0]}":
        yield f"Requires-Python {metadata['Requires-Python']} is not >={PYTHONS[0]}"
    wanted = {f"Programming Language :: Python :: {version}" for version in PYTHONS} | {"Typing :: Typed"}
    for classifier in sorted(wanted - {*(metadata.get_all("Classifier") or [])}):
        yield f"no classifier {classifier}"
    listed = dict(re.split(r",\s*", url, maxsplit=1) for url in metadata.get_all("Project-URL") or [])
    if listed != dict(urls):
        yield f"project URLs {listed} are not {dict(urls)}"
    if metadata["Description-Content-Type"] != "text/markdown" or len(str(metadata.get_payload())) < 200:
        yield "no README as its description"
    if not metadata["Summary"]:
        yield "no summary"
    minor = ".".join([*project["version"].split(".")[:2], "0"])
    for need in metadata.get_all("Requires-Dist") or []:
        if need.startswith("rewardlab") and f"~={minor}" not in need:
            yield f"it needs {need}, and not one of our own minor version, ~={minor}"


def _of_licence(metadata: Message, files: Mapping[str, bytes], info: str, licence: bytes) -> Iterator[str]:
    if metadata["License-Expression"] != "Apache-2.0":
        yield f"License-Expression {metadata['License-Expression']} is not Apache-2.0"
    if files.get(f"{info}/licenses/LICENSE") != licence:
        yield "no LICENSE, or another one than the repository's"


def _of_files(files: Mapping[str, bytes], info: str) -> Iterator[str]:
    packages = {PurePosixPath(name).parts[0] for name in files} - {info}
    for package in sorted(packages):
        if f"{package}/py.typed" not in files:
            yield f"no {package}/py.typed"
    for name in sorted(files):
        if any(re.search(pattern, name) for pattern in REFUSED):
            yield f"{name} does not belong into it"


def _of_entry_points(files: Mapping[str, bytes], info: str, project: Mapping[str, Any]) -> Iterator[str]:
    points = ConfigParser(delimiters="=")
    points.optionxform = str  # type: ignore[assignment,method-assign]
    points.read_string(files.get(f"{info}/entry_points.txt", b"").decode())
    if not points.sections() and {"entry-points", "scripts"} & project.keys():
        yield "no entry point: nobody would find it"
    for group in points.sections():
        for name, place in points.items(group):
            module = place.partition(":")[0].replace(".", "/")
            if project["name"] != META and not {f"{module}.py", f"{module}/__init__.py"} & {*files}:
                yield f"entry point {name} of {group} names {place}, which is not in it"


def _by_twine(wheel: Path) -> Iterator[str]:
    """Yield what an index would refuse, where twine is here to say so."""
    if find_spec("twine") is None:
        return
    command = [sys.executable, "-m", "twine", "check", "--strict", str(wheel)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    if done.returncode:
        yield f"twine check: {done.stdout.strip()}"
