"""checklist/critiques: rows that teach a critic just what a reward reads."""

import json
from collections import Counter
from dataclasses import replace

import pytest
from helpers.each_case import each_case
from rewardlab import Completion, Context, Reply, Sample, find
from rewardlab.errors import JobError, UserError
from rewardlab_checklist.critic import Critic
from rewardlab_checklist.options import AnswerOptions

FORM = {
    "task": "sums",
    "levels": [0, 1],
    "dimensions": [{"name": "Right", "asks": "It is the sum."}, {"name": "Short", "asks": "It is one number."}],
}
TEXT = "<think>2 and 3 make 5.</think><answer>It is 5.</answer>"
ROW = Sample(
    id="sum",
    prompt=({"role": "user", "content": "How much is 2 + 3?"},),
    fields={"response": TEXT, "language": "en"},
    source="rows.jsonl:1",
)


def entry(score=1, evidence="is 5"):
    return {"evidence": [evidence], "why": "So it is.", "score": score, "sure": True}


TRACE = {
    **{name: entry("1", "make 5") for name in ("Redundancy", "Logical Soundness", "Correct Reasoning")},
    "Error Identification": entry(1.0, "make 5"),
    "Task Recognition": "chat",
}
SAID = {"answer": {"short": entry(0.0), "RIGHT": entry("1"), "Style": entry()}, "reasoning": TRACE}


class Teacher:
    """A judge that replies with texts, one after the other and then the last again."""

    def __init__(self, *replies):
        self._replies, self.asked, self.read = [*replies], [], []

    async def ask(self, ask):
        self.asked.append(ask)
        said = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(said, Reply):
            return said
        return Reply(text=said if isinstance(said, str) else json.dumps(said), finish_reason="stop")

    def report_parsed(self, reply, ok):
        self.read.append(ok)


def rows(source, teacher=None, seed=0, **options):
    spec = find("dataset", "checklist/critiques")
    named = {"given": "critique"} if teacher is None else {"teacher": "t"}
    made = spec.config.model_validate({**named, "checklist": FORM, "kinds": ["answer"], **options})
    return list(spec.build(made, Context(source=source, judges={"t": teacher}, seed=seed)))


def test_the_response_is_what_the_checklist_has_and_the_prompt_what_a_reward_asks():
    teacher = Teacher(SAID)
    (row,) = rows([ROW], teacher)
    said = json.loads(row.fields["response"])
    assert list(said["answer"]) == ["Right", "Short"]
    assert said["answer"]["Short"] == {"evidence": ["is 5"], "why": "So it is.", "score": "0"}
    assert row.fields["scores"] == {"answer": {"Right": 1.0, "Short": 0.0}}
    assert (row.id, row.fields["kind"], row.fields["language"]) == ("sum", "answer", "en")

    import asyncio

    asked = Teacher(row.fields["response"])
    critic = Critic(AnswerOptions(judge="j", checklist=FORM, critique="separate"), asked)
    read = asyncio.run(critic.critique("answer", ROW, {"answer": "It is 5."}))
    assert asked.asked[0].messages == list(row.prompt)
    assert read.scores == {"Right": 1.0, "Short": 0.0}


def test_each_kind_is_a_row_of_its_own():
    made = rows([ROW], Teacher(SAID), kinds=["reasoning", "answer", "joint"])
    assert [row.id for row in made] == ["sum/reasoning", "sum/answer", "sum/joint"]
    assert [list(json.loads(row.fields["response"])) for row in made] == [
        ["reasoning"],
        ["answer"],
        ["reasoning", "answer"],
    ]
    assert json.loads(made[0].fields["response"])["reasoning"]["Task Recognition"] == "Chat"


