"""mR3's published prompts: the f-strings of a class that builds conversations, with the texts of a JSON file.

Source: rubricreward/mr3 `54ad59a`, src/evaluation/dataset_gen.py and data/mr3_rubrics.
"""

import ast
import hashlib
import json
import os
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewardlab import Message, Sample
from rewardlab_pairwise.pairwise_reward import NoQuestion

from rewardlab_rubric.levels import Kind, levels_of
from rewardlab_rubric.published.layout import PartByField, PublishedLayout, loaded, parsed
from rewardlab_rubric.rubrics import Rubric

THINKING = "<think>"
"""what each published question ends with, so that the model goes on in its thoughts"""
ENGLISH = "en"
BESIDE = {
    "instruction": "instruction_msg_translated.json",
    "system": "system_msg_translated_qwen3.json",
    "thinking": "thinking_msg_translated.json",
}
"""the files beside `texts` that every prompt uses"""
QUERIES = ("input", "question", "problem")
RESPONSES = ("answer", "full_solution", "code_response")
PAIRS = {"response_1": "a", "response1": "a", "response_2": "b", "response2": "b"}
"""columns of the published rows -> what they show"""
CONVERSATION = "formatted_conv"


@dataclass(frozen=True)
class Mr3Rubric(Rubric):
    """A rubric of mR3's texts. values: what stands for the names in the prompt, but for the texts that are judged."""

    values: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Mr3Prompt:
    """The prompt of a class of mR3.

    Args:
        system, user: its f-strings.
        rubrics: the expression of its rubrics.
        shuffles: whether their levels change places.
    """

    layout: PublishedLayout
    where: str
    kinds: tuple[Kind, ...]
    strategy: str
    language: str
    system: ast.JoinedStr
    user: ast.JoinedStr
    rubrics: ast.expr
    shuffles: bool
    texts: Mapping[str, Any]
    beside: Mapping[str, Mapping[str, str]]

    def rubric(self, sample: Sample) -> tuple[int, Rubric]:
        """Return a row's rubric, drawn by its id, and its number.

        Raises ValueError that says what the row or the texts lack.
        """
        code = self._language_of(sample)
        values = self._values(sample, code)
        variants = self._evaluated(self.rubrics, values)
        digest = hashlib.sha256(json.dumps(["mr3", sample.id]).encode()).digest()
        drawn = random.Random(int.from_bytes(digest[:8], "big"))
        number = drawn.randrange(len(variants))
        keys = list(variants[number])
        if self.shuffles:
            drawn.shuffle(keys)
        levels = levels_of(variants[number], self.kinds)
        values["shuffled_rubric"] = "".join(f"{key}: {variants[number][key]}\n" for key in keys)
        return number, Mr3Rubric(levels, None, values)

    def messages(self, rubric: Rubric, parts: Mapping[str, str], key: str) -> list[Message]:
        """Return the system message, the user's, and the beginning of the reply; `parts` stand in them as they are."""
        assert isinstance(rubric, Mr3Rubric)
        assert rubric.values is not None
        row = _row_of(parts, alone=_columns(self.user).isdisjoint(RESPONSES))
        values = {**rubric.values, "row": row, "input_prompt": parts["query"], **row}
        system = f"{values['system']}\n\n{self._filled(self.system, values)}"
        begun = THINKING + (values["thinking"] if self.strategy == "tgt-tgt" else "")
        return [
            {"role": "system", "content": system},
            {"role": "user", "content": self._filled(self.user, values)},
            {"role": "assistant", "content": begun},
        ]

    def known(self) -> list[Rubric]:
        """Return every English rubric by which rows can be asked.

        Raises ValueError that says what is wrong with the texts.
        """
        language_texts = self.texts[ENGLISH]
        parts = self.layout.parts(_parts_of(language_texts))
        places = [{"templated_dict": language_texts, "subset_type": part, "template_type": part} for part in parts]
        variants = [variant for values in places for variant in self._evaluated(self.rubrics, values)]
        return [Rubric(levels_of(variant, self.kinds)) for variant in variants]

    def stand_in_fields(self) -> dict[str, str]:
        """Return the field of a row that says its part, if any."""
        part = self.layout.part
        return {part.field: next(iter(_parts_of(self.texts[ENGLISH])), "")} if isinstance(part, PartByField) else {}

    def _language_of(self, sample: Sample) -> str:
        code = ENGLISH if self.strategy == "eng-eng" else sample.fields.get(self.language)
        for name, texts in {str(self.layout.texts): self.texts, **self.beside}.items():
            if code not in texts:
                problem = f"field {self.language!r}: the published texts ({name}) have no language {code!r}"
                raise NoQuestion(problem) if isinstance(code, str) else ValueError(problem)
        return str(code)

    def _values(self, sample: Sample, code: str) -> dict[str, Any]:
        language_texts = self.texts[code]
        part = self.layout.part_of(sample, _parts_of(language_texts))
        turns = [f"<{message['role']}>\n{message['content']}\n</{message['role']}>\n" for message in sample.prompt]
        return {
            "templated_dict": language_texts,
            "subset_type": part,
            "template_type": part,
            "instruction_msg": self.beside["instruction"][code],
            "system": self.beside["system"][code if self.strategy == "tgt-tgt" else ENGLISH],
            "thinking": self.beside["thinking"][code],
            CONVERSATION: "".join(turns),
        }

    def _filled(self, text: ast.JoinedStr, values: Mapping[str, Any]) -> str:
        return "".join(
            str(value.value) if isinstance(value, ast.Constant) else str(self._evaluated(value, values))
            for value in text.values
        )

    def _evaluated(self, node: ast.expr, values: Mapping[str, Any]) -> Any:
        """Return what a name, or an item of one, stands for; nothing else is evaluated."""
        try:
            if isinstance(node, ast.FormattedValue) and node.conversion == -1 and node.format_spec is None:
                return self._evaluated(node.value, values)
            if isinstance(node, ast.Name):
                return values[node.id]
            if isinstance(node, ast.Subscript):
                whole, item = self._evaluated(node.value, values), node.slice
                return whole[item.value if isinstance(item, ast.Constant) else self._evaluated(item, values)]
        except (LookupError, TypeError):
            pass
        raise ValueError(f"{self.where}: {ast.unparse(node)} exists neither in this reward's rows nor in the texts")


