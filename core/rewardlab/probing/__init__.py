"""`rewardlab probe`: completions that deserve nothing, scored beside an honest one by a recipe's own reward."""
