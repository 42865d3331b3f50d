"""The tools of a stage's `agent` as verl loads them: from a file in the stage's folder, and from its own YAML."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rewardlab.errors import UserError, one_line
from rewardlab.recipe import Agent
from rewardlab_training import load_code

YAML = (".yaml", ".yml")


def functions_of(agent: Agent, home: Path) -> list[str]:
    """Return the places of an agent's functions, each path from `home` on."""
    places = [place for place in agent.tools if not place.endswith(YAML)]
    files = [place.rpartition(":") for place in places]
    return [f"{home / file}:{name}" if file.endswith(".py") else f"{file}:{name}" for file, _, name in files]


def yaml_of(agent: Agent) -> str | None:
    """Return the file of verl's own tools that an agent names, if it names one."""
    return next((place for place in agent.tools if place.endswith(YAML)), None)


def write_tools(path: Path, agent: Agent, home: Path) -> None:
    """Write the file that verl loads the functions from, in each process that plays."""
    lines = ("from rewardlab_verl.agent_tools import register", "", f"register({functions_of(agent, home)!r})", "")
    path.write_text("\n".join(lines), encoding="utf-8")


def register(places: Sequence[str]) -> None:
    """Register functions as verl's tools; one that verl's own decorator has registered stays as it is."""
    from verl.tools.function_tool import FUNCTION_TOOL_REGISTRY, function_tool

    for place in places:
        function = load_code(place)
        if all(tool.fn is not function for tool in FUNCTION_TOOL_REGISTRY.values()):
            function_tool(function)


def schemas_of(agent: Agent, path: Path, home: Path) -> list[dict[str, Any]]:
    """Return what the policy is told of each tool. UserError if verl cannot load them.

    Args:
        path: of the file that `write_tools` wrote.
    """
    from verl.tools.tool_registry import load_all_tools

    own = yaml_of(agent)
    try:
        tools = load_all_tools(
            tool_config_path=None if own is None else str(home / own),
            function_tool_path=str(path) if functions_of(agent, home) else None,
        )
    except UserError:
        raise
    except Exception as error:  # whatever a tool's own code raises
        raise UserError(f"agent.tools: verl cannot load them: {one_line(error)}") from error
    return [tool.tool_schema.model_dump(exclude_unset=True, exclude_none=True) for tool in tools]
