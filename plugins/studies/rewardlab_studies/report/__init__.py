"""The report of a run: one self-contained page with results, curves, causes and completions.

In goes a run directory, of a run that has ended or is still going. Out comes a page of HTML, and in words what is odd
about the components of the reward.

    page         the page, from all its parts
    line_parts   one reading of the ledger for all parts that come from it
    causes       the part about what each component contributed to the rewards
    discarded    the part about completions that were not trained on
    judges       the part about judges: questions, costs, consistency
    remarks      the part about what rewards remarked
    last_groups  the groups of the last evaluation, whose completions are shown
"""
