import math
import statistics

import pytest
from helpers.each_case import each_case
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError
from rewardlab import Completion, Context, Group, Sample, Score, find
from rewardlab.recipe import parse
from rewardlab.recipe.use import ComponentUse
from rewardlab.scoring import Composition
from rewardlab.scoring.decomposition import Decomposition

SPECS = {name: find("normalizer", f"normalize/{name}") for name in ("center", "std", "gdpo")}
names = st.sampled_from(["center", "std"])
total = st.floats(-4, 4).map(lambda x: round(x, 6))
groups = st.lists(total, min_size=1, max_size=16)


def shape(name, totals, kept=None, seed=0, **options):
    spec = SPECS[name]
    built = spec.build(spec.config(**options), Context())
    return built.shape(totals, None, range(len(totals)) if kept is None else kept, seed)


@given(names, groups)
def test_a_shaped_group_has_mean_zero(name, totals):
    assert math.fsum(shape(name, totals)) / len(totals) == pytest.approx(0.0, abs=1e-9)


@given(names, groups, st.floats(-100, 100))
def test_a_constant_on_every_total_changes_nothing(name, totals, shift):
    assume(name == "center" or len(set(totals)) == 1 or statistics.pstdev(totals) > 1e-3)
    shifted = [x + shift for x in totals]
    assert shape(name, shifted) == pytest.approx(shape(name, totals), abs=1e-6)


@given(groups, st.floats(0.01, 100))
def test_center_scales_with_the_totals_and_std_does_not(totals, scale):
    scaled = [scale * x for x in totals]
    assert shape("center", scaled) == pytest.approx([scale * x for x in shape("center", totals)], abs=1e-9)
    assume(len(set(totals)) == 1 or min(1, scale) * statistics.pstdev(totals) > 1e-3)
    assert shape("std", scaled, eps=1e-12) == pytest.approx(shape("std", totals, eps=1e-12), abs=1e-6)


@given(names, groups, st.randoms(use_true_random=False))
def test_permuting_a_group_permutes_its_shaped_values(name, totals, random):
    order = random.sample(range(len(totals)), len(totals))
    assert shape(name, [totals[i] for i in order]) == [shape(name, totals)[i] for i in order]


@given(names, groups)
def test_the_order_of_totals_is_the_order_of_shaped_values(name, totals):
    shaped = shape(name, totals)
    for x, a in zip(totals, shaped, strict=True):
        for y, b in zip(totals, shaped, strict=True):
            assert (x > y) == (a > b)


@given(names, total, st.integers(1, 100))
def test_equal_totals_become_exactly_zero(name, x, size):
    assert shape(name, [x] * size) == [0.0] * size


@given(st.lists(total, min_size=2, max_size=16))
def test_std_is_the_population_standard_deviation(totals):
    mean, sigma = statistics.fmean(totals), statistics.pstdev(totals)
    expected = [(x - mean) / (sigma + 1e-6) if len(set(totals)) > 1 else 0.0 for x in totals]
    assert shape("std", totals) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(st.lists(total, min_size=1, max_size=64))
def test_std_of_a_pool_that_is_its_own_subset_is_at_most_the_root_of_its_size_less_one(totals):
    assert max(map(abs, shape("std", totals))) <= math.sqrt(len(totals) - 1)


@given(
    names,
    st.lists(st.sampled_from([0.0, 1.0, 0.5, 4.0]), min_size=1, max_size=40),
    st.integers(),
    st.sampled_from(["pool", "subset"]),
)
def test_shaped_values_stay_in_the_declared_range(name, totals, seed, mean_from):
    options = {"subset": 4, "mean_from": mean_from} if name == "std" else {}
    spec = SPECS[name]
    low, high = spec.range(spec.config(**options), (0.0, 4.0), 8)
    assert all(low <= x <= high for x in shape(name, totals, seed=seed, **options))


@given(names, groups.filter(lambda totals: len(totals) > 2))
def test_only_the_kept_are_shaped_by_the_statistics_of_the_pool(name, totals):
    whole = shape(name, totals)
    assert shape(name, totals, kept=[2, 0]) == [whole[2], whole[0]]


