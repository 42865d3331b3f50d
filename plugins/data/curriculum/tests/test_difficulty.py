"""The orders of curriculum/difficulty."""

import pytest
from helpers.each_case import each_case
from rewardlab import Context, Sample, find
from rewardlab.errors import UserError

ROWS = {  # id: how often right, characters of the prompt, language
    "easy": (5, 10, "de"),
    "short": (3, 10, "en"),
    "long": (3, 90, "de"),
    "hard": (0, 10, "en"),
}
SAMPLES = [
    Sample(id=name, prompt=({"role": "user", "content": "x" * length},), fields={"right": right, "language": language})
    for name, (right, length, language) in ROWS.items()
]


def order(samples=SAMPLES, seed=0, **options):
    spec = find("curriculum", "curriculum/difficulty")
    found = spec.build(spec.config(**options), Context()).order(samples, seed)
    return [samples[index].id for index in found]


class TestOrder:
    def test_is_by_what_was_right_and_then_by_length(self):
        assert order() == ["easy", "short", "long", "hard"]

    def test_the_other_way_round(self):
        assert order(order="hard_to_easy") == ["hard", "long", "short", "easy"]

    def test_takes_one_language_first(self):
        assert order(first={"language": "en"}) == ["short", "hard", "easy", "long"]
        assert order(first={"language": "en"}, order="hard_to_easy") == ["hard", "short", "long", "easy"]

    def test_shuffled_takes_one_language_first_and_then_everything(self):
        found = order(first={"language": "en"}, order="shuffled", again=True)
        assert sorted(found[:2]) == ["hard", "short"]
        assert sorted(found[2:]) == sorted(ROWS)

    def test_counts_the_response_as_length(self):
        samples = [
            Sample(id=name, prompt=({"role": "user", "content": "x"},), fields={"right": 1, "response": "y" * length})
            for name, length in (("b", 50), ("a", 5))
        ]
        assert order(samples) == ["a", "b"]

    def test_takes_a_length_from_a_field(self):
        samples = [Sample(id=name, fields={"right": 1, "tokens": tokens}) for name, tokens in (("b", 50), ("a", 5))]
        assert order(samples, length="tokens") == ["a", "b"]

    def test_of_equal_rows_is_that_of_the_shuffle_whatever_the_file(self):
        equal = [Sample(id=str(number), fields={"right": 1}) for number in range(20)]
        assert order(equal) == order(equal[::-1]) != order(equal, seed=1)


class TestTells:
    @each_case("value", [None, "3", True, float("nan")])
    def test_a_row_without_a_number(self, value):
        bad = Sample(id="bad", fields={"right": value}, source="rows.jsonl:7")
        with pytest.raises(UserError, match=r"rows.jsonl:7: field 'right' of 'bad' is not a number"):
            order([*SAMPLES, bad])

    def test_first_rows_that_are_not_there_with_a_warning(self, caplog):
        assert order(first={"language": "fr"}) == ["easy", "short", "long", "hard"]
        assert "first names no row: none of 4 has {'language': 'fr'}" in caplog.text

    def test_again_without_first(self):
        with pytest.raises(ValueError, match="again goes with first"):
            order(again=True)
