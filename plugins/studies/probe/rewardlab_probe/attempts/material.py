"""The material of one row's degenerate completions."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rewardlab_probe.corruptions import sentences, wrong_guess
from rewardlab_probe.honest_row import HonestRow
from rewardlab_probe.response_form import Form

MIN_WORDS = 8
"""Words of prose of which a part, or another order, is not nearly all."""
PYTHON, SQL = ("python", "python3", "py"), ("sql", "sqlite", "postgresql", "mysql")
_FUNCTION = re.compile(r"^(?:async )?def (\w+)", re.MULTILINE)

Texts = str | Mapping[str, str]
"""the completion of a family, or its variants by name"""


class NoCompletion(Exception):
    """The reason why a row has no completion of a family."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """The material of one row's degenerate completions.

    Args:
        rows: all rows of the probe, this one among them.
        spoken: words of the rows of its language.
        looked_for: words that the reward's code has.
        long: characters of a very long completion.
        seed: what is drawn for this row follows from it.
        slow: whether a program that sleeps is tried.
    """

    row: HonestRow
    rows: Sequence[HonestRow]
    spoken: Sequence[str]
    looked_for: Sequence[str]
    long: int
    seed: str
    slow: bool

    @property
    def form(self) -> Form:
        """The form of the honest completion."""
        return self.row.parts.form

    @property
    def answer(self) -> str:
        """The answer of the honest completion, "" if it is all reasoning."""
        return self.row.parts.answer

    @property
    def reasoning(self) -> str:
        """The reasoning of the honest completion."""
        return self.row.parts.reasoning

    @cached_property
    def other_answers(self) -> list[str]:
        """The answers of all rows."""
        return [row.parts.answer for row in self.rows]

    @cached_property
    def known(self) -> str:
        """The texts of the row beside its prompt and its honest completion; the right answer may be there."""
        fields = self.row.sample.fields.items()
        values = (value for name, value in fields if name not in (*self.row.columns, "prompt"))
        return "\n".join(value if isinstance(value, str) else json.dumps(value, default=str) for value in values)

    @cached_property
    def guess(self) -> str:
        """A wrong answer of the same kind."""
        return wrong_guess(self.answer, f"{self.seed}/guess")

    @cached_property
    def prompt(self) -> str:
        """The user's last message."""
        asked = [message["content"] for message in self.row.sample.prompt if message["role"] == "user"]
        return asked[-1] if asked else self.row.sample.prompt[-1]["content"]

    @property
    def sentence(self) -> str:
        """The first sentence of the honest completion. A NoCompletion if it has none."""
        choices = sentences(self.reasoning) or sentences(self.answer)
        if not choices:
            raise NoCompletion("the honest completion has no sentence")
        return choices[0]

    @property
    def is_prose(self) -> bool:
        """Whether the answer is more than a number, a letter or a name."""
        return bool(self.answer) and not self.row.answers_shortly

    @property
    def is_object(self) -> bool:
        """Whether the answer is an object of JSON."""
        return self.answer.startswith("{")

    @property
    def is_python(self) -> bool:
        """Whether the answer is a program in Python."""
        return (self.form.code or "").casefold() in PYTHON

    @property
    def is_sql(self) -> bool:
        """Whether the answer is a query in SQL."""
        return (self.form.code or "").casefold() in SQL

    @cached_property
    def functions(self) -> list[str]:
        """The names of the functions of a program that is the answer."""
        return _FUNCTION.findall(self.answer) if self.is_python else []

    @property
    def no_thought(self) -> str:
        """A stand-in for absent reasoning: a think block is not left empty."""
        return "..." if self.form.thinks else ""

    def answered(self, answer: str) -> str:
        """Return a response with an answer and no reasoning."""
        return self.form.write(self.no_thought, answer)

    def junk(self, text: str) -> str:
        """Return a response with `text` as its reasoning, and as its answer if that is prose; else a wrong guess."""
        return self.form.write(text, text if self.is_prose else self.guess)
