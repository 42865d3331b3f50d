"""The installed plugins: entry points of the group `rewardlab`, first-party and third-party alike.

In go the names that recipes and command lines use; out come specs and commands. A plugin is loaded when something
names it. A broken one is a row in `rewardlab plugins` and an error only for the recipe that uses it; a name that two
distributions offer is never settled silently.

    registry         plugins and what they offer, by name
    loading          what the module of a plugin offers, by hooks and by `@reward`
    function_reward  `@reward`: a reward that is one function
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.first_party import first_party as first_party
    from rewardlab.first_party import pip_install as pip_install
    from rewardlab.registry.loading import FINISHED as FINISHED
    from rewardlab.registry.loading import SERVED as SERVED
    from rewardlab.registry.loading import TRACK as TRACK
    from rewardlab.registry.loading import Plugin as Plugin
    from rewardlab.registry.loading import offers_of as offers_of
    from rewardlab.registry.registry import ENTRY_POINT_GROUP as ENTRY_POINT_GROUP
    from rewardlab.registry.registry import Registry as Registry
    from rewardlab.registry.registry import installed as installed

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