@pytest.mark.slow
def test_kinds_with_weights_come_out_in_their_ratio_and_a_row_becomes_one():
    """SGCM's 240,000 critiques of traces, 300,000 of answers and 150,000 of both."""
    kinds = {"reasoning": 240, "answer": 300, "joint": 150}
    source = [replace(ROW, id=str(number)) for number in range(2070)]
    teacher = Teacher(SAID)
    made = [row.id for row in rows(source, teacher, kinds=kinds)]
    assert [name.partition("/")[0] for name in made] == [row.id for row in source]
    counted = Counter(name.partition("/")[2] for name in made)
    assert counted == pytest.approx({"reasoning": 720, "answer": 900, "joint": 450}, rel=0.1)
    assert len(teacher.asked) == 2070
    few = source[:100]
    assert made[:100] == [row.id for row in rows(few[::-1], Teacher(SAID), kinds=kinds)][::-1]
    assert made[:100] != [row.id for row in rows(few, Teacher(SAID), kinds=kinds, seed=1)]


@pytest.mark.parametrize("said", [SAID, json.dumps(SAID)])
def test_critiques_at_hand_become_rows_without_a_teacher(said):
    row = Sample(id="a", prompt=ROW.prompt, fields={**ROW.fields, "critique": said})
    (made,) = rows([row])
    assert "critique" not in made.fields
    assert json.loads(made.fields["response"])["answer"]["Right"]["score"] == "1"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("I like it.", "the reply has no readable critique"),
        (Reply(text=json.dumps(SAID), finish_reason="length"), "the reply was cut at its token limit (max_tokens)"),
        ({"answer": {"Right": entry()}}, "no score: answer: Short"),
        ({"answer": {"Right": entry(), "Short": entry(7)}}, "no score: answer: Short"),
        ({"answer": {"Right": entry(), "Short": entry(evidence="It is 6")}}, "a quotation that is not in the work"),
    ],
)
def test_a_critique_that_teaches_something_wrong_is_left_out_and_named(said, why, caplog):
    assert [row.id for row in rows([ROW, ROW], Teacher(said, SAID))] == ["sum"]
    assert f"1 of 2 rows dropped: 1 answer: {why.partition(':')[0]}" in caplog.text
    assert why in caplog.text
    assert "rows.jsonl:1" in caplog.text


@pytest.mark.parametrize(
    ("said", "usable"),
    [
        ({"answer": {"Right": entry()}}, False),
        ({"answer": {"Right": entry(), "Short": entry(7)}}, False),
        ({"answer": {"Right": entry(), "Short": entry(evidence="It is 6")}}, True),
        (SAID, True),
    ],
)
def test_a_teachers_critique_without_a_score_is_asked_for_again_on_resume(said, usable):
    teacher = Teacher(said, SAID)
    rows([ROW, ROW], teacher)
    assert teacher.read == [usable, True]


def test_the_question_is_evidence_so_that_low_scores_of_coverage_stay():
    said = {"answer": {"Right": entry(0, evidence="How much is 2 + 3?"), "Short": entry()}}
    (row,) = rows([ROW], Teacher(said))
    assert row.fields["scores"] == {"answer": {"Right": 0.0, "Short": 1.0}}


@pytest.mark.parametrize("evidence", ["", "s"])
def test_praise_without_evidence_may_go(evidence, caplog):
    bare = {"answer": {"Right": entry(evidence=evidence), "Short": entry(0, evidence="")}}
    assert len(rows([ROW], Teacher(bare))) == 1
    assert len(rows([ROW, ROW], Teacher(bare, SAID), unquoted="drop")) == 1
    assert "no quotation that says something: answer: Right" in caplog.text


def test_invented_evidence_may_stay():
    said = {"answer": {"Right": entry(), "Short": entry(evidence="It is 6")}}
    assert len(rows([ROW], Teacher(said), unsupported="keep")) == 1


def test_a_completion_without_the_part_is_the_sources_fault_and_nobody_is_asked(caplog):
    teacher = Teacher(SAID)
    bare = Sample(id="bare", prompt=ROW.prompt, fields={"response": "5"})
    assert rows([bare], teacher, kinds=["reasoning"]) == []
    assert "1 reasoning: no reasoning to examine" in caplog.text
    assert not teacher.asked


