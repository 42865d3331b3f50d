"""The figures of lines: what they count, and that it adds up."""

from rewardlab_training import Results
from rewardlab_training.results import Slice
from rewardlab_viewer.figures.agreement import agreements
from rewardlab_viewer.figures.changes import change_tables
from rewardlab_viewer.figures.coverage import component_coverage, coverage, left_out_sentence
from rewardlab_viewer.figures.curves import MAX_POINTS, stage_curves, thinned
from rewardlab_viewer.figures.data import data_table
from rewardlab_viewer.figures.groups import flat_table, is_flat
from rewardlab_viewer.figures.lengths import length_table
from rewardlab_viewer.figures.slices import slice_tables
from rewardlab_viewer.read.columns import MAX_VALUES, RunPart, ScoreColumns
from rewardlab_viewer.read.source import LoggedStage


def columns_of(*groups):
    """Columns of groups: (fields of the first line, totals, what else the lines say)."""
    columns = ScoreColumns()
    for number, (fields, totals, said) in enumerate(groups):
        lines = [_line(number, fields, index, total, said) for index, total in enumerate(totals)]
        columns.add(lines, said.get("discarded", False))
    return columns


def _line(number, fields, index, total, said):
    of_component = said.get("component", {"value": total, "error": None, "info": {}})
    line = {"attempt": 0, "stage": 1, "step": 1, "group": number, "index": index, "trained": "yes", "phase": "training"}
    line |= {"id": f"s{number}", "fields": fields, "completion": "", "tokens": 10 + index, "truncated": False}
    return line | {"components": {"right": of_component}, "total": total, "shaped": total} | said


EVALUATED = {"trained": "no", "phase": "after", "step": 9}


def test_each_completion_counts_once_and_what_nobody_recorded_is_the_rest():
    columns = columns_of(
        ({}, [1.0, 0.0, None], {"component": {"value": None, "error": "no answer"}}),
        ({}, [None, 1.0], {"component": {"value": None, "error": None}}),
        ({}, [1.0, 1.0], {"discarded": True}),
        ({}, [1.0], EVALUATED),
    )
    part = Slice(name="all", prompts=2, completions=1, means={}, missing=3)
    training, evaluated = coverage(columns, {(1, "training"): 10}, {"1-rl-after": Results(name="after", slices=[part])})
    assert (training.scored, training.masked, training.failed, training.left_out) == (3, 1, 1, 2)
    assert (training.expected, training.unknown) == (10, 3)
    assert (evaluated.expected, evaluated.scored, evaluated.unknown) == (4, 1, 3)
    assert left_out_sentence([training, evaluated]).startswith("2 of 7 completions (28.6%) were made to be trained on")
    [right] = component_coverage(columns)
    assert (right.scored, right.abstained, right.failed, right.absent) == (3, 2, 3, 0)
    [more] = coverage(columns_of(({}, [1.0] * 4, {})), {(1, "training"): 3}, {})
    assert (more.expected, more.unknown) == (4, 0), "a group sampler makes more than the recipe says"


def test_what_a_group_sampler_refused_fills_no_gap():
    refused = ({}, [None] * 3, {"discarded": True, "components": {}})
    [training] = coverage(columns_of(({}, [1.0] * 4, {}), refused), {(1, "training"): 6}, {})
    assert (training.expected, training.scored, training.left_out, training.unknown) == (9, 4, 3, 2)
    dropped = ({}, [1.0, 1.0, None], {"discarded": True})
    [training] = coverage(columns_of(({}, [1.0] * 3, {}), dropped), {(1, "training"): 6}, {})
    assert (training.expected, training.unknown) == (6, 0), "a flat group was one of those that its step took"
    untaught = ({}, [None] * 3, {"discarded": True, "left_out": "flat in right"})
    [training] = coverage(columns_of(({}, [1.0] * 3, {}), untaught), {(1, "training"): 6}, {})
    assert (training.expected, training.unknown) == (6, 0), "no sampler refused those of which none has a total"


def test_what_a_ledger_should_have_and_lost_whole_is_unknown():
    results = Results(name="", slices=[Slice(name="all", prompts=2, completions=4, means={})])
    names = ("0-rl-before", "0-rl-step-2", "0-rl-after", "1-eval-mgsm")
    lost = coverage(ScoreColumns(), {(0, "training"): 6, (2, "training"): 0}, dict.fromkeys(names, results))
    assert [(one.part, one.expected, one.unknown) for one in lost] == [
        ("training, stage 0", 6, 6),
        ("evaluation before stage 0", 4, 4),
        ("evaluation after stage 0", 4, 4),
        ("evaluation, stage 1", 4, 4),
    ]
    there = columns_of(({}, [1.0] * 4, {**EVALUATED, "stage": 0, "phase": None}))
    assert [one.part for one in coverage(there, {}, {"0-rl-after": results})] == ["evaluation, stage 0"], "version 1"


def test_a_component_that_comes_later_was_not_asked_before():
    columns = columns_of(({}, [1.0, 0.0], {}), ({}, [1.0], {"components": {"late": {"value": 0.5}}}))
    assert [(one.component, one.scored, one.absent) for one in component_coverage(columns)] == [
        ("right", 2, 1),
        ("late", 1, 2),
    ]
    assert list(columns.components["late"].states) == [0, 0, 1]


