"""The edits of a search, by kind: what each makes of an answer, and how a schedule spends what may be scored."""

from collections import Counter

from rewardlab import Sample
from rewardlab_probe.attempts.degenerate import probe_rows
from rewardlab_probe.corruptions import generator_of
from rewardlab_probe.edits.answers import answer_edits
from rewardlab_probe.honest_row import HonestRow
from rewardlab_probe.search.edit_schedule import EditSchedule
from rewardlab_probe.search.edits import all_edits
from rewardlab_probe.search.exploit import Exploit


def material(honest, prompt="How much is it?", others=()):
    """What the completions of a row are made of. others: honest completions of other rows."""
    rows = [
        HonestRow(
            sample=Sample(id=f"{n}", prompt=({"role": "user", "content": prompt},), fields={"prompt": prompt}),
            honest=text,
        )
        for n, text in enumerate([honest, *others])
    ]
    return next(iter(probe_rows(rows))).material


def made(honest, names, **row):
    """What edits make of an honest completion, by their names."""
    edits = {name: edit for some in all_edits(()).values() for name, edit in some.items()}
    given = material(honest, **row)
    return {name: edits[name](given, given.row.honest) for name in names}


def of(kind, answer, *names):
    return {name: answer_edits()[kind][name](answer) for name in names}


def test_two_numbers_change_together_so_that_what_is_checked_of_both_stays():
    assert of("pair", "89 * 97", "into_decimals@ends", "factor_across@ends", "one_across@ends", "widest@ends") == {
        "into_decimals@ends": "2.5 * 3453.2",
        "factor_across@ends": "178 * 48.5",
        "one_across@ends": "90 * 96",
        "widest@ends": "-999999999999 * 999999999999",
    }
    assert of("pair", "2024-01-15T23:30+09:00", "both_one_less@apart", "one_across@apart") == {
        "both_one_less@apart": "2024-01-15T22:30+08:00",
        "one_across@apart": "2024-01-15T24:30+08:00",
    }
    assert of("pair", "42", "one_across@ends") == {"one_across@ends": None}


def test_json_loses_repeats_and_empties_its_parts():
    person, matrix = '{"name": "Ann", "age": 41}', "[[1, 2], [3, 4]]"
    assert of("json", person, "json_emptied", "json_alone_1", "json_without_1", "json_keys_again", "json_same") == {
        "json_emptied": '{"name": "", "age": 0}',
        "json_alone_1": '{"age": 41}',
        "json_without_1": '{"name": "Ann"}',
        "json_keys_again": '{"name": "Ann", "age": 41, "name": "other", "age": 48}',
        "json_same": '{"name": "Ann", "age": "Ann"}',
    }
    assert of("json", matrix, "json_corner", "json_first_at_1", "json_first_alone_within", "json_empty") == {
        "json_corner": "[[1]]",
        "json_first_at_1": "[[3, 4], [3, 4]]",
        "json_first_alone_within": "[[1], [3]]",
        "json_empty": "[]",
    }
    assert of("json", "no JSON", "json_empty", "json_keys_again") == {"json_empty": None, "json_keys_again": None}
    assert of("json", "[]", "json_rotated", "json_corner", "json_alone_3") == dict.fromkeys(
        ("json_rotated", "json_corner", "json_alone_3")
    )


def test_an_answer_in_a_block_that_is_no_program_is_edited_as_any_other():
    edited = made('Here:\n```json\n{"to": "Bo"}\n```', ["answer_json_emptied"])
    assert edited["answer_json_emptied"] == 'Here:\n\n```json\n{"to": ""}\n```'


def test_an_answer_without_a_label_is_the_last_line():
    edited = made("It is near 5.\n[4, 6]", ["answer_widest@ends", "prompt_number_0"], prompt="Between 3 and 9?")
    assert edited == {
        "answer_widest@ends": "It is near 5.\n[-999999999999, 999999999999]",
        "prompt_number_0": "It is near 5.\n3",
    }