class TestPoolLargerThanTheSubset:
    pool = tuple(((i * 37) % 101) / 25 for i in range(100))

    def scale_and_mean(self, seed, **options):
        one, other = shape("std", self.pool, kept=[0, 1], seed=seed, subset=8, eps=1e-12, **options)
        scale = (self.pool[0] - self.pool[1]) / (one - other)
        return scale, self.pool[0] - one * scale

    def test_the_mean_is_that_of_the_pool_and_the_scale_that_of_a_subset(self):
        scale, mean = self.scale_and_mean(1)
        assert mean == pytest.approx(statistics.fmean(self.pool))
        assert abs(scale - statistics.pstdev(self.pool)) > 1e-3

    def test_both_can_come_from_the_subset(self):
        scale, mean = self.scale_and_mean(1, mean_from="subset")
        assert scale == pytest.approx(self.scale_and_mean(1)[0])
        assert abs(mean - statistics.fmean(self.pool)) > 1e-3

    def test_the_seed_chooses_the_subset(self):
        scales = [self.scale_and_mean(seed)[0] for seed in range(200)]
        assert scales == [self.scale_and_mean(seed)[0] for seed in range(200)]
        assert len(set(scales)) > 150
        unbiased = statistics.variance(self.pool) * 7 / 8
        assert statistics.fmean(scale**2 for scale in scales) == pytest.approx(unbiased, rel=0.1)

    def test_a_subset_without_spread_has_no_scale(self):
        rare = [0.0] * 99 + [1.0]
        shaped = [shape("std", rare, kept=[99], seed=seed, subset=8)[0] for seed in range(40)]
        assert 0.0 in shaped
        assert max(shaped) < 10


class TestLength:
    """A group's factor makes the sum of its token losses their mean (SGCM, appendix G), times the reference length."""

    spec = find("normalizer", "normalize/length")
    totals = (1.0, -0.5, 0.25, -0.75, 3.0)
    tokens = (10, 40, 20, 30, 1000)

    def shape(self, kept, tokens=tokens, reference=50):
        built = self.spec.build(self.spec.config(reference_length=reference), Context())
        return built.shape(self.totals, tokens, kept, 0)

    def test_the_factor_is_the_reference_over_the_mean_tokens_of_the_kept(self):
        assert self.shape([0, 1, 2, 3]) == [2.0, -1.0, 0.5, -1.5]  # 50 / 25; the fifth is not in the loss
        assert self.shape([4, 0]) == pytest.approx([3 * 50 / 505, 50 / 505])

    def test_token_losses_under_a_constant_become_the_mean_over_the_groups_tokens(self):
        """Of trl's constant loss, a sum over batch x max_new_tokens, with the reference at max_new_tokens."""
        kept, longest = [0, 1, 2, 3], 64
        shaped = self.shape(kept, reference=longest)
        constant = sum(a * self.tokens[i] for a, i in zip(shaped, kept, strict=True)) / (len(kept) * longest)
        paper = sum(self.totals[i] * self.tokens[i] for i in kept) / sum(self.tokens[i] for i in kept)
        assert constant == pytest.approx(paper, rel=1e-12)

    def test_the_printed_double_division_is_another_loss(self):
        """1 / |o_i| inside and 1 / sum |o| outside: twice as long a group counts half; in appendix G alike."""
        kept = [0, 1, 2, 3]

        def printed(tokens):
            return sum(self.totals[i] * tokens[i] / tokens[i] for i in kept) / sum(tokens[i] for i in kept)

        longer = [2 * count for count in self.tokens]
        assert printed(longer) == pytest.approx(printed(self.tokens) / 2)
        means = [
            sum(a * n for a, n in zip(self.shape(kept, tokens), tokens, strict=False))
            for tokens in (self.tokens, longer)
        ]
        assert means[0] == pytest.approx(means[1])

    def test_it_needs_counts_and_a_reference(self):
        with pytest.raises(ValueError, match="needs the number of tokens"):
            self.shape([0], tokens=None)
        for options in ({}, {"reference_length": 0}):
            with pytest.raises(ValidationError):
                self.spec.config(**options)


