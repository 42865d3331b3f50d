"""The data step language/translated, with translators that really run and a real source of samples."""

import asyncio
import logging
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import Context, Reply, Sample, find
from rewardlab.errors import JobError, UserError
from rewardlab_answers import last_box
from rewardlab_language.options import TRAINING_LANGUAGES
from rewardlab_language.translated import calls, language_of
from rewardlab_language.translation_step import ROWS_AT_ONCE
from rewardlab_language.wording import wordings

SPEC = find("dataset", "language/translated")
WORDS = {"৫": "5", "৩": "3", "৮": "8", "الثلاث": "3", "márùn-ún": "5", "mẹ́ta": "3"}
"""numbers that the Arabic and the Yoruba sentences have in words, in figures, so that each story has its own"""


@pytest.fixture(scope="session")
def story(four_sentences):
    """story(language, a, b): a problem and its solution, which say the same in each language."""

    def make(language, a, b):
        numbers = {"5": str(a), "3": str(b), "8": str(a + b)}
        figures = [re.sub("|".join(WORDS), lambda word: WORDS[word[0]], text) for text in four_sentences[language]]
        sentences = [re.sub("[538]", lambda digit: numbers[digit[0]], text) for text in figures]
        return " ".join(sentences[:2]), " ".join(sentences)

    return make


@pytest.fixture
def source(story):
    """source(n): n English problems."""

    def make(n, start=0):
        rows = []
        for k in range(start, start + n):
            problem, solution = story("en", 100 + k, 20_000 + k)
            prompt = ({"role": "user", "content": problem},)
            fields = {"reference": solution, "answer": str(20_100 + 2 * k)}
            rows.append(Sample(id=f"p{k}", prompt=prompt, fields=fields, source=f"english.jsonl:{k + 1}"))
        return rows

    return make


class StoryTranslator:
    """A translator of stories that is right, unless `says(ask, right text)` gives another reply."""

    def __init__(self, story, says=None, delay=0.0):
        self.story, self.says, self.delay = story, says, delay
        self.asks, self.verdicts, self.under_way, self.most = [], [], 0, 0

    async def ask(self, ask):
        self.asks.append(ask)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(self.delay)
        self.under_way -= 1
        text, target = ask.parts["text"], ask.parts["target"]
        numbers = [int(digits) for digits in re.findall(r"\d+", text)]
        right = self.story(target, *(numbers[:2] or (5, 3)))[r"\boxed" in text]
        reply = right if self.says is None else self.says(ask, right)
        return Reply(text=reply, finish_reason="stop") if isinstance(reply, str) else reply

    def report_parsed(self, reply, ok):
        self.verdicts.append(ok)


@pytest.fixture
def rows(story):
    """rows(samples, translator=..., seed=..., **options): the rows that the step makes."""

    def make(samples, translator=None, seed=0, **options):
        translator = translator or StoryTranslator(story)
        options = SPEC.config(translator="teacher", **options)
        return SPEC.build(options, Context(seed=seed, judges={"teacher": translator}, source=samples))

    return make


# --- rows ---


def test_an_sft_row(rows, source, story):
    (row,) = rows(source(1), languages=["id"], test=0)
    problem, solution = story("id", 100, 20_000)
    english, reference = story("en", 100, 20_000)
    assert row.id == "p0-id"
    assert row.source == "english.jsonl:1"
    assert row.prompt == (
        {"role": "system", "content": wordings()["id"].system},
        {"role": "user", "content": problem},
    )
    assert row.fields == {
        "answer": "20100",
        "answer_language": "en",
        "reference": reference,
        "problem": english,
        "language": "id",
        "split": "train",
        "share": 1.0,
        "altered": [],
        "response": solution,
    }
    assert set(row.fields) == set(SPEC.provided_fields(SPEC.config(translator="teacher")))


def test_an_rl_row_has_the_same_problem_and_no_response(rows, source):
    sft = list(rows(source(20)))
    rl = list(rows(source(20), kind="rl"))
    assert [(row.id, row.prompt) for row in rl] == [(row.id, row.prompt) for row in sft]
    for a, b in zip(sft, rl, strict=True):
        assert b.fields == {name: value for name, value in a.fields.items() if name != "response"}
    assert set(rl[0].fields) == set(SPEC.provided_fields(SPEC.config(translator="teacher", kind="rl")))


