"""Read a row of an English source: a problem, and its solution and answer if they are needed."""

import hashlib
from dataclasses import dataclass
from typing import Any

from rewardlab import Sample
from rewardlab.errors import UserError
from rewardlab_answers import last_box

from rewardlab_language.boxing import fits_in_box


class UntranslatableRow(Exception):
    """A source row that cannot be translated; the message says why."""


@dataclass(frozen=True, kw_only=True)
class SourceQuestion:
    """A source row's question. problem: an English text, not blank."""

    id: str
    problem: str

    def is_test(self, share: float) -> bool:
        """Return whether the problem is among the `share` kept for tests.

        Only a hash of its text up to white space decides, so that a problem is on the same side in every language,
        file and run.
        """
        digest = hashlib.sha256(" ".join(self.problem.split()).encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") / 2**64 < share


@dataclass(frozen=True, kw_only=True)
class SourceProblem(SourceQuestion):
    """A source row's problem.

    Args:
        solution: an English text, not blank.
        answer: the gold answer, as it stands in a box.
    """

    solution: str
    answer: str


def read_question(sample: Sample) -> SourceQuestion:
    """Return the question of a sample: its one user message.

    Raises UserError, with the place, if there is not exactly one, and UntranslatableRow if that is blank.
    """
    turns = [message for message in sample.prompt if message["role"] != "system"]
    if len(turns) != 1 or turns[0]["role"] != "user":
        raise UserError("the prompt must be one user message, the problem", where=sample.source)
    if not turns[0]["content"].strip():
        raise UntranslatableRow("the problem is blank")
    return SourceQuestion(id=sample.id, problem=turns[0]["content"])


def read_problem(sample: Sample) -> SourceProblem:
    """Return the problem of a sample: its one user message and its fields `reference` and `answer`.

    Raises UserError, with the place, if one of them is missing or of the wrong type, and UntranslatableRow if one is
    blank, the problem states the answer, or this cannot stand in a box.
    """
    question = read_question(sample)
    answer = _field(sample, "answer")
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        answer = str(answer)
    solution = _field(sample, "reference")
    for name, text in [("answer", answer), ("reference", solution)]:
        if not isinstance(text, str):
            raise UserError(f"{name} must be a text, not {type(text).__name__}", where=sample.source)
    for name, text in [("reference solution", solution), ("answer", answer)]:
        if not text.strip():
            raise UntranslatableRow(f"the {name} is blank")
    problem = SourceProblem(id=question.id, problem=question.problem, solution=solution, answer=answer.strip())
    if last_box(problem.problem) == problem.answer:
        raise UntranslatableRow("the problem states the answer")
    if not fits_in_box(problem.answer):
        raise UntranslatableRow("the answer cannot stand in a box")
    return problem


def _field(sample: Sample, name: str) -> Any:
    value = sample.fields.get(name)
    if value is None:
        problem = f"no {name}; map a column with `fields: {{{name}: <column>}}` under `from`"
        raise UserError(problem, where=sample.source)
    return value
