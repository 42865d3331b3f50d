"""What a row says in each language besides the translation: its system message and its last sentence."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

BOX = r"\boxed{}"


@dataclass(frozen=True)
class Wording:
    r"""One language. `name` is its English name; `system` and `conclusion` hold a literal `\boxed{}` once."""

    name: str
    system: str
    conclusion: str

    def conclude(self, answer: str) -> str:
        """The sentence that gives `answer` in a box."""
        return self.conclusion.replace(BOX, rf"\boxed{{{answer}}}")


@cache
def wordings() -> dict[str, Wording]:
    """The wording of every language that there is one for, by ISO 639-1 code."""
    table = tomllib.loads(files(__package__).joinpath("wording.toml").read_text(encoding="utf-8"))
    return {code: Wording(**texts) for code, texts in table.items()}