def test_both_kinds_ask_the_same_about_the_problem(rows, source, story):
    sft, rl = StoryTranslator(story), StoryTranslator(story)
    list(rows(source(20), sft))
    list(rows(source(20), rl, kind="rl"))
    assert [ask for ask in sft.asks if r"\boxed" not in ask.parts["text"]] == rl.asks


def test_english_rows_are_not_translated(rows, source, story):
    translator = StoryTranslator(story)
    (row,) = rows(source(1), translator, languages=["en"])
    problem, solution = story("en", 100, 20_000)
    assert translator.asks == []
    assert row.prompt[0]["content"] == wordings()["en"].system
    assert (row.prompt[1]["content"], row.fields["response"], row.fields["share"]) == (problem, solution, None)


def test_the_last_box_of_both_solutions_holds_the_answer(rows, source):
    samples = [Sample(id=s.id, prompt=s.prompt, fields={**s.fields, "answer": "24"}) for s in source(36)]
    for row in rows(samples):
        assert last_box(row.fields["response"]) == last_box(row.fields["reference"]) == row.fields["answer"] == "24"


def test_a_translation_without_a_box_gets_a_sentence_in_its_language(rows, source, story):
    unboxed = StoryTranslator(story, lambda ask, right: right.partition(r" \boxed")[0])
    (row,) = rows(source(1), unboxed, languages=["id"])
    assert row.fields["response"].endswith("\n\nJadi, jawabannya adalah \\boxed{20100}.")


def test_a_text_without_words_stays_as_it_is_unasked(rows, source, story):
    translator = StoryTranslator(story)
    formula = ({"role": "user", "content": "$2 + 2 = ?$"},)
    (row,) = rows([Sample(id="p", prompt=formula, fields=source(1)[0].fields)], translator, languages=["id"], kind="rl")
    assert row.prompt[1]["content"] == "$2 + 2 = ?$"
    assert row.fields["share"] is None
    assert translator.asks == []


def test_words_inside_a_formula_are_words_to_translate(rows, source, story):
    problem = r"\[\text{How many apples are there in the box}\]"
    sample = Sample(id="p", prompt=({"role": "user", "content": problem},), fields=source(1)[0].fields)
    translator = StoryTranslator(story, lambda ask, right: "Ada berapa apel di dalam kotak?")
    (row,) = rows([sample], translator, languages=["id"], kind="rl")
    assert row.prompt[1]["content"] == "Ada berapa apel di dalam kotak?"


# --- languages ---


def test_each_problem_gets_one_language_that_its_id_tells(rows, source):
    made = list(rows(source(40), kind="rl", candidates=1))
    expected = [f"p{k}-{language_of(f'p{k}', TRAINING_LANGUAGES, 0)}" for k in range(40)]
    assert [row.id for row in made] == expected
    assert [row.fields["language"] for row in made] == [id.partition("-")[2] for id in expected]


IDS = [f"p{k}" for k in range(3000)]


def test_the_shares_of_the_languages_are_about_equal():
    """They are within 5 standard deviations, of 26 rows each, for this seed."""
    counts = Counter(language_of(id, ("th", "id", "sw"), 0) for id in IDS)
    assert all(abs(counts[code] - 1000) < 130 for code in ("th", "id", "sw"))


def test_languages_depend_on_the_seed_and_not_on_their_order():
    first = [language_of(id, ("th", "id", "sw"), 0) for id in IDS[:300]]
    assert first == [language_of(id, ("id", "sw", "th"), 0) for id in IDS[:300]]
    assert first != [language_of(id, ("id", "sw", "th"), 1) for id in IDS[:300]]


def test_one_more_language_moves_only_the_rows_that_it_gets():
    before = {id: language_of(id, ("th", "id", "sw"), 0) for id in IDS}
    after = {id: language_of(id, ("th", "id", "sw", "ja"), 0) for id in IDS}
    moved = {id for id in IDS if after[id] != before[id]}
    assert {after[id] for id in moved} == {"ja"}
    assert {before[id] for id in moved} == {"th", "id", "sw"}
    assert abs(len(moved) - 750) < 120


