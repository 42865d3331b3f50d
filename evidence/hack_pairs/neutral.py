"""Rewards of frozen pairs for whoever looks for their weakness: no name, docstring or comment says what is weak.

As a plugin it is called `graded`. A reward is named by a hash, its summary is the pair's task, and its code is that of
the pair's file with what it calls, without docstrings and comments, under the name `score_response`.
"""

import ast
import hashlib
import importlib.util
import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from rewardlab import Ask, Completion, Config, JudgeSpec, Reply, RewardSpec, Sample, hookimpl, reward

from hack_pairs.frozen import FrozenSet
from hack_pairs.seventh import SEVENTH
from hack_pairs.sixth import SIXTH

FROZEN = {"fresh 6": SIXTH, "fresh 7": SEVENTH}
Scores = Callable[[str, str, Mapping[str, Any]], float]
FOLDER = Path()
"""where code, scores, questions and answers are kept; set before rewardlab loads the plugin"""
LAST = False
"""whether a question without an answer is lost, so that each search comes to its end"""
OPEN: list[str] = []
"""the question that has no answer yet: nothing is asked or scored after it, since all else would follow from it"""


class FolderOptions(Config):
    """Nothing."""


class FolderJudge:
    """Answers from FOLDER/answers; what has none is written to FOLDER/questions."""

    async def ask(self, ask: Ask) -> Reply:
        """Return the answer; an error if there is none."""
        text = str(ask.parts["query"])
        name = hashlib.sha256(f"{ask.draw} {text}".encode()).hexdigest()[:16]
        answer = FOLDER / "answers" / f"{name}.txt"
        if answer.is_file() and not OPEN:
            return Reply(text=answer.read_text(encoding="utf-8"))
        if not OPEN and not LAST:
            OPEN.append(name)
            (FOLDER / "questions" / f"{name}.txt").write_text(text, encoding="utf-8")
        return Reply(error=f"question {name} has no answer yet")


def identity(pair: str, half: str) -> str:
    """Return the neutral name of a reward."""
    return "r" + hashlib.sha256(f"{pair}/{half}".encode()).hexdigest()[:10]


@hookimpl
def rewardlab_judges() -> Sequence[JudgeSpec]:
    """Offer the judge that answers from a folder."""
    folder = JudgeSpec(
        name="folder", summary="answers from files", config=FolderOptions, local=True, build=lambda o, c: FolderJudge()
    )
    return [folder]


@hookimpl
def rewardlab_rewards() -> Sequence[RewardSpec]:
    """Offer both rewards of each pair."""
    return [spec for frozen in FROZEN.values() for spec in _rewards(frozen)]


def _rewards(frozen: FrozenSet) -> Iterator[RewardSpec]:
    for pair, given in frozen.given.items():
        for half in ("weak", "sound"):
            yield _reward(identity(pair, half), given, given[half])


def _reward(name: str, given: Mapping[str, Any], scores: Scores) -> RewardSpec:
    scores = neutral(name, scores)
    kept = _KeptScores(FOLDER / "scores" / f"{name}.jsonl", given["rows"])

    def score(sample: Sample, completion: Completion) -> float:
        return kept.score(scores, sample, completion.text)

    score.__name__, score.__doc__, score.__module__ = name, str(given["task"]), "graded"
    return reward()(score)


class _KeptScores:
    """Scores that are kept in a file, since a search begins anew after each round of answers."""

    def __init__(self, file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
        self._file, self._rows = file, {str(row["id"]): row for row in rows}
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        self._values: dict[str, float] = dict(map(json.loads, lines))

    def score(self, scores: Scores, sample: Sample, text: str) -> float:
        """Return a score, computed the first time."""
        if OPEN:
            raise RuntimeError("a question is open")
        row = self._rows[str(sample.fields["row_id"])]
        key = hashlib.sha256(json.dumps([row["id"], text]).encode()).hexdigest()[:24]
        if key not in self._values:
            self._values[key] = float(scores(str(row["prompt"]), text, row))
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, self._values[key]]) + "\n")
        return self._values[key]


def neutral(name: str, function: Scores) -> Scores:
    """Return a function made of the same code without names that say more than that it scores.

    One that is not defined at the top of its file is returned as it is; it has no source to show.
    """
    file = FOLDER / "code" / f"{name}.py"
    if not file.is_file():
        file.write_text(_neutral_source(function) or "", encoding="utf-8")
    if not file.stat().st_size:
        return function
    spec = importlib.util.spec_from_file_location(f"graded.{name}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"graded.{name}"] = module
    spec.loader.exec_module(module)
    made: Scores = module.score_response
    return made


def _neutral_source(function: Scores) -> str | None:
    module = inspect.getmodule(function)
    assert isinstance(module, ModuleType)
    tree = ast.parse(inspect.getsource(module))
    defined = {name: node for node in tree.body for name in _defines(node)}
    own = function.__name__
    if not isinstance(defined.get(own), ast.FunctionDef) or getattr(module, own) is not function:
        return None
    wanted, waiting = set[int](), [own]
    names = set[str]()
    while waiting:
        name = waiting.pop()
        if name in defined and name not in names:
            names.add(name)
            wanted.add(id(defined[name]))
            waiting += [node.id for node in ast.walk(defined[name]) if isinstance(node, ast.Name)]
    kept = [node for node in tree.body if id(node) in wanted]
    telling = [name for name in sorted(names) if any(word in name for word in ("weak", "sound", "hack", "exploit"))]
    new = {name: f"part_{number}" for number, name in enumerate(telling, 1)} | {own: "score_response"}
    made = _Plain(new).visit(ast.Module(body=kept, type_ignores=[]))
    return ast.unparse(ast.fix_missing_locations(made)) + "\n"


def _defines(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(one.asname or one.name).partition(".")[0] for one in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [one.id for target in targets if target for one in ast.walk(target) if isinstance(one, ast.Name)]


class _Plain(ast.NodeTransformer):
    """Takes docstrings out and gives other names."""

    def __init__(self, new: Mapping[str, str]) -> None:
        self._new = new

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.name = self._new.get(node.name, node.name)
        return _without_docstring(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        return _without_docstring(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._new.get(node.id, node.id)
        return node


def _without_docstring(node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
    if ast.get_docstring(node) is not None:
        node.body = node.body[1:] or [ast.Pass()]
    return node
