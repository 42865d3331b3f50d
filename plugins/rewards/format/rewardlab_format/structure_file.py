"""Read the required structure of answers to each task from YAML, with the file and line of each mistake.

tasks:
  NLI:                                     # or another name of the task: rewardlab.text.TASKS
    labels: [entailment, [neutral, neither]]
    labels_field: labels
  Report:
    names: [Bericht]                       # more names of your own
    least_words: 100
    most_words: 900
    parts: ["## Findings", ["## Advice", "## Recommendations"]]
    subtasks: {Short: {least_words: 20}}
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from rewardlab_format.structure import Alternatives, Structure, Structures, key_of

LARGEST = 1 << 20
"""characters of a file at most"""
_RULES = ("least_words", "most_words", "labels", "labels_field", "parts")
_OF_TASK = ("names", *_RULES, "subtasks")


def read_structures(name: str) -> Structures:
    """Return the structures of a packaged file (`amro`), or of a file by its path. ValueError with file and line."""
    packaged = files("rewardlab_format") / "structures" / f"{name}.yaml"
    is_packaged = name.isidentifier() and packaged.is_file()
    source: Any = packaged if is_packaged else Path(name).expanduser()
    return _StructureReader(name if is_packaged else str(source)).structures(_text(source, name))


def _text(source: Any, name: str) -> str:
    try:
        text = source.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read the structure file {name}: {error}; `amro` is the packaged one") from None
    if len(text) > LARGEST:
        raise ValueError(f"{name}: a structure file has at most {LARGEST} characters, and this has {len(text)}")
    return text


class _StructureReader:
    """A reader of one file, which names it in each mistake."""

    def __init__(self, source: str) -> None:
        self._source = source

    def structures(self, text: str) -> Structures:
        try:
            root = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
            raise ValueError(f"{self._source}:{line}: {error.problem or error.context}") from None
        except (yaml.YAMLError, RecursionError) as error:
            raise ValueError(f"{self._source}: {type(error).__name__}: it is not YAML") from None
        if root is None:
            raise ValueError(f"{self._source}:1: the file is empty; `tasks:` is needed")
        top = self._mapping(root, ("tasks",))
        if "tasks" not in top:
            raise self._wrong(root, "`tasks:` is missing")
        by_task: dict[str, tuple[Structure, Mapping[str, Structure]]] = {}
        for task, node in self._mapping(top["tasks"]).items():
            parts = self._mapping(node, _OF_TASK)
            structure = self._structure(parts, Structure(), node)
            subtasks = {
                key_of(name): self._structure(self._mapping(inner, _RULES), structure, inner)
                for name, inner in (self._mapping(parts["subtasks"]) if "subtasks" in parts else {}).items()
            }
            names = [task, *(self._texts(parts["names"]) if "names" in parts else ())]
            for key in dict.fromkeys(map(key_of, names)):
                if key in by_task:
                    raise self._wrong(node, f"the task {key!r} appears twice, by one of its names")
                by_task[key] = structure, subtasks
        if not by_task:
            raise self._wrong(root, "no task is there")
        return Structures(self._source, by_task)

    def _structure(self, rules: Mapping[str, yaml.Node], base: Structure, node: yaml.Node) -> Structure:
        """Return the structure of a task, or of a subtask, which inherits from its task what it does not set."""
        readers: dict[str, Callable[[yaml.Node], Any]] = {
            "least_words": self._number,
            "most_words": self._number,
            "labels": self._alternatives,
            "labels_field": self._scalar,
            "parts": self._alternatives,
        }
        read = {name: readers[name](rules[name]) for name in _RULES if name in rules}
        structure = replace(base, **read)
        if structure.most_words is not None and structure.most_words < structure.least_words:
            raise self._wrong(node, f"most_words {structure.most_words} is below least_words {structure.least_words}")
        return structure

    def _mapping(self, node: yaml.Node, allowed: tuple[str, ...] = ()) -> dict[str, yaml.Node]:
        if not isinstance(node, yaml.MappingNode):
            raise self._wrong(node, "a mapping (NAME: ...) is needed here")
        nodes: dict[str, yaml.Node] = {}
        for key, value in node.value:
            name = self._scalar(key)
            if allowed and name not in allowed:
                raise self._wrong(key, f"unknown {name!r}; {', '.join(allowed)} are known")
            if name in nodes:
                raise self._wrong(key, f"{name!r} appears twice")
            nodes[name] = value
        return nodes

    def _number(self, node: yaml.Node) -> int:
        text = self._scalar(node)
        if not (text.isascii() and text.isdigit()) or len(text) > 9:
            raise self._wrong(node, f"a whole number of words is needed, not {text[:40]!r}")
        return int(text)

    def _alternatives(self, node: yaml.Node) -> Alternatives:
        if not isinstance(node, yaml.SequenceNode) or not node.value:
            raise self._wrong(node, "a list is needed, of texts or of lists of texts that mean the same")
        alternatives = [
            self._texts(item) if isinstance(item, yaml.SequenceNode) else (self._scalar(item),) for item in node.value
        ]
        keys = [key_of(text) for texts in alternatives for text in texts]
        if len(set(keys)) < len(keys):
            raise self._wrong(node, "a text appears twice")
        return tuple(alternatives)

    def _texts(self, node: yaml.Node) -> tuple[str, ...]:
        if not isinstance(node, yaml.SequenceNode) or not node.value:
            raise self._wrong(node, "a list of texts is needed")
        return tuple(self._scalar(item) for item in node.value)

    def _scalar(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
            raise self._wrong(node, "a text that is not blank is needed")
        return node.value

    def _wrong(self, node: yaml.Node, problem: str) -> ValueError:
        return ValueError(f"{self._source}:{node.start_mark.line + 1}: {problem}")