@pytest.mark.parametrize("kind", ["sft", "rl", "question"])
def test_rows_that_are_dropped_removed_or_appended_change_no_other_row(kind, rows, source):
    """This happens where an earlier step drops more on a rerun, or the source has another revision."""
    options = {"kind": kind, "candidates": 1, "languages": ["id", "th", "sw", "en"]}
    whole = {row.source: row for row in rows(source(30), **options)}
    removed = source(30)
    del removed[0], removed[10:13]
    unusable = source(30)
    unusable[4] = Sample(id="p4", prompt=({"role": "user", "content": " "},), fields=unusable[4].fields, source="gone")
    for changed, count in [(removed, 26), (unusable, 29), (source(36), 36), (source(30)[::-1], 30)]:
        made = list(rows(changed, **options))
        assert len(made) == count
        assert [row for row in made if row.source in whole] == [
            whole[sample.source] for sample in changed if sample.source in whole
        ]


def test_all_languages_for_each_problem(rows, source):
    made = list(rows(source(2), languages=["id", "en", "th"], languages_per_row="all"))
    assert [row.id for row in made] == ["p0-id", "p0-en", "p0-th", "p1-id", "p1-en", "p1-th"]


# --- train and test ---


def test_a_problem_is_on_the_same_side_in_every_language_file_and_run(rows, source):
    one = list(rows(source(60), kind="rl", candidates=1, test=0.3))
    other = list(rows(source(40, start=20), kind="rl", candidates=1, test=0.3, seed=5, languages=["th", "id"]))
    sides = {}
    for row in one + other:
        sides.setdefault(row.fields["problem"], set()).add(row.fields["split"])
    assert all(len(side) == 1 for side in sides.values())
    assert set().union(*sides.values()) == {"train", "test"}


def test_the_share_of_test_problems(rows, source):
    made = list(rows(source(400), languages=["en"], test=0.25))
    assert 60 <= sum(row.fields["split"] == "test" for row in made) <= 140


# --- candidates ---


def test_candidates_are_draws_of_one_question(rows, source, story):
    translator = StoryTranslator(story)
    list(rows(source(1), translator, languages=["th"], kind="rl", candidates=3, sampling={"temperature": 1.0}))
    assert [ask.draw for ask in translator.asks] == [0, 1, 2]
    assert len({str(ask.messages) for ask in translator.asks}) == 1
    assert all(ask.params == {"temperature": 1.0} for ask in translator.asks)


def test_without_sampling_the_judges_own_options_hold(rows, source, story):
    translator = StoryTranslator(story)
    list(rows(source(1), translator, languages=["th"], kind="rl"))
    assert [ask.params for ask in translator.asks] == [{}] * 4


def test_a_bare_prompt_is_one_user_message_with_the_region(rows, source, story):
    def says(ask, right):
        return f"Portuguese (Portugal): {right}"

    translator = StoryTranslator(story, says)
    (row,) = rows(source(1), translator, languages=["pt"], kind="question", prompt="bare", sampling={"temperature": 0})
    assert row.prompt[0]["content"] == story("pt", 100, 20_000)[0]
    ((message,), *_) = [ask.messages for ask in translator.asks]
    assert message["role"] == "user"
    assert f"English: {story('en', 100, 20_000)[0]}\nPortuguese (Portugal):" in message["content"]
    assert translator.asks[0].params == {"temperature": 0.0}


def test_the_first_call_has_the_form_of_the_questions():
    fenced = SPEC.question(SPEC.config(translator="teacher"))
    assert [message["role"] for message in fenced.messages] == ["system", "user"]
    bare = SPEC.question(SPEC.config(translator="teacher", prompt="bare", sampling={"temperature": 0}))
    assert ([message["role"] for message in bare.messages], bare.params) == (["user"], {"temperature": 0.0})


def test_a_draw_is_a_sample_of_all_pairs_by_the_seed_and_the_kind(rows, source, story):
    def ids(count=40, **options):
        options = {"languages": ["en", "de", "es"], "languages_per_row": "all", "draw": 30, **options}
        return [row.id for row in rows(source(count), **options)]

    sft, rl = ids(), ids(kind="rl")
    assert len(sft) == len(set(sft)) == len(rl) == 30
    assert sft == ids()
    assert sft != ids(seed=1)
    assert 1 <= len(set(sft) & set(rl)) <= 16  # 30 * 30 / 120 in common is what two draws have
    assert sft != sorted(sft)
    assert {name.rpartition("-")[2] for name in sft} == {"en", "de", "es"}
    assert max(int(name[1:].partition("-")[0]) for name in sft) > 30  # not the first ones


def test_a_draw_takes_languages_apart(rows, source):
    """Of 40 problems in 3 languages 30 pairs are of some 22 problems, not of ten in all languages."""
    options = {"languages": ["en", "de", "es"], "languages_per_row": "all", "draw": 30}
    assert len({row.id.partition("-")[0] for row in rows(source(40), **options)}) > 15


