"""rubric/criteria: the weights of the criteria that a response meets, as a judge says in one reply."""

from typing import Any

from rewardlab import Context, Reply, Score

from rewardlab_rubric.criteria.options import CriteriaOptions
from rewardlab_rubric.criteria.question import CriteriaQuestion, RubricCriteria
from rewardlab_rubric.criteria.verdicts import read_verdicts
from rewardlab_rubric.pointwise import JudgedResponse


class CriteriaScore(JudgedResponse):
    """The reward of a response by the criteria that it meets; in [0, 1], see `Criteria.worth`.

    All criteria are asked about in one question, and the judge sees no weights. A blank response is worth 0 unasked. A
    reply that lacks a verdict is a failure. `info`: `scores`, 1 or 0 by the criteria's names; `tokens`; `empty`.
    """

    def __init__(self, options: CriteriaOptions, context: Context) -> None:
        super().__init__(RubricCriteria(options), options.read, context.judges[options.judge])
        self._worth = options.worth

    def _read(self, reply: Reply, question: CriteriaQuestion) -> Score:
        criteria = question.criteria
        verdicts = read_verdicts(reply, question.tag, len(criteria.criteria))
        self._judge.report_parsed(reply, verdicts.fault is None)
        info: dict[str, Any] = {"tokens": (reply.prompt_tokens or 0) + (reply.completion_tokens or 0)}
        if verdicts.fault is not None:
            return Score(info=info, error=verdicts.fault)
        scores = {one.name: float(is_met) for one, is_met in zip(criteria.criteria, verdicts.met, strict=True)}
        return Score(value=criteria.worth(verdicts.met, self._worth), info={"scores": scores, **info})
