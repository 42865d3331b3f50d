"""The ledger of causes: contributions of components and a rest, which add up to the shaped reward."""

import math
import pickle

import pytest
from helpers.paths import DOCS
from hypothesis import assume, given
from hypothesis import strategies as st
from rewardlab import Completion, Score
from rewardlab.errors import JobError
from rewardlab.recipe.expression import parse
from rewardlab.recipe.use import ComponentUse
from rewardlab.scoring.composition import Composition
from rewardlab.scoring.decomposition import Decomposition
from rewardlab.scoring.group_attribution import GroupAttribution
from rewardlab.scoring.scorer import Scorer
from rewardlab_normalize.center import Center
from rewardlab_normalize.options import StdOptions
from rewardlab_normalize.std import Std

RANGES = {"a": (0.0, 1.0), "b": (-1.0, 1.0), "c": (0.5, 2.0), "d": (0.0, 1.0)}
TOPS = {name: high for name, (_, high) in RANGES.items()} | {"f": 1.0}
FAILED, ABSTAINED = "failed", "abstained"


class Ranks:
    """A normalizer that is not a line: the place of each total among all."""

    def shape(self, totals, tokens, kept, seed):
        order = sorted(set(totals))
        return [float(order.index(totals[place])) for place in kept]


class Last:
    """A normalizer that looks at places: it lifts the last completion."""

    def shape(self, totals, tokens, kept, seed):
        return [totals[place] + (place == len(totals) - 1) for place in kept]


LINES = {"none": (), "center": (Center(),), "std": (Std(StdOptions()),), "both": (Center(), Std(StdOptions()))}
NORMALIZERS = {**LINES, "subset": (Std(StdOptions(subset=2, mean_from="subset")),), "ranks": (Ranks(),)}
NORMALIZERS |= {"last": (Last(),)}


def composition(total, normalizers=(), uses=None, tops=TOPS, **more):
    expression = parse(total)
    uses = uses or dict.fromkeys(expression.names, ComponentUse(use="test/made"))
    return Composition(
        expression=expression,
        uses=uses,
        normalizers=[("test/made", normalizer) for normalizer in normalizers],
        decomposition=Decomposition(expression, tops),
        **more,
    )


def score(cell):
    if cell == FAILED:
        return Score(error="no luck")
    return Score() if cell == ABSTAINED else Score(value=cell)


def scores(columns):
    return {name: [score(cell) for cell in column] for name, column in columns.items()}


def caused(group_of, columns, total, normalizers=(), **more):
    """(contributions, rest, shaped) of a group."""
    size = len(next(iter(columns.values())))
    made = composition(total, normalizers, **more).compose(group_of(*["x"] * size), scores(columns))
    return made.causes.attribution.contributions, made.causes.attribution.rest, made.shaped


# --- they add up, whatever the recipe

TERMS = ("a", "0.5 * b", "a * d", "-c", "min(a, b)", "(a + b) * d", "2", "b / c", "a * c * d", "clip(a + b, 0, 1)")
TOTALS = st.lists(st.sampled_from(TERMS), min_size=1, max_size=4).map(" + ".join) | st.sampled_from(
    ["(a + 2 * b) * d * c", "a - (b - c) * d", "(a + b) * (c + d)", "a", "max(a, b, d) * c", "(a * d + b) * d"]
)
policies = st.builds(
    lambda missing, abstain: ComponentUse(use="test/made", on_missing=missing, on_abstain=abstain, max_missing=1),
    st.sampled_from(["fail", "group_mean", "zero_advantage", 0.5]),
    st.sampled_from(["fail", 0.75]),
)


@st.composite
def pools(draw):
    """(total, columns, uses, truncated, kept, in_group): in_group are names that see only what was kept."""
    total = draw(TOTALS)
    names = parse(total).names
    size = draw(st.integers(1, 6))
    missing = draw(st.sampled_from([(), (FAILED,), (FAILED, ABSTAINED)]))

    def cell(name):
        low, high = RANGES[name]
        number = st.floats(low, high) | st.sampled_from([low, high])
        return st.one_of(number, number, number, st.sampled_from(missing)) if missing else number

    columns = {name: draw(st.lists(cell(name), min_size=size, max_size=size)) for name in names}
    kept = draw(st.permutations(range(size)))[: draw(st.integers(1, size))]
    truncated = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    in_group = [name for name in names if draw(st.integers(0, 4)) == 0]
    return total, columns, {name: draw(policies) for name in names}, truncated, kept, in_group


