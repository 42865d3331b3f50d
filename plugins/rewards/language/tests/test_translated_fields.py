"""language/translated_fields: into the row's language, from it, and rows that cannot be translated."""

import re

import pytest
from helpers.each_case import each_case
from rewardlab import Ask, Context, Reply, Sample
from rewardlab.errors import JobError, UserError
from rewardlab.recipe import validate
from rewardlab_language.options import TranslatedFieldsOptions
from rewardlab_language.translated_fields import TranslatedFields, calls, first_question

ENGLISH, GERMAN = "There are four apples on the table, and two of them are red.", "Auf dem Tisch liegen vier Äpfel."
SPANISH = "En la mesa hay cuatro manzanas y dos de ellas son rojas."


class Phrasebook:
    """Translates to one sentence a language, and keeps what it was asked."""

    def __init__(self, **says):
        self.says = {"de": GERMAN, "es": SPANISH, "en": ENGLISH} | says
        self.asked: list[Ask] = []

    async def ask(self, ask):
        self.asked.append(ask)
        return Reply(text=self.says[ask.parts["target"]], finish_reason="stop")

    def report_parsed(self, reply, ok):
        """Nobody counts here."""


def rows(*source, judge=None, **options):
    judge = judge or Phrasebook()
    given = TranslatedFieldsOptions(translator="t", **options)
    return list(TranslatedFields(given, Context(judges={"t": judge}, source=source)))


def row(language="de", prompt="Wie viele sind es?", **fields):
    turns = ({"role": "system", "content": "Kurz."}, {"role": "user", "content": prompt})
    return Sample(id="r", prompt=turns, fields={"language": language, **fields}, source="rows.jsonl:1")


PARTS = {"response": "<think>$thoughts</think><answer>$answer</answer>"}


def test_texts_are_translated_into_the_rows_language():
    judge = Phrasebook()
    [found] = rows(row(thoughts=ENGLISH, answer="4", kept=1), judge=judge, write=PARTS)
    assert found.fields["response"] == f"<think>{GERMAN}</think><answer>4</answer>"  # a text without words stays
    assert (found.id, found.prompt, found.fields["kept"]) == ("r", row().prompt, 1)
    assert (found.fields["thoughts"], found.fields["answer"]) == (ENGLISH, "4")
    [asked] = judge.asked
    assert (asked.parts["source"], asked.parts["target"]) == ("en", "de")
    assert "from English into German" in asked.messages[0]["content"]


def test_a_question_is_translated_from_the_rows_language():
    judge = Phrasebook(en="How many of them are there?")
    [found] = rows(row("pt-BR"), judge=judge, write={"prompt": "$prompt"}, to="en", prompt="bare")
    assert [turn["content"] for turn in found.prompt] == ["Kurz.", "How many of them are there?"]
    assert found.fields["language"] == "pt-BR"
    [message] = judge.asked[0].messages
    assert message["content"].startswith(
        "Put this Portuguese source text into English.\nPortuguese: Wie viele sind es?"
    )


class Dictionary(Phrasebook):
    """Translates word by word, and anything else to the same sentence."""

    words = {"rot": "red", "grün": "green", "42": "42"}  # noqa: RUF012

    async def ask(self, ask):
        self.asked.append(ask)
        return Reply(text=self.words.get(ask.parts["text"], f"<{ask.parts['text']}>"), finish_reason="stop")

    def report_parsed(self, reply, ok):
        """Nobody counts here."""


