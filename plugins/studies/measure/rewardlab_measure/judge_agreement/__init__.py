"""The agreement of judges with gold: how often a recipe's judges prefer the answer that is known to be better.

In go a plan and rows with gold: pairs, lists with scores, or single answers with a score. Out come measures for each
component that asks a judge: accuracy, rank correlation, position bias, cycles; of all rows, by language and by kind.

    job             the measurement from the rows to its result
    gold_rows       rows with gold, read as groups
    contradictions  labels by which an answer is better than itself
    grafting        pairs made of right and wrong reasoning and right and wrong answers
    judge_verdicts  the calls of a judge about one group
    case_clusters   which rows count as one in intervals
    measures        Cohen's kappa, and intervals
    slices          the measures of all rows, and by language and kind
    dimensions      agreement with people by dimension, of rewards that score several
    retests         how often a judge that is asked again says otherwise, and how judges agree
    report          the result as text
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab_measure.judge_agreement.judge_verdicts import judge_calls as judge_calls
    from rewardlab_measure.judge_agreement.measures import cohen_kappa as cohen_kappa
    from rewardlab_measure.judge_agreement.measures import kappa_average as kappa_average
    from rewardlab_measure.judge_agreement.retests import pair_flips as pair_flips
    from rewardlab_measure.judge_agreement.retests import panel_agreement as panel_agreement

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
