"""The question of an appeal: whether a response's answer is the right one, which the judge is shown."""

from typing import Any

from rewardlab import Ask, Sample

from rewardlab_rubric.appeals.options import AppealOptions
from rewardlab_rubric.criteria.criteria import Criteria, Criterion
from rewardlab_rubric.criteria.question import CriteriaQuestion, CriteriaQuestions
from rewardlab_rubric.first_question import SUM, TEXTS

SAME = Criteria(
    (
        Criterion(
            "right",
            "The final answer of the response says the same as the right answer, in whatever form, notation or "
            "language, and says nothing else.",
            1.0,
        ),
    ),
    "Say whether the response has the right answer. A rule did not find it there, or did: rules miss answers that are "
    "written in another way, and take some that are wrong. Look at the answer alone and not at the way to it.",
)
OTHER = (
    "Say whether the response meets the criterion. A rule decided otherwise, or the same: rules err in both directions."
)


class AppealQuestions:
    """The maker of the questions of appeals."""

    def __init__(self, options: AppealOptions) -> None:
        self._questions = CriteriaQuestions(options.max_tokens)
        self._criteria, self._field = _criteria(options), options.shown

    def about(self, sample: Sample, response: str) -> CriteriaQuestion:
        """Return the question about a response."""
        reference = None if self._field is None else _text(sample.fields.get(self._field))
        return self._questions.by(self._criteria, sample, response, reference=reference)


def _criteria(options: AppealOptions) -> Criteria:
    if options.criterion is None:
        return SAME
    return Criteria((Criterion("right", options.criterion.strip(), 1.0),), OTHER)


def _text(reference: Any) -> str:
    return " or ".join(map(str, reference)) if isinstance(reference, list) else str(reference)


def first_question(options: AppealOptions) -> Ask:
    """Return a question about a sum."""
    return AppealQuestions(options).about(SUM, TEXTS[0]).ask
