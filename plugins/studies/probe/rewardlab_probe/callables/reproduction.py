"""A line that shows what a grader does, to paste into a shell."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from rewardlab import Sample

from rewardlab_probe.callables.callable_worker import INSPECT_STATE
from rewardlab_probe.callables.signatures import CallPlan
from rewardlab_probe.measure import ProbeGroup
from rewardlab_probe.verdicts import FamilyVerdict

LONG = 400
"""Characters of a text from which on it is written as a repetition, if it is one."""
BEFORE, UNIT = 60, 200
"""Characters that may stand before a repetition, and of its longest unit."""
PROGRAM = "python"


@dataclass(frozen=True, kw_only=True)
class Reproducer:
    """What the lines have in common: the callable, how it is called, and the folders of its modules."""

    target: str
    plan: CallPlan
    path: Sequence[str] = ()

    def line(self, calls: Sequence[tuple[Sample, Sequence[str]]]) -> str:
        """Return a line that prints what the grader returns for each of these calls: rows with completions."""
        asked = []
        if len(calls) > 1 and self._differ_in_a_text(calls):
            asked.append(f"ask = lambda text: {self._call(calls[0][0], [_Name('text')])}")
            printed = ", ".join(f"ask({_text(texts[0])})" for _, texts in calls)
        else:
            printed = ", ".join(self._call(sample, texts) for sample, texts in calls)
        return f"{PROGRAM} -c {shlex.quote('; '.join([*self._imports(), *asked, f'print({printed})']))}"

    def _differ_in_a_text(self, calls: Sequence[tuple[Sample, Sequence[str]]]) -> bool:
        """Return whether the calls are of one row, one completion each, and nothing is made of that but the text."""
        alone = all(sample is calls[0][0] and len(texts) == 1 for sample, texts in calls)
        return alone and "completion_ids" not in self.plan.parameters.names

    def _imports(self) -> list[str]:
        place, _, names = self.target.partition(":")
        first, *rest = names.split(".")
        name = first.removesuffix("()")
        folders = [folder for folder in self.path if folder != "."]  # where python -c looks anyway
        if place.endswith(".py"):
            folders.append(str(Path(place).parent))
            place = Path(place).stem
        lines = [f"import sys; sys.path[:0] = {written(folders)}"] if folders else []
        if all(part.isidentifier() for part in place.split(".")):
            lines.append(f"from {place} import {name}")
        else:  # as of a file my-grader.py
            lines.append(f"import importlib; {name} = importlib.import_module({_quoted(place)}).{name}")
        if rest or first.endswith("()"):
            lines.append(f"f = {names}")
        elif name != "f":
            lines.append(f"f = {name}")
        if self._awaits:
            lines.append("import asyncio")
        if self.plan.signature == "inspect":
            lines.append(INSPECT_STATE)
        if self.plan.signature == "nemo_gym":
            lines.append("import typing")
        return lines

    @property
    def _awaits(self) -> bool:
        return self.plan.parameters.awaits or self.plan.signature == "inspect"

    def _call(self, sample: Sample, texts: Sequence[str]) -> str:
        arguments = self.plan.arguments(sample, texts)
        if self.plan.signature == "inspect":
            state = arguments["state"]
            target = written(arguments["target"])
            call = f"f(state({written(state['prompt'])}, {written(state['completion'])}), Target({target}))"
            return f"asyncio.run({call}).value"
        if self.plan.signature == "nemo_gym":
            body = written(arguments["body"])
            validated = f'typing.get_type_hints(f)["body"].model_validate({body})'
            call = f"f({validated if self.plan.parameters.validates else body})"
            awaited = f"asyncio.run({call})" if self._awaits else call
            return f'(lambda r: getattr(r, "reward", r))({awaited})'  # and not the whole body, which comes back
        by_place = self.plan.parameters.placed
        placed = [written(arguments[name]) for name in by_place if name in arguments]
        named = [f"{name}={written(value)}" for name, value in arguments.items() if name not in by_place]
        call = f"f({', '.join([*placed, *named])})"
        return f"asyncio.run({call})" if self._awaits else call


class _Name(str):
    """A text that is written as it is: the name of a variable."""

    __slots__ = ()


def written(value: Any) -> str:
    """Return a value of JSON as Python, a long repetitive text as what it repeats."""
    if isinstance(value, _Name):
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(key)}: {written(each)}" for key, each in value.items()) + "}"
    return repr(value)


def _text(text: str) -> str:
    """Return a text as Python writes it; a long one that is mostly one unit as "before + unit * times + rest"."""
    for start, size in product(range(BEFORE), range(1, UNIT)) if len(text) > LONG else ():
        unit, times = text[start : start + size], 1
        while text.startswith(unit, start + times * size):
            times += 1
        if times * size > len(text) // 2:
            before, rest = text[:start], text[start + times * size :]
            parts = [_quoted(before)] * bool(before) + [f"{_quoted(unit)} * {times}"] + [_text(rest)] * bool(rest)
            return " + ".join(parts)
    return _quoted(text)


def _quoted(text: str) -> str:
    """Return a text in double quotes, since the shell's are single ones."""
    plain = all(character.isprintable() or character == "\n" for character in text)
    return json.dumps(text, ensure_ascii=False) if plain else repr(text)


def line_of_winner(reproducer: Reproducer, groups: Sequence[ProbeGroup], verdict: FamilyVerdict) -> str:
    """Return the line that shows a family's completion before the honest one, in the row where it is furthest ahead."""
    for group in groups:
        row = group.probe.row
        for attempt in group.attempts if row.sample.id == verdict.example else ():
            if (attempt.family, attempt.variant) == (verdict.family, verdict.variant):
                return reproducer.line([(row.sample, [attempt.text]), (row.sample, [row.honest])])
    raise LookupError(verdict.family)
