"""The `openrlhf` backend: OpenRLHF on Ray, with rewards that see whole groups.

A recipe is compiled into the exact arguments of OpenRLHF (`compile`); a process in the cluster (`driver`) starts
the actors that score (`desk`, `scorer_actor`) and then OpenRLHF's own training loop, whose rollout engines call
`executor` for every completion.
"""
