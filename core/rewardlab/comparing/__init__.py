"""`rewardlab compare`: what two rewards would teach differently, group by group.

measures        two sides of one group: correlations, flips, who has no variance, how far apart
tally           the measures of many groups
most_different  the few groups that are furthest apart
rows            rows that both sides can read, checked before anything is scored
scored_file     a side that was scored before
side            a side that is scored now
shared_judges   judges of two recipes, so that what both ask is paid once
sources         what A and B name, and which overrides are whose
job             from rows to what was found
report          as text and as JSON values; `side_by_side` shows one group
"""
