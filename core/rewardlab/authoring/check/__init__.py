"""`rewardlab plugins check`: the laws of a plugin's components, and what importing the plugin costs.

In go the name of an installed plugin or of one of its components, and options as KEY=VALUE. Out comes a `PluginCheck`
with the result of every law, as text for people or as JSON. The laws themselves stand in `rewardlab.testing`.

    check        tries the laws on every component, and measures the import
    options      KEY=VALUE settings, given to the components that have such an option
    import_cost  how long importing a plugin takes and what it brings in, measured in a fresh process
    progress     the line at a terminal that says what is being tried
    report       a check as text and as JSON
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.authoring.check.check import PluginCheck, check_plugin
    from rewardlab.authoring.check.report import check_as_dict, format_check
else:
    __getattr__, __dir__ = lazy_names(
        __name__, {"check": ["PluginCheck", "check_plugin"], "report": ["check_as_dict", "format_check"]}
    )

__all__ = ["PluginCheck", "check_as_dict", "check_plugin", "format_check"]
