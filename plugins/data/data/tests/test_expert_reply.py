"""Replies that count as a reference: exactly the two blocks, wherever the server put the reasoning."""

import pytest
from helpers.each_case import each_case
from rewardlab import Reply
from rewardlab_answers import sections
from rewardlab_data.expert_reply import IllFormedReply, read_reference

FORM = "<think>2 and 2 are 4.</think><answer>4</answer>"


def parts(reply, bare=False):
    reply = Reply(text=reply) if isinstance(reply, str) else reply
    found = read_reference(reply, bare)
    return found.reasoning, found.answer


@each_case(
    "reply",
    [
        FORM,
        "\n<think>\n2 and 2 are 4.\n</think>\n\n<answer> 4 </answer>\n",
        "2 and 2 are 4.</think><answer>4</answer>",  # the chat template opened the block
        Reply(text="<answer>4</answer>", reasoning="2 and 2 are 4."),
        Reply(text="\n\n<answer>4</answer>", reasoning="2 and 2 are 4.\n"),
        Reply(text=FORM, reasoning="I should write <think> and <answer>."),
    ],
)
def test_reasoning_and_answer_are_found_wherever_the_server_puts_them(reply):
    assert parts(reply) == ("2 and 2 are 4.", "4")


@pytest.mark.parametrize("empty", ["", "<think></think>", "\n<think>\n\n</think>\n\n", "</think>"])
@pytest.mark.parametrize("bare", [False, True])
def test_beside_thoughts_that_come_apart_an_empty_block_is_no_part_of_the_text(empty, bare):
    apart = "2 and 2 are 4."
    assert parts(Reply(text=f"{empty}<answer>4</answer>", reasoning=apart), bare) == (apart, "4")
    if bare:
        assert parts(Reply(text=f"{empty}It is 4.", reasoning=apart), bare) == (apart, "It is 4.")


@pytest.mark.parametrize(
    ("thoughts", "reasoning"),
    [
        ("I write <answer>4</answer>.", "I write  4 ."),
        ("<think>2 and 2 are 4.</think>", "2 and 2 are 4."),
        ("It goes <think>, </think>, <answer>.", "It goes  ,  ,  ."),
        ("Not </thi<think>nk> again.", "Not </thi nk> again."),
    ],
)
@pytest.mark.parametrize(("text", "answer"), [("<answer>4</answer>", "4"), ("It is 4.", "It is 4.")])
def test_tags_that_thoughts_mention_are_taken_out_of_them(thoughts, reasoning, text, answer):
    found = read_reference(Reply(text=text, reasoning=thoughts), bare=True)
    assert (found.reasoning, found.answer) == (reasoning, answer)
    assert sections.split(found.text) == (reasoning, answer)


def test_a_block_that_the_text_has_itself_goes_before_thoughts_that_come_apart():
    reply = Reply(text="2 and 2 are 4.</think><answer>4</answer>", reasoning="Let me see.")
    assert parts(reply) == ("2 and 2 are 4.", "4")


def test_the_canonical_form_has_nothing_outside_its_blocks():
    reply = Reply(text="\n<think>\n2 and 2 are 4.\n</think>\n\n<answer> 4 </answer>\n")
    assert read_reference(reply, bare=False).text == FORM