@given(pools(), st.sampled_from(sorted(NORMALIZERS)), st.booleans())
def test_contributions_and_the_rest_add_up_to_the_shaped_reward(group_of, drawn, normalizer, zero_truncated):
    total, columns, uses, truncated, kept, in_group = drawn
    pool = group_of(*(Completion(text="x", truncated=cut) for cut in truncated))
    made = composition(total, NORMALIZERS[normalizer], uses, zero_truncated=zero_truncated)
    alone = scores({name: column for name, column in columns.items() if name not in in_group})
    seen = scores({name: [columns[name][place] for place in kept] for name in in_group})
    try:
        scored = made.compose_kept(pool, kept, alone, seen)
    except JobError:
        assume(False)
    found = scored.causes.attribution
    known = [value for column in found.contributions.values() for value in column if value is not None]
    largest = max(map(abs, [*known, *found.rest, *scored.shaped]))
    rests = set()
    for index, completion in enumerate(scored.completions):
        given_ = [found.contributions[name][index] for name in made.expression.names]
        if scored.totals[index] is None or (zero_truncated and completion.truncated):
            assert (set(given_), found.rest[index]) == ({None} if given_ else set(), scored.shaped[index])
            continue
        assert math.fsum([*given_, found.rest[index]]) == pytest.approx(scored.shaped[index], abs=1e-9 * largest)
        rests.add(found.rest[index])
    totals = [total for total in scored.totals if total is not None]
    if normalizer in LINES and totals and max(totals) - min(totals) > 1e-5:
        assert len(rests) <= 1  # what differs between completions has a component as its cause


# --- what they are


def test_where_nothing_normalizes_a_contribution_is_the_part_of_the_total(group_of):
    contributions, rest, _ = caused(group_of, {"a": [0.5, 1.0], "b": [0.25, -1.0]}, "2 * a - b + 0.5")
    assert contributions == {"a": [1.0, 2.0], "b": [-0.25, 1.0]}
    assert rest == [0.5, 0.5]


def test_centred_it_is_the_weight_times_the_distance_from_the_groups_mean(group_of):
    columns = {"a": [0.0, 1.0, 1.0, 0.0], "b": [0.25, 0.25, 0.25, 0.25]}
    contributions, rest, shaped = caused(group_of, columns, "2 * a + b + 7", [Center()])
    assert contributions == {"a": [-1.0, 1.0, 1.0, -1.0], "b": [0.0] * 4}
    assert (rest, shaped) == ([0.0] * 4, [-1.0, 1.0, 1.0, -1.0])


def test_over_the_standard_deviation_it_is_that_over_the_standard_deviation(group_of):
    columns = {"a": [0.0, 1.0, 1.0, 0.0], "d": [0.0, 0.0, 1.0, 1.0]}
    contributions, rest, _ = caused(group_of, columns, "a + d", [Std(StdOptions())])
    one = 0.5 / (math.sqrt(0.5) + 1e-6)
    assert contributions["a"] == pytest.approx([-one, one, one, -one], rel=1e-12)
    assert contributions["d"] == pytest.approx([-one, -one, one, one], rel=1e-12)
    assert rest == [0.0] * 4


def test_a_gate_is_compared_with_itself_open(group_of):
    columns = {"a": [1.0, 1.0], "b": [0.5, 0.5], "f": [1.0, 0.0]}
    contributions, rest, shaped = caused(group_of, columns, "(a + b) * f", [Center()])
    assert contributions == {"a": [0.0, 0.0], "b": [0.0, 0.0], "f": [0.75, -0.75]}
    assert (rest, shaped) == ([0.0, 0.0], [0.75, -0.75])


