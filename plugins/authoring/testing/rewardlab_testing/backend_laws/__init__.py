"""The laws of a backend: what an engine keeps whatever it trains; `law_words.BACKEND` says each in words.

In goes a recipe that the engine runs in seconds. Its runs are made by the real command line, in processes of their own
and in folders that are thrown away; nothing here imports an engine. Out come the outcomes of the laws.

    check          check_backend: all laws as one assertion
    trial          the recipe that is tried, and the runs that several laws look at
    commands       commands of rewardlab in other processes: started, interrupted, ended
    blocking_reward           a reward that holds a run up, or fails, once its ledger has some rows
    outcome        rewards by which some groups do not teach
    mask           a reward that leaves a completion of each group without a value
    ledger         the ledger of a run as groups and steps
    before_laws    free, mistakes: what must be so before a run
    whole_laws     whole, scores: what a run leaves behind
    advantage_laws masked, taught: what the engine's trainer receives
    ending_laws    resume, stop, same, failures: what ends a run early, and going on after it
"""
