"""For plugin authors and their users: what is installed, schemas for editors, new plugins and recipes, a check of one.

In go the registry's plugins and names from the command line. Out come texts, JSON values and files; nothing here
scores or trains.

    listing       what the installed plugins offer, as a table, a card for each component, or JSON rows
    plugin_search  installed and known plugins by a word; known_plugins.yaml is open to pull requests
    recipe_keys   the keys of each part of a recipe, with types, defaults and meanings
    json_schemas  the JSON Schemas by which editors complete and check recipes and rows
    new_recipe/   `rewardlab new recipe`: a recipe for somebody's rows, or a copy of a shipped one
    scaffold/     `rewardlab plugins new`: a distribution to start from
    check/        `rewardlab plugins check`: the laws of a plugin's components, and what importing it costs
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.authoring.check import PluginCheck, check_as_dict, check_plugin, format_findings
    from rewardlab.authoring.json_schemas import SCHEMA_MARK, SCHEMA_SUFFIX, first_party_plugins, generate_schemas
    from rewardlab.authoring.listing import component_rows, format_card, format_table
    from rewardlab.authoring.plugin_search import format_found, search_plugins
    from rewardlab.authoring.recipe_keys import PARTS, part_row
    from rewardlab.authoring.scaffold import Scaffold, next_steps, write_scaffold
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "check": ["PluginCheck", "check_as_dict", "check_plugin", "format_findings"],
            "json_schemas": ["SCHEMA_MARK", "SCHEMA_SUFFIX", "first_party_plugins", "generate_schemas"],
            "listing": ["component_rows", "format_card", "format_table"],
            "plugin_search": ["format_found", "search_plugins"],
            "recipe_keys": ["PARTS", "part_row"],
            "scaffold": ["Scaffold", "next_steps", "write_scaffold"],
        },
    )

__all__ = [
    "PARTS",
    "SCHEMA_MARK",
    "SCHEMA_SUFFIX",
    "PluginCheck",
    "Scaffold",
    "check_as_dict",
    "check_plugin",
    "component_rows",
    "first_party_plugins",
    "format_card",
    "format_findings",
    "format_found",
    "format_table",
    "generate_schemas",
    "next_steps",
    "part_row",
    "search_plugins",
    "write_scaffold",
]