def test_data_says_how_often_problems_come_and_which_are_evaluated_too():
    trained = [({"problem": name}, [1.0], {"discarded": name == "c"}) for name in "aabac"]
    evaluated = [({"problem": name}, [1.0], EVALUATED) for name in "cde"]
    assert [*data_table(columns_of(*trained, *evaluated))][1:] == [
        ["training, stage 1", "3", "5", "1.7", "3", "1"],
        ["evaluation after stage 1, step 9", "3", "3", "1.0", "1", "–"],
    ]
    assert [*data_table(columns_of(*trained))][1][-1] == "–", "nothing says what is held out"
    assert [*data_table(columns_of())] == []


def test_shares_of_groups_say_what_was_trained_on_when():
    trained = {1: ["am", "am", "en", "am"], 2: ["en", "en"], 3: ["en", None]}
    groups = [({"language": one} if one else {}, [1.0], {"step": step}) for step, all in trained.items() for one in all]
    groups.append(({"language": "sw"}, [1.0], {"step": 1, "discarded": True}))
    groups.append(({"language": "am"}, [1.0], EVALUATED))
    [curves] = stage_curves(columns_of(*groups))
    assert curves.composition == {"language": {"am": [0.75, 0.0, 0.0], "en": [0.25, 1.0, 0.5]}}


def test_curves_have_means_quantiles_and_means_by_field():
    groups = [
        ({"language": language}, [value, value + 1, None], {"step": step})
        for step in (1, 2, 3)
        for language, value in (("am", step), ("en", 10 * step))
    ]
    groups.append(({"language": "en"}, [1000.0], {"step": 2, "discarded": True}))
    groups.append(({"language": "en"}, [4.0, 6.0], {**EVALUATED, "step": 3}))
    [curves] = stage_curves(columns_of(*groups))
    assert curves.steps == [1, 2, 3]
    total = curves.metrics["total"]
    assert total.mean == [6.0, 11.5, 17.0]
    assert [curve[0] for curve in total.quantiles] == [1.3, 1.75, 6.0, 10.25, 10.7]
    assert total.by == {"language": {"am": [1.5, 2.5, 3.5], "en": [10.5, 20.5, 30.5]}}
    assert curves.evaluated == {3: {"total": 5.0, "right": 5.0}}
    assert curves.metrics["flat groups"].mean == [0.0, 0.0, 0.0]
    assert curves.metrics["flat groups"].quantiles == [], "of numbers that are one of two"


def test_many_steps_share_points():
    [curves] = stage_curves(columns_of(*(({}, [float(step)], {"step": step}) for step in range(1, 1002))))
    assert len(curves.steps) == 251 <= MAX_POINTS
    assert curves.steps[:2] == [1, 5]
    assert curves.ends == [(1, 1.0), (1001, 1001.0)]
    assert curves.metrics["total"].mean[:2] == [2.5, 6.5]
    log = LoggedStage(name="1-rl", steps=range(1, 1002), numbers={"loss": [None, *map(float, range(1000))]})
    assert thinned(log).steps[-2:] == range(997, 1002, 4)
    assert thinned(log).numbers["loss"][:2] == [1.0, 4.5]


