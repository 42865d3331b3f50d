"""The recipe: a YAML file is read into validated models, or every mistake in it is reported.

The input is a YAML file and overrides; the output is a `Document` (the tree, with a line for each value) and the
pydantic models of a `Recipe`. No plugin is consulted: the plan validates `with` and `backend` by the plugins' configs.

    loading           a file, what it extends, overrides and the environment: a tree with line numbers
    extends           a recipe's keys over those of the recipe that it extends
    overrides         KEY=VALUE of the command line
    interpolation     ${oc.env:...}, by OmegaConf
    shipped           the recipes that come with rewardlab, by name
    logins            users and passwords of URLs, which are not written
    yaml12            YAML 1.2 as recipes use it
    models, use       the models: the recipe, its stages; components by name with their options
    probe_families    the degenerate completions that a recipe can name
    validation        pydantic's errors as lines that say where, what and the nearest name
    other_names       what TRL, OpenRLHF and verl call the settings of a stage
    salvage           the valid parts of a recipe that has mistakes, so that one run names every mistake
    expression, expression_tree   the grammar of `total`
    differences       the keys in which two recipes differ
    command_line      the arguments RECIPE [KEY=VALUE ...] ROWS.jsonl
"""
