"""Responses that would follow an instruction in letter only, and the work that long ones take."""

import pytest
from helpers.each_case import each_case
from helpers.growth import many, refuse_growth
from helpers.instructions import followed, scored
from rewardlab_constraints.instruction_check import CHECKS

ARGUMENTS = {
    "keywords:existence": {"keywords": ["river"]},
    "keywords:frequency": {"keyword": "river", "frequency": 2, "relation": "less than"},
    "keywords:forbidden_words": {"forbidden_words": ["hill", "mill"]},
    "keywords:letter_frequency": {"letter": "x", "let_frequency": 3, "let_relation": "less than"},
    "language:response_language": {"language": "en"},
    "length_constraints:number_sentences": {"num_sentences": 9, "relation": "less than"},
    "length_constraints:number_paragraphs": {"num_paragraphs": 1},
    "length_constraints:number_words": {"num_words": 9, "relation": "less than"},
    "length_constraints:nth_paragraph_first_word": {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "a"},
    "detectable_content:number_placeholders": {"num_placeholders": 0},
    "detectable_content:postscript": {"postscript_marker": "P.S."},
    "detectable_format:number_bullet_lists": {"num_bullets": 0},
    "detectable_format:number_highlighted_sections": {"num_highlights": 0},
    "detectable_format:multiple_sections": {"section_spliter": "Section", "num_sections": 1},
    "combination:repeat_prompt": {"prompt_to_repeat": "Say it."},
    "startend:end_checker": {"end_phrase": "The end."},
    "change_case:capital_word_frequency": {"capital_frequency": 3, "capital_relation": "less than"},
    "count:word_count_range": {"min_words": 0, "max_words": 9},
    "count:unique_word_count": {"N": 0},
    "ratio:stop_words": {"percentage": 100},
    "count:conjunctions": {"small_n": 0},
    "count:person_names": {"N": 0},
    "ratio:overlap": {"reference_text": "The river.", "percentage": 0},
    "count:numbers": {"N": 0},
    "format:options": {"options": "yes/no"},
    "count:words_japanese": {"N": 2},
    "words:repeats": {"small_n": 3},
    "sentence:keyword": {"word": "river", "N": 1},
    "count:pronouns": {"N": 0},
    "sentence:increment": {"small_n": 1},
    "format:list": {"sep": "..."},
    "count:keywords_multiple": {f"keyword{n}": f"word{n}" for n in range(1, 6)},
    "words:keywords_specific_position": {"keyword": "river", "n": 1, "m": 1},
    "words:words_position": {"keyword": "river"},
    "repeat:repeat_change": {"prompt_to_repeat": "Say it."},
    "repeat:repeat_span": {"prompt_to_repeat": "Say it.", "n_start": 0, "n_end": 3},
}
"""arguments under which what says nothing would be within the bounds; the other instructions take none"""
NAMES = sorted(CHECKS)
NOTHING = [
    "",
    " \n\t",
    "\u200b\u200b",
    "\u3164 \u2800",
    "...",
    "***\n***",
    "\ufeff\u202e",
    "<think>The river.</think>",
    "\x00\x07",
]


def arguments():
    return [ARGUMENTS.get(name, {}) for name in NAMES]


def test_a_text_that_says_nothing_follows_no_instruction():
    for text in NOTHING:
        for mode in ("strict", "loose"):
            score = scored(text, NAMES, arguments(), mode=mode)
            assert score.error is None
            assert [entry["id"] for entry in score.info["instructions"] if entry["followed"]] == [], (text, mode)


@each_case(
    "name, arguments, text, real",
    [
        # what nobody sees parts no words, and hides none
        (
            "length_constraints:number_words",
            {"num_words": 5, "relation": "at least"},
            "a\u200bb\u200bc\u200bd\u200be",
            "a b c d e",
        ),
        ("length_constraints:number_words", {"num_words": 5, "relation": "at least"}, "_ _ _ _ _", "a b c d e"),
        ("length_constraints:number_words", {"num_words": 5, "relation": "less than"}, "河" * 9, "a b c"),
        ("length_constraints:number_words", {"num_words": 5, "relation": "less than"}, "น" * 90, "a b c"),
        ("keywords:forbidden_words", {"forbidden_words": ["river"]}, "a ri\u200bver", "a hill"),
        ("keywords:forbidden_words", {"forbidden_words": ["river"]}, "a ｒｉｖｅｒ", "a hill"),
        ("keywords:existence", {"keywords": ["a.c"]}, "abc", "A.C"),  # no pattern
        ("punctuation:no_comma", {}, "one، two", "one two"),
        (
            "length_constraints:number_sentences",
            {"num_sentences": 3, "relation": "at least"},
            "So...! ?! . . .",
            "So. It. Is.",
        ),
        (
            "length_constraints:number_sentences",
            {"num_sentences": 3, "relation": "at least"},
            "1. a\n2. b\n3. c",
            "One. Two. Three.",
        ),
        (
            "length_constraints:number_paragraphs",
            {"num_paragraphs": 3},
            "One\n***\n-\n***\nTwo",
            "One\n***\nor\n***\nTwo",
        ),
        ("detectable_content:number_placeholders", {"num_placeholders": 2}, "[] [ ]", "[name] [place]"),
        ("detectable_content:postscript", {"postscript_marker": "P.S."}, "So it is. P.S.", "So it is. P.S. Or not."),
        ("detectable_format:constrained_response", {}, "My answer is yes. My answer is no.", "My answer is no."),
        ("detectable_format:number_highlighted_sections", {"num_highlights": 2}, "** ** * *", "*one* *two*"),
        (
            "detectable_format:multiple_sections",
            {"section_spliter": "Section", "num_sections": 2},
            "Section 1 Section 1 Section 2",
            "Section 1\nHills.\nSection 2\nRivers.",
        ),
        ("detectable_format:json_format", {}, "7", '{"river": 7}'),
        ("detectable_format:json_format", {}, "{}", '```json\n["river"]\n```'),
        ("detectable_format:title", {}, "<<>>, << >> so", "<<Song>>"),
        ("combination:two_responses", {}, "The river.\n******\nthe  river.", "The river.\n******\nA hill."),
        ("startend:quotation", {}, '""', '"So."'),
        ("ratio:sentence_type", {}, "a text without any mark", "So. It is. Is it?"),
        ("ratio:sentence_balance", {}, "a text without any mark", "So. Is it? Yes!"),
        ("ratio:sentence_words", {}, "It is. It is. It is.", "It is. We do. Go in."),
        ("words:last_first", {}, "River", "I saw it. It ran."),
        ("sentence:increment", {"small_n": 1}, "Go on.", "Go on. Go on then."),
        ("format:line_indent", {}, "one", "one\n two\n  three"),
        ("format:quote_unquote", {}, "It says nothing.", 'It says "go", which means leave.'),
        ("format:sub-bullets", {}, "no bullets", "* one\n - its own"),
        (
            "format:output_template",
            {},
            "Future Outlook: My Conclusion: My Answer:",
            "My Answer: a My Conclusion: b Future Outlook: c",
        ),
        ("format:thesis", {}, "<i></i> text", "<i>So it is.</i> text"),
        ("words:vowel", {}, "hm", "so it"),
        ("words:no_consecutive", {}, "one", "one two"),
        ("count:words_japanese", {"N": 3}, "a b", "a b 川"),
        ("combination:repeat_prompt", {"prompt_to_repeat": "Say it."}, "Say it.", "Say it. So be it."),
    ],
)
def test_to_follow_an_instruction_in_letter_only_is_not_to_follow_it(name, arguments, text, real):
    assert followed(text, name, **arguments) is False
    assert followed(real, name, **arguments) is True


