"""The texts that a row has in each language besides the translation: its system message and its last sentence."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

BOX = r"\boxed{}"


@dataclass(frozen=True)
class RowWording:
    r"""A row's texts in one language, whose English name is `name`; the others hold a literal `\boxed{}` once each."""

    name: str
    system: str
    conclusion: str

    def conclude(self, answer: str) -> str:
        """Return the sentence that gives `answer` in a box."""
        return self.conclusion.replace(BOX, rf"\boxed{{{answer}}}")


@cache
def wordings() -> dict[str, RowWording]:
    """Return the wording of every language that has one, by ISO 639-1 code."""
    table = tomllib.loads(files(__package__).joinpath("wording.toml").read_text(encoding="utf-8"))
    return {code: RowWording(**texts) for code, texts in table.items()}
