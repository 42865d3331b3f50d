"""Rows to samples: one mapping for rows and for the samples of any dataset, checks, ids."""

import hashlib
import re
import subprocess
import sys

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab.data.rows import (
    Identifier,
    prompt_hash,
    raw_sample,
    remap,
    sample_id,
    to_completions,
    to_group,
    to_id,
    to_messages,
    to_sample,
)
from rewardlab.types import Completion, Sample

USER = {"role": "user", "content": "How many?"}


def test_importing_rows_costs_nothing_but_the_standard_library():
    program = "import sys, rewardlab.data.rows; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    heavy = {"pydantic", "yaml", "omegaconf", "torch", "transformers", "datasets", "pandas", "numpy"}
    assert not heavy & set(out.stdout.split())


# --- samples and mapping ---


def test_a_row_is_a_sample():
    sample = to_sample({"id": 7, "prompt": "How many?", "answer": 4, "tags": ["x"]}, {}, "rows.jsonl:7")
    assert sample == Sample(id="7", prompt=(USER,), fields={"answer": 4, "tags": ["x"]})
    assert sample.source == "rows.jsonl:7"


def test_our_name_takes_the_value_of_their_column_which_stays():
    row = {"question": "How many?", "solution": "4 + 3 = 7", "lang": "en", "nr": "q1"}
    fields = {"prompt": "question", "id": "nr", "reference": "solution", "language": "lang"}
    sample = to_sample(row, fields)
    assert (sample.id, sample.prompt) == ("q1", (USER,))
    assert sample.fields == {
        "solution": "4 + 3 = 7",
        "lang": "en",
        "reference": "4 + 3 = 7",
        "language": "en",
    }


def test_a_column_of_our_own_name_stands_only_where_theirs_is_absent():
    fields = {"reference": "solution", "prompt": "question"}
    both = to_sample({"prompt": "ours", "question": "theirs", "reference": 1, "solution": 2}, fields)
    assert both.prompt[0]["content"] == "theirs"
    assert both.fields == {"reference": 2, "solution": 2}
    own = to_sample({"prompt": "ours", "reference": 1}, fields)
    assert own.prompt[0]["content"] == "ours"
    assert own.fields == {"reference": 1}


def test_a_null_in_their_column_is_a_value():
    assert to_sample({"prompt": "x", "a": 1, "b": None}, {"a": "b"}).fields["a"] is None


def test_an_unreadable_prompt_of_ours_does_not_matter_where_theirs_is_there():
    assert to_sample({"prompt": 3, "question": "How many?"}, {"prompt": "question"}).fields == {}


def test_columns_can_be_swapped():
    assert to_sample({"prompt": "x", "a": 1, "b": 2}, {"a": "b", "b": "a"}).fields == {"a": 2, "b": 1}
    swapped = to_sample({"prompt": "p", "id": "i"}, {"prompt": "id", "id": "prompt"})
    assert (swapped.id, swapped.prompt[0]["content"], swapped.fields) == ("p", "i", {})


def test_one_column_may_serve_two_names():
    sample = to_sample({"question": "How many?"}, {"prompt": "question", "query": "question"})
    assert (sample.prompt, sample.fields) == ((USER,), {"query": "How many?"})
    sample = to_sample({"prompt": "How many?"}, {"id": "prompt", "query": "prompt"})
    assert (sample.id, sample.prompt, sample.fields) == ("How many?", (USER,), {"query": "How many?"})


@each_case(
    "column, value",
    [
        ("extra.answer", "7"),
        ("extra.deep.er", [1]),
        ("extra.deep", {"er": [1]}),
        ("a.b", "by its own name"),
        ("a.c", None),
        ("extra", {"answer": "7", "deep": {"er": [1]}, "none": None}),
        ("extra.nothing", None),
        ("extra.answer.x", None),
        ("extra.none.x", None),
        ("nowhere.x", None),
        ("extra.", None),
        (".", None),
    ],
)
def test_a_column_may_stand_in_an_object_of_another(column, value):
    extra = {"answer": "7", "deep": {"er": [1]}, "none": None}
    row = {"prompt": "How many?", "extra": extra, "a.b": "by its own name", "a": {"b": "not by it"}}
    found = to_sample(row, {"ours": column}).fields
    assert found.get("ours") == value
    assert ("ours" in found) == (value is not None)
    assert found["extra"] == extra