def test_what_a_pool_that_was_not_kept_says_is_in_the_mean(group_of):
    made = composition("a", [Center()]).compose_kept(group_of(*"wxyz"), [3, 1], scores({"a": [0.0, 0.0, 0.0, 1.0]}), {})
    assert made.causes.attribution.contributions == {"a": [0.75, -0.25]}
    assert made.causes.attribution.rest == [0.0, 0.0]


def test_of_what_was_kept_it_says_what_the_total_saw_of_it(group_of):
    uses = dict.fromkeys("abf", ComponentUse(use="test/made", on_missing=0.75, max_missing=1))
    said = scores({"a": [1.0] * 4, "b": [0.0] * 4, "f": [0.0, 0.5, 0.25, FAILED]})
    causes = composition("(a + b) * f", uses=uses).compose_kept(group_of(*"wxyz"), [3, 1], said, {}).causes
    assert causes.entry("f", 0) == {"gate": 0.75, "stand_in": 0.75, "contribution": -0.25}
    assert causes.entry("f", 1) == {"gate": 0.5, "contribution": -0.5}


def test_kept_totals_that_are_all_equal_stand_beside_the_mean_of_their_pool(group_of):
    cells = {"a": [1.0, 0.5, 0.0, 0.0], "d": [0.5, 1.0, 0.0, 0.0]}
    made = composition("a + d", [Center()]).compose_kept(group_of(*"wxyz"), [0, 1], scores(cells), {})
    assert made.causes.attribution.contributions == {"a": [0.625, 0.125], "d": [0.125, 0.625]}
    assert made.causes.attribution.rest == [0.0, 0.0]


@pytest.mark.parametrize("normalizer", [Center(), Std(StdOptions())])
def test_where_all_totals_are_equal_but_for_rounding_nothing_contributes(group_of, normalizer):
    columns = {"a": [0.1, 0.3], "b": [0.2, 0.2], "d": [0.3, 0.1]}
    contributions, rest, shaped = caused(group_of, columns, "a + b + d", [normalizer])
    assert contributions == {name: [0.0, 0.0] for name in "abd"}
    assert rest == shaped


def test_what_a_normalizer_does_that_is_no_line_is_in_the_rest(group_of):
    columns = {"a": [0.0, 0.5, 1.0, 0.5, 0.0]}
    contributions, rest, _ = caused(group_of, columns, "a", [Last()])
    assert contributions["a"] == pytest.approx([-0.4 * 3 / 7, 0.1 * 3 / 7, 0.6 * 3 / 7, 0.1 * 3 / 7, -0.4 * 3 / 7])
    assert max(rest) == rest[-1]


# --- what the ledger says of a component


def entries(group_of, columns, total, **more):
    size = len(next(iter(columns.values())))
    made = composition(total, **more).compose(group_of(*["x"] * size), scores(columns))
    return {name: [made.causes.entry(name, index) for index in range(size)] for name in columns}


def test_it_says_how_the_total_uses_the_component(group_of):
    columns = {"a": [0.5], "f": [0.5], "b": [0.25], "c": [1.0], "logged": [1.0]}
    assert entries(group_of, columns, "2 * a * f * 1 + 0.5 * b + 1 / c") == {
        "a": [{"gate": 0.5, "contribution": -0.75}],
        "f": [{"gate": 0.5, "contribution": -0.75}],
        "b": [{"weight": 0.5, "contribution": 0.125}],
        "c": [{"counterfactual": 1.0, "contribution": 0.0}],
        "logged": [{}],
    }


def test_it_says_what_stood_in_for_a_value(group_of):
    use = ComponentUse(use="test/made", on_missing="group_mean", on_abstain=0.5, max_missing=1)
    columns = {"a": [1.0, FAILED, 0.5, ABSTAINED]}
    assert entries(group_of, columns, "2 * a", uses={"a": use})["a"] == [
        {"weight": 2.0, "contribution": 2.0},
        {"weight": 2.0, "stand_in": 0.75, "contribution": 1.5},
        {"weight": 2.0, "contribution": 1.0},
        {"weight": 2.0, "stand_in": 0.5, "contribution": 1.0},
    ]


