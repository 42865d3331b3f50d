"""What a row of an English source says: a problem, its solution, its answer."""

import hashlib
from dataclasses import dataclass
from typing import Any

from rewardlab import Sample
from rewardlab.errors import UserError


class Unusable(Exception):
    """A row that no translation can be made of; the text says why."""


@dataclass(frozen=True, kw_only=True)
class SourceProblem:
    """problem, solution: English texts, not blank. answer: the gold answer, as it stands in a box."""

    id: str
    problem: str
    solution: str
    answer: str

    def is_test(self, share: float) -> bool:
        """Whether the problem is among the `share` kept for tests.

        A hash of its text up to white space decides and nothing else, so that one problem is on the same side
        in every language, file and run.
        """
        digest = hashlib.sha256(" ".join(self.problem.split()).encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") / 2**64 < share


def read(sample: Sample) -> SourceProblem:
    """The problem of a sample: its one user message and its fields `reference` and `answer`.

    Raises UserError, with the place: what is there cannot be read as such. Unusable: one of them is blank.
    """
    turns = [message for message in sample.prompt if message["role"] != "system"]
    if len(turns) != 1 or turns[0]["role"] != "user":
        raise UserError("the prompt must be one user message, the problem", where=sample.source)
    answer = _field(sample, "answer")
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        answer = str(answer)
    solution = _field(sample, "reference")
    for name, text in [("answer", answer), ("reference", solution)]:
        if not isinstance(text, str):
            raise UserError(f"{name} must be a text, not {type(text).__name__}", where=sample.source)
    found = {"problem": turns[0]["content"], "reference solution": solution, "answer": answer}
    for name, text in found.items():
        if not text.strip():
            raise Unusable(f"the {name} is blank")
    return SourceProblem(id=sample.id, problem=turns[0]["content"], solution=solution, answer=answer.strip())


def _field(sample: Sample, name: str) -> Any:
    value = sample.fields.get(name)
    if value is None:
        what = f"no {name}; map a column with `fields: {{{name}: <column>}}` under `from`"
        raise UserError(what, where=sample.source)
    return value
