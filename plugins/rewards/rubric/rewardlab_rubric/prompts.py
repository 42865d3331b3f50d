"""The question to a judge: a rubric, the texts that it is applied to, each in a fence, and the form of the reply."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from rewardlab import Message
from rewardlab.text import fence
from rewardlab_answers import QuotingTemplate, read_template

from rewardlab_rubric.levels import Levels
from rewardlab_rubric.rubrics import Rubric

Layout = Literal["r3", "mr3"]
SHOWN = {"single": ("input", "response"), "pair": ("input", "a", "b")}
"""the texts that a template of each sort quotes, once each and in this order"""
OTHERS = ("task", "rubric", "format", "key", "side_a", "side_b")
NEEDED = ("rubric", "format")
TASKS = {
    "single": "Say how far the response meets the rubric, given what the input asks for.",
    "pair": "Say which of the two responses meets the rubric better, given what the input asks for.",
}
"""the tasks of rubrics without a description"""


@dataclass(frozen=True, kw_only=True)
class RubricTemplate:
    """A checked template of a question about one response or a pair."""

    template: QuotingTemplate
    layout: Layout
    sort: Literal["single", "pair"]

    def messages(self, rubric: Rubric, parts: Mapping[str, str], key: str) -> list[Message]:
        """Return the messages that show `parts` (query and response, or query, a and b), each verbatim in a fence."""
        sides = rubric.levels.sides
        labels = {"input": "INPUT", "response": "RESPONSE", "a": sides[0].upper(), "b": sides[1].upper()}
        quoted = {name: fence(labels[name], parts[_part(name)], key) for name in SHOWN[self.sort]}
        return self.template.messages(
            {
                **quoted,
                "key": key,
                "task": rubric.description or TASKS[self.sort],
                "rubric": "\n".join(f"{label}: {text}" for label, text in rubric.levels.texts.items()),
                "format": _format_of(self.layout, rubric.levels),
                "side_a": sides[0],
                "side_b": sides[1],
            }
        )


@dataclass(frozen=True)
class _Told:
    """A template that is not a file."""

    text: str

    def read_text(self, encoding: str) -> str:
        return self.text

    def __str__(self) -> str:
        return "the template of a trained judge's rows"


def template_text(path: str | None, layout: Layout, sort: Literal["single", "pair"]) -> str:
    """Return the text of the template in the file `path`, or of the packaged one."""
    return _source(path, layout, sort).read_text(encoding="utf-8")


def _source(path: str | None, layout: Layout, sort: str) -> Any:
    packaged = files("rewardlab_rubric") / "templates" / f"{layout}_{sort}.txt"
    return packaged if path is None else Path(os.path.expanduser(path))


def load(path: str | None, layout: Layout, sort: Literal["single", "pair"], text: str | None = None) -> RubricTemplate:
    """Return the template `text`, else that in the file `path`, or the packaged one.

    Raises ValueError that says what is wrong.

    $input, $response or $a and $b stand for the fenced texts, $key for the key of the fences, $task, $rubric and
    $format for the parts that the rubric gives, $side_a and $side_b for what it calls the two responses.
    """
    source = _source(path, layout, sort) if text is None else _Told(text)
    template = read_template(source, (*SHOWN[sort], *OTHERS))
    _check([*template.system_names, *template.user_names], str(source), sort)
    return RubricTemplate(template=template, layout=layout, sort=sort)


def _check(names: list[str], source: str, sort: str) -> None:
    shown = [name for name in names if name in SHOWN[sort]]
    for name in (*SHOWN[sort], *NEEDED):
        if names.count(name) != 1:
            times = f"appears {names.count(name)} times; show it once" if name in names else "is missing"
            raise ValueError(f"{source}: ${name} {times}")
    if sort == "pair" and shown.index("a") > shown.index("b"):
        raise ValueError(f"{source}: $b comes before $a; A must come first")


def _part(name: str) -> str:
    """Return the name among an Ask's parts of what a template calls `name`."""
    return "query" if name == "input" else name


def _format_of(layout: Layout, levels: Levels) -> str:
    why = "how the rubric applies, in a few sentences"
    if layout == "r3":
        form = json.dumps({"explanation": why, "score": levels.describe()}, indent=2)
        return f"Reply with one JSON object of this form and with nothing behind it:\n\n{form}"
    schema = {
        "type": "object",
        "properties": {
            "explanation": {"type": "string", "description": why},
            "score": {"type": "string", "enum": list(levels.texts)},
        },
        "required": ["explanation", "score"],
    }
    return f"Reply with one JSON object that this schema allows, and with nothing behind it:\n\n{json.dumps(schema)}"
