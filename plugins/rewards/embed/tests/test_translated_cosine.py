"""embed/translated_cosine: what is translated, what is compared, and what becomes of failures."""

import asyncio
from collections import Counter

import pytest
from rewardlab import Completion, Context, Reply, Sample, Score, find
from rewardlab.errors import JobError

GERMAN = "<think>zunächst fügen wir drei und vier zusammen</think><answer>sieben</answer>"
ENGLISH = "<think>first we add three and four</think><answer>seven</answer>"
DOWN = Reply(error="HTTP 503")


def fresh(number):
    return f"<think>für {number} zählen wir</think>"


def test_the_translation_is_compared_with_the_reference(built, opened, translator):
    judge = translator(lambda text: "first we add three and four")
    assert built("translated_cosine", judge=judge)(GERMAN) == [
        Score(value=pytest.approx(1.0), info={"raw": pytest.approx(1.0), "tokens": 12})
    ]
    assert [ask.parts["text"] for ask in judge.asks] == ["zunächst fügen wir drei und vier zusammen"]


def test_the_translator_sees_nothing_of_the_reference(built, translator):
    judge = translator()
    built("translated_cosine", judge=judge)(GERMAN, reference="<think>a secret</think><answer>seven</answer>")
    assert "secret" not in str(judge.asks)
    assert "sieben" not in str(judge.asks)  # nor any other part of the response


def test_english_is_skipped_and_has_the_value_of_cosine(built, translator):
    judge = translator()
    (score,) = built("translated_cosine", judge=judge)(ENGLISH)
    (plain,) = built("cosine")(ENGLISH)
    assert score == Score(value=plain.value, info={**plain.info, "skipped": "english"})
    assert judge.asks == []


def test_a_text_without_words_is_skipped(built, translator):
    judge = translator()
    (score,) = built("translated_cosine", judge=judge)("<think>3 + 4 = 7</think>", reference="3 + 4 = 7")
    assert score.info["skipped"] == "no words"
    assert score.value == pytest.approx(1.0)
    assert judge.asks == []


def test_empty_parts_and_references_are_as_in_cosine(built, opened, translator):
    judge = translator()
    empty, bad = built("translated_cosine", judge=judge), built("translated_cosine", judge=judge, empty="fail")
    assert empty("no tags") == [Score(value=0.0, info={"empty": "reasoning"})]
    assert bad("no tags")[0].error
    assert "has no reasoning" in empty(GERMAN, reference="<think></think>")[0].error
    assert judge.asks == opened.words.asked == opened.ascii.asked == []


def test_identical_texts_are_translated_once(built, opened, translator):
    judge = translator()
    score = built("translated_cosine", judge=judge)
    scores = score(GERMAN, ENGLISH, GERMAN) + score(GERMAN)
    assert len(judge.asks) == 1
    assert scores[0] == scores[2] == scores[3]
    texts = ["zunächst fügen wir drei und vier zusammen", "first we add three and four"]
    assert opened.ascii.asked[:2] == [(text, "de") for text in texts]


def test_pieces_are_counted(built, translator):
    judge = translator(lambda text: "add")
    (score,) = built("translated_cosine", judge=judge, piece=200)(
        "<think>" + "Wir zählen fünf dazu. " * 30 + "</think>"
    )
    assert score.info["pieces"] == len(judge.asks) == 4
    assert score.info["tokens"] == 48


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "the translation is empty"),
        (Reply(text="first we", finish_reason="length"), "the translation was cut off"),
        (DOWN, "no translation: HTTP 503"),
        (TimeoutError("too slow"), "no translation: TimeoutError: too slow"),
    ],
)
def test_a_failed_translation_leaves_the_untranslated_cosine_or_none(built, translator, reply, why):
    judge = translator(lambda text: reply)
    (plain,) = built("cosine")(GERMAN)
    score = built("translated_cosine", judge=judge)
    judge.says = lambda text: "we add" if "für" in text else reply
    score(*map(fresh, range(19)))
    (score,) = score(GERMAN)
    assert score.value == plain.value
    assert score.info["untranslated"] == why
    (missing,) = built("translated_cosine", judge=judge, on_failure="missing")(GERMAN)
    assert (missing.value, missing.error) == (None, why)


def test_an_outage_is_not_hidden(built, translator):
    """Before any answer has come, the first failure fails its score."""
    scores = built("translated_cosine", judge=translator(lambda text: DOWN))(*map(fresh, range(3)))
    assert [(score.value, score.error) for score in scores] == [(None, "no translation: HTTP 503")] * 3


def test_a_server_that_fails_rarely_is_made_up_for(built, translator):
    judge = translator(lambda text: DOWN if "90" in text else "we add")
    scores = built("translated_cosine", judge=judge)(*map(fresh, range(1000)))
    assert Counter(score.error for score in scores) == {None: 1000}
    assert sum("untranslated" in score.info for score in scores) == 10 + 10  # 90, 190, ..., 990 and 900 to 909


def test_answers_of_no_use_are_no_outage(built, translator):
    """The host, which stops a run whose judge is not understood, hears of each answer."""
    judge = translator(lambda text: "")
    scores = built("translated_cosine", judge=judge)(*map(fresh, range(20)))
    assert all(score.info["untranslated"] == "the translation is empty" for score in scores)
    assert judge.verdicts == [("", False)] * 20


def test_what_must_stop_the_job_is_raised(built, translator):
    judge = translator(lambda text: JobError("the budget is spent"))
    with pytest.raises(JobError, match="budget"):
        built("translated_cosine", judge=judge)(GERMAN)


def test_both_rewards_open_the_same_model(opened, translator):
    built = {}
    for name, more in (("cosine", {"part": "answer"}), ("translated_cosine", {"translator": "mt", "clamp": False})):
        spec = find("reward", f"embed/{name}")
        options = spec.config(model="org/model", max_tokens=99, **more)
        built[name] = spec.build(options, Context(workers=opened, judges={"mt": translator()}))
    models = [settings for file, settings in opened.opened if file == "embedding_worker.py"]
    assert models[0] == models[1]
    assert models[0] == {
        "model": "org/model", "max_tokens": 99, "batch_size": 32, "dtype": "auto", "trust_remote_code": False,
    }  # fmt: skip


def test_a_row_without_a_language_is_looked_at_all_the_same(opened, translator):
    spec = find("reward", "embed/translated_cosine")
    options = spec.config(model="org/model", translator="mt", against="gold")
    reward = spec.build(options, Context(workers=opened, judges={"mt": translator()}))
    items = [(Sample(fields={"gold": "we add"}), Completion(text=GERMAN))]
    (score,) = asyncio.run(reward.score(items))
    assert score.info["tokens"] == 12
    assert opened.ascii.asked[0][1] is None
