"""Why a completion got its reward: what each component contributed to it.

    terms         the total as a sum of terms: weighted names, gates, and what no sum tells apart
    shapley       sharing what several names did together
    parts         each name's part of each total of a group
    planned       how the total of a plan comes apart
    contributions from parts of totals to contributions to shaped rewards
    causes        of one scored group, worked out when somebody asks
    movement      sums over groups: who moved the reward, who never did, who does the same as whom
    findings      dead, dominating and duplicate components, in words
    records       causes of groups that are in a ledger or in the output of `score` already
    reading       the rows that `check` is given, whichever they are
    attempts      which groups of a ledger stand after a run was resumed
    sampled       causes of a few rows that have completions only
    told          all of it as a table and as JSON

docs/causes.md has the definitions.
"""
