"""Building what a plan names: the one place where an exception in a plugin's `build` gets its name."""

from typing import Any

from rewardlab.errors import JobError, RewardlabError, UserError, one_line
from rewardlab.planned import Planned
from rewardlab.specs import Context


def build(planned: Planned, context: Context, what: str, needs: str) -> Any:
    """What the plugin builds: an object with the method `needs`. A UserError or JobError that begins with `what`."""
    try:
        built = planned.spec.build(planned.options, context)
    except RewardlabError as error:
        kind = UserError if isinstance(error, UserError) else JobError
        raise kind(f"{what}: {error}") from error
    except (Exception, SystemExit) as error:
        raise JobError(f"{what} could not be built: {one_line(error)}") from error
    if not callable(getattr(built, needs, None)):
        raise JobError(f"{what} could not be built: `build` gave {type(built).__name__} without `{needs}`")
    return built
