"""How often a rule is wrong, by the appeals in what was scored: counts go in, rates with their intervals come out.

appeals_of_file  the counts of a run's ledger, or of a file that `score` wrote
rates            the rates, without the judge's own errors
"""
