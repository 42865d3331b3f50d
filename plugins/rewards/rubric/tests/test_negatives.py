"""rubric/negatives: wrong answers beside right ones."""

import logging

import pytest
from rewardlab import Context, Reply, Sample, find
from rewardlab.errors import JobError, UserError

SPEC = find("dataset", "rubric/negatives")
QUESTION = "Which city is the capital of France?"


def row(name="q", **fields):
    prompt = ({"role": "user", "content": QUESTION},)
    return Sample(id=str(name), prompt=prompt, fields={"answer": "Paris", **fields}, source=f"q.jsonl:{name}")


@pytest.fixture
def negatives(scripted):
    """`negatives(rows, reply=None, **options)`: the rows that are made, and the judge."""

    def made(rows, reply=None, seed=0, **options):
        judge = scripted(reply)
        config = SPEC.config(**({"judge": "liar", **options} if reply else options))
        return list(SPEC.build(config, Context(seed=seed, judges={"liar": judge}, source=rows))), judge

    return made


def says(*drafts, copy=None):
    """A judge that makes up these answers, a draw each, and copies the last word, or what `copy` says."""

    def reply(ask):
        if "text" in ask.parts:
            text = ask.parts["text"].split()[-1] if copy is None else copy
        else:
            text = drafts[min(ask.draw, len(drafts) - 1)]
        return text if isinstance(text, Reply) else Reply(text=text)

    return reply


class TestOptions:
    @pytest.mark.parametrize(
        ("answer", "options", "right", "wrong"),
        [
            ("Paris", ["Lyon", "Paris"], "Paris", "Lyon"),
            ("B", ["Lyon", "Paris"], "B", "A"),
            ("(B)", {"A": "Lyon", "B": "Paris"}, "(B)", "(A)"),
            ("b)", {"(A)": "Lyon", "(B)": "Paris"}, "b)", "a)"),
            (1, ["Lyon", "Paris"], "Paris", "Lyon"),
            (3, [2, 3], "3", "2"),
            ("B", {"A": "Lyon", "B": "Paris", "C": "Paris"}, "B", "A"),
            ("B", {"text": ["Lyon", "Paris"], "label": ["A", "B"]}, "B", "A"),
            ("2", {"text": ["Lyon", "Paris"], "label": ["1", "2"]}, "2", "1"),
        ],
    )
    def test_another_one_is_wrong_and_is_written_as_the_answer_is(self, negatives, answer, options, right, wrong):
        one, other = negatives([row(answer=answer, options=options)])[0]
        assert (one.id, one.fields["response"], one.fields["score"], one.fields["made_by"]) == (
            "q/true",
            right,
            "true",
            None,
        )
        assert (other.id, other.fields["response"], other.fields["score"], other.fields["made_by"]) == (
            "q/false",
            wrong,
            "false",
            "option",
        )
        assert other.fields["answer"] == answer
        assert other.prompt == row().prompt

    def test_each_of_the_others_is_drawn_by_seed_and_id(self, negatives):
        rows = [row(number, options=["Paris", "Lyon", "Nice"]) for number in range(100)]
        made = [one.fields["response"] for one in negatives(rows, write="wrong")[0]]
        assert 30 < made.count("Lyon") < 70
        assert made == [one.fields["response"] for one in negatives(rows[::-1], write="wrong")[0]][::-1]
        assert made != [one.fields["response"] for one in negatives(rows, write="wrong", seed=1)[0]]

    def test_that_say_the_same_count_once_and_never_for_the_right_one(self, negatives):
        options = {"A": "Lyon", "B": "Paris", "C": "Paris", "D": "Nice"}
        rows = [row(number, answer="B", options=options) for number in range(60)]
        assert {one.fields["response"] for one in negatives(rows, write="wrong")[0]} == {"A", "D"}
        rows = [row(number, options=[*["Lyon"] * 9, "Paris", "Nice"]) for number in range(100)]
        assert [one.fields["response"] for one in negatives(rows, write="wrong")[0]].count("Nice") > 30

    def test_one_of_the_two_rows_keeps_the_id(self, negatives):
        rows = [row(number, options=["Paris", "Lyon"]) for number in range(100)]
        made = negatives(rows, write="one")[0]
        assert [one.id for one in made] == [one.id for one in rows]
        assert 30 < [one.fields["score"] for one in made].count("true") < 70

    @pytest.mark.parametrize(
        ("fields", "what"),
        [
            ({"options": ["Lyon", "Nice"]}, "the answer 'Paris' is not one of the options 'Lyon, Nice'"),
            ({"options": ["Lyon", "Nice"], "answer": 2}, "the answer is option 2, and they go from 0 to 1"),
            ({"options": "Lyon, Nice"}, "options are a list of texts or a mapping"),
            ({"options": {"text": ["Paris"], "label": ["A", "B"]}}, "as many different labels as texts"),
            ({"options": {"A": "Paris", "(a)": "Nice"}}, "two options have one label"),
            ({"options": ["Paris", "Lyon"], "answer": " "}, "field 'answer' should hold an answer, not ' '"),
            ({"options": ["Paris", "Lyon"], "answer": True}, "field 'answer' should hold an answer, not True"),
            ({}, "it has no field 'options', and neither corruption nor judge makes a wrong answer"),
        ],
    )
    def test_that_cannot_be_right_are_the_users_mistake_at_their_place(self, negatives, fields, what):
        with pytest.raises(UserError, match=rf"q.jsonl:q: .*{what}"):
            negatives([row(**fields)])

    def test_that_are_all_one_leave_the_row_out(self, negatives, caplog):
        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            made, _ = negatives([row(1, options=["Paris"]), row(2, options=["Paris", "Lyon"])])
        assert [one.id for one in made] == ["2/true", "2/false"]
        assert "rubric/negatives: 1 of 2 rows dropped: 1: no other option" in caplog.text


