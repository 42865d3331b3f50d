"""The public interface: seven packages and the names in their `__all__`; plugins and documented code use no others."""

import ast
import re
import textwrap
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from helpers.each_case import each_case
from helpers.our_commands import NAMES
from rewardlab_testing.scaffold.kinds import KINDS
from rewardlab_testing.scaffold.scaffold import write_scaffold

ROOT = Path(__file__).parents[2]
PUBLIC = (
    "rewardlab",
    "rewardlab.commands",
    "rewardlab.concurrency",
    "rewardlab.data",
    "rewardlab.errors",
    "rewardlab.files",
    "rewardlab.judging",
    "rewardlab.judging.http",
    "rewardlab.laws",
    "rewardlab.lazy",
    "rewardlab.plan",
    "rewardlab.recipe",
    "rewardlab.registry",
    "rewardlab.scorefile",
    "rewardlab.scoring",
    "rewardlab.testing",
    "rewardlab.text",
    "rewardlab.training",
    "rewardlab.workers",
)
HANDED_ON = {
    "rewardlab.judging.http": "rewardlab_http",
    "rewardlab.testing": "rewardlab_testing",
    "rewardlab.training": "rewardlab_training",
}
"""what hands on the names of distributions of their own"""
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/*/pyproject.toml"))
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))]
DOCUMENTS += [plugin / "README.md" for plugin in PLUGINS]


# --- The rule

"""functions of `rewardlab` that are made of specs, when they are first used"""


CLASS = re.compile(r"(?m)^ *class (\w+)[(:]")


@cache
def nodes_of(code):
    return [*ast.walk(ast.parse(code))]


def faults(code):
    """Return (line, what is wrong) for every import of something of rewardlab that is not public."""
    return sorted((node.lineno, what) for node in nodes_of(code) for what in faults_of(node))


def faults_of(node):
    """Return what is wrong with one statement or call that imports something of rewardlab."""
    match node:
        case ast.Import(names=names):
            return [f"{name.name} is private" for name in names if is_private(name.name)]
        case ast.ImportFrom(module=str(module), level=0) if is_private(module):
            return [f"{module} is private"]
        case ast.ImportFrom(module=str(module), level=0, names=names) if module in PUBLIC:
            offered = {*import_module(module).__all__, *(name.removeprefix(f"{module}.") for name in PUBLIC)}
            return [f"{module} offers no {name.name}" for name in names if name.name not in offered]
        case ast.Call(func=ast.Name(id=function) | ast.Attribute(attr=function), args=[ast.Constant(str(module)), *_]):
            by_name = function in ("import_module", "__import__", "importorskip")
            return [f"{module} is private"] if by_name and is_private(module) else []
    return []


def is_private(module):
    return module.partition(".")[0] == "rewardlab" and module not in PUBLIC


def test_no_two_classes_have_one_name():
    """But for the `Options` of commands, each read in its own file."""
    files = [file for top in ("core/rewardlab", "plugins/*/*/rewardlab_*") for file in ROOT.glob(f"{top}/**/*.py")]
    places = {}
    for file in files:
        for name in CLASS.findall(file.read_text(encoding="utf-8")):
            if name != "Options":
                places.setdefault(name, set()).add(file.relative_to(ROOT).as_posix())
    assert len(places) > 500
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def imports_rewardlab(code):
    return re.search(r"\b(from|import) rewardlab\b", code) is not None


@each_case(
    "code, found",
    [
        ("import rewardlab_testing, rewardlab_math.options", []),
        ("from rewardlab import Score, laws\nfrom rewardlab.text import quoting", []),
        ("from rewardlab.text.quoting import fence", ["rewardlab.text.quoting is private"]),
        ("def f():\n    from rewardlab.specs import Spec", ["rewardlab.specs is private"]),
        ("import rewardlab.specs as specs", ["rewardlab.specs is private"]),
        ("from rewardlab.text import quoting_marks, counted", ["rewardlab.text offers no quoting_marks"]),
        ("from rewardlab.laws import *", ["rewardlab.laws offers no *"]),
        ("from rewardlab.laws import field", ["rewardlab.laws offers no field"]),
        ("import_module('rewardlab.plan.plan')", ["rewardlab.plan.plan is private"]),
        ("from .options import Options\nimport_module('rewardlab_math.gold')", []),
    ],
)
def test_a_fault_is_an_import_of_anything_that_is_not_public(code, found):
    assert [what for _, what in faults(code)] == found


