"""Commands by name: entry points of the group `rewardlab.commands`, ours and everybody's, found without an import.

What is installed says in its metadata which module has which command. It is read as text: importlib's reader takes
30 ms, and modules 200. A module is imported when its command is called; to list it, if it is not ours.
"""

import os
import sys
from contextlib import redirect_stdout, suppress
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rewardlab.errors import PLUGIN_FAULTS, UserError, one_line_at
from rewardlab.first_party import first_party, installation, our_commands, plugin_with
from rewardlab.specs.entry_points import states_of_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rewardlab.specs.command import InstalledCommand

GROUP = b"[rewardlab.commands]"


class _Offer(NamedTuple):
    """A command that an installed distribution offers; its version is "" where the metadata's folder has none."""

    name: str
    module: str
    distribution: str
    version: str

    def load(self) -> "InstalledCommand":
        from importlib import import_module

        from rewardlab.specs.command import InstalledCommand

        try:
            with redirect_stdout(sys.stderr):  # a plugin's prints must not end up in output that a program reads
                module = import_module(self.module)
            return InstalledCommand(self.name, module.SUMMARY, module.Options, module.run)
        except PLUGIN_FAULTS as error:
            raise UserError(f"the command {self.name!r} ({self}) cannot be used: {one_line_at(error)}") from error

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}".strip()


def find_command(name: str) -> "InstalledCommand | None":
    """Return the command of this name; None if nobody has one.

    A UserError names both distributions if two offer it, and the pip install that brings it if one of ours would.
    """
    offers = _offers(states_of_path()).get(name, [])
    if len(offers) > 1:
        raise UserError(f"the command {name!r} is offered by {' and '.join(map(str, offers))}; uninstall one of them")
    if offers:
        return offers[0].load()
    if (plugin := plugin_with("commands", name)) is not None:
        raise UserError(f"the command {name!r} is not installed; {installation(plugin)}")
    return None


def installed_commands() -> list[tuple[str, str]]:
    """Return each command that is installed with its summary; one that is not ours says where it is from."""
    offers = [offer for _, same_name in sorted(_offers(states_of_path()).items()) for offer in same_name]
    own = {"rewardlab-core", *(plugin["distribution"] for plugin in first_party().values())}
    here = {offer.name for offer in offers if offer.distribution in own}
    named = [(name, summary) for name, summary in our_commands().items() if name in here]
    return named + [_of_third_party(offer) for offer in offers if offer.distribution not in own]


def missing_commands() -> list[tuple[str, str]]:
    """Return each command of ours that is not installed, with the pip install that brings it."""
    here = _offers(states_of_path())
    return [
        (command, f"{summary} ({installation(name)})")
        for name, plugin in first_party().items()
        for command, summary in plugin["commands"].items()
        if command not in here
    ]


def _of_third_party(offer: _Offer) -> tuple[str, str]:
    from rewardlab.text.printable import printable

    try:
        summary = str(offer.load().summary)
    except UserError:
        summary = "cannot be used"
    return printable(offer.name), printable(f"{summary} ({offer})")


@lru_cache(maxsize=4)
def _offers(_states: object) -> dict[str, list[_Offer]]:
    """Return who offers the commands that are installed, by their names."""
    offers: dict[str, list[_Offer]] = {}
    for distribution, (version, folder) in _distributions().items():
        for name, module in _commands_in(os.path.join(folder, "entry_points.txt")):
            offers.setdefault(name, []).append(_Offer(name, module, distribution, version))
    return offers


def _distributions() -> dict[str, tuple[str, str]]:
    """Return version and metadata's folder of what is installed; of two of one name, the first on sys.path."""
    distributions: dict[str, tuple[str, str]] = {}
    for folder in dict.fromkeys(sys.path):
        with suppress(OSError):
            for entry in os.scandir(folder or "."):
                stem, _, ending = entry.name.rpartition(".")
                if ending in ("dist-info", "egg-info"):
                    name, _, version = stem.partition("-")
                    distributions.setdefault(name.replace("_", "-"), (version, entry.path))
    return distributions


def _commands_in(path: str) -> "Iterator[tuple[str, str]]":
    """Yield the names and modules of the commands in a file of entry points; nothing if there is no such file."""
    try:
        with open(path, "rb") as file:  # few have commands, and to read all as text takes twice as long
            _, group, rest = file.read().partition(GROUP)
    except OSError:
        return
    for line in rest.partition(b"\n[")[0].decode(errors="replace").splitlines() if group else ():
        name, _, module = line.replace(" ", "").partition("=")
        if module:
            yield name, module