def test_intervals_by_field_are_clustered_by_problem():
    def rows(problem_of):
        groups = []
        for number in range(40):
            fields = {"language": "am" if number % 2 else "en", "problem": problem_of(number)}
            groups.append((fields, [float(number // 4 % 2)] * 2, EVALUATED))
        [table] = slice_tables(columns_of(*groups), ["language"])
        return table

    alone, together = rows(str), rows(lambda number: str(number // 4))
    assert (alone.part, alone.field, alone.metrics) == (
        "evaluation after stage 1, step 9",
        "language",
        ["total", "right"],
    )
    assert [(row.value, row.problems, row.completions) for row in alone.rows] == [
        ("all", 40, 80),
        ("am", 20, 40),
        ("en", 20, 40),
    ]
    assert [row.problems for row in together.rows] == [10, 10, 10]
    width = [(row.averages[0].high - row.averages[0].low) for table in (alone, together) for row in table.rows]
    assert width[3] > 1.5 * width[0], "four groups of a problem say no more than one"
    assert alone.rows[0].averages[0].mean == 0.5
    [plain] = slice_tables(columns_of(*[({}, [1.0, 0.0], EVALUATED)] * 3), [])
    assert [(row.value, row.averages[0].mean) for row in plain.rows] == [("all", 0.5)], "there is always a mean"


def test_a_field_splits_if_it_has_few_values_and_is_no_answer():
    groups = [
        (
            {
                "id": str(number),
                "answer": str(number % 2),
                "kind": number % 3,
                "same": "x",
                "task": ("a", "b")[number % 2],
            },
            [1.0],
            {},
        )
        for number in range(2 * MAX_VALUES + 2)
    ]
    assert columns_of(*groups).split_fields() == ["task", "kind"]


def test_a_problem_that_is_a_long_text_is_kept_and_shown_in_part():
    texts = ["How many coins are left? " * 1000 + end for end in ("a", "b", "a")]
    columns = columns_of(*(({"problem": text}, [1.0], {}) for text in texts))
    assert list(columns.problem) == [0, 1, 0]
    assert all(text.startswith(texts[0][:80]) and len(text) < 100 for text in columns.problems)


def test_flat_groups_are_those_with_two_equal_totals():
    columns = columns_of(
        ({"language": "am"}, [0.3, 0.1 + 0.2], {}),
        ({"language": "en"}, [0.3, 0.4], {}),
        ({"language": "am"}, [1.0, None], {}),
        ({"language": "en"}, [1.0, 1.0, None], {}),
    )
    assert [is_flat(columns, group) for group in range(4)] == [True, False, False, True]
    assert [row[1:] for row in flat_table(columns, ["language"])][1:] == [
        ["all", "2", "4", "50.0%"],
        ["language am", "1", "2", "50.0%"],
        ["language en", "1", "2", "50.0%"],
    ]


def test_length_goes_with_reward_inside_of_groups():
    unknown, discarded = ({}, [5.0, 9.0], {"tokens": None}), ({}, [9.0, 5.0], {"discarded": True})
    columns = columns_of(({}, [1.0, 2.0, 3.0], {}), ({}, [30.0, 20.0, None], {}), unknown, discarded)
    table = length_table(columns, RunPart(1, "training", None), range(4))
    assert [row[:2] for row in table.rows[1:]] == [["10 to 10", "2"], ["11 to 11", "2"], ["12 to 12", "1"]]
    assert round(dict(table.correlations)["total"], 3) == round(-3 / (2.5 * 52) ** 0.5, 3)
    [stage] = stage_curves(columns)
    assert stage.metrics["length in tokens"].mean == [11.0], "a length that nobody recorded is not 0"
    assert length_table(columns_of(({}, [1.0], {})), RunPart(1, "training", None), [0]) is None


def test_completions_of_one_length_are_not_sorted_by_reward():
    limit = [({}, [float(at % 2)], {"tokens": 512}) for at in range(60)]
    shorter = [({}, [0.5], {"tokens": 1 + at}) for at in range(40)]
    table = length_table(columns_of(*limit, *shorter), RunPart(1, "training", None), range(100))
    assert table.rows[-2:] == [["31 to 40", "10", "0.500"], ["512 to 512", "60", "0.500"]]
    assert [row[1] for row in table.rows[1:]] == ["10", "10", "10", "10", "60"]


def test_a_component_agrees_with_correctness_if_it_puts_the_more_correct_first():
    def group(language, truth, judged):
        components = [
            {"right": {"value": right, "error": None}, "judge": {"value": value, "error": None}}
            for right, value in zip(truth, judged, strict=True)
        ]
        lines = [_line(0, {"language": language}, at, 1.0, {}) for at in range(len(truth))]
        return [line | {"components": scores} for line, scores in zip(lines, components, strict=True)]

    columns = ScoreColumns()
    columns.add(group("am", [0.0, 1.0, 0.0], [0.9, 0.9, 0.1]), False)  # one tie, one alike
    columns.add(group("en", [1.0, 0.0, None], [0.2, 0.7, 0.9]), False)  # turned round
    columns.add(group("en", [1.0, 1.0], [0.2, 0.7]), False)  # equally correct
    found = [(one.language, one.pairs, one.tied, one.average.mean) for one in agreements(columns, "right")]
    assert found == [("all", 3, 1, 0.375), ("am", 2, 1, 0.75), ("en", 1, 0, 0.0)]
    assert list(agreements(columns, None)) == []


def test_a_change_is_of_problems_that_were_evaluated_before_and_after():
    def groups(phase, gain):
        for problem in range(12):
            fields = {"language": ("all", "en")[problem % 2], "problem": str(problem)}
            value = problem % 3 / 4 + gain * (problem % 2)
            yield fields, [value, value], {**EVALUATED, "phase": phase}

    only_before = ({"language": "en", "problem": "more"}, [1.0], {**EVALUATED, "phase": "before"})
    only_after = (*only_before[:2], EVALUATED)
    columns = columns_of(*groups("before", 0.0), only_before, *groups("after", 0.5))
    later = columns_of(*groups("before", 0.0), *groups("after", 0.5), only_after)
    assert [*change_tables(later, None)] == [*change_tables(columns, None)]
    [table] = change_tables(columns, "language")
    assert (table.part, table.metrics) == ("stage 1", ["total", "right"])
    found = [(row.value, row.problems, round(row.averages[0].mean, 6)) for row in table.rows]
    assert found == [("all", 12, 0.25), ("all", 6, 0.0), ("en", 6, 0.5)]
    assert 0 < table.rows[0].averages[0].low < 0.25 < table.rows[0].averages[0].high < 0.5
    assert table.rows[1].averages[0].low < 0 < table.rows[1].averages[0].high, "six problems are few"
    assert list(change_tables(columns_of(*groups("after", 0.5)), "language")) == []
    [plain] = change_tables(columns, None)
    assert [row.value for row in plain.rows] == ["all"]
