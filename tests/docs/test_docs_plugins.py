"""docs/plugins.md is true: its tables are those of the code, in both directions, and its code runs."""

import ast
import dataclasses
import inspect
import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest
import rewardlab
from helpers.each_case import each_case
from helpers.paths import DOCS
from rewardlab import hookspecs, laws, specs, testing
from rewardlab.registry.loading import HOOKS
from rewardlab_testing.check.import_cost import HEAVY
from rewardlab_testing.outcomes.law_words import LAWS_OF_KIND

TEXT = (DOCS / "plugins.md").read_text(encoding="utf-8")
OF_SPECS = [specs.Spec, *HOOKS.values(), specs.Context, laws.Laws]
EXAMPLES = [getattr(laws, name) for name in vars(laws) if name.endswith("Example") and name != "Example"]
TESTING = "rewardlab.testing"
TYPES = ["Sample", "Completion", "Group", "Score", "Ask", "Reply"]


def table(before):
    """The cells of the rows of the table that follows a line."""
    below = TEXT.split(f"\n{before}\n", 1)[1].lstrip("\n").splitlines()
    rows = list(itertools.takewhile(lambda line: line.startswith("|"), below))
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows[2:]]


def code(cell):
    """What stands in backquotes, which is all of the cell."""
    (inside,) = re.fullmatch(r"`([^`]*)`", cell).groups()
    return inside


def own_fields(of):
    """A dataclass's fields without those of its bases, but for what every spec has."""
    inherited = {f.name for base in of.__mro__[1:] if dataclasses.is_dataclass(base) for f in dataclasses.fields(base)}
    return [field for field in dataclasses.fields(of) if field.name not in inherited]


def default(field):
    """As the documentation writes it."""
    if field.default_factory is not dataclasses.MISSING:
        value = field.default_factory()
        home = str(Path.home())
        return f"{type(value).__name__}()" if isinstance(value, laws.Laws) else str(value).replace(home, "~")
    if field.default is dataclasses.MISSING:
        return "required"
    return field.default.__name__ if isinstance(field.default, type) else repr(field.default)


# --- Hooks and specs


def test_the_hooks_and_their_signatures():
    told = [code(row[0]) for row in table("## The hooks")]
    in_code = [
        f"{name}{inspect.signature(hook)}".replace("'", "")
        for name, hook in vars(hookspecs).items()
        if name.startswith("rewardlab_")
    ]
    assert told == in_code
    specs = re.findall(r"\(\) -> Sequence\[(\w+)\]", "\n".join(told))
    assert specs == [s.__name__ for s in HOOKS.values()]


@each_case("of", OF_SPECS)
def test_the_fields_and_their_defaults(of):
    rows = table(f"<!-- {of.__name__} -->")
    told = [(code(row[0]), row[1] if row[1] == "required" else code(row[1])) for row in rows]
    assert told == [(field.name, default(field)) for field in own_fields(of)]
    assert all(row[2] for row in rows)


@pytest.mark.parametrize(
    ("before", "classes"),
    [
        ("Frozen dataclasses of JSON values, with keyword arguments:", [getattr(rewardlab, name) for name in TYPES]),
        ("the example is named with it.", EXAMPLES),
    ],
)
def test_the_types_and_examples(before, classes):
    told = [(code(name), [code(cell) for cell in fields.split(", ")]) for name, fields in table(before)]
    assert told == [(one.__name__, [field.name for field in dataclasses.fields(one)]) for one in classes]


# --- Laws and tests


@each_case("kind", LAWS_OF_KIND)
def test_the_laws_and_their_words(kind):
    rows = table(f"<!-- laws of a {kind} -->")
    assert [(code(name), words) for name, words, _ in rows] == list(LAWS_OF_KIND[kind].items())
    assert all(how for _, _, how in rows)


def test_no_table_is_of_something_else():
    markers = re.findall("^<!-- (.*) -->$", TEXT, re.MULTILINE)
    assert markers == [*(of.__name__ for of in OF_SPECS), *(f"laws of a {kind}" for kind in LAWS_OF_KIND), TESTING]


def test_what_tests_can_import():
    told = [code(name) for name, _ in table(f"<!-- {TESTING} -->")]
    assert sorted(told) == sorted(testing.__all__)


@each_case("name", [name for name in testing.__all__ if name.startswith("check_")])
def test_what_the_checks_are_given(name):
    given = set(inspect.signature(getattr(testing, name)).parameters)
    (what,) = [what for told, what in table(f"<!-- {TESTING} -->") if code(told) == name]
    common = set() if name == "check_backend" else {"spec", "options", "tries"}
    assert given == {*common, *re.findall("`([a-z]+)`", what)}


def test_what_is_said_of_imports():
    assert f"brings in {', '.join(HEAVY[:-1])} or {HEAVY[-1]}" in " ".join(TEXT.split())


# --- Code


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


def test_every_block_of_python_can_be_read():
    found = blocks("py") + blocks("python")
    assert len(found) == 4
    for body in found:
        ast.parse(body)


@pytest.mark.slow
def test_the_test_of_the_documentation_passes(tmp_path):
    (body,) = blocks("python")
    (tmp_path / "test_polite.py").write_text(body, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stdout
    assert "worker untried" not in done.stdout
