"""A stranger's small reward: one decorated function, and a pyproject.toml of four lines, installed from a wheel."""

import json
from decimal import Decimal
from fractions import Fraction

import numpy
import pytest
from helpers.each_case import each_case
from rewardlab import Completion, Config, Sample, reward
from rewardlab.registry import Registry

PYPROJECT = """\
[project]
name = "rewardlab-small"
version = "0.1.0"
entry-points.rewardlab.small = "rewardlab_small"
"""
MODULE = '''\
import numpy
from rewardlab import Config, Score, reward


class Options(Config):
    worth: float = 1.0


@reward(range=(0, 1), requires=["answer"], config=Options)
def exact(sample, completion, options):
    """1 for the row's answer."""
    return options.worth * (completion.text == sample.fields["answer"])


@reward()
def odd(sample, completion):
    """Whatever the completion says."""
    said = {"none": None, "nan": float("nan"), "text": "1.0", "two": 2, "single": numpy.float32(0.5)}
    if completion.text == "raise":
        raise ValueError("no such word")
    return said.get(completion.text, Score(value=0.25, info={"why": "a Score"}))
'''
RECIPE = "version: 1\nreward: {components: {one: {use: small/%s}}, total: one}\n"
PYTHON = "from rewardlab import reward\n\n@reward()\n%s"


@pytest.fixture(scope="module")
def site(installed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "rewardlab_small.py").write_text(MODULE)
    return installed(folder)


@pytest.fixture
def scored(site, main, write, monkeypatch):
    """Score completions of one row with a recipe's component; the component's scores."""

    def run(use, *completions):
        write("recipe.yaml", RECIPE % use)
        write("rows.jsonl", json.dumps({"prompt": "1 + 1?", "answer": "2", "completions": completions}))
        monkeypatch.syspath_prepend(site)
        code, _, err = main("score", "recipe.yaml", "rows.jsonl", "-o", "scored.jsonl")
        assert code == 0, err
        with open("scored.jsonl", encoding="utf-8") as file:
            return json.loads(file.read())

    return run


def test_a_decorated_function_scores_without_a_hook(scored):
    assert scored("exact, with: {worth: 0.5}", "2", "3")["total"] == [0.5, 0.0]


def test_what_it_returns_or_raises(scored):
    found = scored(
        "odd, on_abstain: -1, on_missing: -2, max_missing: 1.0", "none", "nan", "text", "two", "single", "raise", "else"
    )
    assert found["total"] == [-1.0, -2.0, -2.0, -2.0, 0.5, -2.0, 0.25]
    for says in ("nan", "it returned '1.0', which is neither a number, a Score nor None", "2.0", "no such word"):
        assert says in json.dumps(found)


@each_case(
    "value, number",
    [
        (numpy.bool_(True), 1.0),
        (numpy.bool_(False), 0.0),
        (numpy.int64(1), 1.0),
        (numpy.uint8(0), 0.0),
        (numpy.int8(1), 1.0),
        (numpy.float16(0.5), 0.5),
        (numpy.float64(0.25), 0.25),
        (numpy.longdouble(0.5), 0.5),
        (numpy.array(0.5), 0.5),
        (numpy.array(True), 1.0),
        (True, 1.0),
        (Fraction(1, 2), 0.5),
        (numpy.array([0.5]), None),
        (numpy.array([[1]]), None),
        (numpy.str_("1"), None),
        (numpy.complex64(1), None),
        (numpy.datetime64("2026-01-01"), None),
        (numpy.array("1.0"), None),
        ([0.5], None),
        ({"score": 0.5}, None),
        ((0.5, {}), None),
        ("0.5", None),
        (Decimal("0.5"), None),
    ],
)
def test_a_value_of_numpy_is_one_of_python(value, number):
    """A number says that the value counts; None that it is a failure, and never a low score."""

    @reward(range=(0, 1))
    def odd(sample, completion):
        "What it is given."
        return value

    [score] = odd.build(None, None).score([(Sample(), Completion(text=""))])
    assert score.value == number
    assert (score.error is None) == (number is not None)


@pytest.mark.slow
def test_a_scalar_of_torch_is_a_number():
    torch = pytest.importorskip("torch")

    @reward(range=(0, 1))
    def odd(sample, completion):
        "Whether it is long, as torch compares."
        return torch.tensor(len(completion.text)) > 2

    scores = odd.build(None, None).score([(Sample(), Completion(text=text)) for text in ("long", "a")])
    assert [score.value for score in scores] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("async def one(sample, completion): 'x'", "@reward one: write a plain `def` that returns; to wait, offer a "),
        ("def one(sample): 'x'", "@reward one: it must take (sample, completion): too many positional arguments"),
        ("def one(sample, completion): return 1", "@reward one: write a docstring; its first line is the reward's"),
        ("def one(s, c): 'x'\n@reward\ndef two(s, c): 'x'", "write @reward(...), such as @reward(range=(0, 1))"),
        ("def one(s, c): 'x'\ntwo = reward()(one.function)", "@reward offers 'one', and a hook or another @reward"),
    ],
)
def test_a_wrong_function_is_told_where_it_is_named(offer, main, write, function, says):
    offer("small", PYTHON % function)
    write("recipe.yaml", RECIPE % "one")
    write("rows.jsonl", json.dumps({"prompt": "?", "completions": ["a"]}))
    code, _, err = main("score", "recipe.yaml", "rows.jsonl", "-o", "scored.jsonl")
    assert code == 2
    assert "plugin 'small' (small-rewards) cannot be used: " in err
    assert says in err


def test_it_can_be_called_and_is_offered_only_by_its_own_package(offer):
    @reward(config=Config)
    def own(sample, completion, options):
        """Not offered by anybody."""
        return len(completion.text)

    assert own(Sample(), Completion(text="abc"), Config()) == 3
    offer("other", "from rewardlab_small import *", module="other")
    offer("first", PYTHON % "def one(s, c): 'x'", module="first")
    offer("second", "from first import one", module="second")
    assert [*Registry().plugin("first").specs] == [("reward", "one")]
    assert [*Registry().plugin("second").specs] == []
