"""rubric/distilled: rows to train a judge on, from replies of a teacher."""

import json
import logging

import pytest
from rewardlab import Context, Reply, Sample, find
from rewardlab.errors import JobError, UserError
from rewardlab_rubric.levels import canonical

SCALE = {"1": "wrong", "2": "right, without a reason", "3": "right, with a reason"}
TRUTH = '{"explanation": "It gives no reason.", "score": 2}'


def row(name="pens", **fields):
    fields = {"response": "7", "score": 2, "language": "en", **fields}
    prompt = ({"role": "user", "content": "How many pens are 3 and 4 pens?"},)
    return Sample(id=name, prompt=prompt, fields=fields, source=f"rows.jsonl:{name}")


@pytest.fixture
def distil(scripted):
    """`distil(reply, *rows, **options)`: the rows that come of a teacher's replies, and the teacher."""

    def made(reply, *rows, judges=None, **options):
        teacher = scripted(reply if callable(reply) else lambda ask: reply)
        spec = find("dataset", "rubric/distilled")
        config = spec.config(**{"teacher": "t", "rubric": SCALE, **options})
        context = Context(judges={"t": teacher, **(judges or {})}, source=list(rows or [row()]))
        return list(spec.build(config, context)), teacher

    return made


class TestRow:
    def test_is_the_question_with_thoughts_and_answer_as_response(self, distil):
        (made,), teacher = distil(Reply(text=f"<think>No reason is there.</think>\n{TRUTH}\n"))
        assert made.prompt == tuple(teacher.asked[0].messages)
        assert "right, without a reason" in made.prompt[0]["content"]
        way = made.fields["asked"]
        assert (way["use"], way["layout"], way["strategy"]) == ("rubric/pointwise", "r3", "eng-eng")
        assert made.fields == {
            "asked": way,
            "score": 2,
            "language": "en",
            "response": f"<think>No reason is there.</think>{TRUTH}",
            "trace": "No reason is there.",
            "answer": TRUTH,
            "judged": "2",
            "gold": "2",
            "strategy": "eng-eng",
            "draw": 0,
        }
        assert made.id == "pens"
        assert teacher.understood_ == [True]

    def test_takes_thoughts_that_the_server_sends_apart(self, distil):
        (made,), _ = distil(Reply(text=TRUTH, reasoning=" Apart. "))
        assert made.fields["response"] == f"<think>Apart.</think>{TRUTH}"

    def test_takes_thoughts_whose_beginning_the_template_wrote(self, distil):
        (made,), _ = distil(Reply(text=f"Opened before me.</think>{TRUTH}"))
        assert made.fields["trace"] == "Opened before me."

    def test_has_the_tags_of_its_own_thoughts_alone(self, distil):
        texts = [Reply(text=f"<think>a</think>b</think>{TRUTH}"), Reply(text=TRUTH, reasoning="a</think>b <think>")]
        for reply in texts:
            (made,), _ = distil(reply)
            assert made.fields["response"] == f"<think>a b</think>{TRUTH}"

    def test_has_no_gold_score_where_the_source_has_none(self, distil):
        for options in ({}, {"gold": None}):
            (made,), _ = distil(Reply(text=f"<think>Hm.</think>{TRUTH}"), row(score=9 if options else None), **options)
            assert made.fields["gold"] is None

    @pytest.mark.parametrize(
        ("options", "response"),
        [
            ({"form": "qwen3"}, f"<think>\nHm.\n</think>\n\n{TRUTH}"),
            ({"leave_out": ["trace"]}, TRUTH),
            ({"leave_out": ["explanation"]}, '<think>Hm.</think>{"score": "2"}'),
            ({"leave_out": ["explanation", "trace"]}, '{"score": "2"}'),
        ],
    )
    def test_has_the_form_that_the_recipe_names(self, distil, options, response):
        (made,), _ = distil(Reply(text=f"<think>Hm.</think>{TRUTH}"), **options)
        assert made.fields["response"] == response

    def test_of_a_pair_shows_both_texts_in_their_order(self, distil):
        pair = row(response_1="It is 7.", response_2="It is 8.", score="Response 1")
        reply = Reply(text='<think>7.</think>{"explanation": "7 it is", "score": "Response 1"}')
        (made,), teacher = distil(reply, pair, asks="pairwise", rubric=None)
        assert teacher.asked[0].parts == {"query": "How many pens are 3 and 4 pens?", "a": "It is 7.", "b": "It is 8."}
        assert made.fields["judged"] == "Response 1"
        assert not {"response_1", "response_2"} & set(made.fields)

    @pytest.mark.parametrize(
        ("rubric", "scores"),
        [
            (None, {"Response 1": "Response 2", "response 2": "Response 1"}),
            (
                {"assistant_a": "A", "assistant_b": "B", "tie": "=", "both_bad": "-"},
                {"Tie": "Tie", "Both Bad": "Both Bad"},
            ),
            ({"assistant_a": "A", "assistant_b": "B"}, {"Assistant A": "Assistant B", "Assistant B": "Assistant A"}),
            ({str(level): f"by {level}" for level in range(1, 8)}, {1: 7, "3": "5", 4.0: 4.0}),
        ],
    )
    def test_of_a_pair_in_hashed_positions_has_every_score_by_what_stands_first(self, distil, rubric, scores):
        verdict = json.dumps({"explanation": "", "score": next(iter(scores))})
        reply = Reply(text=f"<think>Hm.</think>{verdict}")
        for score, mirrored in scores.items():
            rows = [row(f"row-{number}", response_1="one", response_2="two", score=score) for number in range(40)]
            options = {"asks": "pairwise", "rubric": rubric, "positions": "hashed"}
            made, teacher = distil(reply, *rows, **options)
            moved = {one.id for one in made if one.fields["swapped"]}
            assert 10 < len(moved) < 30
            assert {one.id: one.fields["score"] for one in made} == {
                one.id: mirrored if one.id in moved else score for one in rows
            }
            assert [canonical(one.fields["gold"]) for one in made] == [canonical(one.fields["score"]) for one in made]
            assert {type(one.fields["score"]) for one in made} == {type(score)}
            shown = {one.id: ask.parts["a"] for one, ask in zip(rows, teacher.asked, strict=True)}
            assert {name for name, text in shown.items() if text == "two"} == moved
            backwards, _ = distil(reply, *rows[::-1], **options)
            assert {one.id for one in backwards if one.fields["swapped"]} == moved

    def test_is_one_for_each_draw(self, distil):
        made, teacher = distil(lambda ask: Reply(text=f"<think>{ask.draw}</think>{TRUTH}"), draws=3)
        assert [(one.id, one.fields["trace"]) for one in made] == [("pens/0", "0"), ("pens/1", "1"), ("pens/2", "2")]
        assert [ask.draw for ask in teacher.asked] == [0, 1, 2]