NUMBERS = {"mean": 7, "deviation": 2}


class TestCorruptions:
    def test_make_wrong_answers_of_rows_without_options(self, negatives):
        rows = [row(1, answer=7), row(2, answer="yes"), row(3, answer="B", options=["Lyon", "Paris"])]
        rows.append(row(4, answer="of city"))
        made = negatives(rows, corruption=True, numbers=NUMBERS, write="wrong")[0]
        assert [one.fields["made_by"] for one in made] == ["corruption"] * 2 + ["option", "corruption"]
        number, *others = (one.fields["response"] for one in made)
        assert (number.isdecimal(), number != "7", others) == (True, True, ["no", "A", "city of"])

    def test_follow_from_seed_and_id(self, negatives):
        rows = [row(number, answer=7) for number in range(40)]

        def drawn(rows, seed):
            made = negatives(rows, corruption=True, numbers=NUMBERS, write="wrong", seed=seed)[0]
            return {one.id: one.fields["response"] for one in made}

        assert drawn(rows, 0) == drawn(rows[::-1], 0) != drawn(rows, 1)
        assert len(set(drawn(rows, 0).values())) > 3

    def test_that_do_not_fit_leave_the_row_to_the_judge_or_out(self, negatives, caplog):
        rows = [row(1), row(2, answer="7"), row(3, answer="It is so. Is it?")]
        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            made, _ = negatives([rows[0], rows[1]], corruption=True, numbers=NUMBERS, write="wrong")
        assert [one.id for one in made] == ["2"]
        assert "1 of 2 rows dropped: 1: nothing to corrupt" in caplog.text
        made, judge = negatives(rows, says("Lyon"), corruption=True, numbers=NUMBERS, write="wrong")
        assert [one.fields["made_by"] for one in made] == ["asked", "corruption", "asked"]
        assert len(judge.asked) == 4


