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