class TestReplies:
    @pytest.mark.parametrize(
        ("text", "why"),
        [
            (f"{TRUTH}", "no thoughts"),
            ("<think>Hm.</think>It is fine.", "no verdict of the rubric"),
            ('<think>Hm.</think>{"explanation": "", "score": 9}', "no verdict of the rubric"),
        ],
    )
    def test_that_are_none_are_left_out_and_counted(self, distil, caplog, text, why):
        replies = {"bad": Reply(text=text), "good": Reply(text=f"<think>Hm.</think>{TRUTH}")}
        rows = [row("good"), row("bad", response="bad")]
        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            made, _ = distil(lambda ask: replies["bad" if ask.parts["response"] == "bad" else "good"], *rows)
        assert [one.id for one in made] == ["good"]
        assert f"1 of 2 rows dropped: 1: {why}" in caplog.text
        assert "rows.jsonl:bad" in caplog.text

    def test_that_are_mostly_none_stop_the_job(self, distil):
        rows = [row(str(number)) for number in range(60)]
        with pytest.raises(JobError, match=r"more than max_dropped: 0\.1 allows"):
            distil(Reply(text="I would rather not."), *rows, max_dropped=0.1)

    def test_that_the_server_refuses_are_left_out_and_counted(self, distil, caplog):
        good, refused = Reply(text=f"<think>Hm.</think>{TRUTH}"), Reply(error="HTTP 400: too long", refused=True)
        rows = [row("good"), row("long", response="long")]
        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            made, _ = distil(lambda ask: refused if ask.parts["response"] == "long" else good, *rows, draws=2)
        assert [one.id for one in made] == ["good/0", "good/1"]
        assert (
            "1 of 3 rows dropped: 1: refused by the server; first: rows.jsonl:long: refused by the server: HTTP 400"
            in (caplog.text)
        )

    def test_of_a_teacher_that_is_down_stop_the_job(self, distil):
        with pytest.raises(JobError, match=r"rows.jsonl:pens: teacher 't' answered none of 2 questions: HTTP 503"):
            distil(Reply(error="HTTP 503"), draws=2)

    @pytest.mark.parametrize(
        ("reply", "options"),
        [
            (Reply(text=f"<think>Hm.</think>{TRUTH} And", finish_reason="length"), {}),
            (Reply(text=f"<think>Hm. {TRUTH}"), {"leave_out": ["trace"]}),
        ],
    )
    def test_that_are_cut_off_are_no_rows_whoever_reads_them(self, distil, reply, options):
        with pytest.raises(JobError, match=r"1 of 1 rows got no thoughts with a verdict: rows.jsonl:pens: cut off"):
            distil(reply, profile="r3_official", **options)


