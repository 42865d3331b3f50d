"""The commands of this distribution: apart from its face, whose names are lazy, so that pluggy finds them."""

from rewardlab import CommandSpec, hookimpl


@hookimpl
def rewardlab_commands() -> list[CommandSpec]:
    summaries = {
        "plugins new": "write a plugin to start from",
        "plugins check": "try the laws on a plugin",
        "new": "write a recipe for your rows and your model, or a copy of ours",
        "schema": "write JSON schemas, for editors",
    }
    return [
        CommandSpec(
            name=name,
            summary=summary,
            config=f"rewardlab_testing.commands.{name.replace(' ', '_')}:Options",
            run=f"rewardlab_testing.commands.{name.replace(' ', '_')}:run",
        )
        for name, summary in summaries.items()
    ]