def test_a_prompt_may_stand_in_an_object():
    sample = to_sample({"row": {"asked": "How many?", "key": 5}}, {"prompt": "row.asked", "id": "row.key"})
    assert (sample.prompt, sample.id) == ((USER,), "5")


def test_the_samples_of_a_plugin_are_mapped_like_rows():
    made = Sample(id="s1", prompt=[USER], fields={"solution": "7"}, source="somewhere")
    mapped = remap(made, {"reference": "solution", "query": "prompt"})
    assert mapped.fields == {"solution": "7", "reference": "7", "query": "How many?"}
    assert (mapped.id, mapped.prompt, mapped.source) == ("s1", (USER,), "somewhere")


def test_a_prompt_of_several_messages_keeps_its_form_under_another_name():
    messages = [{"role": "system", "content": "Be brief."}, USER]
    assert to_sample({"prompt": messages}, {"query": "prompt"}).fields == {"query": messages}


def test_a_raw_sample_keeps_what_it_cannot_place():
    raw = raw_sample({"id": 1.5, "prompt": [], "question": "x"}, "rows.jsonl:1")
    assert raw == Sample(fields={"id": 1.5, "prompt": [], "question": "x"})


names = st.sampled_from(["id", "prompt", "completions", "a", "b", "c", "d"])
values = st.none() | st.integers() | st.text(max_size=3) | st.lists(st.just(USER), max_size=2)


@given(row=st.dictionaries(names, values), fields=st.dictionaries(names, names), data=st.data())
def test_laws_of_mapping(row, fields, data):
    try:
        sample = to_sample(row, fields)
    except ValueError:
        return  # test_any_row_is_a_group_or_a_value_error is about these
    shuffled = dict(data.draw(st.permutations(list(fields.items()))))
    assert to_sample(row, shuffled) == sample, "the order of the mapping says nothing"
    assert remap(sample, {}) == sample, "what is mapped stays mapped"
    assert not {"id", "prompt"} & sample.fields.keys()
    own = {"id", "prompt"}
    for ours, theirs in fields.items():
        if theirs in row and not {ours, theirs} & own:
            assert sample.fields[ours] == row[theirs], "our name has the value of their column"
    for name in row.keys() - fields.keys() - set(fields.values()) - own:
        assert sample.fields[name] == row[name], "what is not mapped stays as it is"


@given(row=st.dictionaries(names, values), fields=st.dictionaries(names, names))
def test_any_row_is_a_group_or_a_value_error(row, fields):
    try:
        group = to_group(row, fields)
    except ValueError as error:
        assert str(error)  # noqa: PT017 - either outcome is right, but not an exception without words
    else:
        assert group.completions
        assert "completions" not in group.sample.fields


# --- prompts and ids ---


def test_a_prompt_is_a_text_or_messages():
    assert to_messages("How many?") == (USER,)
    chat = [{"role": "system", "content": ""}, USER]
    assert to_messages(chat) == tuple(chat)


@each_case(
    "prompt, what",
    [
        (None, "prompt must be a text or a list of messages, not null"),
        (3, "prompt must be a text or a list of messages, not the number 3"),
        ({"role": "user", "content": "x"}, "prompt must be a text or a list of messages, not an object"),
        ("", "prompt is empty"),
        (" \n", "prompt is empty"),
        ([], "prompt is empty"),
        ([{"role": "user", "content": ""}], "prompt is empty"),
        (["x"], "prompt[0] must be a message with role and content, not a text"),
        ([USER, {"role": "user"}], "prompt[1].content must be a text; it is absent"),
        ([{"role": "user", "content": [{"type": "text"}]}], "prompt[0].content must be a text; it is a list"),
        ([{"content": "x"}], "prompt[0].role must be a text; it is absent"),
        ([{"role": "", "content": "x"}], "prompt[0]: no role ''"),
        ([{"role": "users", "content": "x"}], "prompt[0]: no role 'users'; did you mean 'user'?"),
        ([{**USER, "name": "Ana"}], "prompt[0] has 'name'; a message has role and content, nothing else"),
    ],
)
def test_another_prompt_is_refused_and_named(prompt, what):
    with pytest.raises(ValueError, match="^" + re.escape(what)):
        to_messages(prompt)


