"""The commands of this repository, the core's and those of its plugins."""

from rewardlab.commands.built_in import BUILT_IN
from rewardlab.commands.find import find
from rewardlab.first_party import first_party

OF_PLUGINS = [name for plugin in first_party().values() for name in plugin["commands"]]
NAMES = [*(spec.name for spec in BUILT_IN), *OF_PLUGINS]


def command_named(name):
    """Return one of them."""
    spec = find(name)
    assert spec is not None, name
    return spec