@pytest.mark.parametrize("choices", [{"A": "rot", "B": "grün", "C": "42"}, ["rot", "grün", "42"]])
@pytest.mark.parametrize("form", ["{}. {}", "({}) {}"])
def test_choices_are_translated_each_by_itself_also_in_the_prompt(choices, form):
    judge = Dictionary()
    lines = "\n".join(form.format(label, text) for label, text in zip("ABC", ["rot", "grün", "42"], strict=True))
    asked = row("de", f"Welche Farbe?\n\n{lines}\n\nNur eine.", choices=choices, answer="B")
    options = {"write": {"prompt": "$prompt"}, "choices": "choices", "to": "en", "least_share": 0.0}
    [found] = rows(asked, judge=judge, **options)
    english = "\n".join(form.format(label, text) for label, text in zip("ABC", ["red", "green", "42"], strict=True))
    assert found.prompt[-1]["content"] == f"<Welche Farbe?>\n\n{english}\n\n<Nur eine.>"
    assert found.fields["choices"] == (
        {"A": "red", "B": "green", "C": "42"} if isinstance(choices, dict) else ["red", "green", "42"]
    )
    assert found.fields["answer"] == "B"
    assert sorted(ask.parts["text"] for ask in judge.asked) == ["Nur eine.", "Welche Farbe?", "grün", "rot"]


def test_choices_that_the_prompt_does_not_list_are_translated_beside_it():
    judge = Dictionary()
    options = {"write": {"prompt": "$prompt"}, "choices": "choices", "to": "en", "least_share": 0.0}
    [found] = rows(row("de", "Rot oder grün?", choices=["rot", "grün"]), judge=judge, **options)
    assert (found.prompt[-1]["content"], found.fields["choices"]) == ("<Rot oder grün?>", ["red", "green"])
    [same] = rows(row("en", "A. red\nB. green", choices=["red", "green"]), judge=judge, **options)
    assert (same.prompt[-1]["content"], same.fields["choices"]) == ("A. red\nB. green", ["red", "green"])


@each_case(
    "choices, told",
    [
        ("rot", "field 'choices' holds no choices"),
        ([1, 2], "field 'choices' holds no choices"),
        (None, "field 'choices' holds no choices"),
        (["rot", "grün", "blau"], "field 'choices' has 3 choices; max_choices is 2"),
    ],
)
def test_a_row_without_choices_or_with_too_many_is_told(choices, told):
    with pytest.raises(UserError, match=told):
        rows(row("de", choices=choices), write={"prompt": "$prompt"}, choices="choices", max_choices=2, to="en")


def test_rows_of_the_target_language_ask_nothing():
    judge = Phrasebook()
    english = row("en", prompt=ENGLISH, thoughts=ENGLISH, answer="4")
    [one] = rows(english, judge=judge, write=PARTS)
    [other] = rows(english, judge=judge, write={"prompt": "$prompt"}, to="en")
    assert one.fields["response"] == f"<think>{ENGLISH}</think><answer>4</answer>"
    assert (other.prompt, judge.asked) == (english.prompt, [])


def test_a_translation_in_another_language_drops_the_row():
    class OnlyTheFirst(Phrasebook):
        async def ask(self, ask):
            return Reply(text=SPANISH if "red" in ask.parts["text"] else GERMAN, finish_reason="stop")

        def report_parsed(self, reply, ok):
            """Nobody counts here."""

    good, bad = row(thoughts="Four apples lie on the table.", answer="4"), row(thoughts=ENGLISH, answer="4")
    [kept] = rows(good, bad, judge=OnlyTheFirst(), write=PARTS, max_dropped=1)
    assert kept.fields["response"] == f"<think>{GERMAN}</think><answer>4</answer>"
    with pytest.raises(JobError, match="no candidate is in the language"):
        rows(bad, judge=Phrasebook(de=SPANISH), write=PARTS)


@each_case(
    "given, told",
    [
        (row(thoughts=None, answer="4"), "field 'thoughts' should hold text, not None"),
        (row(thoughts=" ", answer="4"), "field 'thoughts' should hold text"),
        (row(None, thoughts=ENGLISH, answer="4"), "no field 'language'"),
        (row("klingon", thoughts=ENGLISH, answer="4"), "klingon"),
        (row("la", thoughts=ENGLISH, answer="4"), "no wording for it"),
    ],
)
def test_a_row_that_lacks_something_is_told_with_its_place(given, told):
    with pytest.raises(UserError) as raised:
        rows(given, write=PARTS)
    assert str(raised.value).startswith("rows.jsonl:1: ")
    assert told in str(raised.value)


