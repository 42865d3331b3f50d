"""Checks of a recipe for this backend, without importing an engine: every number is used or refused.

recipe_findings   `check`: every reason why OpenRLHF cannot do what a recipe says
engine_findings   what is wrong with `backend.engine`
cautions          what OpenRLHF can do, and a recipe's author may not mean

Whatever a recipe alone shows is refused here, and nowhere else. `compile` refuses what only the prompts, the run's
folder or a node's environment show.
"""

from rewardlab_openrlhf.check.recipe_findings import findings

__all__ = ["findings"]
