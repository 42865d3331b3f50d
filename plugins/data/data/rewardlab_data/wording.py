"""Word problems and their wording: questions and reasoning in each language, from wording.yaml."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

Operation = Literal["add", "sub"]
Form = Literal["boxed", "tagged"]
STEPS = 4
"""Sentences of the reasoning; sentence k says the same in every language."""


@dataclass(frozen=True)
class ProblemWording:
    """The wording in one language: nouns as (one, many), question templates and reasoning sentences by operation."""

    nouns: tuple[tuple[str, str], ...]
    questions: dict[Operation, tuple[str, ...]]
    steps: dict[Operation, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class WordProblem:
    """A word problem: its numbers and its story. `noun` and `template` are indices into the wording."""

    language: str
    operation: Operation
    a: int
    b: int
    name: str
    noun: int
    template: int

    @property
    def result(self) -> int:
        """The right result."""
        return self.a + self.b if self.operation == "add" else self.a - self.b

    def question(self) -> str:
        """Return the problem's text in its language."""
        wording = wordings()[self.language]
        return self._fill(wording.questions[self.operation][self.template], wording)

    def reasoning(self, languages: Sequence[str], result: int, boxed: bool) -> str:
        """Return the four sentences, sentence k in `languages[k]`, ending in `result`, which may be wrong."""
        answer = f"\\boxed{{{result}}}" if boxed else str(result)
        chosen = [wordings()[language] for language in languages]
        steps = [w.steps[self.operation][k] for k, w in enumerate(chosen)]
        return " ".join(self._fill(step, w, answer) for step, w in zip(steps, chosen, strict=True))

    def solution(self, language: str, form: Form = "boxed") -> str:
        """Return the right reasoning in one language, its result in a box or in tags."""
        return self.response([language] * STEPS, self.result, form)

    def response(self, languages: Sequence[str], result: int, form: Form, formed: bool = True) -> str:
        """Return the sentences with the result in the form; the sentences alone unless `formed`."""
        text = self.reasoning(languages, result, boxed=formed and form == "boxed")
        return f"<think>{text}</think><answer>{result}</answer>" if formed and form == "tagged" else text

    def _fill(self, template: str, wording: ProblemWording, answer: str = "") -> str:
        singular, many = wording.nouns[self.noun]
        return template.format(
            name=self.name,
            a=self.a,
            b=self.b,
            c=self.result,
            things=many,
            a_things=singular if self.a == 1 else many,
            ans=answer,
        )


@cache
def wordings() -> dict[str, ProblemWording]:
    """Return the wording of every language, by ISO 639-1 code."""
    return {code: _wording(block) for code, block in _data()["languages"].items()}


@cache
def names() -> tuple[str, ...]:
    """Return the names of the people in the stories."""
    return tuple(_data()["names"])


@cache
def _data() -> dict:
    import yaml

    return yaml.safe_load(files(__package__).joinpath("wording.yaml").read_text(encoding="utf-8"))


def _wording(block: dict) -> ProblemWording:
    nouns = tuple((noun, noun) if isinstance(noun, str) else tuple(noun) for noun in block["things"])
    operations: tuple[Operation, ...] = get_args(Operation)
    questions = {operation: tuple(block[operation]) for operation in operations}
    steps = {operation: tuple(block["steps"][operation]) for operation in operations}
    return ProblemWording(nouns=nouns, questions=questions, steps=steps)
