"""The reward of a recipe as a scorer of inspect_ai: its total and its components as values of each sample.

reward_scorer    the scorer, which inspect_ai also finds by name
sample_row       a sample of inspect_ai as a row of rewardlab
"""

from rewardlab_inspect.reward_scorer import recipe

__all__ = ["recipe"]