PICTURE, ASKED = {"type": "image", "image": object()}, {"type": "text", "text": "1+1?"}


@each_case(
    "content, text",
    [
        ([PICTURE, ASKED], "1+1?"),
        ([ASKED, PICTURE], "1+1?"),
        ([PICTURE, PICTURE, ASKED], "1+1?"),
        ([{"type": "image_url", "image_url": {"url": "x"}}, ASKED], "1+1?"),
        ([{"type": "input_image", "image_url": "x"}, {"type": "input_text", "text": "1+1?"}], "1+1?"),
        ([{"type": "image", "text": None}, {"type": "text", "text": "1+1?", "image": None}], "1+1?"),
        ([{"type": "video", "video": [object()]}, ASKED], "1+1?"),
        ([{"type": "input_audio", "input_audio": {}}, ASKED], "1+1?"),
        ([{"type": "document", "source": {}}, ASKED], "1+1?"),
        ([{"image": "a.png"}, ASKED], "1+1?"),
        ([ASKED, ASKED], "1+1?1+1?"),
        ([PICTURE], "[image]"),
        ([PICTURE, {"type": "video"}], "[image][video]"),
        ([PICTURE, {"type": "text", "text": " "}], "[image]"),
        ("1+1?", "1+1?"),
    ],
)
def test_pictures_in_a_prompt_that_was_answered_are_passed_over(content, text):
    row = {"prompt": [{"role": "user", "content": content, "name": None}], "completions": ["2"]}
    assert to_group(row, {}).sample.prompt == ({"role": "user", "content": text},)


@each_case(
    "content, what",
    [
        ([{"type": "text"}], "prompt[0].content has a part 'text'; rewards read texts only"),
        ([{"type": "thing"}, ASKED], "prompt[0].content has a part 'thing'; rewards read texts only"),
        (["1+1?"], "prompt[0].content must be a text or a list of parts; it is a list"),
        ([], "prompt is empty"),
        (None, "prompt[0].content must be a text; it is absent"),
        (3, "prompt[0].content must be a text; it is the number 3"),
    ],
)
def test_other_parts_of_a_prompt_are_refused_and_named(content, what):
    with pytest.raises(ValueError, match="^" + re.escape(what)):
        to_group({"prompt": [{"role": "user", "content": content}], "completions": ["2"]}, {})


def test_a_prompt_that_a_model_is_to_answer_is_not_cut_to_its_texts():
    with pytest.raises(ValueError, match=r"prompt\[0\].content must be a text; it is a list"):
        to_sample({"prompt": [{"role": "user", "content": [PICTURE, ASKED]}]}, {})


def test_a_row_without_prompt_is_told_which_columns_there_are():
    told = "no prompt: there is no column 'prompt'; columns: 'q', 'a'; map yours with `fields: {prompt: <column>}`"
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        to_sample({"q": "x", "a": 1}, {})
    with pytest.raises(ValueError, match=r"^no prompt: there is no column 'text' or 'prompt'; columns: none$"):
        to_sample({}, {"prompt": "text"})


def test_an_id_is_a_text_or_a_whole_number():
    assert (to_id("a b"), to_id(0), to_id(-3)) == ("a b", "0", "-3")
    for value, found in ((None, "null"), (True, "true"), (1.0, "the number 1.0"), ([], "a list")):
        with pytest.raises(ValueError, match=f"id must be a text or a whole number, not {found}"):
            to_id(value)
    with pytest.raises(ValueError, match="id is an empty text"):
        to_id("")


def test_a_row_without_id_has_none_yet():
    assert to_sample({"prompt": "x"}, {"id": "nr"}).id == ""


# --- completions ---


