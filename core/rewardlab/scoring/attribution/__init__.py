"""Attribution: why a completion got its reward, as what each component contributed to it.

In go a total's expression, the values that it saw in a group and the shaped rewards that came of them. Out come
contributions that add up to the rewards, and, summed over groups, the movement: which components moved the reward,
which never did, and which do the same as others.

    terms              the total as a sum of terms: weighted names, gates, and what no sum can separate
    shapley            shares of what several names did together
    decomposition      each name's part of each total of a group
    contributions      from parts of totals to contributions to shaped rewards
    group_attribution  the attribution of one scored group, worked out when it is first asked for
    movement           sums over groups
    findings           dead, dominating and duplicate components, in words

docs/causes.md has the definitions.
"""