# --- Code that keeps to it


def faults_below(*folders):
    """Return the faults of all Python files below folders, each with its place; some of the files import rewardlab."""
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    files = {path: path.read_text(encoding="utf-8") for path in paths}
    assert any(map(imports_rewardlab, files.values())), folders
    return [f"{path}:{line}: {what}" for path, code in files.items() for line, what in faults(code)]


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.name)
def test_first_party_plugins_use_public_names(plugin):
    assert faults_below(*(path.parent for path in plugin.glob("rewardlab_*/__init__.py"))) == []


def test_files_that_run_beside_comet_import_nothing_of_rewardlab():
    folder = ROOT / "plugins/rewards/comet/rewardlab_comet/comet_scorer"
    files = sorted(folder.glob("*.py"))
    assert len(files) > 3
    assert [path.name for path in files if imports_rewardlab(path.read_text(encoding="utf-8"))] == []


def test_the_toy_plugin_uses_public_names():
    assert faults_below(ROOT / "tests/toy_plugin") == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("minimal", [False, True])
def test_the_scaffold_uses_public_names(tmp_path, kind, minimal):
    write_scaffold("public-names", tmp_path, kind=kind, minimal=minimal)
    assert faults_below(tmp_path / "rewardlab_public_names") == []
    assert faults_below(tmp_path / "tests") == []


def examples(text):
    """Yield (line before it, code) for all Python in a document: fenced blocks, and imports in the running text."""
    for block in re.finditer(r"^( *)```py(?:thon)?\n(.*?)^\1```", text, re.DOTALL | re.MULTILINE):
        yield text.count("\n", 0, block.start()) + 1, textwrap.dedent(block[2])
    for inline in re.finditer(r"`((?:from rewardlab[\w.]* )?import [\w.]+(?:, \w+)*)`", text):
        yield text.count("\n", 0, inline.start()), inline[1]


def test_documented_code_uses_public_names():
    found, blocks = [], 0
    for document in DOCUMENTS:
        for line, code in examples(document.read_text(encoding="utf-8")):
            blocks += imports_rewardlab(code)
            found += [f"{document}:{line + within}: {what}" for within, what in faults(code)]
    assert found == []
    assert blocks >= 4


# --- What the packages offer


def definitions(module):
    """Return {name: its home} for what a module defines or, if it is a package, hands on from others."""
    path = Path(module.__file__)
    homes = {}
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.ImportFrom(module=str(home), names=names) if is_handed_on(path, home):
                homes |= {name.asname or name.name: home for name in names}
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                homes[name] = module.__name__
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                homes[name] = module.__name__
    return {name: home for name, home in homes.items() if not name.startswith("_")}


def statements(tree):
    """Yield the statements of a module that a type checker sees, without those inside functions and classes."""
    for node in tree.body:
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                yield from node.body
            case _:
                yield node


def is_handed_on(path, home):
    return path.name == "__init__.py" and home.partition(".")[0] == "rewardlab" and home != "rewardlab.lazy"


@each_case("package", PUBLIC)
def test_all_is_complete_and_every_name_is_there(package):
    module = import_module(package)
    if package in HANDED_ON:
        assert module.__all__ == import_module(HANDED_ON[package]).__all__
        return
    homes = definitions(module)
    assert sorted(module.__all__) == sorted(homes)
    late = {name: home for name, home in homes.items() if home != package or name not in NAMES}
    for name, home in late.items():
        assert getattr(module, name) is getattr(import_module(home), name)
    assert {*module.__all__} <= {*dir(module)}