@each_case(
    "reply, reason",
    [
        ("4", "not <think>"),
        ("<answer>4</answer>", "not <think>"),
        ("<think>2 and 2 are 4.</think>4", "not <think>"),
        ("Sure! " + FORM, "not <think>"),
        (FORM + " Anything else?", "not <think>"),
        (FORM + FORM, "not <think>"),
        ("<think> </think><answer>4</answer>", "not <think>"),
        ("<think>2 and 2 are 4.</think><answer>\n</answer>", "not <think>"),
        ("<answer>4</answer><think>2 and 2 are 4.</think>", "not <think>"),
        (Reply(text="4", reasoning="2 and 2 are 4."), "not <think>"),
        (Reply(text="4 <answer>4</answer>", reasoning="2 and 2 are 4."), "not <think>"),
        (Reply(text="<answer>4</answer><answer>4</answer>", reasoning="2 and 2 are 4."), "not <think>"),
        (Reply(text="Well. <think></think><answer>4</answer>", reasoning="2 and 2 are 4."), "not <think>"),
        (Reply(text="<think></think>" * 2 + "<answer>4</answer>", reasoning="2 and 2 are 4."), "not <think>"),
        (Reply(text="<think></think><answer>4</answer>", reasoning=" <think> </think> "), "not <think>"),
        (Reply(text="<think></think>", reasoning="2 and 2 are 4."), "not <think>"),
        (Reply(text="", reasoning="2 and 2 are 4."), "empty"),
        (" \n", "empty"),
        (Reply(text=FORM, finish_reason="length"), "cut off"),
        (Reply(text="", reasoning="2 and", finish_reason="length"), "cut off"),
    ],
)
def test_anything_else_is_ill_formed(reply, reason):
    with pytest.raises(IllFormedReply, match=reason):
        parts(reply)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text="It is 4.", reasoning="2 and 2 are 4."),
        "<think>2 and 2 are 4.</think>\nIt is 4.",
        "2 and 2 are 4.</think>\nIt is 4.",
    ],
)
def test_a_bare_text_after_the_reasoning_is_the_answer_only_where_that_is_asked_for(reply):
    assert parts(reply, bare=True) == ("2 and 2 are 4.", "It is 4.")
    with pytest.raises(IllFormedReply):
        parts(reply)


@each_case(
    "reply",
    [
        "It is 4.",
        "<think>2 and 2 are 4.</think>",
        "<think>why</think><answer>4",
        Reply(text="It is <think></think> 4.", reasoning="2 and 2 are 4."),
    ],
)
def test_bare_makes_no_reasoning_and_no_answer_of_nothing(reply):
    with pytest.raises(IllFormedReply):
        parts(reply, bare=True)


def test_the_detail_shows_the_reply_and_not_all_of_it():
    with pytest.raises(IllFormedReply) as found:
        parts("no tags " * 1000)
    assert found.value.detail.startswith("not <think>...</think><answer>...</answer>: 'no tags no tags")
    assert len(found.value.detail) < 150


@each_case(
    "answer",
    [
        "I cannot help with that.",
        "I'm sorry, but I can't assist with this request.",
        "I’m sorry, I can’t help with that.",
        "**I am unable to provide an answer.**",
        "Sorry, I won't answer this.",
        "As an AI language model, I cannot answer medical questions.",
        "Unfortunately, I do not know.",
        "N/A",
        "抱歉，我无法回答这个问题。",
        "  I can not   help\nwith that",
    ],
)
def test_a_refusal_in_good_form_is_no_reference(answer):
    with pytest.raises(IllFormedReply, match="a refusal: "):
        read_reference(Reply(text=f"<think>It is not allowed.</think><answer>{answer}</answer>"), bare=False)
    with pytest.raises(IllFormedReply, match="a refusal: "):
        read_reference(Reply(text=f"<think>It is not allowed.</think>{answer}"), bare=True)


@each_case(
    "answer",
    [
        "It cannot be determined from what is given.",
        "I = V / R, so the current is 2 A.",
        "We cannot divide by zero, so the limit does not exist.",
        "The court said: I cannot help with that.",
        "Sorry is an apology.",
        "None of the above holds: the answer is 4.",
        "Unknown variables are eliminated first; x = 3.",
        "I can provide three reasons.",
        "The doctor was unable to help.",
        "None.",
        "We do not know whether P = NP.",
        "no",
    ],
)
def test_an_answer_that_only_sounds_like_one_is_none(answer):
    assert read_reference(Reply(text=f"<think>So.</think><answer>{answer}</answer>"), bare=False).answer == answer
