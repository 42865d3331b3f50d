"""OpenRLHF's own arguments, read without it: their types and values, and what sets each of them.

VERSION.json.gz  names, types, values and help of its three programs, which `release/engine_settings.py` writes
arguments.yaml   what sets each argument of an rl stage, or why nothing does; `python docs/reference` makes a page of it
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import yaml
from rewardlab_ray.engine_settings import EngineSetting, packaged_settings

from rewardlab_openrlhf.engine_arguments import WHEEL


def argument(kind: str, name: str) -> EngineSetting | None:
    """Return an argument of the program of a kind of stage; None if it has none of that name."""
    known = packaged_settings(__name__.partition(".")[0], WHEEL)[kind].get(name)
    return None if known is None else EngineSetting(*known)


@cache
def setters() -> Mapping[str, Mapping[str, object]]:
    """Return what sets each argument of an rl stage, as arguments.yaml has it."""
    rows: Mapping[str, Mapping[str, object]] = yaml.safe_load(
        files(__name__).joinpath("arguments.yaml").read_text(encoding="utf-8")
    )
    return rows
