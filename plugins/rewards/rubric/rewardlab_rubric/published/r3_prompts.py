"""R3's published prompts: functions whose docstring is a template, as the library outlines renders it.

Source: rubricreward/r3 `6a9558e`, src/dataset_gen/rubrics_gen/prompts.py and the schemas beside it.
"""

import ast
import inspect
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rewardlab import Message

from rewardlab_rubric.levels import Kind, label_of_key, levels_of
from rewardlab_rubric.published.layout import PublishedLayout, parsed
from rewardlab_rubric.rubrics import Rubric

_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][\w.]*)\s*(?:\|\s*(\w+)\s*)?\}\}")
SHOWN = {"task": "task", "input_data": "query", "response": "response", "response1": "a", "response2": "b"}
"""names in the template -> what they show"""
RUBRIC = "rubric."


@dataclass(frozen=True)
class R3Prompt:
    """A template of R3. format: the form of the reply, as the template's filter `schema` writes it."""

    where: str
    text: str
    format: str

    def messages(self, rubric: Rubric, parts: Mapping[str, str], key: str) -> list[Message]:
        """Return the one message that shows `parts` as they are; a ValueError for a rubric that the template cannot."""
        if rubric.description is None:
            raise ValueError(f"{self.where} shows the rubric's description, but it has none")
        if sorted(self.levels) != sorted(rubric.levels.texts):
            shown = ", ".join(self.levels)
            raise ValueError(f"{self.where} shows the levels {shown}; the rubric has {', '.join(rubric.levels.texts)}")

        def value(match: re.Match[str]) -> str:
            name = match[1]
            if name.startswith(RUBRIC):
                return rubric.levels.texts[str(label_of_key(name.removeprefix(RUBRIC)))]
            given = {"format": self.format, "task": rubric.description or "", **parts}
            return given[SHOWN.get(name, name)]

        return [{"role": "user", "content": _PLACEHOLDER.sub(value, self.text)}]

    @property
    def levels(self) -> list[str]:
        """The labels of the levels that it shows."""
        names = [match[1] for match in _PLACEHOLDER.finditer(self.text)]
        return [str(label_of_key(name.removeprefix(RUBRIC))) for name in names if name.startswith(RUBRIC)]

    def stand_in(self, kinds: Sequence[Kind]) -> Rubric:
        """Return a rubric of its levels, to use if each row has its own."""
        return Rubric(levels_of(dict.fromkeys(self.levels, "a level"), kinds), "Judge the response.")


def r3_prompt(layout: PublishedLayout, asks: str) -> R3Prompt:
    """Return the template of a reward's question. Raises ValueError that says what the file lacks."""
    tree, path = parsed(layout.file)
    name = layout.name or f"evaluate_{asks}"
    function = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name), None)
    docstring = None if function is None else ast.get_docstring(function, clean=False)
    if function is None or docstring is None:
        raise ValueError(f"{layout.file} has no function {name} with a template; mR3's file needs `texts` and `name`")
    text, where = _cleaned(docstring), f"{layout.file}: {name}"
    pairs = asks == "pairwise"
    wanted = {"task", "input_data", *(("response1", "response2") if pairs else ("response",))}
    names = {match[1] for match in _PLACEHOLDER.finditer(text) if not match[1].startswith(RUBRIC)}
    rest = _PLACEHOLDER.sub("", text)
    if names - {"format"} != wanted or "{{" in rest or "{%" in rest:
        raise ValueError(f"{where} shows {', '.join(sorted(names))}; rubric/{asks} has {', '.join(sorted(wanted))}")
    return R3Prompt(where, text, _format_of(function, path) if "format" in names else "")


def _cleaned(docstring: str) -> str:
    """Return a docstring without its indentation, as outlines cleans it before jinja2 fills it."""
    text = inspect.cleandoc(docstring)
    if docstring.replace(" ", "").endswith("\n\n"):
        text += "\n"
    return re.sub(r"(?![\r\n])(\b\s+)", " ", text)


def _format_of(function: ast.FunctionDef, path: Path) -> str:
    """Return the schema that is the default of the function's last argument: its fields' descriptions, as JSON."""
    schema = function.args.defaults[-1] if function.args.defaults else None
    if not isinstance(schema, ast.Name):
        raise ValueError(f"{path}: {function.name} has no schema as the default of its last argument")
    beside = path.with_name("evaluation_schema.py")
    tree, _ = parsed(str(beside))
    schema_class = next((node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == schema.id), None)
    if schema_class is None:
        raise ValueError(f"{beside} has no class {schema.id}, the form of the reply in {path.name}")
    fields = [
        node for node in schema_class.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    return json.dumps(
        {field.target.id: _description(field) for field in fields if isinstance(field.target, ast.Name)}, indent=2
    )


def _description(field: ast.AnnAssign) -> str:
    given = field.value.keywords if isinstance(field.value, ast.Call) else []
    for keyword in given:
        if keyword.arg == "description" and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value)
    assert isinstance(field.target, ast.Name)
    return f"<{field.target.id}>"