def test_another_seed_draws_other_problems(rows, source):
    def problems(seed):
        options = {"languages": ["en"], "languages_per_row": "all", "problems": 10, "seed": seed}
        return {row.id for row in rows(source(40), **options)}

    assert problems(0) == problems(0) != problems(1)


def test_both_kinds_draw_of_the_same_problems(rows, source):
    options = {"languages": ["en", "de"], "languages_per_row": "all", "problems": 10}
    sft = {row.id for row in rows(source(40), **options)}
    assert len(sft) == 20
    assert {row.id for row in rows(source(40), kind="rl", **options)} == sft
    drawn = list(rows(source(40), kind="rl", draw=8, **options))
    assert len(drawn) == 8
    assert {row.id for row in drawn} < sft


def spoilt(samples):
    """Of six rows one is whole; the others lack something without which no translator need be asked."""
    changes = [{}, {"reference": " "}, {"answer": ""}, {"reference": "\n"}, {"answer": "}"}, None]
    for place, sample in enumerate(samples):
        change = changes[place % len(changes)]
        if change is None:
            prompt = (
                {"role": "user", "content": f"{sample.prompt[0]['content']} \\boxed{{{sample.fields['answer']}}}"},
            )
            yield replace(sample, prompt=prompt)
        else:
            yield replace(sample, fields={**sample.fields, **change})


@pytest.mark.parametrize("kind", ["sft", "rl"])
@pytest.mark.parametrize(
    ("options", "made"),
    [
        ({"problems": 10}, 20),
        ({"draw": 25}, 25),
        ({"problems": 10, "draw": 15}, 15),
        ({"problems": 20}, 40),
        ({"problems": 500}, 40),
        ({"problems": 500, "draw": 500}, 40),
        ({"problems": 1, "draw": 1}, 1),
        ({"problems": 10, "languages_per_row": 1}, 10),
    ],
)
def test_problems_and_draw_count_what_has_a_solution(kind, options, made, rows, source, caplog):
    """20 of 120 rows are whole."""
    given = {"languages": ["en", "de"], "languages_per_row": "all", "kind": kind, "max_dropped": 0, **options}
    found = list(rows(spoilt(source(120)), **given))
    assert len(found) == made
    assert {int(row.id[1:].partition("-")[0]) % 6 for row in found} == {0}
    assert f"100 of {100 + made} rows dropped: 40: the reference solution is blank" in sorted_reasons(caplog.text)


def sorted_reasons(text):
    """The warning with its most frequent reason first."""
    head, _, reasons = text.partition("rows dropped: ")
    listed = sorted(reasons.strip().split("; "), key=lambda one: -int(one.split(":")[0]))
    return f"{head}rows dropped: {'; '.join(listed)}"


def test_a_question_without_a_solution_counts(rows, source):
    options = {"languages": ["de"], "languages_per_row": "all", "kind": "question", "problems": 30}
    assert len(list(rows(spoilt(source(120)), **options))) == 30


def test_only_what_is_drawn_is_translated(rows, source, story):
    translator = StoryTranslator(story)
    made = list(rows(source(40), translator, languages=["de"], languages_per_row="all", draw=5, candidates=2))
    assert (len(made), len(translator.asks)) == (5, 20)
    options = SPEC.config(translator="t", languages=["de"], languages_per_row="all", draw=5, candidates=2)
    assert (SPEC.calls(options, 40), SPEC.makes(options, 40), SPEC.makes(options, 3)) == (20, 5, 3)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"draw": 5}, "set languages_per_row: all"),
        ({"prompt": "bare", "template": __file__}, "leave out `prompt` or `template`|no placeholder|a lone"),
    ],
)
def test_options_that_say_nothing_together_are_refused(options, why):
    with pytest.raises(ValidationError, match=why):
        SPEC.config(translator="teacher", **options)


def test_the_candidate_with_the_highest_share_is_kept(rows, source, story):
    def says(ask, right):
        english = ask.parts["text"]
        return [english, f"{english} {right}", right, "So many apples!"][ask.draw]

    (row,) = rows(source(1), StoryTranslator(story, says), languages=["id"])
    assert row.prompt[1]["content"] == story("id", 100, 20_000)[0]
    assert row.fields["share"] == 1.0