class TestRefuses:
    def test_a_gold_score_that_is_none_of_the_rubrics_before_anything_is_asked(self, distil):
        def never(ask):
            raise AssertionError("asked")

        with pytest.raises(UserError, match=r"rows.jsonl:pens: field 'score' holds 4, not a level of .* from 1 to 3"):
            distil(never, row(score=4))

    def test_a_row_without_a_text_to_be_judged(self, distil):
        with pytest.raises(UserError, match=r"rows.jsonl:pens: response must be a text; it is absent"):
            distil(TRUTH, Sample(id="pens", prompt=row().prompt, fields={}, source="rows.jsonl:pens"))

    def test_a_row_with_a_rubric_that_has_a_gap(self, distil):
        with pytest.raises(UserError, match=r"rows.jsonl:pens: field 'rubric'.*gap|2"):
            distil(TRUTH, row(rubric=json.dumps({"1": "a", "3": "b"})), rubric={"field": "rubric"})

    def test_fields_that_are_not_as_many_as_the_texts(self, distil):
        with pytest.raises(ValueError, match="judged has 1 fields; pairwise questions show 2"):
            distil(TRUTH, asks="pairwise", rubric=None, judged=["response"])

    def test_hashed_positions_of_one_text(self, distil):
        with pytest.raises(ValueError, match="positions: hashed goes with pairs; pointwise questions show one text"):
            distil(TRUTH, positions="hashed")


