"""What constraints/following says of rows that it cannot use: the field, the place, the key, and what to do."""

import pytest
from helpers.each_case import each_case
from helpers.instructions import scored
from rewardlab import Sample, find
from rewardlab_constraints.instruction_check import CHECKS
from rewardlab_constraints.options import FollowingOptions

SPEC = find("reward", "constraints/following")
WORDS = "length_constraints:number_words"


@each_case(
    "names, arguments, message",
    [
        ([WORDS, "keyword:existence"], [{}, {}], "kwargs[0]: length_constraints:number_words needs 'num_words'"),
        (
            ["keyword:existence"],
            [{}],
            "instruction_id_list[0]: no instruction 'keyword:existence'; did you mean 'keywords:existence'?",
        ),
        (
            ["punctuation:no_comma", "count:number"],
            [{}, {}],
            "instruction_id_list[1]: no instruction 'count:number'; did you mean 'count:numbers'?",
        ),
        (
            [WORDS],
            [{"num_word": 3, "relation": "at least"}],
            "kwargs[0]: length_constraints:number_words has no argument 'num_word'; did you mean 'num_words'?",
        ),
        (["punctuation:no_comma"], [{"N": 3}], "kwargs[0]: punctuation:no_comma has no argument 'N'; it takes none"),
        (
            [WORDS],
            [{"num_words": -3, "relation": "at least"}],
            "kwargs[0].num_words: a whole number of 0 or more is needed, not -3 (length_constraints:number_words)",
        ),
        (
            [WORDS],
            [{"num_words": "3", "relation": "at least"}],
            "kwargs[0].num_words: a whole number of 0 or more is needed, not '3' (length_constraints:number_words)",
        ),
        (
            [WORDS],
            [{"num_words": float("nan"), "relation": "at least"}],
            "kwargs[0].num_words: a whole number of 0 or more is needed, not nan (length_constraints:number_words)",
        ),
        (
            [WORDS],
            [{"num_words": 3, "relation": "at most"}],
            "kwargs[0].relation: one of 'less than' and 'at least' is needed, not 'at most' "
            "(length_constraints:number_words)",
        ),
        (
            ["keywords:existence"],
            [{"keywords": "river"}],
            "kwargs[0].keywords: a list of texts is needed, not 'river' (keywords:existence)",
        ),
        (
            ["keywords:existence"],
            [{"keywords": ["river", " "]}],
            "kwargs[0].keywords: a text is needed that is not blank, not ['river', ' '] (keywords:existence)",
        ),
        (
            ["ratio:stop_words"],
            [{"percentage": 101}],
            "kwargs[0].percentage: a number from 0 to 100 is needed, not 101 (ratio:stop_words)",
        ),
        (
            ["keywords:letter_frequency"],
            [{"letter": "ab", "let_frequency": 1, "let_relation": "at least"}],
            "kwargs[0].letter: one letter is needed, not 'ab' (keywords:letter_frequency)",
        ),
        (
            ["language:response_language"],
            [{"language": "elvish"}],
            "kwargs[0].language: the code or name of a language is needed, not 'elvish' (language:response_language)",
        ),
        (
            ["punctuation:no_comma"],
            [3],
            "kwargs[0]: a mapping of the arguments of punctuation:no_comma is needed, not 3",
        ),
        (
            ["punctuation:no_comma"],
            [{}, {}],
            "field 'kwargs': a list of 1 mappings is needed, one for each instruction, not [{}, {}]",
        ),
        (
            ["punctuation:no_comma"],
            {"a": 1},
            "field 'kwargs': a list of 1 mappings is needed, one for each instruction, not {'a': 1}",
        ),
        (
            "punctuation:no_comma",
            [{}],
            "field 'instruction_id_list': a list of names of instructions is needed, not 'punctuation:no_comma'",
        ),
        ([], [], "field 'instruction_id_list': a list of names of instructions is needed, not []"),
        ([None], [{}], "field 'instruction_id_list': a list of names of instructions is needed, not [None]"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_and_fails(names, arguments, message):
    sample = Sample(id="s", fields={"instruction_id_list": names, "kwargs": arguments})
    assert SPEC.refuses(FollowingOptions(), sample) == message
    assert scored("text", names, arguments).error == message


def test_arguments_that_are_null_are_none_and_whole_numbers_may_be_read_as_floats():
    table = {"num_words": 3.0, "relation": "at least", "keywords": None, "N": None}
    assert scored("one two three", [WORDS], [table]).value == 1.0
    assert scored("one two", ["punctuation:no_comma"], [None]).value == 1.0
    assert scored("one two", ["punctuation:no_comma"], None).value == 1.0


def test_a_row_without_instructions_gets_no_value():
    sample = Sample(id="s", fields={"answer": "7"})
    assert SPEC.abstains(FollowingOptions(), sample) == "no field 'instruction_id_list'"
    assert SPEC.refuses(FollowingOptions(), sample) is None


def test_a_row_of_instructions_without_a_meaning_in_its_language_gets_no_value():
    fields = {"instruction_id_list": ["change_case:english_capital"], "kwargs": [{}], "language": "th"}
    assert SPEC.abstains(FollowingOptions(), Sample(id="s", fields=fields)) == "Thai has no capital letters"
    assert SPEC.abstains(FollowingOptions(), Sample(id="s", fields=fields | {"language": "de"})) is None


def test_the_columns_may_have_other_names():
    from rewardlab import Completion

    options = FollowingOptions(instructions="checks", arguments="with", language="lang")
    fields = {"checks": ["change_case:english_lowercase"], "with": [{}], "lang": "ja"}
    [score] = SPEC.build(options, None).score([(Sample(id="s", fields=fields), Completion(text="はい"))])
    assert score.info["instructions"][0]["reason"] == "Japanese has no capital letters"
    assert "with[0]: punctuation:no_comma has no argument" in SPEC.refuses(
        options, Sample(id="s", fields={"checks": ["punctuation:no_comma"], "with": [{"n": 1}]})
    )


@pytest.mark.parametrize("language", [7, "", [], " "])
def test_a_language_is_a_text(language):
    fields = {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}], "language": language}
    assert "field 'language': a code or name of a language is needed" in SPEC.refuses(
        FollowingOptions(), Sample(id="s", fields=fields)
    )


def test_every_argument_is_read_before_anything_is_scored():
    """A list in place of each argument is refused with its key, or is one of texts."""
    for name, check in CHECKS.items():
        for key in check.arguments:
            fields = {"instruction_id_list": [name], "kwargs": [{key: {"a": 1} for key in check.arguments}]}
            assert "kwargs[0]." in SPEC.refuses(FollowingOptions(), Sample(id="s", fields=fields)), (name, key)