def test_a_prompt_without_a_users_message_is_told():
    alone = Sample(id="r", prompt=({"role": "system", "content": "x"},), fields={"language": "de"}, source="f:1")
    with pytest.raises(UserError, match="f:1: the prompt has no user message"):
        rows(alone, write={"prompt": "$prompt"}, to="en")


@each_case(
    "write, told",
    [
        ({}, "at least 1"),
        ({"response": "no field"}, "$NAME for each field to translate is needed"),
        ({"response": "$"}, "$NAME for each field"),
        ({"id": "$x"}, "a row keeps its id"),
    ],
)
def test_wrong_options_are_told(write, told):
    given = {"translator": "t", "write": write}
    _, problems = validate(TranslatedFieldsOptions, given, lambda path: ".".join(map(str, path)), ())
    assert any(told in str(problem) for problem in problems), problems


def test_what_it_asks_is_counted_and_tried_first():
    options = TranslatedFieldsOptions(translator="t", write=PARTS, candidates=2)
    assert (options.read, calls(options, 10)) == (["thoughts", "answer"], 10 * 2 * options.max_pieces * 2)
    few = TranslatedFieldsOptions(translator="t", write={"response": "$thoughts"}, max_pieces=3)
    assert calls(few, 10) == 30
    prompt = TranslatedFieldsOptions(translator="t", write={"prompt": "$prompt"})
    assert calls(prompt, 10) == 10, "a prompt is one question"
    assert "Good morning." in first_question(options).messages[-1]["content"]


class TestAltered:
    """What a translation may not alter, by the same rules as language/translated's."""

    ASKED = row("de", "Auf dem Tisch liegen 4 Äpfel und 3 Birnen. Wie viele sind es?", answer="7")
    OTHER = row("de", "Wie viele Birnen?", answer="7", kept=True)

    @staticmethod
    def made(*source, says, **options):
        judge = Phrasebook(en=f"On the table there are {says}")
        return rows(*source, judge=judge, write={"prompt": "$prompt"}, to="en", max_dropped=1.0, **options)

    @pytest.mark.parametrize(
        ("says", "told"),
        [
            ("4 apples and 2 pears. How many are there?", "every candidate loses or changes a number"),
            ("4 apples and 3 pears. How many are there? 7 of them.", "every candidate states the answer"),
            ("4 apples and 3 pears. There are many of them.", "every candidate lacks the question"),
        ],
    )
    def test_a_prompt_drops_its_row(self, says, told):
        with pytest.raises(JobError, match=told):
            self.made(self.ASKED, says=says)

    def test_which_is_counted(self, caplog):
        [kept] = self.made(self.ASKED, self.OTHER, says="4 apples and 2 pears. How many are there?")
        assert kept.fields["kept"]
        assert "1 of 2 rows dropped: 1 de: every candidate loses or changes a number" in caplog.text

    def test_or_is_kept_and_told(self, caplog):
        says = "4 apples and 2 pears. How many are there?"
        made = self.made(self.ASKED, self.OTHER, says=says, drop_altered="none")
        assert [found.fields["altered"] for found in made] == [["prompt: 3 is not in it"], []]
        assert "language/translated_fields: 1 of 2 rows have a translation that alters something" in caplog.text

    def test_an_honest_one_is_kept_with_nothing_to_tell(self, caplog):
        [found] = self.made(self.ASKED, says="4 apples and 3 pears. How many are there?")
        assert found.fields["altered"] == []
        assert not caplog.messages

    @pytest.mark.parametrize(("drop", "kept"), [("problems", 1), ("all", 0)])
    def test_another_text_drops_its_row_only_if_all_do(self, drop, kept):
        solved = row(thoughts="First there are 9 apples on the table.", answer="4", altered=["problem: 5 is not in it"])
        options = {"write": PARTS, "drop_altered": drop}
        if not kept:
            with pytest.raises(JobError, match="loses or changes a number: 9 is not in it"):
                rows(solved, judge=Phrasebook(), **options)
        else:
            [found] = rows(solved, judge=Phrasebook(), **options)
            assert found.fields["altered"] == ["problem: 5 is not in it", "thoughts: 9 is not in it"]

    def test_a_choice_with_another_number_drops_its_row(self):
        class Miscounting(Dictionary):
            words = Dictionary.words | {"4 Äpfel": "4 apples", "7 Äpfel": "8 apples"}

        asked = row("de", "Wie viele Äpfel?", choices=["4 Äpfel", "7 Äpfel"], answer="B")
        options = {"write": {"prompt": "$prompt"}, "choices": "choices", "to": "en", "least_share": 0.0}
        with pytest.raises(JobError, match="7 is not in it"):
            rows(asked, judge=Miscounting(), **options)

    def test_a_field_of_that_name_that_is_something_else_is_told(self):
        with pytest.raises(UserError, match=r"rows.jsonl:1: field 'altered' is for what translations altered, a list"):
            rows(row(thoughts=ENGLISH, answer="4", altered="yes"), write=PARTS)