class TestStrategies:
    REPLY = Reply(text='Ich rechne nach.</think>{"explanation": "Es stimmt.", "score": "true"}')

    def test_thoughts_in_the_rows_language_begin_as_they_were_begun(self, distil):
        german = row(language="German", score="true")
        (made,), teacher = distil(self.REPLY, german, asks="binary", rubric=None, strategy="tgt-tgt", layout=None)
        begun = teacher.asked[0].messages[-1]
        assert begun["role"] == "assistant"
        assert [message["role"] for message in made.prompt] == ["system", "user"]
        assert made.fields["trace"].startswith(begun["content"].removeprefix("<think>\n"))
        assert made.fields["trace"].endswith(" Ich rechne nach.")
        assert "Bewertungsraster" in made.prompt[0]["content"]

    def test_a_question_in_the_rows_language_leaves_the_thoughts_alone(self, distil):
        german = row(language="de", score="true")
        reply = Reply(text=f"<think>{self.REPLY.text}")
        (made,), _ = distil(reply, german, asks="binary", rubric=None, strategy="tgt-eng")
        assert made.fields["trace"] == "Ich rechne nach."

    def test_a_language_without_texts_is_named_with_its_row(self, distil):
        with pytest.raises(UserError, match=r"rows.jsonl:pens: field 'language'.*tlh|klingon"):
            distil(self.REPLY, row(language="tlh"), asks="binary", rubric=None, strategy="tgt-tgt")

    ENGLISH = "The response adds the two numbers by counting on from the first one, and its result of 7 is right."
    GERMAN = "Die Antwort zählt von der ersten Zahl aus weiter und addiert so beide; ihr Ergebnis von 7 ist richtig."

    @pytest.mark.parametrize(
        ("strategy", "thoughts", "language"),
        [("eng-eng", GERMAN, "en"), ("tgt-eng", GERMAN, "en"), ("tgt-tgt", ENGLISH, "de")],
    )
    def test_thoughts_in_another_language_are_dropped_and_named(self, distil, caplog, strategy, thoughts, language):
        rows = [row(name, language="de", score="true") for name in ("a", "b")]
        right = {"en": self.ENGLISH, "de": self.GERMAN}[language]
        texts = {"a": right, "b": thoughts}

        def reply(ask):
            return Reply(text=f'{texts["ab"[len(asked)]]}</think>{{"explanation": "7.", "score": "true"}}')

        asked = []

        def counted(ask):
            found = reply(ask)
            asked.append(ask)
            return found if strategy == "tgt-tgt" else Reply(text=f"<think>{found.text}")

        options = {"asks": "binary", "rubric": None, "strategy": strategy}
        with caplog.at_level(logging.WARNING):
            made, _ = distil(counted, *rows, **options)
        assert [one.id for one in made] == ["a"]
        assert "1: thoughts in another language; first: rows.jsonl:b: " in caplog.text
        assert f"of the words are in {language!r}, which {strategy} asks for" in caplog.text
        asked.clear()
        assert len(distil(counted, *rows, **options, least_share=0)[0]) == 2

    def test_english_thoughts_are_translated_under_the_rows_question(self, distil, scripted, caplog):
        said = Reply(text=f'<think>{self.ENGLISH}</think>{{"explanation": "Right: \\"7\\".", "score": "true"}}')
        texts = {self.ENGLISH: self.GERMAN, 'Right: "7".': 'Das Ergebnis "7" ist richtig.'}
        translator = scripted(lambda ask: Reply(text=texts[ask.parts["text"]], finish_reason="stop"))
        rows = [row("german", language="de", score="true"), row("english", language="English", score="true")]
        options = {"asks": "binary", "rubric": None, "strategy": "translated", "translator": "tr"}
        made, teacher = distil(said, *rows, judges={"tr": translator}, **options)
        assert {ask.messages[-1]["role"] for ask in teacher.asked} == {"user"}
        german, english = made
        assert "Bewertungsraster" in german.prompt[0]["content"]
        assert [message["role"] for message in german.prompt] == ["system", "user"]
        assert german.fields["trace"] == self.GERMAN
        assert json.loads(german.fields["answer"]) == {"explanation": 'Das Ergebnis "7" ist richtig.', "score": "true"}
        assert german.fields["response"] == f"<think>{self.GERMAN}</think>{german.fields['answer']}"
        assert (german.fields["judged"], german.fields["strategy"]) == ("true", "translated")
        assert english.fields["trace"] == self.ENGLISH
        assert len(translator.asked) == 2, "an English row needs no translation"

    @pytest.mark.parametrize(
        ("translation", "reason"),
        [
            (Reply(text=ENGLISH, finish_reason="stop"), "no candidate is in the language"),
            (Reply(text=GERMAN, finish_reason="length"), "every candidate is empty, cut off or far too long"),
            (Reply(text=f"{GERMAN} <think> {GERMAN}", finish_reason="stop"), "tags of thoughts"),
        ],
    )
    def test_a_translation_that_is_none_drops_its_row(self, distil, scripted, translation, reason):
        said = Reply(text=f'<think>{self.ENGLISH}</think>{{"explanation": "", "score": "true"}}')
        options = {"asks": "binary", "rubric": None, "strategy": "translated", "translator": "tr"}
        with pytest.raises(JobError, match=r"1 of 1 rows got no thoughts with a verdict: rows\.jsonl:pens: ") as error:
            distil(said, row(language="de", score="true"), judges={"tr": scripted(lambda ask: translation)}, **options)
        assert reason in str(error.value)

    def test_a_translator_goes_with_translated_alone(self, distil):
        for options in ({"strategy": "translated"}, {"translator": "tr"}):
            with pytest.raises(ValueError, match="strategy translated and translator go together"):
                distil(TRUTH, asks="binary", rubric=None, **options)

    def test_others_are_asked_beside(self, distil):
        """By mR3's rule a row stays whose score is right by all strategies: rubric/agreeing reads these fields."""

        def reply(ask):
            right = ask.messages[-1]["role"] != "assistant"
            return Reply(text=f'Hm.</think>{{"explanation": "", "score": "{str(right).lower()}"}}')

        german = row(language="de", score="true")
        (made,), teacher = distil(reply, german, asks="binary", rubric=None, also=["tgt-eng", "tgt-tgt"])
        assert (made.fields["judged"], made.fields["judged_tgt-eng"], made.fields["judged_tgt-tgt"]) == (
            *("true", "true"),
            "false",
        )
        assert len(teacher.asked) == 3

    def test_a_score_by_another_that_cannot_be_read_is_nobodys_gold(self, distil):
        right = '<think>Hm.</think>{"explanation": "", "score": "true"}'
        replies = [Reply(text=right), Reply(text="Well.")]
        (made,), _ = distil(
            lambda ask: replies["Bewertungsraster" in ask.messages[0]["content"]],
            row(language="de", score="true"),
            asks="binary",
            rubric=None,
            also=["tgt-eng"],
        )
        assert made.fields["judged_tgt-eng"] == "unread"

    def test_one_twice_is_refused(self, distil):
        with pytest.raises(ValueError, match="also names a strategy twice, or eng-eng"):
            distil(TRUTH, asks="binary", rubric=None, also=["eng-eng"])
