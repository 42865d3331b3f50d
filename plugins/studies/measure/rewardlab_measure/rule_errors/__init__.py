"""How often a rule is wrong, by the appeals in what was scored: counts go in, rates with their intervals come out.

appeals_of_file  the counts of a run's ledger, or of a file that `score` wrote
rates            the rates, without the judge's own errors
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab_measure.rule_errors.rates import Estimate as Estimate
    from rewardlab_measure.rule_errors.rates import RuleCounts as RuleCounts
    from rewardlab_measure.rule_errors.rates import was_appealed as was_appealed

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
