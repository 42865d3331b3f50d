"""A recipe with very many mistakes: the first are told, the others counted, and few near names are searched."""

import difflib

import pytest
from rewardlab import errors
from rewardlab.errors import MAX_LISTED, Problem, UserError, nearest
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import load

REWARD = "version: 1\nreward: {components: {f: {use: format/boxed}}, total: f}\n"
MANY = {
    "unknown keys": REWARD + "".join(f"unknown_{i}: 1\n" for i in range(2000)),
    "long keys": REWARD + "".join(f"{'x' * 900}{i}: 1\n" for i in range(300)),
    "stages of no kind": REWARD + "stages:\n" + "  - {use: rll}\n" * 500,
    "keys of stages": REWARD + "stages:\n" + "  - {use: rl, algorthm: grpo, lrr: 1}\n" * 250,
    "duplicate keys": REWARD + "seed: 1\n" * 2000,
    "no such components": "version: 1\nreward:\n  total: c1\n  components:\n"
    + "".join(f"    c{i}: {{use: format/boxd}}\n" for i in range(2000)),
    "no such names": "version: 1\nreward:\n  total: "
    + " + ".join(f"x{i}" for i in range(1000))
    + "\n  components:\n"
    + "".join(f"    c{i}: {{use: format/boxed}}\n" for i in range(1000)),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", MANY.values(), ids=MANY)
def test_the_first_are_told_and_few_names_compared(tmp_path, monkeypatch, text):
    compared = 0

    class Matcher(difflib.SequenceMatcher):
        def ratio(self):
            nonlocal compared
            compared += 1
            return super().ratio()

    monkeypatch.setattr(errors.difflib, "SequenceMatcher", Matcher)
    (tmp_path / "r.yaml").write_text(text)
    with pytest.raises(UserError) as caught:
        make_plan(load(tmp_path / "r.yaml", strict=False))
    assert MAX_LISTED <= len(caught.value.problems) <= MAX_LISTED + 1
    assert len(str(caught.value)) < 200_000
    assert compared <= 2 * 500 * (MAX_LISTED + 1)


def test_the_others_are_counted():
    many = [Problem(where=f"r.yaml:{i}", what="wrong") for i in range(50_000)]
    error = UserError(many)
    assert error.problems[:MAX_LISTED] == many[:MAX_LISTED]
    assert str(error).splitlines()[MAX_LISTED:] == ["and 49,900 more mistakes; fix these first"]
    assert len(error.as_dict()["problems"]) == MAX_LISTED + 1
    assert UserError(many[: MAX_LISTED + 1]).problems == many[: MAX_LISTED + 1]


def test_a_recipe_whose_components_were_not_all_looked_at_says_so(tmp_path):
    (tmp_path / "r.yaml").write_text(MANY["no such components"])
    with pytest.raises(UserError, match="c100: nothing from here on was checked; fix the other mistakes first"):
        make_plan(load(tmp_path / "r.yaml"))


def test_of_a_thousand_names_those_of_like_length_are_searched():
    known = [f"{'n' * (i % 40)}{i}" for i in range(2000)] + ["preference"]
    assert nearest("preferense", known) == "; did you mean 'preference'?"
    assert nearest("x" * 5000, known).startswith("; there are ")
