"""Scores with a footnote, of one aspect alone or with an exponent, and a format that a refusal follows."""

from helpers.each_case import each_case
from rewardlab import Reply
from rewardlab_rubric.levels import levels_of
from rewardlab_rubric.replies.reading import level_read, read_reply

LEVELS = levels_of({"1": "bad", "2": "poor", "3": "fair", "4": "good", "5": "perfect"}, ("scale",))
FORMAT = '{"explanation": "...", "score": 4}'


def level(text):
    return level_read("strict", read_reply("strict", Reply(text=text), []), LEVELS)


def verdict(score, explanation="It is right."):
    return f'{{"explanation": "{explanation}", "score": {score}}}'


@each_case(
    "score, expected",
    [
        *((f'"{score}"', None) for score in ("4*", "4**", "*4", "4 *", "4†", "4*.", "4/5*")),
        *((f'"4 ({part})"', None) for part in ("style", "style only", "grammar", "clarity", "content", "on style")),
        *((f'"4 ({part})"', None) for part in ("formatting", "helpfulness", "for accuracy", "its length")),
        *((f'"{score}"', None) for score in ("4 for style", "4 - style", "style: 4", "4: the tone alone")),
        *((f'"{score}"', "4") for score in ("**4**", "*4*", "`4`", "**4**: good", "**4/5**", "(4)", "4 (good)")),
        *((f'"4 ({said})"', "4") for said in ("good style", "a good style, with a slip", "see explanation")),
        *((score, "4") for score in ("4e0", "4.0e0", "4E0", "0.4e1", "40e-1", '"4e0"', '"4E+0"', '"40e-1"')),
        *((score, None) for score in ("4e1", '"4e1"', "4e-1", '"4e-1"', '"0x4"', '"4e"', '"e4"', '"4e99"')),
    ],
)
def test_a_score_in_an_object(score, expected):
    assert level(verdict(score)) == expected


@each_case(
    "text, expected",
    [
        ("Score: 4*", None),
        ("Score: 4 (style)", None),
        ("* Score: 4", "4"),
        ("**Score: 4**", "4"),
        ("Score: **4**", "4"),
        ("Score: 4e0", "4"),
        ('{"explanation: "It is right.", "score": 4e0}', "4"),
    ],
)
def test_a_score_elsewhere(text, expected):
    assert level(text) == expected


@each_case(
    "refusal",
    [
        "I'm sorry, but I can't evaluate this.",
        "I cannot judge this response.",
        "I am unable to score this.",
        "Sorry, I can't help with that.",
        "However, I can't rate this text.",
        "As an AI, I cannot evaluate this.",
        "I must decline to evaluate this content.",
        "I won't score this.",
        "Unfortunately I am not able to assess it.",
        "I refuse to rate this.",
        "I can’t assist with that request.",
        "I do not feel comfortable scoring this.",
        "But I cannot give a score here.",
        "The above is only the format; I cannot evaluate the response.",
        "That is the format. I'm unable to comply.",
    ],
)
def test_a_refusal_behind_the_format_is_no_verdict(refusal):
    for text in (f"{FORMAT}\n\n{refusal}", f"```json\n{FORMAT}\n```\n{refusal}", f"Score: 4\n\n{refusal}"):
        assert level(text) is None, text
    assert level(f"The format is:\n{FORMAT}") is None


@each_case(
    "text",
    [
        *(
            f"{verdict(4)}\n\n{said}"
            for said in (
                "I hope this helps.",
                "The response could not be better in style.",
                "I cannot see a flaw in it, so it is good.",
                "I can't fault the reasoning.",
                "I cannot rate it higher, since it is short.",
                "The response says it cannot evaluate the integral, which is right.",
                "I am sorry that it is so short.",
                "The user cannot complain.",
                "I would not score it otherwise.",
            )
        ),
        verdict(4, "I cannot judge the style, but the answer is right."),
        verdict(4, "The response says: I'm sorry, I can't help with that."),
        f"I'm sorry for the delay. {verdict(4)}",
        f"I cannot find a mistake. {verdict(4)}",
        f"Here is my evaluation in the requested format:\n{verdict(4)}",
    ],
)
def test_other_words_around_a_verdict_leave_it_one(text):
    assert level(text) == "4"
