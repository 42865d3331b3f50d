"""rubric/summarised: thoughts that are too long."""

import logging

import pytest
from helpers.each_case import each_case
from rewardlab import Context, Reply, Sample, find
from rewardlab.errors import JobError, UserError
from rewardlab_rubric.data_steps.lengths import count_words, length_of

SPEC = find("dataset", "rubric/summarised")
LONG = "I add them. " + "Or do I? " * 20 + "I do."
VERDICT = '{"explanation": "", "score": 2}'


def row(name="r", trace=LONG, **fields):
    fields = {"trace": trace, "response": f"<think>{trace}</think>{VERDICT}", "score": 2, **fields}
    return Sample(id=name, prompt=({"role": "user", "content": "?"},), fields=fields, source=f"r.jsonl:{name}")


@pytest.fixture
def summarised(scripted):
    """`summarised(reply, *rows, **options)`: the rows that are made, and the judge."""

    def made(reply, *rows, **options):
        judge = scripted(reply if callable(reply) else lambda ask: reply)
        config = SPEC.config(**{"judge": "short", "limit": 40, **options})
        return list(SPEC.build(config, Context(judges={"short": judge}, source=list(rows or [row()])))), judge

    return made


SHORT = Reply(text="I add them. I do.")


def test_a_long_response_gets_the_summary_and_the_row_keeps_both(summarised):
    (made,), judge = summarised(SHORT)
    assert made.fields == {
        "trace": "I add them. I do.",
        "response": f"<think>I add them. I do.</think>{VERDICT}",
        "score": 2,
        "full_trace": LONG,
        "tokens": count_words(f"<think>I add them. I do.</think>{VERDICT}"),
    }
    assert (made.id, made.prompt) == ("r", row().prompt)
    (asked,) = judge.asked
    assert f"\n{LONG}\n" in asked.messages[-1]["content"]
    assert VERDICT not in str(asked.messages)
    rest = count_words(f"<think></think>{VERDICT}")
    assert rest == 21
    assert "with at most 16 words" in asked.messages[-1]["content"]
    (asked,) = summarised(SHORT, row(trace=LONG * 2), limit=61)[1].asked
    assert "with at most 20 words" in asked.messages[-1]["content"]  # half of the tokens that are left


def test_a_short_response_is_counted_and_costs_nothing(summarised):
    before = row(trace="I add them.")
    (made,), judge = summarised(SHORT, before)
    assert made.fields == before.fields | {"tokens": count_words(before.fields["response"]), "full_trace": None}
    assert not judge.asked


def test_the_limit_itself_is_no_more_than_the_limit(summarised):
    tokens = count_words(row().fields["response"])
    assert not summarised(SHORT, limit=tokens)[1].asked
    assert summarised(SHORT, limit=tokens - 1)[1].asked


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (Reply(text=LONG), "a summary that is still too long"),
        (Reply(text=""), "empty"),
        (Reply(text="I add", finish_reason="length"), "cut off at the token limit"),
        (Reply(text="I add.</think>\nIt is 5."), "a summary with tags of thoughts"),
    ],
)
def test_what_is_no_summary_is_asked_again_and_then_left_out(summarised, caplog, first, why):
    (made,), judge = summarised(lambda ask: first if ask.draw < 2 else SHORT)
    assert made.fields["trace"] == SHORT.text
    assert [ask.draw for ask in judge.asked] == [0, 1, 2]
    assert judge.understood_ == [False, False, True]
    other = row("other", "Other thoughts. " * 30)
    with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
        made, _ = summarised(lambda ask: first if "Other" in ask.parts["text"] else SHORT, row(), other)
    assert [one.id for one in made] == ["r"]
    assert f"rubric/summarised: 1 of 2 rows dropped: 1: {why}; first: r.jsonl:other" in caplog.text


def test_an_answer_that_is_too_long_by_itself_is_left_out_unasked(summarised, caplog):
    with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
        made, judge = summarised(SHORT, row(response=f"<think>{LONG}</think>{'long ' * 40}"), row("other"))
    assert [one.id for one in made] == ["other"]
    assert len(judge.asked) == 1
    assert "1 of 2 rows dropped: 1: too long even without thoughts" in caplog.text


def test_a_judge_that_thinks_itself_is_read_behind_its_thoughts(summarised):
    (made,), _ = summarised(Reply(text=f"<think>Hm.</think>\n{SHORT.text}"))
    assert made.fields["trace"] == SHORT.text


def test_a_summary_in_the_tags_of_thoughts_is_taken_out_of_them(summarised):
    (made,), _ = summarised(Reply(text=f"<think>{SHORT.text}</think>"))
    assert made.fields["trace"] == SHORT.text


def test_a_row_that_the_server_refuses_is_left_out(summarised, caplog):
    refused = Reply(error="HTTP 400: " + "too long " * 9, refused=True)
    with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
        made, judge = summarised(
            lambda ask: refused if "twice" in ask.parts["text"] else SHORT, row(), row("s", LONG + " I do it twice.")
        )
    assert [one.id for one in made] == ["r"]
    assert (
        f"first: r.jsonl:s: refused by the server: '{refused.error.strip()}'" in caplog.text
    )  # in the server's words, whole
    assert len(judge.asked) == 2


def test_no_answer_is_an_error(summarised):
    with pytest.raises(JobError, match=r"r.jsonl:r: judge 'short' answered none of 3 questions: HTTP 503"):
        summarised(Reply(error="HTTP 503"))


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"response": None}, "field 'response' should hold text, not None"),
        ({"trace": ""}, "field 'trace' should hold text, not ''"),
        ({"trace": "Something else."}, "'response' holds the text of 'trace' 0 times, not once"),
        ({"trace": "Or do I?"}, "'response' holds the text of 'trace' 20 times, not once"),
    ],
)
def test_a_row_whose_thoughts_cannot_be_replaced_is_the_users_mistake(summarised, fields, what):
    bad = row()
    with pytest.raises(UserError, match=f"r.jsonl:r: .*{what}"):
        summarised(SHORT, Sample(id="r", prompt=bad.prompt, fields={**bad.fields, **fields}, source=bad.source))


class TestLength:
    @each_case(
        "text, count",
        [
            ("", 0),
            ("two words", 2),
            ("It's 3.5!", 7),
            ("你好，世界", 5),
            ("ABC你好", 3),
            ("สวัสดี", 6),
            ("Übung macht den Meister.", 5),
            ("дом и сад", 3),
            ("नमस्ते दुनिया", 2),
            ("가나다 라마", 2),
        ],
    )
    def test_in_words_marks_and_characters_of_scripts_without_blanks(self, text, count):
        assert count_words(text) == count

    @pytest.mark.slow  # loads torch
    def test_in_tokens_of_a_tokenizer(self, tmp_path):
        tokenizers = pytest.importorskip("tokenizers")
        transformers = pytest.importorskip("transformers")
        model = tokenizers.models.WordLevel({"<end>": 0, "a": 1, "b": 2}, unk_token="<end>")
        words = tokenizers.Tokenizer(model)
        words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
        transformers.PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<end>").save_pretrained(tmp_path)
        assert length_of(str(tmp_path))("a b, a") == 4

    @pytest.mark.slow  # loads torch
    def test_by_no_tokenizer_is_the_users_mistake(self, tmp_path):
        pytest.importorskip("transformers")
        with pytest.raises(UserError, match="has no tokenizer that transformers can load"):
            length_of(str(tmp_path / "none"))