def mr3_prompt(layout: PublishedLayout, kinds: tuple[Kind, ...], strategy: str, language: str) -> Mr3Prompt:
    """Return the prompt of a class, for rubrics of these kinds.

    Raises ValueError that says what the file or the texts lack.
    """
    assert layout.texts is not None
    tree, _ = parsed(layout.file)
    classes = {node.name: _assigned(node) for node in tree.body if isinstance(node, ast.ClassDef)}
    prompt_parts = classes.get(layout.name or "", {})
    if prompt_parts.keys() != {"system", "user", "rubrics"}:
        able = [name for name, assigned in classes.items() if len(assigned) == 3]
        raise ValueError(
            f"{layout.file}: `name` is one of its classes that ask by a rubric: {', '.join(able) or 'none'}"
        )
    where = f"{layout.file}: {layout.name}"
    if ("pair" in kinds) != bool({*PAIRS} & _columns(prompt_parts["user"])):
        raise ValueError(f"{where} asks about {'one text' if 'pair' in kinds else 'two texts'}, unlike this reward")
    folder = Path(os.path.expanduser(layout.texts)).parent
    texts, beside = loaded(layout.texts), {name: loaded(folder / file) for name, file in BESIDE.items()}
    if not all(isinstance(translated, Mapping) and ENGLISH in translated for translated in (texts, *beside.values())):
        raise ValueError(f"{layout.texts} and its neighbours are not texts by language, as data/mr3_rubrics has them")
    call = prompt_parts["rubrics"]
    return Mr3Prompt(
        layout=layout,
        where=where,
        kinds=kinds,
        strategy=strategy,
        language=language,
        system=prompt_parts["system"],
        user=prompt_parts["user"],
        rubrics=call.args[0],
        shuffles=not any(
            keyword.arg == "shuffle_keys" and ast.unparse(keyword.value) == "False" for keyword in call.keywords
        ),
        texts=texts,
        beside=beside,
    )


def _parts_of(language_texts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of one language's texts that have rubrics of their own."""
    return {name: part for name, part in language_texts.items() if isinstance(part, Mapping) and "rubric_list" in part}


def _columns(text: ast.JoinedStr) -> set[Any]:
    """Return the names and columns that an f-string shows."""
    shown = [node for value in text.values if isinstance(value, ast.FormattedValue) for node in ast.walk(value.value)]
    names = {node.id for node in shown if isinstance(node, ast.Name)}
    return names | {node.value for node in shown if isinstance(node, ast.Constant)}


def _assigned(class_node: ast.ClassDef) -> dict[str, Any]:
    """Return the f-strings of a class's question and the call that draws its rubric, as far as they are there."""
    names = {"developer_text": "system", "user_text": "user", "shuffled_rubric": "rubrics"}
    assigned: dict[str, Any] = {}
    for method in class_node.body:
        if not isinstance(method, ast.FunctionDef) or method.name != "build_conversation":
            continue
        for node in ast.walk(method):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = names.get(node.targets[0].id)
                wanted = ast.Call if name == "rubrics" else ast.JoinedStr
                if name is not None and name not in assigned and isinstance(node.value, wanted):
                    assigned[name] = node.value
    return assigned


def _row_of(parts: Mapping[str, str], alone: bool) -> dict[str, str]:
    """Return the columns of the published rows. alone: whether the text that is judged is the only one shown."""
    if "a" in parts:
        return {**dict.fromkeys(QUERIES, parts["query"]), **{name: parts[part] for name, part in PAIRS.items()}}
    query = parts["response" if alone else "query"]
    return {**dict.fromkeys(QUERIES, query), **dict.fromkeys(RESPONSES, parts["response"])}
