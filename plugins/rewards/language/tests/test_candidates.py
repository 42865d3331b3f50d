"""The translation in a translator's reply, and the choice of a candidate."""

from helpers.each_case import each_case
from helpers.growth import many, refuse_growth
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_language.alterations import Alteration
from rewardlab_language.candidates import Candidate, best, clean
from rewardlab_language.translation_prompt import fence

SOURCE = "How many apples are there?"
TEXT = "Ada berapa apel?"


@each_case(
    "reply",
    [
        TEXT,
        f"\n  {TEXT}\n\n",
        f"```\n{TEXT}\n```",
        f"```text\n{TEXT}\n```\n",
        f"~~~\n{TEXT}\n~~~",
        f"Indonesian Translation:\n\n{TEXT}",
        f"indonesian translation: {TEXT}",
        f"**Indonesian translation:** {TEXT}",
        f"Here is the Indonesian translation:\n```\n{TEXT}\n```",
        f"```\nIndonesian text:\n{TEXT}\n```",
        f"Translation:\n{TEXT}",
        f"<think>It asks for a number.</think>\n{TEXT}",
        f"The user wants Indonesian.</think>{TEXT}",
        f"[THINK]It asks for a number.[/THINK]{TEXT}",
        fence(SOURCE).replace(SOURCE, TEXT),
        f"```\n{fence(SOURCE).replace(SOURCE, TEXT)}\n```",
    ],
)
def test_what_is_wrapped_around_a_translation_goes(reply):
    assert clean(reply, SOURCE, "Indonesian") == TEXT


@each_case(
    "text",
    [
        "Jalankan kode ini:\n```\nprint(1)\n```",
        "```\na\n```\nlalu\n```\nb\n```",
        "Translation : on déplace le triangle.",
        "Terjemahan: geser segitiga itu.",
        "```",
        "",
    ],
)
def test_what_belongs_to_the_text_stays(text):
    assert clean(text, SOURCE, "Indonesian") == text


def test_a_text_that_starts_like_a_heading_keeps_it():
    source, text = "Translation: move the triangle by 3.", "Translation: décaler le triangle de 3."
    assert clean(text, source, "French") == text
    assert clean(f"French translation: {text}", source, "French") == text


@given(
    st.lists(
        st.sampled_from(["```", "\n", "\r\n", " ", "Thai text:", "</think>", "a", "~~~"]) | st.text(max_size=5)
    ).map("".join)
)
def test_cleaning_cuts_and_never_invents(reply):
    assert clean(reply, SOURCE, "Thai") in reply


@each_case("unit", ["Thai translation:", "```\n", "</think>", " ", "`", "*", "\n```\n ", "word "])
def test_hostile_replies_take_linear_time(unit):
    refuse_growth(unit, lambda text: clean(text, SOURCE, "Thai"), many(unit))


def candidate(draw, share, whole=True):
    altered = () if whole else (Alteration("number", "5 is not in it"),)
    return Candidate(text=f"{draw}", share=share, altered=altered, draw=draw)


@each_case(
    "candidates, draw",
    [
        ([candidate(0, 0.8), candidate(1, 0.9)], 1),
        ([candidate(0, 0.9), candidate(1, 0.9)], 0),
        ([candidate(1, 0.9), candidate(0, 0.9)], 0),
        ([candidate(0, 1.0, whole=False), candidate(1, 0.6)], 1),
        ([candidate(0, 0.7, whole=False), candidate(1, 0.9, whole=False)], 1),
        ([candidate(0, 0.7, whole=False), candidate(1, 0.49)], 0),
        ([candidate(0, 0.5)], 0),
        ([candidate(0, 0.49)], None),
        ([], None),
    ],
)
def test_the_best_candidate(candidates, draw):
    chosen = best(candidates, 0.5)
    assert (chosen and chosen.draw) == draw