def test_a_completion_without_a_total_has_no_causes_but_the_rest(group_of):
    use = ComponentUse(use="test/made", on_missing="zero_advantage", max_missing=1)
    columns = {"a": [1.0, FAILED, 0.5], "d": [0.0, 1.0, 0.5]}
    uses = {"a": use, "d": ComponentUse(use="test/made")}
    made = composition("a + d", [], uses).compose(group_of(*"xyz"), scores(columns))
    assert made.causes.attribution.contributions == {"a": [1.0, None, 0.5], "d": [0.0, None, 0.5]}
    assert made.causes.attribution.rest == [0.0, made.shaped[1], 0.0]
    assert made.causes.entry("a", 1) == {"weight": 1.0, "contribution": None}


def test_a_truncated_completion_that_counts_as_0_is_no_components_doing(group_of):
    group = group_of(Completion(text="x"), Completion(text="y"), Completion(text="z", truncated=True))
    made = composition("a", [Center()], zero_truncated=True).compose(group, scores({"a": [0.5, 1.0, 1.0]}))
    assert made.shaped == [0.0, 0.5, -0.5]
    assert made.causes.attribution.contributions == {"a": [-0.25, 0.25, None]}
    assert made.causes.attribution.rest == [0.25, 0.25, -0.5]
    made = composition("a", [Ranks()], zero_truncated=True).compose(group, scores({"a": [0.2, 1.0, 1.0]}))
    slope = 1 / 0.56  # of the line through all three: (0.2, 1), (1, 2) and, truncated, (0, 0)
    assert made.causes.attribution.contributions["a"] == [pytest.approx(-0.4 * slope), pytest.approx(0.4 * slope), None]


# --- when they are worked out


def test_they_are_worked_out_when_somebody_asks_and_travel_as_what_was_found(group_of):
    made = composition("a + min(a, 0)").compose(group_of("x", "y"), scores({"a": [0.5, 1.0]}))
    assert "attribution" not in vars(made.causes)
    assert made.causes.attribution is made.causes.attribution, "and once"
    travelled = pickle.loads(pickle.dumps(made))
    assert isinstance(travelled.causes, GroupAttribution)
    assert travelled.causes.attribution == made.causes.attribution
    assert travelled.causes.entry("a", 1) == {"weight": 1.0, "counterfactual": 0.75, "contribution": 1.0}
    assert travelled == made


def test_without_a_decomposition_a_group_has_none(group_of):
    expression = parse("a")
    made = Composition(expression=expression, uses={"a": ComponentUse(use="test/made")})
    assert made.compose(group_of("x"), scores({"a": [0.5]})).causes is None


def test_a_gate_of_a_plan_is_open_at_the_upper_end_of_its_range(group_of, reward, plan_of):
    half = reward(lambda items: [Score(value=0.5) for _ in items], range=(-1, 3))
    with Scorer(plan_of({"a": half, "b": half}, "a * b")) as scorer:
        [scored] = scorer.score_groups([group_of("x")])
    assert scored.causes.attribution.rest == [9.0]
    assert scored.causes.attribution.contributions == {"a": [-4.375], "b": [-4.375]}


# --- docs/causes.md


def test_the_worked_example_of_the_documentation(group_of):
    text = (DOCS / "causes.md").read_text(encoding="utf-8")
    tables = {}
    for block in text.split("## A worked example")[1].split("## What is odd")[0].split("\n\n"):
        if block.startswith("|"):
            title, _, *rows = [
                [cell.strip() for cell in row.strip("|").split("|")] for row in block.strip().split("\n")
            ]
            tables[title[0]] = {row[0]: [float(cell) for cell in row[1:]] for row in rows}
    values, parts, wanted = tables["values"], tables["parts of the total"], tables["contributions to shaped"]
    total = "(answer + embed) * format * language"
    for normalizers, expected, result in (((), parts, "total"), ([Center()], wanted, "shaped")):
        made = composition(total, normalizers, tops=dict.fromkeys(values, 1.0)).compose(
            group_of(*"wxyz"), scores(values)
        )
        assert made.shaped == pytest.approx(expected.pop(result))
        assert made.causes.attribution.contributions.keys() == expected.keys() == values.keys()
        for name, column in expected.items():
            assert made.causes.attribution.contributions[name] == pytest.approx(column)
