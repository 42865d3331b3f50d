"""rubric/rubrics: rubrics that a model writes for each row's task."""

import json
import logging

import pytest
from helpers.each_case import each_case
from rewardlab import Context, Reply, Sample, find
from rewardlab.errors import JobError, UserError
from rewardlab_rubric.data_steps.nearest import NearestTexts
from rewardlab_rubric.rubrics import rubrics_of_rows

SPEC = find("dataset", "rubric/rubrics")
LEVELS = {"1": "no", "2": "partly", "3": "yes"}


def row(name="r", prompt="Sum up: it rains.", **fields):
    return Sample(id=name, prompt=({"role": "user", "content": prompt},), fields=fields, source=f"r.jsonl:{name}")


def rubric(scoring=None, description="Say whether it is brief."):
    return json.dumps({"description": description, "scoring": LEVELS if scoring is None else scoring})


@pytest.fixture
def written(scripted):
    """`written(reply, *rows, **options)`: the rows that are made, and the writer."""

    def made(reply, *rows, **options):
        writer = scripted(reply if callable(reply) else lambda ask: reply)
        config = SPEC.config(writer="w", **({"levels": 3} if "asks" not in options else {}), **options)
        return list(SPEC.build(config, Context(judges={"w": writer}, source=list(rows or [row()])))), writer

    return made


@pytest.fixture
def examples(tmp_path):
    """The path of a file with three rubrics."""
    known = [("Translate a poem into German.", "poem"), ("Sum up a report.", "report"), ("Write a proof.", "proof")]
    path = tmp_path / "known.json"
    path.write_text(
        json.dumps([{"description": text, "scoring": {"1": "bad", "2": f"a good {what}"}} for text, what in known])
    )
    return str(path)


def shown(writer):
    return writer.asked[-1].messages[-1]["content"]


def test_a_row_gets_a_list_that_a_reward_reads(written):
    (made,), writer = written(
        Reply(text=f"[THINK]{{}} Three.[/THINK]Here it is:\n```json\n{rubric()}\n```"), row(kept=1)
    )
    assert made.fields == {"kept": 1, "rubric": [{"description": "Say whether it is brief.", "scoring": LEVELS}]}
    number, read = rubrics_of_rows({"field": "rubric"}, ["scale"])(made)
    assert (number, read.description, dict(read.levels.texts)) == (0, "Say whether it is brief.", LEVELS)
    assert "\nSum up: it rains.\n" in shown(writer)
    assert '"3": "what this level stands for"' in shown(writer)
    assert "There are no examples." in shown(writer)
    assert writer.understood_ == [True]


def test_keys_of_either_style_become_one(written):
    (made,), _ = written(Reply(text=rubric({f"score_{level}": text for level, text in LEVELS.items()})))
    assert made.fields["rubric"][0]["scoring"] == LEVELS


def test_a_broken_object_is_repaired(written):
    (made,), _ = written(Reply(text=rubric().replace('"yes"', "'yes',").replace("}}", "}")))
    assert made.fields["rubric"][0]["scoring"] == LEVELS


@pytest.mark.parametrize(
    ("asks", "scoring", "labels"),
    [
        ("binary", {"true": "right", "false": "wrong"}, ["true", "false"]),
        ("pairwise", {"response_2": "b", "response_1": "a"}, ["Response 1", "Response 2"]),
    ],
)
def test_other_kinds_have_names_for_levels(written, asks, scoring, labels):
    (made,), writer = written(Reply(text=rubric(scoring)), asks=asks)
    assert list(made.fields["rubric"][0]["scoring"]) == labels
    assert all(f'"{name}": "what this level stands for"' in shown(writer) for name in scoring)
    options = SPEC.config(writer="w", asks=asks)
    assert SPEC.config(**options.model_dump()) == options, "another process makes them anew of all their values"


class TestVariants:
    def test_are_further_draws_of_one_question(self, written):
        (made,), writer = written(lambda ask: rubric(description=f"Wording {ask.draw}."), variants=3, attempts=2)
        assert [one["description"] for one in made.fields["rubric"]] == ["Wording 0.", "Wording 2.", "Wording 4."]
        assert len({str(ask.messages) for ask in writer.asked}) == 1
        assert SPEC.calls(SPEC.config(writer="w", variants=3, attempts=2), 5) == 30

    def test_are_all_different(self, written):
        (made,), writer = written(lambda ask: rubric(description=f"Wording {ask.draw // 3}."), variants=2, attempts=2)
        assert [ask.draw for ask in writer.asked] == [0, 2, 3]
        assert [one["description"] for one in made.fields["rubric"]] == ["Wording 0.", "Wording 1."]

    def test_that_cannot_be_had_leave_the_row_out(self, written, caplog):
        def reply(ask):
            return rubric(description="One." if "rains" in ask.parts["query"] else f"Wording {ask.draw}.")

        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            made, _ = written(reply, row(), row("other", "Sum up: it snows."), variants=2)
        assert [one.id for one in made] == ["other"]
        assert "1 of 2 rows dropped: 1: the same rubric as another variant; several need a temperature" in caplog.text


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (Reply(text="I would rather not."), "no JSON object with `scoring`"),
        (Reply(text=rubric(description=" ")), "a rubric without a description"),
        (Reply(text=rubric({"1": "a", "3": "c"})), "levels that are not a rubric's"),
        (Reply(text=rubric({"1": "a", "2": ""})), "levels that are not a rubric's"),
        (Reply(text=rubric({"true": "a", "false": "c"})), "levels that are not a rubric's"),
        (Reply(text=rubric({"0": "a", "1": "b", "2": "c"})), "another scale than 1 to 3"),
        (Reply(text=rubric(), finish_reason="length"), "cut off at the token limit"),
        (Reply(text=rubric({**LEVELS, "3": "y" * 9_000})[:-1]), "no JSON object with `scoring`"),
        (Reply(text="{" * 500), "no JSON object with `scoring`"),
    ],
)
def test_what_is_no_rubric_is_asked_again_and_then_left_out(written, caplog, first, why):
    (made,), writer = written(lambda ask: first if ask.draw < 2 else rubric())
    assert made.fields["rubric"][0]["scoring"] == LEVELS
    assert writer.understood_ == [False, False, True]
    with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
        made, _ = written(lambda ask: first if "snow" in ask.parts["query"] else rubric(), row(), row("s", "It snows."))
    assert [one.id for one in made] == ["r"]
    assert f"rubric/rubrics: 1 of 2 rows dropped: 1: {why}; first: r.jsonl:s: {why}" in caplog.text