def test_a_candidate_that_lost_a_number_comes_last(rows, source, story):
    def says(ask, right):
        return right.replace("100", "101") if ask.draw == 0 else f"Apples and others. {right}"

    (row,) = rows(source(1), StoryTranslator(story, says), languages=["id"], kind="rl")
    assert row.prompt[1]["content"].startswith("Apples")


def test_an_answer_that_was_cut_off_is_no_candidate(rows, source, story):
    def says(ask, right):
        return Reply(text=right, finish_reason="length") if ask.draw == 0 else right + " Apples."

    (row,) = rows(source(1), StoryTranslator(story, says), languages=["id"], kind="rl")
    assert row.prompt[1]["content"].endswith("Apples.")


def test_the_judge_hears_which_replies_have_the_form_of_a_translation(rows, source, story):
    def says(ask, right):
        cut = Reply(text=right, finish_reason="length")
        return [right, "", right * 100, cut, ask.parts["text"], Reply(error="503")][ask.draw]

    translator = StoryTranslator(story, says)
    list(rows(source(1), translator, languages=["id"], kind="rl", candidates=6))
    assert translator.verdicts == [True, False, False, False, True]


# --- altered problems ---


def another_number(ask, right):
    return right.replace("100", "101", 1) if r"\boxed" not in ask.parts["text"] else right


def test_a_problem_whose_every_candidate_has_another_number_is_dropped(rows, source, story, caplog):
    made = list(rows(source(3), StoryTranslator(story, another_number), languages=["id"]))
    assert [row.id for row in made] == ["p1-id", "p2-id"]
    assert "1 of 3 rows dropped: 1 id: every candidate loses or changes a number" in caplog.text
    assert "english.jsonl:1 (id): every candidate loses or changes a number: 100 is not in it" in caplog.text


def test_or_kept_with_what_was_altered_which_is_counted(rows, source, story, caplog):
    made = list(rows(source(3), StoryTranslator(story, another_number), languages=["id"], drop_altered="none"))
    assert [row.fields["altered"] for row in made] == [["problem: 100 is not in it"], [], []]
    assert "1 of 3 rows have a translation that alters something; see their field `altered`" in caplog.text


@pytest.mark.parametrize("drop", ["problems", "all"])
def test_an_altered_solution_is_kept_unless_all_is_dropped(rows, source, story, drop):
    def says(ask, right):
        return right if r"\boxed" not in ask.parts["text"] else right.replace("20000", "20001")

    made = list(rows(source(2), StoryTranslator(story, says), languages=["id"], drop_altered=drop))
    if drop == "all":
        assert [row.id for row in made] == ["p1-id"]
    else:
        assert made[0].fields["altered"] == ["response: 20000, 20000 is not in it"]


@pytest.mark.parametrize(
    ("kind", "added", "reason"),
    [
        ("rl", " Jawabannya 20100.", "every candidate states the answer"),
        ("question", r" Jawabannya \boxed{7}.", "every candidate lacks the question"),
    ],
)
def test_a_translation_that_answers_is_none(rows, source, story, caplog, kind, added, reason):
    translator = StoryTranslator(story, lambda ask, right: right + added)
    with pytest.raises(JobError, match=reason):
        list(rows(source(1), translator, languages=["id"], kind=kind))


def test_a_source_that_states_its_answer_in_a_box_is_dropped_unasked(rows, source, story, caplog):
    first, second = source(2)
    told = ({"role": "user", "content": first.prompt[0]["content"] + r" \boxed{20100}"},)
    translator = StoryTranslator(story)
    samples = [Sample(id="p", prompt=told, fields=first.fields), second]
    assert len(list(rows(samples, translator, languages=["id"], kind="rl", candidates=1))) == 1
    assert len(translator.asks) == 1
    assert "1 id: the problem states the answer" in caplog.text


# --- drops and errors ---


def ids_in(language, count, *languages):
    """Return the ids of those of the first `count` rows that get the language."""
    return [f"p{k}-{language}" for k in range(count) if language_of(f"p{k}", languages, 0) == language]


def refuses(*languages):
    return lambda ask, right: ask.parts["text"] if ask.parts["target"] in languages else right


@pytest.mark.parametrize(
    "reply",
    [
        "",
        " \n",
        "```\n```",
        "I cannot help with that.",
        "x" * 100_000,
        "word " * 20_000,
        r"\boxed{" * 15_000,
        "7" * 5000,
    ],
)
def test_hostile_replies_drop_the_row(reply, rows, source, story):
    translator = StoryTranslator(story, lambda ask, right: reply if ask.parts["target"] == "th" else right)
    made = list(rows(source(4), translator, languages=["id", "th"]))
    assert [row.id for row in made] == ids_in("id", 4, "id", "th")
    assert 0 < len(made) < 4


