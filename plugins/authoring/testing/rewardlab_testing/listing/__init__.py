"""Listings for `rewardlab plugins`: what is installed, and the keys of recipes.

listing        what the installed plugins offer, as a table, a card for each component, or JSON rows
plugin_search  installed and known plugins by a word; known_plugins.yaml is open to pull requests
recipe_keys    the keys of each part of a recipe, with types, defaults and meanings
"""
