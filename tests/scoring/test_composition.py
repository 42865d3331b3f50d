"""From component scores to totals and shaped rewards; what stands in for values that are missing."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewardlab import Completion, Score
from rewardlab.errors import JobError
from rewardlab.recipe.expression import parse
from rewardlab.recipe.use import ComponentUse
from rewardlab.scoring.composition import Composition
from rewardlab.scoring.missing_guard import MissingGuard
from rewardlab_training import refuse_step

FAILED, ABSTAINED = "failed", "abstained"  # what a drawn cell may be besides a number


def use(**policies):
    return ComponentUse.model_validate({"use": "test/made", **policies})


def composition(total, uses=None, **more):
    expression = parse(total)
    return Composition(expression=expression, uses=uses or dict.fromkeys(expression.names, use()), **more)


def score(cell):
    if cell == FAILED:
        return Score(error="no luck")
    return Score(info={"reason": "no opinion"}) if cell == ABSTAINED else Score(value=cell)


def scores(*cells):
    return [score(cell) for cell in cells]


@pytest.fixture
def group(group_of):
    """A group of as many texts as asked for."""
    return lambda size, **more: group_of(*(f"text {index}" for index in range(size)), **more)


def test_the_total_is_of_each_completion_alone(group):
    made = composition("a + 2 * b").compose(group(2), {"a": scores(0.5, 1.0), "b": scores(0.25, 0.0)})
    assert made.totals == [1.0, 1.0]
    assert made.shaped == made.totals
    assert made.sample.id == "s1"
    assert [c.text for c in made.completions] == ["text 0", "text 1"]


def test_a_total_may_name_no_component(group):
    assert composition("2").compose(group(2), {"a": scores(FAILED, 0.1)}).totals == [2.0, 2.0]


def test_an_impossible_total_names_the_sample_and_the_completion(group):
    made = composition("1 / (a - b)")
    with pytest.raises(JobError, match=r"reward.total on sample 's1' \(rows.jsonl:7\), completion 1: .*is 0"):
        made.compose(group(2, source="rows.jsonl:7"), {"a": scores(1.0, 0.5), "b": scores(0.0, 0.5)})


class TestMissingValues:
    def test_stop_the_job_unless_a_policy_says_otherwise(self, group):
        told = r"component 'a' \(test/made\) failed on sample 's1' \(rows.jsonl:7\), completion 1: no luck"
        with pytest.raises(JobError, match=told):
            composition("a").compose(group(2, source="rows.jsonl:7"), {"a": scores(0.5, FAILED)})

    def test_abstentions_stop_it_too_and_it_says_how_to_go_on(self, group):
        told = (
            r"component 'a' \(test/made\) abstains on sample 's1', completion 0: no opinion; "
            r"set reward.components.a.on_abstain to a number"
        )
        with pytest.raises(JobError, match=told):
            composition("a", {"a": use(on_missing="group_mean")}).compose(group(2), {"a": scores(ABSTAINED, 0.5)})

    @pytest.mark.parametrize(
        ("policies", "cells", "total", "shaped"),
        [
            ({"on_missing": 0.25}, (1.0, FAILED), [1.0, 0.25], [1.0, 0.25]),
            ({"on_missing": -3}, (FAILED,), [-3.0], [-3.0]),
            ({"on_missing": "group_mean"}, (1.0, FAILED, 0.5), [1.0, 0.75, 0.5], [1.0, 0.75, 0.5]),
            ({"on_missing": "group_mean"}, (FAILED, FAILED), [None, None], [0.0, 0.0]),
            ({"on_missing": "zero_advantage"}, (1.0, FAILED, 0.5), [1.0, None, 0.5], [1.0, 0.75, 0.5]),
            ({"on_missing": "zero_advantage"}, (FAILED,), [None], [0.0]),
            ({"on_abstain": 0.5}, (1.0, ABSTAINED), [1.0, 0.5], [1.0, 0.5]),
            # what stands in for an abstention is nobody's value, so no mean is made of it
            ({"on_missing": "group_mean", "on_abstain": 0}, (1.0, ABSTAINED, FAILED), [1.0, 0.0, 1.0], None),
            ({"on_missing": "group_mean", "on_abstain": 0}, (ABSTAINED, FAILED), [None, None], [0.0, 0.0]),
        ],
    )
    def test_are_replaced_as_the_policies_say(self, group, policies, cells, total, shaped):
        made = composition("a", {"a": use(**policies)}).compose(group(len(cells)), {"a": scores(*cells)})
        assert made.totals == total
        assert made.shaped == (total if shaped is None else shaped)

    @pytest.mark.parametrize("total", ["a + b", "b + a"])
    def test_that_cost_the_whole_group_its_advantage_hide_no_failure(self, group, total):
        """Whether a job stops depends neither on the order of components nor on that of completions."""
        uses = {"a": use(on_missing="group_mean"), "b": use()}
        with pytest.raises(JobError, match="component 'b'"):
            composition(total, uses).compose(group(1), {"a": scores(FAILED), "b": scores(FAILED)})
        for cells in [(FAILED, ABSTAINED), (ABSTAINED, FAILED)]:
            with pytest.raises(JobError, match=r"component 'a' .* abstains"):
                composition("a", uses).compose(group(2), {"a": scores(*cells)})

    def test_show_in_the_total_only(self, group):
        given = scores(1.0, FAILED)
        made = composition("a", {"a": use(on_missing=0)}).compose(group(2), {"a": given})
        assert made.components["a"] == given

    def test_of_a_component_that_the_total_does_not_name_stop_nothing(self, group):
        components = {"a": scores(1.0, 0.5), "b": scores(FAILED, ABSTAINED)}
        made = composition("a", {"a": use(), "b": use()}).compose(group(2), components)
        assert made.totals == [1.0, 0.5]
        assert made.components == components

    @given(st.floats(-1, 1), st.integers(1, 7), st.sampled_from(["group_mean", "zero_advantage"]))
    def test_do_not_tell_equal_values_apart(self, group_of, value, others, policy):
        """A mean that rounding moved would be an advantage over values that are all the same."""
        made = composition("a", {"a": use(on_missing=policy)}).compose(
            group_of(*["text"] * (others + 1)), {"a": scores(FAILED, *[value] * others)}
        )
        assert set(made.shaped) == {value}


cells = st.one_of(st.floats(-2, 2), st.sampled_from([FAILED, ABSTAINED]))
policies = st.fixed_dictionaries(
    {
        "on_missing": st.one_of(st.sampled_from(["fail", "group_mean", "zero_advantage"]), st.floats(-2, 2)),
        "on_abstain": st.one_of(st.just("fail"), st.floats(-2, 2)),
    }
)


@st.composite
def scored_groups(draw):
    """(the cells of components a and b, their policies)"""
    size = draw(st.integers(1, 6))
    columns = {name: draw(st.lists(cells, min_size=size, max_size=size)) for name in "ab"}
    return columns, {name: draw(policies) for name in "ab"}


def reference(columns, policies):
    """(totals, shaped) of a + 2 * b, one rule of the contract after the other; None where the job stops."""
    replaced = {}
    for name, column in columns.items():
        policy = policies[name]
        if FAILED in column and policy["on_missing"] == "fail":
            return None
        if ABSTAINED in column and policy["on_abstain"] == "fail":
            return None
        numbers = [cell for cell in column if cell not in (FAILED, ABSTAINED)]
        stand_in = policy["on_missing"]
        if stand_in == "group_mean":
            stand_in = sum(numbers) / len(numbers) if numbers else "nobody"
        replaced[name] = [
            stand_in if cell == FAILED else policy["on_abstain"] if cell == ABSTAINED else cell for cell in column
        ]
    size = len(columns["a"])
    if any("nobody" in column for column in replaced.values()):
        return [None] * size, [0.0] * size
    pairs = list(zip(replaced["a"], replaced["b"], strict=True))
    totals = [None if "zero_advantage" in pair else pair[0] + 2 * pair[1] for pair in pairs]
    kept = [total for total in totals if total is not None]
    others = sum(kept) / len(kept) if kept else 0.0
    return totals, [others if total is None else total for total in totals]


def compose(columns, policies, group_of):
    """(totals, shaped), or None where the job stops."""
    uses = {name: use(**policies[name]) for name in columns}
    components = {name: scores(*column) for name, column in columns.items()}
    try:
        made = composition("a + 2 * b", uses).compose(group_of(*["text"] * len(columns["a"])), components)
    except JobError:
        return None
    return made.totals, made.shaped


@given(scored_groups())
def test_policies_do_what_the_contract_says(group_of, drawn):
    made, wanted = compose(*drawn, group_of), reference(*drawn)
    if wanted is None:
        assert made is None
    else:
        assert made is not None
        assert made[0] == pytest.approx(wanted[0])
        assert made[1] == pytest.approx(wanted[1])


@given(scored_groups(), st.data())
def test_permuting_a_group_permutes_what_comes_out(group_of, drawn, data):
    columns, policies = drawn
    order = data.draw(st.permutations(range(len(columns["a"]))))
    made = compose(columns, policies, group_of)
    permuted = compose({n: [c[i] for i in order] for n, c in columns.items()}, policies, group_of)
    if made is None:
        assert permuted is None
    else:
        assert permuted is not None
        for before, after in zip(made, permuted, strict=True):
            assert after == pytest.approx([before[i] for i in order])


class Shape:
    """A normalizer made of a function of the totals; keeps what it was given."""

    def __init__(self, function):
        self._function = function
        self.given = []

    def shape(self, totals, tokens, kept, seed):
        self.given.append((list(totals), tokens, list(kept), seed))
        return self._function(totals)


class TestNormalizers:
    def test_are_applied_one_after_the_other(self, group):
        made = composition(
            "a", normalizers=[("n/one", Shape(lambda t: [v + 1 for v in t])), ("n/two", Shape(reversed))]
        ).compose(group(3), {"a": scores(0.0, 0.5, 1.0)})
        assert made.totals == [0.0, 0.5, 1.0]
        assert made.shaped == [2.0, 1.5, 1.0]

    def test_get_all_of_the_group_that_has_a_total(self, group_of):
        normalizer = Shape(list)
        group = group_of(*(Completion(text="x", token_count=count) for count in (3, 4, 5)))
        uses = {"a": use(on_missing="zero_advantage")}
        made = composition("a", uses, normalizers=[("n/one", normalizer)]).compose(
            group, {"a": scores(0.5, FAILED, 1.0)}, seed=7
        )
        assert normalizer.given[0][:3] == ([0.5, 1.0], [3, 5], [0, 1])
        assert made.shaped == [0.5, 0.75, 1.0]

    def test_get_no_tokens_where_one_is_not_counted(self, group_of):
        normalizer = Shape(list)
        group = group_of(Completion(text="x", token_count=3), Completion(text="y"))
        composition("a", normalizers=[("n/one", normalizer)]).compose(group, {"a": scores(0.5, 1.0)})
        assert normalizer.given[0][1] is None

    def test_get_a_seed_that_follows_from_the_recipes_and_the_samples_id(self, group):
        def seeds(*asked):
            normalizer = Shape(list)
            for seed, sample in asked:
                composition("a", normalizers=[("n/one", normalizer)]).compose(
                    group(1, id=sample), {"a": scores(0.5)}, seed=seed
                )
            return [given[3] for given in normalizer.given]

        first, again, *others = seeds((0, "s1"), (0, "s1"), (1, "s1"), (0, "s2"))
        assert first == again == 3126298221  # the same in every process and version
        assert len({first, *others}) == 3

    def test_cannot_harm_each_other(self, group_of):
        class Vandal:
            def shape(self, totals, tokens, kept, seed):
                shaped = list(totals)
                for mine in (totals, tokens, kept):
                    mine.clear()
                return shaped

        after = Shape(list)
        group = group_of(*(Completion(text="x", token_count=count) for count in (3, 4)))
        made = composition("a", normalizers=[("n/vandal", Vandal()), ("n/after", after)]).compose(
            group, {"a": scores(0.5, 1.0)}
        )
        assert after.given[0][:3] == ([0.5, 1.0], [3, 4], [0, 1])
        assert (made.totals, made.shaped) == ([0.5, 1.0], [0.5, 1.0])

    def test_are_not_asked_where_nobody_has_a_total(self, group):
        normalizer = Shape(lambda totals: 1 / 0)
        uses = {"a": use(on_missing="zero_advantage")}
        made = composition("a", uses, normalizers=[("n/one", normalizer)]).compose(
            group(2), {"a": scores(FAILED, FAILED)}
        )
        assert made.shaped == [0.0, 0.0]

    def misuse(*arguments):
        raise ValueError("out of order")

    def leave(*arguments):
        raise SystemExit(3)

    @pytest.mark.parametrize(
        ("function", "told"),
        [
            (misuse, "ValueError: out of order"),
            (leave, "SystemExit: 3"),
            (lambda totals: [1.0], r"gave \[1.0\] for 2 values"),
            (lambda totals: [*totals, 0.0], r"gave \[0.5, 1.0, 0.0\] for 2 values"),
            (lambda totals: [math.nan, 0.0], r"gave \[nan, 0.0\] for 2 values"),
            (lambda totals: [0.0, -math.inf], r"gave \[0.0, -inf\] for 2 values"),
            (lambda totals: None, "TypeError: 'NoneType' object is not iterable"),
            (lambda totals: ["high", "low"], "ValueError: could not convert"),
            (lambda totals: [10**400, 0], "OverflowError"),
        ],
    )
    def test_that_misbehave_are_named_with_the_sample(self, group, function, told):
        made = composition("a", normalizers=[("n/one", Shape(function))])
        with pytest.raises(JobError, match=rf"normalizer n/one on sample 's1' \(r.jsonl:2\): {told}"):
            made.compose(group(2, source="r.jsonl:2"), {"a": scores(0.5, 1.0)})


class TestAPool:
    """Of P completions G are kept; the rest says what they are worth beside the others."""

    texts = tuple(f"text {index}" for index in range(4))

    def kept(self, group_of, columns, kept, total="a", uses=None, in_group=None, pool=None, **more):
        uses = uses or dict.fromkeys([*columns, *(in_group or {})], use())
        made = composition(total, uses, **more)
        alone = {name: scores(*column) for name, column in columns.items()}
        others = {name: scores(*column) for name, column in (in_group or {}).items()}
        return made.compose_kept(pool or group_of(*self.texts), kept, alone, others)

    def test_gives_the_group_of_the_kept_in_their_order(self, group_of):
        made = self.kept(group_of, {"a": (0.0, 0.1, 0.2, 0.3), "b": (1.0, 1.1, 1.2, 1.3)}, [3, 0], "a + b")
        assert [c.text for c in made.completions] == ["text 3", "text 0"]
        assert [s.value for s in made.components["a"]] == [0.3, 0.0]
        assert made.totals == made.shaped == [1.6, 1.0]

    def test_tells_its_components_in_the_recipes_order(self, group_of):
        uses = dict.fromkeys(["group", "a", "late"], use())
        made = self.kept(group_of, {"a": (1.0,) * 4, "late": (1.0,) * 4}, [0], "a", uses, {"group": (0.5,)})
        assert list(made.components) == ["group", "a", "late"]

    def test_shapes_by_all_of_it_where_every_total_is_known(self, group_of):
        normalizer = Shape(lambda totals: [0.25, 0.75])
        pool = group_of(*(Completion(text="x", token_count=count) for count in (3, 4, 5, 6)))
        cells = {"a": (0.0, 0.1, 0.2, 0.3)}
        made = self.kept(group_of, cells, [3, 0], pool=pool, normalizers=[("n/one", normalizer)])
        assert normalizer.given[0][:3] == ([0.0, 0.1, 0.2, 0.3], [3, 4, 5, 6], [3, 0])
        assert made.shaped == [0.25, 0.75]

    def test_shows_all_of_itself_to_each_normalizer(self, group_of):
        first, last = Shape(lambda totals: [value + 1 for value in totals]), Shape(lambda totals: [0.0, 0.0])
        cells = {"a": (0.0, 1.0, 2.0, 3.0)}
        self.kept(group_of, cells, [3, 0], normalizers=[("n/first", first), ("n/last", last)])
        assert first.given[0][2] == [0, 1, 2, 3]
        assert (last.given[0][0], last.given[0][2]) == ([1.0, 2.0, 3.0, 4.0], [3, 0])

    def test_shapes_by_the_kept_where_the_total_needs_the_group(self, group_of):
        normalizer = Shape(list)
        made = self.kept(
            group_of,
            {"a": (0.0, 1.0, 2.0, 3.0)},
            [3, 0],
            "a + g",
            in_group={"g": (0.5, 0.25)},
            normalizers=[("n/one", normalizer)],
        )
        assert made.totals == [3.5, 0.25]
        assert normalizer.given[0][0] == [3.5, 0.25]
        assert normalizer.given[0][2] == [0, 1]

    def test_leaves_out_whoever_has_no_total(self, group_of):
        normalizer = Shape(lambda totals: [0.5])
        uses = {"a": use(on_missing="zero_advantage")}
        made = self.kept(
            group_of, {"a": (FAILED, 1.0, 2.0, 3.0)}, [2, 0], uses=uses, normalizers=[("n/one", normalizer)]
        )
        assert normalizer.given[0][0] == [1.0, 2.0, 3.0]
        assert normalizer.given[0][2] == [1]
        assert (made.totals, made.shaped) == ([2.0, None], [0.5, 0.5])

    def test_asks_no_normalizer_where_none_of_the_kept_has_a_total(self, group_of):
        normalizer = Shape(lambda totals: 1 / 0)
        uses = {"a": use(on_missing="zero_advantage")}
        made = self.kept(
            group_of, {"a": (FAILED, 1.0, FAILED, 3.0)}, [2, 0], uses=uses, normalizers=[("n/one", normalizer)]
        )
        assert (made.totals, made.shaped) == ([None, None], [0.0, 0.0])

    def test_gives_the_mean_that_stands_in_for_what_is_missing(self, group_of):
        uses = {"a": use(on_missing="group_mean")}
        assert self.kept(group_of, {"a": (FAILED, 1.0, 2.0, 6.0)}, [0, 1], uses=uses).totals == [3.0, 1.0]

    def test_stops_the_job_for_any_of_its_failures_where_every_total_is_asked_for(self, group_of):
        cells = {"a": (0.5, 0.5, 0.5, FAILED)}
        with pytest.raises(JobError, match=r"component 'a' \(test/made\) failed on sample 's1', completion 3"):
            self.kept(group_of, cells, [0, 1])
        assert self.kept(group_of, cells, [0, 1], "a + g", in_group={"g": (0.0, 0.0)}).totals == [0.5, 0.5]

    def test_that_is_all_kept_is_a_group(self, group_of):
        group = group_of(*self.texts)
        cells = {"a": (0.5, FAILED, 0.25, ABSTAINED)}
        uses = {"a": use(on_missing="zero_advantage", on_abstain=1)}
        normalizers = [("n/one", Shape(lambda totals: [2 * value for value in totals]))]
        whole = composition("a", uses, normalizers=normalizers).compose(group, {"a": scores(*cells["a"])})
        made = self.kept(group_of, cells, range(4), uses=uses, normalizers=normalizers)
        assert (made.totals, made.shaped, list(made.components["a"])) == (
            whole.totals,
            whole.shaped,
            whole.components["a"],
        )


class TestTruncatedCompletions:
    def test_get_a_total_of_0_where_the_stage_says_so(self, group):
        whole = group(3)
        cut = [replace(completion, truncated=index == 1) for index, completion in enumerate(whole.completions)]
        whole = replace(whole, completions=cut)
        components = {"a": scores(0.5, 1.0, 0.75)}
        assert composition("a + 1").compose(whole, components).totals == [1.5, 2.0, 1.75]
        assert composition("a + 1", zero_truncated=True).compose(whole, components).totals == [1.5, 0.0, 1.75]

    def test_need_no_value_for_it(self, group):
        whole = group(2)
        whole = replace(whole, completions=[replace(c, truncated=True) for c in whole.completions])
        made = composition("a", {"a": use(on_missing="zero_advantage")}, zero_truncated=True)
        assert made.compose(whole, {"a": scores(FAILED, 0.5)}).totals == [0.0, 0.0]


class TestTheGuard:
    """A job stops when more than `max_missing` of a component's scores have failed."""

    def guard(self, column, group_of, max_missing=0.05, per_group=1, policy="group_mean", **window):
        """How many groups went through before the guard stopped the job, and what it said."""
        guard = MissingGuard({"a": use(on_missing=policy, max_missing=max_missing)}, **window)
        made = composition("1")
        for number, start in enumerate(range(0, len(column), per_group)):
            given = {"a": scores(*column[start : start + per_group])}
            try:
                guard.add(made.compose(group_of(*["x"] * len(given["a"]), id=f"s{number}"), given))
            except JobError as error:
                return number, str(error)
        return None

    def test_says_which_component_how_many_and_the_last_cause(self, group_of):
        column = [0.5] * 40 + [FAILED] * 20
        number, told = self.guard(column, group_of, window=1000, least=50)
        assert number == 49
        assert told == (
            "component 'a' (test/made) has no value for 10 of the last 50 completions "
            "(20.0%; max_missing is 5.0%); last: sample 's49', completion 0: no luck"
        )

    def test_forgets_what_is_long_past(self, group_of):
        number, told = self.guard([0.5] * 1000 + [FAILED] * 60, group_of, window=1000, least=50)
        assert number == 1050
        assert "51 of the last 1000 completions (5.1%;" in told
        assert self.guard([FAILED] * 3 + [0.5] * 97, group_of, window=50, least=50) is not None
        assert self.guard([0.5] * 48 + [FAILED] * 2 + [0.5] * 50, group_of, window=50, least=50) is None

    def test_does_not_count_abstentions(self, group_of):
        assert self.guard([ABSTAINED] * 60, group_of, window=1000, least=50) is None

    def test_of_components_that_stop_the_job_by_themselves_wants_one_value(self, group_of):
        """What they lack is of rollouts that failed."""
        assert self.guard([FAILED] * 59 + [0.5], group_of, least=60, policy="fail") is None
        number, told = self.guard([FAILED] * 60, group_of, window=1000, least=50, policy="fail")
        assert number == 49
        assert "has no value for 50 of the last 50 completions (100.0%); last: sample 's49'" in told

    def test_takes_max_missing_itself_as_fine(self, group_of):
        assert self.guard([FAILED] + [0.5] * 19, group_of, per_group=20) is None
        assert self.guard([FAILED] + [0.5] * 18, group_of, per_group=19) is not None
        assert self.guard([FAILED] * 5, group_of, max_missing=1.0) is None

    def test_of_a_training_step_forgets_the_step_before(self, group_of):
        guard = MissingGuard({"a": use(on_missing=0, max_missing=0.5)})
        made = composition("1")
        half, none = (made.compose(group_of("x", "y"), {"a": scores(FAILED, last)}) for last in (0.5, FAILED))
        for _ in range(3):
            guard.reset()
            guard.add(half)
        with pytest.raises(JobError, match="3 of the last 4"):
            guard.add(none)

    def test_of_a_step_looks_at_all_its_groups_before_it_judges(self, group_of):
        uses, made = {"a": use(on_missing=0, max_missing=0.5)}, composition("1")
        groups = [made.compose(group_of("x", "y"), {"a": scores(*given)}) for given in ((FAILED, FAILED), (0.5, 0.5))]
        refuse_step(uses, groups)
        with pytest.raises(JobError, match="2 of the last 2"):
            refuse_step(uses, groups[:1])

    @given(
        st.lists(st.tuples(st.sampled_from([0.5, ABSTAINED, FAILED]), st.integers(1, 40)), max_size=12),
        st.integers(1, 4),
        st.sampled_from([0.0, 0.05, 0.3, 0.9]),
        st.sampled_from([(None, 1), (100, 50), (1000, 50), (30, 1)]),
    )
    def test_looks_at_the_last_scores_once_there_are_enough(self, group_of, runs, per_group, most, window):
        column = [cell for cell, count in runs for _ in range(count)]
        size, least = window
        stopped = None
        for number, end in enumerate(range(per_group, len(column) + per_group, per_group)):
            seen = column[:end] if size is None else column[:end][-size:]
            if stopped is None and len(seen) >= least and seen.count(FAILED) > most * len(seen) + 1e-9:
                stopped = number
        found = self.guard(column, group_of, most, per_group, window=size, least=least)
        assert (None if found is None else found[0]) == stopped
