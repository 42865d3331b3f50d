"""Attribution: why a completion got its reward, as what each component contributed to it.

In go a total's expression, the values that it saw in a group and the shaped rewards that came of them. Out come
contributions that add up to the rewards, and, summed over groups, the movement: which components moved the reward,
which never did, and which do the same as others.

    terms              the total as a sum of terms: weighted names, gates, and what no sum can separate
    decomposition      each name's part of each total of a group, and shares of what several names did together
    group_attribution  contributions to the shaped rewards of one scored group, worked out when first asked for
    movement           sums over groups, and findings in words: dead, dominating and duplicate components

docs/causes.md has the definitions.
"""