def test_a_row_that_the_server_refuses_is_left_out_after_one_question(written, caplog):
    refused = Reply(error="HTTP 422: too long", refused=True)
    with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
        made, writer = written(
            lambda ask: refused if "snow" in ask.parts["query"] else rubric(), row(), row("s", "It snows.")
        )
    assert [one.id for one in made] == ["r"]
    assert (
        "1 of 2 rows dropped: 1: refused by the server; first: r.jsonl:s: refused by the server: 'HTTP 422"
        in caplog.text
    )
    assert len(writer.asked) == 2


def test_no_answer_is_an_error(written):
    with pytest.raises(JobError, match=r"r.jsonl:r: judge 'w' answered none of 3 questions: HTTP 503"):
        written(Reply(error="HTTP 503"))


class TestTask:
    def test_of_a_field_stands_beside_the_input(self, written):
        _, writer = written(Reply(text=rubric()), row(task="Judge brevity."), task="task")
        assert shown(writer).index("\nJudge brevity.\n") < shown(writer).index("\nSum up: it rains.\n")
        assert writer.asked[0].parts == {"task": "Judge brevity.", "query": "Sum up: it rains."}

    def test_alone_is_one_question_for_all_its_rows(self, written):
        rows = [row(str(number), f"Sum up {number}.", task="Judge brevity.") for number in range(3)]
        _, writer = written(Reply(text=rubric()), *rows, task="task", input=False)
        assert len({str(ask.messages) for ask in writer.asked}) == 1

    @pytest.mark.parametrize("task", [None, " ", 3])
    def test_that_is_not_there_is_the_users_mistake(self, written, task):
        with pytest.raises(UserError, match=r"r.jsonl:r: field 'task' should hold a task"):
            written(Reply(text=rubric()), row(task=task), task="task")


class TestExamples:
    def test_nearest_to_the_task_are_shown_first(self, written, examples):
        _, writer = written(Reply(text=rubric()), examples=examples, nearest=2)
        found = [line for line in shown(writer).splitlines() if line.startswith('{"description"')]
        assert [json.loads(line)["description"] for line in found] == [
            "Sum up a report.",
            "Translate a poem into German.",
        ]
        assert json.loads(found[0])["scoring"] == {"1": "bad", "2": "a good report"}

    @pytest.mark.parametrize(
        ("text", "what"),
        [
            ('[{"scoring": {"1": "a", "2": "b"}}]', r"known.json: rubric 1 of 1 has no description"),
            ('[{"description": "x",\n "scoring": {"1": "a", "3": "b"}}]', r"known.json:2: the scale from 1 to 3"),
            ('[{"description": "x", "scoring": {"true": "a", "false": "b"}}]', r"known.json:1: levels true, false"),
        ],
    )
    def test_that_are_wrong_are_told_with_their_place(self, tmp_path, text, what):
        path = tmp_path / "known.json"
        path.write_text(text)
        with pytest.raises(ValueError, match=what):
            SPEC.config(writer="w", examples=str(path))


class TestNearest:
    def test_goes_by_rare_words(self):
        texts = NearestTexts(["the cat sat on the mat", "the dog sat on the sofa", "a quokka"])
        assert texts.nearest("the quokka", 2) == [2, 0]
        assert texts.nearest("Did the DOG bark?", 1) == [1]

    def test_weighs_one_rare_word_more_than_two_of_all_texts(self):
        texts = [*(f"the of x{number}" for number in range(20)), "quokka here now"]
        assert NearestTexts(texts).nearest("the of quokka", 1) == [20]

    def test_goes_by_characters_where_no_blanks_part_words(self):
        assert NearestTexts(["把诗翻译成德语", "总结这份报告", "プログラムを書く"]).nearest("请总结报告", 1) == [1]

    def test_of_nothing_and_to_nothing(self):
        assert NearestTexts([]).nearest("x", 3) == []
        assert NearestTexts(["a", "b"]).nearest("", 3) == [0, 1]


@each_case(
    "options, what",
    [
        ({"input": False}, "without task and input there is nothing to write a rubric for"),
        ({"asks": "binary", "levels": 3}, "levels goes with pointwise rubrics"),
        ({"levels": 1}, "greater than or equal to 2"),
        ({"examples": "none.yaml"}, "cannot read the rubric none.yaml"),
    ],
)
def test_options_that_mean_nothing_are_refused(options, what):
    with pytest.raises(ValueError, match=what):
        SPEC.config(writer="w", **options)
