"""The question about all criteria of a rubric at once, and the form of the reply: a tagged line for each."""

from dataclasses import dataclass
from importlib.resources import files

from rewardlab import Ask, Sample
from rewardlab.text import fence, fence_key
from rewardlab_answers import read_template
from rewardlab_pairwise.pairwise_reward import query_of

from rewardlab_rubric.criteria.criteria import Criteria, Criterion
from rewardlab_rubric.criteria.options import CriteriaOptions
from rewardlab_rubric.criteria.sources import criteria_of_rows, known_criteria
from rewardlab_rubric.first_question import SUM, TEXTS

TAG = 8
"""characters of the key by which a line of the reply begins: no text that is judged has them"""
PLACEHOLDERS = ("task", "input", "response", "criteria", "format", "key")
LABELS = {"query": "INPUT", "reference": "RIGHT ANSWER"}
TASK = "Say which criteria the response meets, given what the input asks for."
STAND_IN = Criteria((Criterion("1", "The answer is right.", 1.0),))


@dataclass(frozen=True, slots=True)
class CriteriaQuestion:
    """A question to a judge. tag: how each line of the reply begins."""

    ask: Ask
    criteria: Criteria
    tag: str


class CriteriaQuestions:
    """The maker of questions about criteria. max_tokens: the most of a reply; None: the judge's own."""

    def __init__(self, max_tokens: int | None) -> None:
        self._template = read_template(files("rewardlab_rubric") / "templates" / "criteria.txt", PLACEHOLDERS)
        self._params = {} if max_tokens is None else {"max_tokens": max_tokens}

    def by(self, criteria: Criteria, sample: Sample, response: str, reference: str | None = None) -> CriteriaQuestion:
        """Return the question about a response by these criteria. reference: the right answer, if the judge sees it."""
        shown = {} if reference is None else {"reference": reference}
        parts = {"query": query_of(sample), **shown, "response": response}
        key = fence_key(parts)
        messages = self._template.messages(
            {
                "task": criteria.description or TASK,
                "input": "\n\n".join(fence(LABELS[name], parts[name], key) for name in ("query", *shown)),
                "response": fence("RESPONSE", response, key),
                "criteria": "\n".join(f"{n}. {one.text}" for n, one in enumerate(criteria.criteria, start=1)),
                "format": _format(len(criteria.criteria), key[:TAG]),
                "key": key,
            }
        )
        return CriteriaQuestion(Ask(messages=messages, parts=parts, params=self._params), criteria, key[:TAG])


class RubricCriteria:
    """The maker of the questions by the criteria of a recipe or of its rows."""

    def __init__(self, options: CriteriaOptions) -> None:
        """Raise ValueError that says what is wrong with the recipe's criteria."""
        self._criteria = criteria_of_rows(options.rubric, options.worth)
        self._questions = CriteriaQuestions(options.max_tokens)

    def about(self, sample: Sample, response: str) -> CriteriaQuestion:
        """Return the question about a response. Raises ValueError that says what is wrong with the row's criteria."""
        return self._questions.by(self._criteria(sample), sample, response)


def _format(count: int, tag: str) -> str:
    return (
        f"Reply with {count} lines, one for each criterion from 1 to {count}, and with nothing behind them. A line "
        f"begins with {tag} and the criterion's number, says why in a few words, and ends with the verdict, which is "
        f"`met` or `not met`:\n\n{tag} NUMBER | WHY | VERDICT"
    )


def first_question(options: CriteriaOptions) -> Ask:
    """Return a question about a sum, by the recipe's criteria, or by a small one if rows have their own."""
    known = known_criteria(options.rubric, options.worth)
    return CriteriaQuestions(options.max_tokens).by(known or STAND_IN, SUM, TEXTS[0]).ask


def unusable(options: CriteriaOptions, sample: Sample) -> str | None:
    """Return what is wrong with a row's own criteria; None if nothing is."""
    if not options.needs:
        return None
    try:
        criteria_of_rows(options.rubric, options.worth)(sample)
    except ValueError as error:
        return str(error)
    return None
