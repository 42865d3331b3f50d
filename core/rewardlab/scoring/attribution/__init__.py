"""Attribution: why a completion got its reward, as what each component contributed to it.

In go a total's expression, the values that it saw in a group and the shaped rewards that came of them. Out come
contributions that add up to the rewards, and, summed over groups, the movement: which components moved the reward,
which never did, and which do the same as others.

    terms              the total as a sum of terms: weighted names, gates, and what no sum tells apart
    shapley            shares of what several names did together
    decomposition      each name's part of each total of a group
    contributions      from parts of totals to contributions to shaped rewards
    group_attribution  the attribution of one scored group, worked out when it is first asked for
    movement           sums over groups
    findings           dead, dominating and duplicate components, in words
    table              the movement as a table and as JSON
    superseded_steps   the steps of a ledger that count after a run was resumed

docs/causes.md has the definitions.
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.scoring.attribution.decomposition import Decomposition, mean
    from rewardlab.scoring.attribution.findings import LEAST_GROUPS, findings_of
    from rewardlab.scoring.attribution.group_attribution import Attribution, GroupAttribution, ScoredTotals
    from rewardlab.scoring.attribution.movement import GroupRecord, Movement
    from rewardlab.scoring.attribution.superseded_steps import LEDGER_VERSION, CurrentSteps, is_discarded
    from rewardlab.scoring.attribution.table import describe_rest, movement_as_dict, movement_lines, movement_table
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "decomposition": ["Decomposition", "mean"],
            "findings": ["LEAST_GROUPS", "findings_of"],
            "group_attribution": ["Attribution", "GroupAttribution", "ScoredTotals"],
            "movement": ["GroupRecord", "Movement"],
            "superseded_steps": ["LEDGER_VERSION", "CurrentSteps", "is_discarded"],
            "table": ["describe_rest", "movement_as_dict", "movement_lines", "movement_table"],
        },
    )

__all__ = [
    "LEAST_GROUPS",
    "LEDGER_VERSION",
    "Attribution",
    "CurrentSteps",
    "Decomposition",
    "GroupAttribution",
    "GroupRecord",
    "Movement",
    "ScoredTotals",
    "describe_rest",
    "findings_of",
    "is_discarded",
    "mean",
    "movement_as_dict",
    "movement_lines",
    "movement_table",
]