class TestLongTexts:
    """A text that is longer than a question to the translator may be."""

    STEPS = 16_384 // 16
    LONG = "\n\n".join(
        f"In step {n} we add {n} to the sum of the steps before, and write it down." for n in range(STEPS)
    )
    LIMIT = 8192
    """words that the translator takes and gives, together: far less than LONG has"""

    class OfOneLimit(Phrasebook):
        """Puts each step into German; says nothing of what its limit cuts off, but how its answer ended."""

        refuses = None
        """a text about which its answer is of no use"""
        says = ""
        """what it says then"""

        async def ask(self, ask):
            self.asked.append(ask)
            text = ask.parts["text"]
            steps = re.findall(r"step (\d+)", text)
            words = " ".join(f"In Schritt {n} zählen wir {n} zur Summe davor und schreiben sie auf." for n in steps)
            if self.refuses is not None and self.refuses in text:
                return self.says if isinstance(self.says, Reply) else Reply(text=self.says, finish_reason="stop")
            whole = words.split()
            room = max(0, TestLongTexts.LIMIT - len(text.split()))
            return Reply(text=" ".join(whole[:room]), finish_reason="stop" if len(whole) <= room else "length")

    WRITE = {"response": "<think>$thoughts</think><answer>$answer</answer>"}  # noqa: RUF012

    def long_row(self, **fields):
        return row(**{"thoughts": self.LONG, "answer": "4", **fields})

    def test_it_is_cut_into_pieces_whose_translations_are_joined_in_order(self):
        judge = self.OfOneLimit()
        [found] = rows(self.long_row(), judge=judge, write=self.WRITE)
        thoughts = found.fields["response"].removeprefix("<think>").removesuffix("</think><answer>4</answer>")
        assert re.findall(r"Schritt (\d+)", thoughts) == [str(n) for n in range(self.STEPS)]
        assert "step" not in thoughts
        assert max(len(ask.parts["text"]) for ask in judge.asked) <= 4000
        assert len(judge.asked) > 10
        assert found.fields["altered"] == []

    def test_without_that_the_row_would_be_lost(self):
        """The same translator, asked about the whole."""
        with pytest.raises(JobError, match="cut off"):
            rows(self.long_row(), judge=self.OfOneLimit(), write=self.WRITE, piece=10**6)

    @pytest.mark.parametrize(
        ("says", "told"),
        [
            ("", "every candidate is empty, cut off or far too long"),
            (Reply(text="In Schritt 700 zählen wir", finish_reason="length"), "every candidate is empty, cut off"),
            ("Vielleicht. " * 5000, "every candidate is empty, cut off or far too long"),
            (SPANISH, "no candidate is in the language"),
            (ENGLISH, "no candidate is in the language"),
            (Reply(error="HTTP 400: too long", refused=True), "refused by the server"),
        ],
    )
    def test_one_piece_without_a_translation_drops_the_row_and_shortens_none(self, says, told, caplog):
        judge = self.OfOneLimit()
        judge.refuses, judge.says = "step 700 ", says
        short = row(thoughts="In step 3 we add 3 to the sum of the steps before, and write it down.", answer="4")
        [kept] = rows(self.long_row(), short, judge=judge, write=self.WRITE, max_dropped=1)
        assert kept.fields["response"].count("Schritt") == 1
        assert "1 of 2 rows dropped: 1 de: " + told in caplog.text

    def test_a_piece_that_the_server_does_not_answer_is_no_gap(self):
        judge = self.OfOneLimit()
        judge.refuses, judge.says = "step 700 ", Reply(error="HTTP 503")
        with pytest.raises(JobError, match="HTTP 503"):
            rows(self.long_row(), judge=judge, write=self.WRITE)

    def test_of_several_candidates_the_best_of_each_piece_is_kept(self):
        class OneOfTwo(self.OfOneLimit):
            async def ask(self, ask):
                even = int(re.search(r"step (\d+)", ask.parts["text"])[1]) % 2
                return Reply(text=SPANISH, finish_reason="stop") if ask.draw == even else await super().ask(ask)

        [found] = rows(self.long_row(), judge=OneOfTwo(), write=self.WRITE, candidates=2)
        assert len(re.findall("Schritt", found.fields["response"])) == self.STEPS

    def test_what_each_piece_altered_is_told(self):
        judge = self.OfOneLimit()
        judge.refuses, judge.says = "step 700 ", "Hier schreiben wir die Summe der Schritte davor auf."
        [found] = rows(self.long_row(), judge=judge, write=self.WRITE)
        [told] = found.fields["altered"]
        assert re.fullmatch(r"thoughts: \d+, \d+, \d+ and \d+ more is not in it", told), told
        with pytest.raises(JobError, match="loses or changes a number"):
            rows(self.long_row(), judge=judge, write=self.WRITE, drop_altered="all")

    def test_a_piece_without_words_stays_as_it_is_and_asks_nothing(self):
        sums = "\n".join(f"{n} + {n} = {n + n}" for n in range(400))
        judge, thoughts = self.OfOneLimit(), f"{self.LONG[:3900]}\n\n{sums}"
        [found] = rows(self.long_row(thoughts=thoughts), judge=judge, write=self.WRITE)
        assert sums.partition("\n300 ")[2] in found.fields["response"]
        assert len(judge.asked) == 1

    def test_a_text_of_too_many_pieces_drops_its_row_without_a_question(self, caplog):
        judge = self.OfOneLimit()
        short = row(thoughts="In step 3 we add 3 to the sum of the steps before, and write it down.", answer="4")
        [kept] = rows(self.long_row(), short, judge=judge, write=self.WRITE, max_pieces=5, max_dropped=0)
        assert (len(judge.asked), kept.fields["thoughts"]) == (1, short.fields["thoughts"])
        assert "1 of 2 rows dropped: 1 de: thoughts has more than 5 pieces of 4000 characters" in caplog.text

    def test_a_prompt_and_a_choice_are_asked_about_whole(self):
        judge = Phrasebook(en=ENGLISH * 100)
        asked = "Auf dem Tisch liegen Äpfel. " * 300
        [found] = rows(row(prompt=asked), judge=judge, write={"prompt": "$prompt"}, to="en")
        assert ([ask.parts["text"] for ask in judge.asked], found.prompt[-1]["content"]) == ([asked], ENGLISH * 100)
