"""The fixed rivals of each language, by the tables alone."""

from helpers.each_case import each_case
from rewardlab_language.languages import SCRIPTS, resolve
from rewardlab_language.rivals import RELATIVES, STRANGERS, TWINS, contest


def test_the_tables_name_known_languages_only():
    assert RELATIVES.keys() == SCRIPTS.keys()
    for code, relatives in RELATIVES.items():
        assert set(relatives) <= SCRIPTS.keys() - {code}
    assert all(pair <= SCRIPTS.keys() for pair in TWINS)
    for script, strangers in STRANGERS.items():
        assert all(script in SCRIPTS[code] for code in strangers)
        assert len(set(strangers)) == len(strangers)


def test_every_language_is_weighed_against_english_and_another_of_its_script():
    for code, scripts in SCRIPTS.items():
        candidates = contest(resolve(code)).candidates
        assert candidates[0] == code
        assert "en" in candidates
        sharing = [other for other in SCRIPTS if other != code and SCRIPTS[other] & scripts]
        assert not sharing or set(sharing) & set(candidates) - {code, "en"}


@each_case(
    "code, rivals",
    [
        ("id", {"ms", "tl"}),
        ("es", {"pt", "it", "ca"}),
        ("uk", {"ru", "be", "bg"}),
        ("hi", {"mr"}),
        ("zh", {"ja"}),
    ],
)
def test_languages_that_are_easily_confused_meet(code, rivals):
    assert rivals <= set(contest(resolve(code)).candidates)


def test_a_twin_is_a_rival():
    assert contest(resolve("id")).twins == {"ms"}
    assert contest(resolve("no")).twins == {"da"}
    assert contest(resolve("es")).twins == set()


def test_listed_languages_and_the_rows_own():
    assert contest(resolve("id"), ["en", "sw"]).candidates == ("id", "en", "sw")
    assert contest(resolve("id"), ["Indonesian", "sw", "id"]).candidates == ("id", "sw")
    assert contest(resolve("sw"), ["no"]).candidates == ("sw", "nb", "nn")