def test_dropped_rows_are_counted_by_language_and_reason(rows, source, story, caplog):
    with caplog.at_level(logging.WARNING, "rewardlab.language"):
        made = list(rows(source(12), StoryTranslator(story, refuses("th", "sw")), languages=["id", "th", "sw", "en"]))
    sw, th = (len(ids_in(code, 12, "id", "th", "sw", "en")) for code in ("sw", "th"))
    assert min(sw, th) > 0
    assert len(made) == 12 - sw - th
    (warning,) = caplog.messages
    assert f"{sw + th} of 12 rows dropped" in warning
    assert f"{sw} sw: no candidate is in the language; {th} th: no candidate is in the language" in warning


def test_no_warning_where_nothing_was_dropped(rows, source, caplog):
    assert len(list(rows(source(18)))) == 18
    assert caplog.messages == []


@pytest.mark.parametrize(("field", "value"), [("reference", " "), ("answer", ""), ("answer", "7}")])
def test_a_row_that_gives_no_solution_is_dropped_unasked(field, value, rows, source, story, caplog):
    translator, samples = StoryTranslator(story), source(3)
    samples[1] = Sample(id="p1", prompt=samples[1].prompt, fields={**samples[1].fields, field: value})
    made = list(rows(samples, translator, languages=["id"], kind="rl", candidates=1))
    assert [row.id for row in made] == ["p0-id", "p2-id"]
    assert len(translator.asks) == 2
    assert f"1 id: the {'answer' if field == 'answer' else 'reference solution'}" in caplog.text


def test_a_source_with_few_usable_rows_is_no_fault_of_the_translator(rows, source):
    samples = [Sample(id=s.id, prompt=s.prompt, fields={**s.fields, "reference": ""}) for s in source(100)]
    assert len(list(rows(samples + source(2, start=200), languages=["id"], kind="rl"))) == 2
    assert list(rows(samples, languages=["id"])) == []


def test_unusable_rows_do_not_count_towards_max_dropped(rows, source, story):
    blank = [Sample(id=s.id, prompt=s.prompt, fields={**s.fields, "answer": ""}) for s in source(60)]
    translator = StoryTranslator(story, lambda ask, right: ask.parts["text"] if "2007" in ask.parts["text"] else right)
    made = list(rows(blank + source(80, start=100), translator, languages=["id"]))
    assert len(made) == 80
    made = list(rows(blank + source(80), translator, languages=["id"], max_dropped=0.125))
    assert len(made) == 70


def test_too_many_dropped_rows_stop_the_job(rows, source, story):
    made = []
    with pytest.raises(JobError, match=r"of 5\d rows could not be translated") as stopped:
        for row in rows(source(90), StoryTranslator(story, refuses("th")), languages=["id", "th"]):
            made.append(row)
    assert 20 <= len(made) <= 30
    message = str(stopped.value)
    assert message.count("english.jsonl:") == message.count("(th)") == 3
    assert "share 0.00 in 'First we know" in message
    assert "max_dropped" in message


def test_as_many_dropped_rows_as_are_allowed_do_not(rows, source, story):
    translator = StoryTranslator(story, refuses("th"))
    made = list(rows(source(90), translator, languages=["id", "th"], max_dropped=0.65))
    assert [row.id for row in made] == ids_in("id", 90, "id", "th")


def test_a_translator_that_never_does_it_stops_the_job_even_of_few_rows(rows, source, story):
    with pytest.raises(JobError, match="3 of 3 rows could not be translated"):
        list(rows(source(3), StoryTranslator(story, refuses("th")), languages=["th"]))


def test_no_answer_at_all_is_an_error_and_never_a_dropped_row(rows, source, story):
    down = StoryTranslator(story, lambda ask, right: Reply(error="503: the server is overloaded"))
    with pytest.raises(JobError, match="'teacher' answered none of 4 questions: 503: the server is overloaded"):
        list(rows(source(3), down, languages=["id"]))


