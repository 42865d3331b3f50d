"""docs/fidelity.md: each line of each paper has a state, and each place that it names is there."""

import ast
import re

import pytest
from helpers.each_case import each_case
from helpers.paths import TESTS
from rewardlab.recipe.loading import load

ROOT = TESTS.parent
PAGE = ROOT / "docs" / "fidelity.md"
HEADER = "| the paper's | state | where | how |"
STATES = {"right", "ours", "missing"}
CODE = re.compile(r"`([^`]+)`")
CELLS = re.compile(r"(?<!\\)\|")


def sections():
    """Each paper's heading with the rows of its table."""
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        heading, _, body = part.partition("\n")
        lines = [line for line in body.splitlines() if line.startswith("|")]
        assert lines[0] == HEADER, heading
        yield heading, [[cell.strip() for cell in CELLS.split(line)[1:-1]] for line in lines[2:]]


ROWS = [(heading, row) for heading, rows in sections() for row in rows]
PLACES = sorted({place for _, row in ROWS for place in CODE.findall(row[2])})


def path_of(name):
    """The file or folder that a place names; a plugin's package may go by the plugin's name."""
    plugin, _, rest = name.partition("/")
    short = next(iter(ROOT.glob(f"plugins/*/{plugin}/rewardlab_{plugin}")), ROOT / name) / rest
    return ROOT / name if (ROOT / name).exists() or not rest else short


def defines(path, name):
    """Whether a module of Python defines a name, or `Class.name`."""
    found = ast.parse(path.read_text(encoding="utf-8")).body
    for part in name.split("."):
        inner = [node for node in found if part in names_of(node)]
        if not inner:
            return False
        found = getattr(inner[0], "body", [])
    return True


def names_of(node):
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return [getattr(node, "name", None)]


def has(path, key):
    """Whether a recipe has a key, whose parts are names and numbers, by itself or from the recipe that it extends."""
    tree = load(path).tree
    for part in key.split("."):
        if isinstance(tree, list):
            tree = dict(enumerate(tree))
            part = int(part)
        if not isinstance(tree, dict) or part not in tree:
            return False
        tree = tree[part]
    return True


def missing(place):
    """What of a place is not there; None where all of it is."""
    name, _, symbol = place.partition("::")
    name, _, key = name.partition("#")
    path = path_of(name)
    if not path.exists():
        return f"no file {name}"
    if symbol and not defines(path, symbol):
        return f"{name} does not define {symbol}"
    return f"{name} has no {key}" if key and not has(path, key) else None


def test_every_row_has_a_state_and_a_place_or_a_reason():
    assert len(ROWS) > 50
    for heading, row in ROWS:
        assert len(row) == 4, (heading, row)
        what, state, where, how = row
        assert state in STATES, (heading, what)
        assert CODE.findall(where) if state != "missing" else how, (heading, what)
        assert how or state == "right", (heading, what)


OUR_OWN = re.compile(r"\bour words|of our own|\bours\b|a deviation|not (?:printed|said)|which the paper has not")
"""words for what stands in no paper"""


def test_what_is_said_to_be_as_printed_has_nothing_of_our_own():
    """A row that says "right" and then what is ours misleads whoever reads the states alone."""
    found = [(what, how) for _, (what, state, _, how) in ROWS if state == "right" and OUR_OWN.search(how)]
    assert found == []


@pytest.mark.slow
def test_every_place_is_there():
    for place in PLACES:
        assert missing(place) is None, place


@each_case(
    "place", ["checklist/nowhere.py", "checklist/task.py::Nobody", "recipes/amro.yaml#stages.1.nothing", "nowhere"]
)
def test_a_place_that_is_not_there_is_seen(place):
    assert missing(place) is not None
