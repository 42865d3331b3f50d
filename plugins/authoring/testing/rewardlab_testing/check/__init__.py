"""`rewardlab plugins check`: the laws of a plugin's components, and what importing the plugin costs.

In go the name of an installed plugin or of one of its components, and options as KEY=VALUE. Out comes a `PluginCheck`
with the result of every law, as text for people, whose rows are printed as they are known, or as JSON. The laws
themselves stand in `laws/`.

    check        tries the laws on every component, and measures the import
    options      KEY=VALUE settings, given to the components that have such an option
    import_cost  how long importing a plugin takes and what it brings in, measured in a fresh process
    progress     what is being tried, if that takes long
    table        the rows of laws, printed as they are known
    report       what stands below the table, and a check as JSON
"""