def test_a_text_that_the_server_refuses_drops_its_row(rows, source, story, caplog):
    refused = Reply(error="HTTP 400: too long", refused=True)
    translator = StoryTranslator(story, lambda ask, right: refused if "101" in ask.parts["text"] else right)
    with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
        made = list(rows(source(3), translator, languages=["id"]))
    assert [row.id for row in made] == ["p0-id", "p2-id"]
    told = (
        "1 of 3 rows dropped: 1 id: refused by the server; first: english.jsonl:2 (id): refused by the server: HTTP 400"
    )
    assert told in caplog.text


def test_a_question_without_an_answer_is_no_candidate(rows, source, story, caplog):
    flaky = StoryTranslator(story, lambda ask, right: Reply(text=right, error="timeout") if ask.draw < 3 else right)
    assert len(list(rows(source(3), flaky, languages=["id"], kind="rl"))) == 3
    assert ": 9 questions had no answer" in caplog.text


def test_what_a_source_row_lacks_is_told_in_its_turn(rows, source):
    good, bad = source(2), Sample(id="p", prompt=source(1)[0].prompt, source="english.jsonl:9")
    made = iter(rows([*good, bad], languages=["id"]))
    assert [next(made).id, next(made).id] == ["p0-id", "p1-id"]
    with pytest.raises(UserError, match=r"english.jsonl:9: no answer; map a column"):
        next(made)


# --- questions alone ---


@pytest.fixture
def questions(source):
    """questions(n): n English questions without solutions, as a corpus of questions has them."""
    return lambda n: [Sample(id=s.id, prompt=s.prompt, fields={"field": "Biology"}, source=s.source) for s in source(n)]


def test_a_question_row_has_the_translated_question_as_its_prompt_and_no_system_message(rows, questions, story):
    (row,) = rows(questions(1), kind="question", languages=["id"], test=0)
    problem, _ = story("id", 100, 20_000)
    english, _ = story("en", 100, 20_000)
    assert (row.id, row.source) == ("p0-id", "english.jsonl:1")
    assert row.prompt == ({"role": "user", "content": problem},)
    assert row.fields == {"problem": english, "language": "id", "split": "train", "share": 1.0, "altered": []}
    options = SPEC.config(translator="teacher", kind="question")
    assert set(row.fields) == set(SPEC.provided_fields(options))


@pytest.mark.parametrize(("kind", "fields"), [("question", ()), ("rl", ("reference", "answer"))])
def test_only_a_question_needs_no_solution(kind, fields):
    assert SPEC.required_fields(SPEC.config(translator="teacher", kind=kind)) == fields


def test_each_question_goes_to_one_language_and_the_parts_are_disjoint(rows, questions):
    languages = ["es", "fr", "pt", "id", "th", "sw", "it", "de"]
    made = list(rows(questions(40), kind="question", languages=languages, candidates=1))
    assert [row.id.partition("-")[0] for row in made] == [f"p{k}" for k in range(40)]
    assert {row.fields["language"] for row in made} == set(languages)


def test_the_same_question_has_the_same_language_side_and_translation_as_of_kind_rl(rows, source):
    solved = list(rows(source(40), kind="rl", candidates=1, test=0.3))
    alone = list(rows(source(40), kind="question", candidates=1, test=0.3))
    for a, b in zip(solved, alone, strict=True):
        assert (a.id, a.prompt[1:], a.fields["split"]) == (b.id, b.prompt, b.fields["split"])


def test_a_question_that_lost_a_number_is_not_preferred(rows, questions, story):
    def says(ask, right):
        return right.replace("100", "101") if ask.draw == 0 else f"Apples and others. {right}"

    (row,) = rows(questions(1), StoryTranslator(story, says), languages=["id"], kind="question")
    assert "100" in row.prompt[0]["content"]


def test_the_question_to_the_translator_is_not_about_mathematics(rows, questions, story):
    translator = StoryTranslator(story)
    list(rows(questions(1), translator, languages=["th"], kind="question", candidates=1))
    (ask,) = translator.asks
    assert "Thai" in ask.messages[0]["content"]
    assert "mathematic" not in ask.messages[0]["content"].lower()


def test_a_blank_question_is_dropped_and_calls_count_one_text_a_row(rows, questions, caplog):
    blank = Sample(id="b", prompt=({"role": "user", "content": " "},), source="english.jsonl:7")
    assert len(list(rows([blank, *questions(2)], kind="question", languages=["id"]))) == 2
    assert "1 id: the problem is blank" in caplog.text
    assert calls(SPEC.config(translator="teacher", kind="question", languages=["id"], candidates=3), 10) == 30


