"""Attribution: why a completion got its reward, as what each component contributed to it.

In go a total's expression, the values that it saw in a group and the shaped rewards that came of them. Out come
contributions that add up to the rewards.

    decomposition      each name's part of each total of a group, and shares of what several names did together
    group_attribution  contributions to the shaped rewards of one scored group, worked out when first asked for

docs/causes.md has the definitions.
"""
