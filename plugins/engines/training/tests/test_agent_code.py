"""The code that `agent` names is imported from a file or a module, and checked for what a policy must be told of it."""

import os
import pickle
import subprocess
import sys

import pytest
from rewardlab.errors import UserError
from rewardlab_training import environment_problems, environment_tools, load_code, tool_problems


def described(word: str, rate: float = 1.0) -> str:
    """
    Look a word up.

    Args:
        word: what to look up
        rate (float): how fast;
            in words

    Returns:
        other: what stands there
    """
    return word * int(rate)


def undescribed(word: str, other: str) -> str:
    """
    Look a word up.

    Args:
        word: what to look up

    Returns:
        other: what stands there
    """
    return word + other


def untyped(word) -> str:
    """
    Look a word up.

    Args:
        word: what to look up
    """
    return word


def bare(word: str) -> str:
    return word


def several(*words: str, **more: str) -> str:
    """Look words up."""
    return str(words) + str(more)


def placed(word: str, /) -> str:
    """
    Look a word up.

    Args:
        word: what to look up
    """
    return word


async def late(word: str) -> str:
    """
    Look a word up.

    Args:
        word: what to look up
    """
    return word


class Room:
    """A room with a lamp."""

    def __init__(self, dark: bool = True) -> None:
        self._dark = dark

    def reset(self, **row: object) -> None:
        self._dark = True

    def switch(self) -> str:
        """Switch the lamp."""
        return "it is light"

    def _inside(self) -> None: ...

    @staticmethod
    def say(word: str) -> str:
        """
        Say a word.

        Args:
            word: which
        """
        return word


class Wrong:
    def __init__(self, size: int) -> None: ...

    def reset(self, seed: int) -> None: ...

    def get_reward(self) -> float:
        return 1.0

    def move(self, where) -> None:
        """Go."""


@pytest.mark.parametrize(
    ("tool", "problems"),
    [
        (described, []),
        (undescribed, ["does not say what other is; its docstring needs `Args:` and below it `other: ...`"]),
        (untyped, ["says no type of word; write one, such as word: str"]),
        (bare, ["has no docstring, which tells the policy what it does"]),
        (several, ["takes *words: str; a policy", "takes **more: str; a policy"]),
        (placed, ["takes word by its place"]),
        (late, ["is async"]),
        (Room, ["must be a function; it is type"]),
        (7, ["must be a function; it is int"]),
    ],
)
def test_a_tool_says_what_it_does_and_takes(tool, problems):
    found = list(tool_problems(tool))
    assert len(found) == len(problems)
    assert all(one.startswith(start) for one, start in zip(found, problems, strict=True))


def test_the_tools_of_an_environment_are_its_public_methods():
    assert list(environment_problems(Room)) == []
    assert sorted(environment_tools(Room)) == ["say", "switch"]


def test_each_mistake_of_an_environment_is_named():
    assert list(environment_problems(Wrong)) == [
        "reset must take all columns of a row: reset(self, **row)",
        "get_reward would be a second reward; let a tool's result say what the recipe's reward reads",
        "is made without arguments, and needs size",
        "move says no type of where; write one, such as where: str",
    ]
    assert list(environment_problems(type("Empty", (), {}))) == [
        "has no method reset(self, **row), which begins an episode",
        "has no tool: its public methods are what the policy may call",
    ]
    assert list(environment_problems(described)) == [
        "must be a class, whose instances play one episode each; it is function"
    ]


@pytest.fixture
def code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("import json\ndef look(word: str): return word\nclass Room: ...\n")
    (tmp_path / "broken.py").write_text("import json\n\nraise KeyError('no')\n")
    (tmp_path / "spelt.py").write_text("def look(:\n")


def test_code_is_read_once_from_a_file_or_a_module(code):
    assert load_code("mine.py:look")("a") == "a"
    assert load_code("./mine.py:Room") is load_code("mine.py:Room")
    assert load_code("json:dumps")({}) == "{}"


def test_what_is_pickled_in_a_process_is_known_in_another(code):
    look = "import pickle, sys; from rewardlab_training import load_code; room = load_code('mine.py:Room')()"
    told = "sys.stdout.buffer.write(pickle.dumps(room))"
    environment = os.environ | {"PYTHONHASHSEED": "1"}  # a seed of its own, as processes have by chance
    made = subprocess.run([sys.executable, "-c", f"{look}; {told}"], env=environment, check=True, capture_output=True)
    room = load_code("mine.py:Room")
    assert type(pickle.loads(made.stdout)) is room


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("mine.py:lock", "mine.py has no lock; did you mean 'look'?"),
        ("none.py:look", "none.py cannot be imported: FileNotFoundError"),
        ("broken.py:look", r"broken.py cannot be imported: KeyError: 'no' \(.*broken.py:3\)"),
        ("spelt.py:look", r"spelt.py cannot be imported: SyntaxError: .*spelt.py:1"),
        ("no_such.module:look", "no_such.module cannot be imported: ModuleNotFoundError"),
        ("json:dump_it", "json has no dump_it"),
        ("look", "write FILE.py:NAME or package.module:NAME"),
    ],
)
def test_what_is_wrong_with_a_place_is_said_with_it(code, place, said):
    with pytest.raises(UserError, match=f"^'{place}': {said}"):
        load_code(place)
