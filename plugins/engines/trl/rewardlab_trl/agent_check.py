"""Checks of a stage's `agent` for the trl backend; they import the code that it names."""

from collections import Counter
from collections.abc import Iterator

from rewardlab.errors import UserError
from rewardlab.plan import Plan
from rewardlab.recipe import Agent, Finding
from rewardlab_training import environment_problems, environment_tools, load_code, tool_problems

from rewardlab_trl.options import Options


def agent_findings(plan: Plan, agent: Agent, backend: Options, trains: bool) -> Iterator[Finding]:
    """Yield (key below `agent`, why) for all that keeps a policy from playing. trains: whether the stage does."""
    if trains and (backend.ranks > 1 or backend.accelerate is not None):
        yield (), "turns are played in one process, with the whole model"
    if trains and backend.generation is not None:
        yield (), "turns are sampled by the model that trains; leave backend.generation out"
    if trains and plan.sampler is not None:
        yield (), "a group sampler asks for completions of one turn; leave one of them out"
    names: list[str] = []
    for index, place in enumerate(agent.tools):
        if place.endswith((".yaml", ".yml")):
            yield ("tools", index), f"{place!r} is a file of verl's own tools; trl takes FILE.py:FUNCTION"
            continue
        try:
            tool = load_code(place)
        except UserError as error:
            yield ("tools", index), str(error)
            continue
        names.append(getattr(tool, "__name__", place))
        yield from ((("tools", index), f"{place!r} {tool_problem}") for tool_problem in tool_problems(tool))
    if agent.use is not None:
        try:
            environment = load_code(agent.use)
        except UserError as error:
            yield ("use",), str(error)
            return
        names += environment_tools(environment) if isinstance(environment, type) else ()
        yield from ((("use",), f"{agent.use!r} {problem}") for problem in environment_problems(environment))
    for name, count in Counter(names).items():
        if count > 1:
            yield (), f"{count} tools are called {name!r}; a policy calls them by their names"