# --- many rows ---


def test_rows_come_in_order_and_are_the_same_in_every_run(rows, source, story):
    class UnevenTranslator(StoryTranslator):
        async def ask(self, ask):
            await asyncio.sleep(len(self.asks) * 7 % 5 / 1000)
            return await super().ask(ask)

        def report_parsed(self, reply, ok):
            """Nobody counts here."""

    def says(ask, right):
        return f"{right} Apples." if ask.draw % 2 else f"Many apples! {right}"

    first = list(rows(source(60), StoryTranslator(story, says), kind="rl"))
    assert first == list(rows(source(60), UnevenTranslator(story, says), kind="rl"))
    assert [row.id.partition("-")[0] for row in first] == [f"p{k}" for k in range(60)]


def test_many_rows_are_under_way_at_once_and_no_more_are_read(rows, source, story):
    read = []

    def endless():
        for sample in source(1000):
            read.append(sample.id)
            yield sample

    translator = StoryTranslator(story, delay=0.002)
    made = iter(rows(endless(), translator, languages=["id"], kind="rl", candidates=1))
    for count in range(1, 100):
        next(made)
        assert len(read) <= count + ROWS_AT_ONCE
    made.close()
    assert ROWS_AT_ONCE // 2 <= translator.most <= ROWS_AT_ONCE


def test_iterating_again_starts_anew(rows, source):
    made = rows(source(5))
    assert list(made) == list(made)


# --- the question ---


def test_the_question_shows_the_text_and_names_the_language(rows, source, story):
    translator = StoryTranslator(story)
    list(rows(source(1), translator, languages=["th"], kind="rl", candidates=1))
    (ask,) = translator.asks
    assert "Thai" in ask.messages[0]["content"]
    assert f"\n{source(1)[0].prompt[0]['content']}\n" in ask.messages[1]["content"]
    assert ask.parts == {"text": source(1)[0].prompt[0]["content"], "source": "en", "target": "th"}


def test_a_template_of_ones_own(rows, source, story, tmp_path):
    (tmp_path / "mine.txt").write_text("To $language:\n$fenced")
    translator = StoryTranslator(story)
    list(rows(source(1), translator, languages=["th"], kind="rl", template=str(tmp_path / "mine.txt")))
    (message, *_) = translator.asks[0].messages
    assert message["content"].startswith("To Thai:\n=== BEGIN TEXT")


def test_a_template_that_cannot_work_is_refused_with_the_options(tmp_path):
    with pytest.raises(ValidationError, match="cannot read the template"):
        SPEC.config(translator="teacher", template=str(tmp_path / "absent.txt"))


# --- cost, options, packaging ---


@pytest.mark.parametrize("count", [0, 1, 17, 18, 19, 40])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"kind": "rl"},
        {"languages": ["id", "th"], "candidates": 2},
        {"languages": ["id", "en"], "languages_per_row": "all", "candidates": 1},
        {"languages": ["en"]},
    ],
)
def test_the_number_of_calls_is_known_beforehand(options, count, rows, source, story):
    translator = StoryTranslator(story)
    list(rows(source(count), translator, **options))
    config = SPEC.config(translator="teacher", **options)
    english = 0
    if config.languages_per_row == 1 and len(config.languages) > 1:
        english = len(ids_in("en", count, *config.languages))  # which nobody knows before the ids are read
    one_row = config.candidates * (2 if config.kind == "sft" else 1)
    assert len(translator.asks) == calls(config, count) - english * one_row


@each_case(
    "options",
    [
        {"languages": []},
        {"languages": ["id", "id"]},
        {"languages": ["xx"]},
        {"candidates": 0},
        {"test": 1.5},
        {"languages_per_row": 2},
        {"kind": "dpo"},
    ],
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(ValidationError):
        SPEC.config(translator="teacher", **options)


def test_it_is_a_data_step_with_a_judge():
    assert SPEC.step
    assert tuple(SPEC.judges) == ("translator",)
    assert SPEC.config(translator="teacher").languages == TRAINING_LANGUAGES


@pytest.mark.slow
def test_building_it_loads_no_language_model():
    program = """
import sys
from rewardlab import Context
from rewardlab import find
spec = find("dataset", "language/translated")
spec.build(spec.config(translator="t"), Context(judges={"t": None}, source=[]))
assert "lingua" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_readme_names_every_option():
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    for option in SPEC.config.model_fields:
        assert f"`{option}" in readme
