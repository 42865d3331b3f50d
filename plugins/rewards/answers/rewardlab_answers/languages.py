"""Languages as people name them: `Deutsch`, `German` and `ドイツ語` are the code de, `Japanisch` is ja.

The names of 109 languages are those of Unicode's CLDR, as babel 2.19 has it (Unicode licence), each in its own and 26
others, and a few that people use beside them.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_PARENTHESES = re.compile(r"\s*[(（][^()（）]*[)）]")


def named_language(name: str) -> str | None:
    """Return the ISO 639-1 code (fil has none) of a language by its name in some language; None if none is called so.

    Case, and what stands in parentheses, do not matter: "Chinesisch (vereinfacht)" is zh. A code is no name.
    """
    return _codes().get(" ".join(_PARENTHESES.sub("", name).split()).casefold())


@cache
def _codes() -> Mapping[str, str]:
    """Return name in small letters -> code."""
    lines = (files(__package__) / "language_names.txt").read_text(encoding="utf-8").splitlines()
    parted = (line.partition(": ") for line in lines)
    return {name.casefold(): code for code, _, names in parted for name in names.split(", ")}