class TestGdpo:
    """Each component by itself, then their sum; ../../trl/tests/test_gdpo.py compares it with TRL's own."""

    def composed(self, *more, total="a - b / 2 + 3", b=(2.0, 2.0, 4.0, 9.0, 6.0), **options):
        specs = [(find("normalizer", f"normalize/{name}"), given) for name, given in (("gdpo", {}), *more)]
        built = [(spec.name, spec.build(spec.config(**given), Context())) for spec, given in specs]
        composition = Composition(
            expression=(expression := parse(total)),
            uses=dict.fromkeys("ab", ComponentUse(use="made/up", on_missing="zero_advantage")),
            normalizers=built,
            by_component=True,
            decomposition=Decomposition(expression, {}),
            **options,
        )
        made = [Completion(text="x", token_count=10 * n + 10, truncated=n == 4) for n in range(5)]
        a = [Score(value=1.0), Score(value=0.0), Score(value=1.0), Score(error="none"), Score(value=0.5)]
        scores = {"a": a, "b": [Score(value=value) for value in b]}
        return composition.compose(Group(sample=Sample(id="s"), completions=made), scores)

    @staticmethod
    def wanted(a, b):
        """Of those that have a total, with n - 1; the constant of the total is in no reward."""
        columns = [[(x - statistics.fmean(of)) / (statistics.stdev(of) + 1e-4) for x in of] for of in (a, b)]
        return columns[0], [-value / 2 for value in columns[1]]

    def test_one_without_a_total_is_in_no_components_statistics(self):
        made = self.composed()
        a, b = self.wanted([1, 0, 1, 0.5], [2, 2, 4, 6])
        assert [*made.shaped[:3], made.shaped[4]] == pytest.approx([x + y for x, y in zip(a, b, strict=True)])
        assert made.totals == [3, 2, 2, None, 0.5]

    def test_contributions_are_the_shaped_components(self):
        for made, factor in ((self.composed(), 1), (self.composed(("length", {"reference_length": 64})), 256 / 110)):
            a, b = self.wanted([1, 0, 1, 0.5], [2, 2, 4, 6])
            shown = [row for row in made.by_completion() if row.total is not None]
            assert [row.components["a"].contribution for row in shown] == pytest.approx([factor * x for x in a])
            assert [row.components["b"].contribution for row in shown] == pytest.approx([factor * x for x in b])
            assert [row.rest for row in shown] == pytest.approx([0] * 4, abs=1e-12)

    def test_a_total_of_no_component_teaches_nothing(self):
        assert self.composed(total="2").shaped == [0.0] * 5

    def test_contributions_may_cancel_each_other(self):
        made = self.composed(total="a + b", b=(0.0, 1.0, 0.0, 9.0, 0.5))
        first = made.by_completion()[0].components
        assert made.shaped == pytest.approx([0.0] * 5, abs=1e-12)
        assert first["a"].contribution == pytest.approx(-first["b"].contribution) != 0

    def test_one_that_was_cut_may_count_0_of_each(self):
        made = self.composed(zero_truncated=True)
        a, b = self.wanted([1, 0, 1, 0], [2, 2, 4, 0])
        assert [*made.shaped[:3], made.shaped[4]] == pytest.approx([x + y for x, y in zip(a, b, strict=True)])

    def test_a_group_of_equals_and_one_of_one_teach_nothing(self):
        assert shape("gdpo", [0.1] * 3) == [0.0] * 3
        assert shape("gdpo", [0.7]) == [0.0]


@each_case("options", [{"subset": 1}, {"eps": 0}, {"mean_from": "group"}, {"subsets": 3}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(ValidationError):
        SPECS["std"].config(**options)


def test_which_subset_gives_the_deviation_does_not_depend_on_the_order_of_the_pool():
    spec = find("normalizer", "normalize/std")
    std = spec.build(spec.config(subset=4), Context())
    pool = [0.0, 1.0, 0.25, 0.5, 3.0, 0.0, 2.0]
    for seed in range(20):
        shaped = std.shape(pool, None, range(7), seed)
        assert std.shape(pool[::-1], None, range(7), seed) == shaped[::-1]
