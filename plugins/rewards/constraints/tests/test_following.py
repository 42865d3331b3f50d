"""What constraints/following gives for several instructions, in both modes, and which text it judges."""

from helpers.each_case import each_case
from helpers.instructions import PROMPT, followed, scored

NAMES = ["punctuation:no_comma", "detectable_format:title", "keywords:existence"]
ARGUMENTS = [{}, {}, {"keywords": ["river"]}]


@each_case(
    "text, mean, whole",
    [
        ("<<Song>>\nThe river.", 1.0, 1.0),
        ("The river.", 2 / 3, 0.0),
        ("Well, hm.", 0.0, 0.0),
        ("", 0.0, 0.0),
    ],
)
def test_the_value_is_the_share_or_whether_all_are_followed(text, mean, whole):
    assert scored(text, NAMES, ARGUMENTS).value == mean
    assert scored(text, NAMES, ARGUMENTS, value="all").value == whole


def test_each_instruction_is_told_of_in_the_rows_order():
    assert scored("A river.", NAMES, ARGUMENTS).info == {
        "instructions": [
            {"id": "punctuation:no_comma", "followed": True},
            {"id": "detectable_format:title", "followed": False},
            {"id": "keywords:existence", "followed": True},
        ]
    }


def test_an_instruction_without_a_meaning_counts_neither_for_nor_against():
    names, arguments = [*NAMES, "change_case:english_capital"], [*ARGUMENTS, {}]
    score = scored("หนึ่ง river", names, arguments, "th")
    assert score.value == 2 / 3
    assert score.info["undecided"] == 1
    assert score.info["instructions"][-1] == {
        "id": "change_case:english_capital",
        "followed": None,
        "reason": "Thai has no capital letters",
    }
    alone = scored("หนึ่ง", names[-1:], [{}], "th")
    assert (alone.value, alone.error) == (None, None)


@each_case(
    "text",
    [
        "Sure! Here you are:\nthe river runs on",
        "the river runs on\nAnything else? Ask away!",
        "Sure!\nthe river runs on\nAsk!",
        "**the river runs on**",
    ],
)
def test_loose_looks_at_it_without_edges_and_asterisks(text):
    arguments = {"options": "the river runs on / the river stands still"}
    assert followed(text, "format:options", mode="loose", **arguments) is True
    if "*" not in text:
        assert followed(text, "format:options", **arguments) is False


@each_case(
    "text, part, judged",
    [
        ("<think>a, b</think>no comma", "response", True),
        ("<think>no comma</think>a, b", "response", False),
        ("no end of <think>thoughts, many", "response", True),
        ("<think>thoughts without an end", "response", False),
        ("a, <answer>no comma</answer>, b", "answer", True),
        ("a, <answer>no comma</answer>, b", "response", False),
        ("no answer", "answer", True),
    ],
)
def test_what_is_judged_is_the_response_and_not_the_thought(text, part, judged):
    assert scored(text, ["punctuation:no_comma"], [{}], part=part).value == float(judged)


def test_the_prompt_said_again_follows_nothing_unless_that_is_asked():
    arguments = {"keywords": ["river"]}
    assert followed(PROMPT, "keywords:existence", **arguments) is False
    assert followed(f"Well. {PROMPT} Hm.", "keywords:existence", **arguments) is False
    assert followed(f"{PROMPT} It is a river.", "keywords:existence", **arguments) is True
    again = {"prompt_to_repeat": PROMPT}
    assert followed(f"{PROMPT}\nIt rises in the hills.", "combination:repeat_prompt", **again) is True
    assert followed(PROMPT, "combination:repeat_prompt", **again) is False
