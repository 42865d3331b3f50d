"""English that is mixed with another language in the same letters: what is seen, what is no mixture, what it is worth.

data/mixed_texts.jsonl has texts of our own: English mixed with 50 languages (`mixed`), romanised languages alone
(`romanised`), and English with foreign names, loan words, titles, quotations and formulas (`english`). Those that are
`unseen` were written when the words of function_words.toml stood.
"""

import json
from pathlib import Path

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import Completion, Context, Sample, find
from rewardlab_language import mixing
from rewardlab_language.mixing import mixing_of
from rewardlab_language.prose import prose

TEXTS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "mixed_texts.jsonl").read_text(encoding="utf-8").splitlines()
]
HINGLISH = "Sabse pehle equation ko solve karo, phir value ko substitute karo aur final answer check karo."
SPANGLISH = "Yo creo que the best option es la segunda, because it is mas barata y mas rapida."
ENGLISH = "First we add the numbers, then we divide the sum by three, so the answer is twelve."
NOT_SEEN = {"This movie was so mast yaar, let us watch it again kabhi free time mein."}


def texts(kind):
    return [row["text"] for row in TEXTS if row["kind"] == kind]


def language_in(text):
    found = mixing_of(prose(text).text)
    return None if found is None else found.language


def consistency(text, language="en", **options):
    spec = find("reward", "language/consistency")
    reward = spec.build(spec.config(**{"parts": "answer", "detectors": ["lingua"], **options}), Context())
    return reward.score([(Sample(fields={"language": language}), Completion(text=text))])[0]


def test_mixed_and_romanised_texts_earn_nothing_where_english_is_wanted(fidelity):
    assert len(texts("mixed")) == 136
    assert len({row["language"] for row in TEXTS if row["kind"] == "mixed"}) == 50
    assert {text for text in texts("mixed") if fidelity(text, "en").value} == NOT_SEEN
    assert len(texts("romanised")) == 29
    assert not [text for text in texts("romanised") if fidelity(text, "en").value]


def test_english_with_foreign_names_words_and_titles_is_never_taken_for_a_mixture():
    assert len(texts("english")) == 119
    assert {text: language_in(text) for text in texts("english") if language_in(text)} == {}


@each_case(
    "text, language",
    [
        (HINGLISH, "hi"),
        (SPANGLISH, "es"),
        (HINGLISH.title(), "hi"),
        (HINGLISH.upper(), "hi"),
        (f'"{HINGLISH}"', "hi"),
        ("Después, we check si está bien, y luego we add más números para ti.", "es"),
        ("Él también está aquí, así que the answer is mañana.", "es"),
        ("3ashan el answer sah, lazem ne7seb kol 7aga tany, ya3ni step by step.", "ar"),
        # the whole of a text decides: three words and a phrase of another language are no mixture
        (f"{ENGLISH} {ENGLISH} {ENGLISH} Bas, yeh hai.", None),
        ("He often said que sera and c'est la vie, and then he went home with his brother.", None),
        # names, particles before them, quotations, titles
        ("Juan de la Cruz, María del Carmen and Luis de los Ríos met.", None),
        ("She said “Yo quiero una manzana para mi hermano” and they laughed at that.", None),
        ("She said *Yo quiero una manzana para mi hermano* and they laughed at that.", None),
        (
            "Aaron Grattafiori, Abhimanyu Dubey, Abhinav Pandey, Hao Ma, Le Chen, Shi Wei, Jia Liu, Ye Hu, "
            "Akhil Mathur, Alan Schelten, Amy Yang, Angela Fan, Anirudh Goyal, Aobo Yang, Archi Mitra and Ni Li",
            None,
        ),
        ("Garlic naan, butter naan, cheese naan and plain naan.", None),
        (f"{' '.join(f'commit{n} fix build{n} diff merge{n} branch' for n in 'abcdef')} del es una para", None),
        ("The codes are en, es, de, la and fr.", None),
        ("", None),
    ],
)
def test_what_a_text_is_mixed_with(text, language):
    assert language_in(text) == language


def test_the_share_sees_romanised_words(fidelity):
    score = fidelity(HINGLISH, "en", threshold=None, on_mixed=1)
    assert score.info == {"share": 0.0, "language": "en", "mixed": "hi"}  # all function words are Hindi
    assert score.value == 0.0
    half = fidelity(SPANGLISH, "en", threshold=None, on_mixed=1)
    assert half.value == half.info["share"] == 0.375
    assert fidelity(HINGLISH, "en", threshold=None, on_mixed=None).value == 1.0
    assert "mixed" not in fidelity(ENGLISH, "en").info


@each_case("on_mixed, value", [(0.0, 0.0), (0.25, 0.25), (1.0, 1.0), ("abstain", None), (None, 1.0)])
def test_a_mixed_text_is_worth_what_on_mixed_says(on_mixed, value, fidelity):
    assert fidelity(HINGLISH, "en", on_mixed=on_mixed).value == value
    assert fidelity(ENGLISH, "en", on_mixed=on_mixed).value == 1.0
    assert consistency(HINGLISH, on_mixed=on_mixed).value == value
    assert consistency(ENGLISH, on_mixed=on_mixed).value == 1.0


def test_what_is_not_english_at_all_gains_nothing_by_on_mixed(fidelity):
    german = "Zuerst zählen wir die Äpfel zusammen und teilen dann durch drei. Die Antwort ist zwölf."
    for on_mixed in (0.5, 1.0, "abstain"):
        assert fidelity(german, "en", on_mixed=on_mixed).value == 0.0
        assert consistency(german, on_mixed=on_mixed).value == 0.0


def test_each_part_is_looked_at(fidelity):
    text = f"<think>{HINGLISH}</think>{ENGLISH}"
    assert fidelity(text, "en").value == 1.0
    both = fidelity(text, "en", part="both")
    assert (both.value, both.info["mixed"]) == (0.0, "hi")
    assert consistency(text, parts="both").info["mixed"] == {"trace": "hi"}
    assert consistency(text, parts="both").value == 0.0


def test_rows_in_other_languages_are_judged_as_before(fidelity):
    for on_mixed in (0.0, None):
        assert fidelity("Primero hacemos el setup y luego revisamos el code.", "es", on_mixed=on_mixed).value == 1.0
        assert fidelity(HINGLISH, "hi", on_mixed=on_mixed).value == 0.0  # Hindi is Devanagari
        assert consistency("Primero hacemos el setup y luego revisamos el code.", "es", on_mixed=on_mixed).value == 1.0


def test_the_published_profile_has_no_such_option(fidelity):
    assert fidelity(HINGLISH, "en", profile="sp3f_official").value == 1.0
    with pytest.raises(ValidationError, match="fixes `part`, `languages` and `on_mixed`"):
        find("reward", "language/fidelity").config(profile="sp3f_official", on_mixed=0.5)
    resolved = find("reward", "language/fidelity").config(profile="sp3f_official").model_dump()
    assert find("reward", "language/fidelity").config(**resolved).profile == "sp3f_official"


def test_a_function_word_is_one_of_english_or_of_other_languages():
    lists = dict(mixing._lists())
    english, _ = lists.pop("en"), lists.pop("particles")
    assert len(lists) == 46
    assert {language: words & english for language, words in lists.items() if words & english} == {}
    assert all(word == mixing._plain(word) and len(word) > 1 for words in lists.values() for word in words)
