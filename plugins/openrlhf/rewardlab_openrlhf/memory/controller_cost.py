"""The time of OpenRLHF's trainer process for the experience of a step: there is one, and all GPUs wait while it works.

It adds up returns token by token in Python, once for each micro-batch of the passes for log-probabilities, however many
rows that has: few rows at once cost a long time. Measured by benchmarks/scale_costs.py.
"""

MS_A_TOKEN = 0.0085
"""of a micro-batch's longest completion"""
MS_A_MICRO_BATCH = 4.5
MS_A_ROW = 1.0
MAX_MS = 10.0
"""a completion, above which micro-batches are made by their tokens, so that short completions share one"""


def controller_ms(tokens: int, rows: int) -> float:
    """Return the milliseconds of a completion in micro-batches of so many rows, the longest of so many tokens."""
    return MS_A_ROW + (MS_A_MICRO_BATCH + MS_A_TOKEN * tokens) / rows
