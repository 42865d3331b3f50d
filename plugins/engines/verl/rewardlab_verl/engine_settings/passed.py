"""The settings of `backend.engine.arguments`: what is wrong with them, and what they do."""

from collections.abc import Iterator, Mapping
from typing import Any

from rewardlab.errors import nearest
from rewardlab_ray.engine_settings import OPEN, EngineSetting, packaged_settings

from rewardlab_verl.engine_settings.beside_us import refusal

WHEEL = "0.9.1"
"""the version whose settings these are"""


def passed_findings(program: str, given: Mapping[str, Any], turns: bool = False) -> Iterator[tuple[str, str]]:
    """Yield (name, why it cannot be passed on) of settings.

    Args:
        program: "rl" or "sft", with "-megatron".
        turns: whether a stage has an agent.
    """
    for name, value in given.items():
        if why := _problem(program, name, value, turns):
            yield name, why


def passed_lines(program: str, given: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each setting: its value, and what verl says that it does."""
    for name, value in given.items():
        yield (_find(program, name.lstrip("+")) or EngineSetting("any")).line("verl", name, value)


def _problem(program: str, name: str, value: Any, turns: bool) -> str | None:
    bare = name.lstrip("+")
    if why := refusal(bare, turns):
        return why
    setting = _find(program, bare)
    names = list(_names(_tree(program)))
    if setting is None and bare in names:
        return f"is a mapping, whose keys are settings: write +{bare}.KEY"
    if setting is None and (inside := [name for name in names if name.startswith(f"{bare}.")]):
        return f"is a group of settings: {', '.join(inside[:3])}{', ...' if len(inside) > 3 else ''}"
    if setting is None:
        return f"verl {WHEEL} has no setting of that name{nearest(bare, names)}"
    added = _lacks_it(program, bare)
    if added != name.startswith("+"):
        if added:
            return f"write +{bare}: verl's configuration files have no such name, so Hydra has to add it"
        return f"write {bare}: verl's configuration has it, and + is for what it has not"
    return setting.problem(value)


def _tree(program: str) -> Mapping[str, Any]:
    tree: Mapping[str, Any] = packaged_settings("rewardlab_verl", WHEEL)[program]
    return tree


def _find(program: str, name: str) -> EngineSetting | None:
    """Return a setting by its name without +; one below a mapping that takes any name takes any value."""
    node: Any = _tree(program)
    for part in name.split("."):
        if isinstance(node, list):
            return EngineSetting("any", *node[1:2]) if node[0] == OPEN else None
        node = node.get(part, node.get(f"+{part}"))
        if node is None:
            return None
    return EngineSetting(*node) if isinstance(node, list) and node[0] != OPEN else None


def _lacks_it(program: str, name: str) -> bool:
    """Return whether verl's configuration files lack a setting that verl takes all the same."""
    node: Any = _tree(program)
    for part in name.split("."):
        if isinstance(node, list) or part not in node:
            return True
        node = node[part]
    return False


def _names(tree: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for name, inside in tree.items():
        path = above + name.lstrip("+")
        yield from _names(inside, f"{path}.") if isinstance(inside, dict) else [path]