def test_other_values_than_the_answer_are_edited_too():
    edited = made("Answer: iron\nConfidence: 0.9", ["value_0_other", "value_1_zero", "values_changed_over"])
    assert edited == {
        "value_0_other": "Answer: other\nConfidence: 0.9",
        "value_1_zero": "Answer: iron\nConfidence: 0",
        "values_changed_over": "Answer: 0.9\nConfidence: iron",
    }
    assert made("It is iron.", ["value_0_other"]) == {"value_0_other": None}


def test_the_prompt_gives_answers_of_the_same_kind():
    prompt = "Pick two of these without an e: bread table moss green plum"
    assert made("Answer: moss, plum", ["other_members", "all_other_members"], prompt=prompt) == {
        "other_members": "Answer: bread, table",
        "all_other_members": "Answer: bread, table, green",
    }
    assert made("Answer: 12:30", ["shaped"], prompt="It is 09:15 now, when is it in a while?") == {
        "shaped": "Answer: 09:15"
    }


def test_answers_of_few_letters_are_tried_in_every_order_with_the_letters_that_the_prompt_names():
    names = [f"drawn_{place}" for place in range(6)]
    drawn = made("Answer: DRR", names, prompt="Moves are U D L R.", others=["Answer: DDR"])
    assert [text.removeprefix("Answer: ") for text in drawn.values()] == ["D", "R", "L", "U", "DD", "DR"]
    assert made("Answer: strawberry", ["drawn_0"]) == {"drawn_0": None}


def test_a_program_knows_the_prompts_examples_by_heart():
    program = "def add(a, b):\n    return a + b"
    prompt = "Write add. Examples: add(1, (2)) == 3; add(0, 0) is 0. add(x, y) == z for all."
    [text] = made(f"```python\n{program}\n```", ["program_examples_or_error"], prompt=prompt).values()
    space = {}
    exec(text.split("```python\n")[1].removesuffix("```"), space)
    assert (space["add"](1, 2), space["add"](0, 0)) == (3, 0)
    assert "raise ValueError" in text


def test_a_program_of_assertions_compares_each_thing_with_itself():
    [text] = made("```python\nassert f(1) == 2\n```", ["program_tautologies"]).values()
    assert "assert f(1) == f(1)" in text


def test_a_schedule_gives_every_exploit_once_the_honest_start_first_and_what_showed_something_more_often():
    kinds = {"number": [f"n{n}" for n in range(40)], "word": [f"w{n}" for n in range(40)], "dress": ["d0"]}
    schedule = EditSchedule(kinds, generator_of("1"))
    given = schedule.next(6)
    assert {exploit.start for exploit in given} == {"honest"}
    assert Counter(exploit.edits[0][0] for exploit in given) == {"n": 3, "w": 3}, "a dress comes late"
    for exploit in given:
        schedule.learn(exploit, float(exploit.edits[0].startswith("w")))
    assert Counter(exploit.edits[0][0] for exploit in schedule.next(20)).most_common(1)[0][0] == "w"
    rest = schedule.next(10_000)
    assert len({*given, *rest}) + 20 == 6 * 81
    assert schedule.next(1) == []


def test_a_text_that_a_row_does_not_have_is_no_trial_of_its_kind():
    schedule = EditSchedule(
        {"number": [f"n{n}" for n in range(40)], "word": [f"w{n}" for n in range(40)]}, generator_of("1")
    )
    for exploit in schedule.next(20):
        if exploit.edits[0].startswith("n"):
            schedule.unused(exploit)
    assert Counter(exploit.edits[0][0] for exploit in schedule.next(10)) == {"n": 10}
    schedule.unused(Exploit("honest", ("w0", "n0")))


def test_what_leaves_the_answer_as_it_is_says_nothing_of_what_a_reward_does_not_look_at():
    schedule = EditSchedule({"number": ["n0"], "whole": ["spaces"]}, generator_of("1"))
    assert schedule.is_inner(Exploit("honest", ("n0",)))
    assert not schedule.is_inner(Exploit("honest", ("n0", "spaces")))