def test_completions_are_texts_or_objects():
    value = ["a", {"text": "", "token_count": 0, "truncated": True}, {"text": "b", "token_count": None}]
    assert to_completions(value) == (
        Completion(text="a"),
        Completion(text="", token_count=0, truncated=True),
        Completion(text="b"),
    )


@each_case(
    "value, what",
    [
        ("a", "completions must be a list, not a text"),
        (None, "completions must be a list, not null"),
        ([], "completions is an empty list; at least one is needed"),
        (["a", 3], "completions[1] must be a text, a list of messages or an object with 'text', not the number 3"),
        ([{}], "completions[0].text must be a text; it is absent"),
        ([{"text": None}], "completions[0].text must be a text; it is null"),
        ([{"text": "a", "tokens": 3}], "completions[0]: no key 'tokens'"),
        (
            [{"text": "a", "token_cout": 3}],
            "completions[0]: no key 'token_cout'; did you mean 'token_count'?",
        ),
        ([{"text": "a", "token_count": True}], "completions[0].token_count must be a whole number of 0 or more"),
        ([{"text": "a", "token_count": 1.0}], "completions[0].token_count must be a whole number of 0 or more"),
        ([{"text": "a", "token_count": -1}], "completions[0].token_count must be a whole number of 0 or more"),
        ([{"text": "a", "truncated": 1}], "completions[0].truncated must be true or false, not the number 1"),
        ([{"text": "a", "truncated": None}], "completions[0].truncated must be true or false, not null"),
    ],
)
def test_other_completions_are_refused_and_named(value, what):
    with pytest.raises(ValueError, match="^" + re.escape(what)):
        to_completions(value)


def test_a_group_is_a_sample_with_its_completions_apart():
    group = to_group({"prompt": "How many?", "answers": ["a"], "gold": "4"}, {"completions": "answers"}, "r:1")
    assert group.sample == Sample(prompt=(USER,), fields={"gold": "4"})
    assert group.sample.source == "r:1"
    assert group.completions == (Completion(text="a"),)


def test_a_row_without_completions_is_refused():
    with pytest.raises(ValueError, match=r"^no completions: there is no column 'answers' or 'completions';"):
        to_group({"prompt": "x", "answer": "4"}, {"completions": "answers"})


# --- ids that are made ---


def test_a_made_id_is_the_hash_of_the_prompt_and_its_occurrence():
    digest = hashlib.sha256(b'[{"content":"How many \\u00e9?","role":"user"}]').hexdigest()
    text, messages = "How many é?", [{"role": "user", "content": "How many é?"}]
    assert sample_id(to_sample({"prompt": text}, {}), 0) == f"{digest}-0"
    assert sample_id(to_sample({"prompt": messages, "answer": 4}, {}), 2) == f"{digest}-2"


def test_an_identifier_keeps_ids_and_makes_those_that_are_missing():
    identify = Identifier()
    rows = [{"prompt": "x"}, {"prompt": "x", "id": "mine"}, {"prompt": "y"}, {"prompt": "x"}]
    ids = [identify(to_sample(row, {})).id for row in rows]
    x, y = (prompt_hash(to_messages(text)) for text in "xy")
    assert ids == [f"{x}-0", "mine", f"{y}-0", f"{x}-1"]


def test_a_repeated_id_is_refused_with_the_place_where_it_was_first():
    identify = Identifier()
    identify(to_sample({"prompt": "x", "id": 7}, {}, "rows.jsonl:3"))
    with pytest.raises(ValueError, match=r"^the id '7' is already used by rows\.jsonl:3$"):
        identify(to_sample({"prompt": "y", "id": "7"}, {}, "rows.jsonl:9"))
    identify(Sample(id="a", prompt=(USER,)))
    with pytest.raises(ValueError, match="already used by sample 2"):
        identify(Sample(id="a", prompt=(USER,)))


@given(prompts=st.lists(st.sampled_from(["x", "y", "z"]), max_size=30))
def test_made_ids_are_unique_and_repeatable(prompts):
    def ids():
        identify = Identifier()
        return [identify(to_sample({"prompt": prompt}, {})).id for prompt in prompts]

    assert len(set(ids())) == len(prompts)
    assert ids() == ids()
