"""The range of a total follows from the options of its components."""

import json

import pytest
from helpers.each_case import each_case
from rewardlab import RewardSpec

EMBED = {"use": "embed/cosine", "with": {"model": "m"}}
WIDE = {"use": "embed/cosine", "with": {"model": "m", "clamp": False}}
TRANSLATED = {"use": "embed/translated_cosine", "with": {"model": "m", "translator": "t"}}
VALID = {"use": "format/validity", "with": {"structure": None}}


def with_options(use, **options):
    return {**use, "with": {**use["with"], **options}}


@each_case(
    "components, total, told",
    [
        ({"a": EMBED}, "a", [0, 1]),
        ({"a": WIDE}, "a", [-1, 1]),
        ({"a": TRANSLATED}, "a", [0, 1]),
        ({"a": with_options(TRANSLATED, clamp=False)}, "a", [-1, 1]),
        ({"a": EMBED, "b": WIDE}, "a + b", [-1, 2]),
        ({"a": EMBED, "b": TRANSLATED}, "2 * a + b", [0, 3]),
        ({"a": {**EMBED, "on_missing": -0.5}}, "a", [-0.5, 1]),
        ({"a": VALID}, "a", [-1, 0]),
        ({"a": with_options(VALID, penalty=0.25)}, "a", [-0.25, 0]),
        ({"a": with_options(VALID, penalty=0.5, per_violation=0.25)}, "a", [-0.5, 0]),
    ],
)
def test_of_a_total(components, total, told, main, write):
    judges = {"t": {"use": "pairwise/overlap"}}
    recipe = {"version": 1, "judges": judges, "reward": {"components": components, "total": total}}
    _, out, _ = main("check", write("r.yaml", json.dumps(recipe)), "--json")
    assert json.loads(out)["total_range"] == told


def test_the_dry_run_shows_them_by_component(main):
    _, out, _ = main("run", "pb_rlsvr", "--dry-run", "reward.components.embed.with.clamp=false")
    assert "total (answer + embed + translated) * format * language in [-1, 3]" in out
    assert "  embed: embed/cosine, batch scope, [-1, 1], runs async" in out
    assert "  translated: embed/translated_cosine, batch scope, [0, 1], runs async" in out


def test_one_that_is_wider_than_the_spec_is_refused():
    spec = RewardSpec(name="x", summary="x", build=lambda o, c: None, range_of=lambda options: (-1.0, 1.0))
    with pytest.raises(ValueError, match=r"range_of gives \(-1.0, 1.0\), which is not within \(0.0, 1.0\)"):
        spec.under(None)
    narrow = RewardSpec(name="x", summary="x", build="no.module:here", range_of=lambda options: (0.0, 0.5))
    assert (narrow.under(None).range, narrow.under(None).build) == ((0.0, 0.5), narrow.build)