@pytest.mark.parametrize(
    ("fields", "options", "error", "says"),
    [
        ({"response": 5}, {}, UserError, "rows.jsonl:1: field 'response' must be the text to examine"),
        ({"task": "poetry"}, {"checklist": None}, UserError, "rows.jsonl:1: no checklist for the task 'poetry'"),
        ({}, {"checklist": None}, UserError, "rows.jsonl:1: field 'task' is missing"),
    ],
)
def test_a_row_that_cannot_be_examined_is_named_with_its_place(fields, options, error, says):
    row = Sample(id="a", prompt=ROW.prompt, fields={**ROW.fields, **fields}, source=ROW.source)
    with pytest.raises(error) as caught:
        rows([row], Teacher(SAID), **options)
    assert says in str(caught.value)


def test_a_row_that_the_server_refuses_is_left_out(caplog):
    refused = Reply(error="HTTP 400: too long", refused=True)
    second = Sample(id="b", prompt=ROW.prompt, fields=ROW.fields, source="rows.jsonl:2")
    made = rows([ROW, second], Teacher(SAID, refused))
    assert [one.id for one in made] == ["sum"]
    told = "1 answer: refused by the server; first: rows.jsonl:2 (answer): refused by the server: HTTP 400: too long"
    assert told in caplog.text
    with pytest.raises(JobError, match=r"1 of 1 rows .* refused by the server: HTTP 400: too long"):
        rows([ROW], Teacher(refused))


def test_a_teacher_that_does_not_answer_ends_the_job():
    with pytest.raises(JobError, match="teacher 't' answered none of 1 questions: down"):
        rows([ROW], Teacher(Reply(error="down")))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "give either teacher"),
        ({"teacher": "t", "given": "critique"}, "give either teacher"),
        ({"teacher": "t", "kinds": ["joint", "joint"]}, "kinds: one is named twice"),
    ],
)
def test_options_that_contradict_are_refused(options, says):
    spec = find("dataset", "checklist/critiques")
    with pytest.raises(ValueError, match=says):
        spec.config.model_validate(options)


class TestOwnPrompt:
    """`template`, and a checklist in the recipe."""

    def test_a_template_shows_what_it_names(self, tmp_path):
        path = tmp_path / "short.txt"
        path.write_text("Examine.\n---\n$query\n$work")
        teacher = Teacher(SAID)
        rows([ROW], teacher, template=str(path))
        system, user = teacher.asked[0].messages
        assert system["content"] == "Examine."
        assert "It is 5." in user["content"]
        assert "Right" not in user["content"]

    @pytest.mark.parametrize("text", ["$query", "$query $work $work", "$work\n---\n$query $work", "$query $work $x"])
    def test_a_template_without_the_work_is_refused(self, text, tmp_path):
        path = tmp_path / "short.txt"
        path.write_text(text)
        with pytest.raises(ValueError, match=r"short.txt: (\$(query|work) must appear once|no placeholder \$x)"):
            AnswerOptions(judge="j", template=str(path))

    @each_case(
        "change, says",
        [
            (
                {"dimensions": [{"name": "A", "asks": "?", "weight": 0.5}]},
                "the recipe's checklist: dimensions: the weights",
            ),
            ({"levels": [0, 2]}, "levels.1: expected a number in"),
            ({"dimensions": [{"name": "A", "asks": "?", "labels": {True: 1, False: 0}}]}, "write the label in quotes"),
            ({"dimension": []}, "dimension: no such key"),
        ],
    )
    def test_a_mistake_in_a_recipes_checklist_has_its_place(self, change, says):
        with pytest.raises(ValueError, match=says):
            AnswerOptions(judge="j", checklist={**FORM, **change})

    def test_completions_are_scored_by_a_checklist_in_the_recipe(self):
        import asyncio

        spec = find("reward", "checklist/answer")
        options = spec.config.model_validate({"judge": "j", "checklist": FORM, "critique": "separate"})
        reward = spec.build(options, Context(judges={"j": Teacher({"answer": SAID["answer"]})}))
        (score,) = asyncio.run(reward.score([(ROW, Completion(text=TEXT))]))
        assert score.info["unsmoothed"] == 0.5