class TestAsked:
    def test_in_two_passes(self, negatives):
        (right, wrong), judge = negatives([row()], says("<thought>Hm.</thought>My wrong answer is Lyon"))
        assert (right.fields["response"], wrong.fields["response"]) == ("Paris", "Lyon")
        assert wrong.fields["made_by"] == "asked"
        made_up, copied = judge.asked
        assert made_up.parts == {"query": QUESTION, "reference": "Paris"}
        assert f"\n{QUESTION}\n" in made_up.messages[-1]["content"]
        assert "\nMy wrong answer is Lyon\n" in copied.messages[-1]["content"]
        assert "Paris" not in str(copied.messages)  # so that nothing is put right
        assert judge.understood_ == [True, True]

    @pytest.mark.parametrize(
        "first", ["paris.", "", Reply(text="Ly", finish_reason="length"), Reply(error="HTTP 500"), "x" * 900]
    )
    def test_once_more_where_the_first_answer_cannot_be_used(self, negatives, first):
        (made,), judge = negatives([row()], says(first, "Lyon"), write="wrong")
        assert made.fields["response"] == "Lyon"
        assert judge.asked[-2].draw == 1

    def test_not_at_all_where_options_or_the_draw_need_none(self, negatives):
        _, judge = negatives([row(options=["Paris", "Lyon"])], says("Nice"))
        assert not judge.asked
        rows = [row(number) for number in range(50)]
        made, judge = negatives(rows, says("Nice"), write="one")
        assert len(judge.asked) == 2 * [one.fields["score"] for one in made].count("false") < 100

    def test_a_judge_that_knows_no_wrong_answer_leaves_rows_out(self, negatives, caplog):
        def reply(ask):
            return Reply(text=ask.parts.get("text") or ("Lyon" if "capital" in ask.parts["query"] else "Paris"))

        other = Sample(
            id="r", prompt=({"role": "user", "content": "Where is the Louvre?"},), fields={"answer": "Paris"}
        )
        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            made, _ = negatives([row(), other], reply)
        assert [one.id for one in made] == ["q/true", "q/false"]
        assert (
            "1 of 2 rows dropped: 1: the right answer again; first: r: the right answer again: 'Paris'" in caplog.text
        )

    def test_draws_without_an_answer_are_counted(self, negatives, caplog):
        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            negatives([row()], says(Reply(error="HTTP 500"), "Lyon"))
        assert "rubric/negatives: 1 questions had no answer; others about the same rows did" in caplog.text

    def test_the_first_reason_is_told(self, negatives):
        with pytest.raises(
            JobError, match=r"1 of 1 rows got no wrong answer: q.jsonl:q: the right answer again: 'PARIS'"
        ):
            negatives([row()], says("PARIS", "", "x" * 900))

    def test_a_row_that_the_server_refuses_is_dropped(self, negatives, caplog):
        refused = Reply(error="HTTP 400: too long", refused=True)
        reply = says("Lyon")
        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            made, judge = negatives(
                [row(), row(answer="Rome")], lambda ask: refused if "Rome" in ask.parts.values() else reply(ask)
            )
        assert {one.fields["answer"] for one in made} == {"Paris"}
        assert (
            "1 of 2 rows dropped: 1: refused by the server; first: q.jsonl:q: refused by the server: 'HTTP"
            in caplog.text
        )
        assert len(judge.asked) == 3

    def test_a_judge_that_is_down_stops_the_job(self, negatives):
        with pytest.raises(JobError, match=r"q.jsonl:q: judge 'liar' answered none of 3 questions: HTTP 503"):
            negatives([row()], says(Reply(error="HTTP 503")))

    def test_equal_numbers_are_one_answer(self, negatives):
        (made,), _ = negatives([row(answer="1,000")], says("1000.0", "999"), write="wrong")
        assert made.fields["response"] == "999"


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"options": None}, "nothing makes wrong answers"),
        ({"numbers": {"mean": 1, "deviation": 1}}, "numbers goes with `corruption: true`"),
        ({"corruption": True, "numbers": {"mean": 1, "deviation": 0}}, "greater than 0"),
    ],
)
def test_options_that_mean_nothing_are_refused(options, what):
    with pytest.raises(ValueError, match=what):
        SPEC.config(**options)