@each_case(
    "name, arguments, text, there",
    [
        ("count:numbers", {"N": 2}, "٣ and 4", True),
        (
            "detectable_format:multiple_sections",
            {"section_spliter": "Section", "num_sections": 2},
            "Section ١ a Section ٢ b",
            True,
        ),
        ("custom:multiples", {}, "14, 21, 28, 35, 42, 49", True),
        ("custom:multiples", {}, "14, 21, 28, 35, 42, 4 9", False),
        ("custom:date_format_list", {}, "1796-04-12, 1815-06-18", True),
        ("custom:date_format_list", {}, "1796-13-12", False),
        ("custom:character_reverse", {}, ".elgae dlab eht", True),
        (
            "custom:csv_quotes",
            {},
            '"StudentID"\t"Subject"\t"Grade"\t"Semester"\t"Score"' + '\n"1"\t"a"\t"b"\t"c"\t"2"' * 3,
            True,
        ),
        (
            "custom:csv_quotes",
            {},
            '"StudentID"\t"Subject"\t"Grade"\t"Semester"\t"Score"' + '\n"1"\ta\t"b"\t"c"\t"2"' * 3,
            False,
        ),
        ("detectable_format:json_format", {}, "[" * 100_000, False),
        ("format:parentheses", {}, "(a [b {c (d [e])}])", True),
        ("format:parentheses", {}, "(((((", False),
        ("format:quotes", {}, '"He said \'she said "no" then\' so"', True),
        ("format:quotes", {}, "“He said ‘she said “no” then’ so”", True),
        ("format:emoji", {}, "So it is 🌿. It runs 🌊", True),
        ("format:emoji", {}, "So it is. It runs 🌊", False),
        ("words:start_verb", {}, "Running water is cold.", True),
        ("words:start_verb", {}, "Nothing is cold.", False),
        ("words:start_verb", {}, "Stopped by the river.", True),
        ("words:palindrome", {}, "level radar civic rotor kayak madam refer stats tenet solos", True),
        ("words:odd_even_syllables", {}, "The river made water", True),
        ("words:paragraph_last_first", {}, "rain falls as rain", True),
        ("format:title_case", {}, "The River And The Hill", True),
        ("format:title_case", {}, "The river", False),
    ],
)
def test_what_an_instruction_takes(name, arguments, text, there):
    assert followed(text, name, **arguments) is there


SHAPES = [
    *(
        "a",
        "A ",
        "字",
        "น",
        "0",
        " ",
        "\n",
        "*",
        "**",
        "***",
        "* a\n",
        "- ",
        "[",
        "[a",
        "<<",
        "<i>",
        '"',
        "'",
        "(",
        "{",
        "``` ",
    ),
    *(
        ".",
        "a. ",
        "1. ",
        "\n1.",
        "Mr. ",
        "a.b.",
        "Section 1",
        "P.S. ",
        "n't",
        "a-",
        "\u200b",
        "\u0301",
        "🌊",
        "، ",
        "Question 1",
        '"-',
        "\t",
    ),
]


@pytest.mark.nightly
@pytest.mark.parametrize("mode", ["strict", "loose"])
def test_long_texts_of_any_shape_are_read_in_linear_time(mode):
    names = [
        name for name in NAMES if not name.startswith(("language:", "change_case:"))
    ]  # that detector has a test of its own
    given = [ARGUMENTS.get(name, {}) for name in names]
    for shape in SHAPES if mode == "loose" else ("\u0301", *SHAPES[::6]):
        for begin, end in (("", ""), ("```json", "```"), ('"', '"')):
            refuse_growth(shape, lambda text: scored(text, names, given, mode=mode), many(shape, begin, end))
