"""Ask a judge in the row's language: mR3's sections, and the beginning of its thoughts if they are forced."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rewardlab import Message
from rewardlab.text import fence

from rewardlab_rubric.rubrics import Rubric
from rewardlab_rubric.strategies.language_file import LanguageTexts, packaged_texts

THINKING = "<think>\n"
"""what stands before the first sentence of a judge's thoughts"""
CONTINUED = {"continue_final_message": True, "add_generation_prompt": False}
"""what a question whose last message begins the reply asks of the server"""
Sort = Literal["single", "pair"]


@dataclass(frozen=True)
class RubricInLanguage(Rubric):
    """A rubric with the texts of the language that it is in."""

    texts: LanguageTexts | None = None


@dataclass(frozen=True)
class LanguageTemplate:
    """Makes the question in a rubric's language.

    The names of scores and responses are the same in every language, and so are the lines around what is quoted.

    Args:
        forced: whether the judge is to think in that language, too.
    """

    sort: Sort
    forced: bool

    def messages(self, rubric: Rubric, parts: Mapping[str, str], key: str) -> list[Message]:
        """Return the messages that show `parts` (query and response, or query, a and b), each verbatim in a fence."""
        assert isinstance(rubric, RubricInLanguage)  # as `rubrics_of` makes them
        texts = rubric.texts
        assert texts is not None
        thinks_in = texts if self.forced else packaged_texts()["en"]
        system = f"{thinks_in.system}\n\n{self._instruction(texts, rubric, key)}"
        messages: list[Message] = [
            {"role": "system", "content": system},
            {"role": "user", "content": self._shown(texts, rubric, parts, key)},
        ]
        if self.forced:
            messages.append({"role": "assistant", "content": f"{THINKING}{texts.thinking}"})
        return messages

    def _instruction(self, texts: LanguageTexts, rubric: Rubric, key: str) -> str:
        named = ("rubric", "fences") if self.sort == "single" else ("rubric", "order", "fences")
        rules = "\n".join(texts.rules[name] for name in named).replace("$key", key)
        task = rubric.description or texts.tasks[self.sort]
        levels = "\n".join(f"{label}: {text}" for label, text in rubric.levels.texts.items())
        return _sections(
            {
                texts.tags["instruction"]: f"{task}\n\n{rules}",
                texts.tags["rubric"]: levels,
                texts.tags["format"]: f"{texts.format}\n\n{_schema(texts, rubric)}",
            }
        )

    def _shown(self, texts: LanguageTexts, rubric: Rubric, parts: Mapping[str, str], key: str) -> str:
        sections = [(texts.tags["input"], fence("INPUT", parts["query"], key))]
        if self.sort == "single":
            sections.append((texts.tags["response"], fence("RESPONSE", parts["response"], key)))
        else:
            named = zip(rubric.levels.sides, "ab", strict=True)
            sections += [(side, fence(side.upper(), parts[part], key)) for side, part in named]
        return f"{_sections(dict(sections))}\n\n# {texts.tags['answer']}"


def _sections(sections: Mapping[str, str]) -> str:
    return "\n\n".join(f"# {heading}\n{text}" for heading, text in sections.items())


def _schema(texts: LanguageTexts, rubric: Rubric) -> str:
    schema = {
        "type": "object",
        "properties": {
            "explanation": {"type": "string", "description": texts.explanation},
            "score": {"type": "string", "enum": list(rubric.levels.texts)},
        },
        "required": ["explanation", "score"],
    }
    return json.dumps(schema, ensure_ascii=False)
