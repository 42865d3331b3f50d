"""What instructions mean in ten languages beside English, and where they mean nothing."""

import pytest
from helpers.each_case import each_case
from helpers.instructions import followed, scored
from rewardlab_constraints.checks.letters import syllables
from rewardlab_constraints.language_rules import language_of
from rewardlab_constraints.words import number_of_words

LANGUAGES = ("zh", "ja", "th", "ar", "hi", "de", "sw", "ko", "ru", "tr")


@each_case(
    "text, count",
    [
        ("It's a well-known river.", 6),
        ("人人生而自由，在尊严和权利上一律平等。", 17),
        ("川は山から海へ流れる。", 10),
        ("我有 3 本 iPhone 书", 6),
        ("मनुष्यों को गौरव प्राप्त है", 5),  # a sign on a letter parts no word
        ("모든 인간은 태어날 때부터 자유롭다.", 5),
        ("يولد جميع الناس أحرارًا", 4),
        ("Alle Menschen sind frei und gleich geboren.", 7),
        ("Watu wote wamezaliwa huru.", 4),
        ("Все люди рождаются свободными.", 4),
        ("Bütün insanlar hür doğarlar.", 4),
        ("มนุษย์ทั้งหลายเกิดมามีอิสระ", 5),  # by its letters
        ("... — !!", 0),
    ],
)
def test_words_are_counted_as_people_of_the_language_do(text, count):
    assert number_of_words(text) == count


@each_case(
    "language, text, count",
    [
        ("zh", "西湖很美。真的吗？真的！“好。”", 4),
        ("ja", "川がある。「広い。」そうか？", 3),
        ("hi", "यह नदी है। क्या यह गहरी है? हाँ!", 3),
        ("ar", "هذا نهر. هل هو عميق؟ نعم!", 3),
        ("de", "Das ist z.B. ein Fluss. Dr. Braun kennt ihn. Ist er tief?", 3),
        ("ru", "Это река, т.е. вода. Она глубокая? Да!", 3),
        ("tr", "Bu bir nehir. Dr. Ak onu bilir. Derin mi?", 3),
        ("sw", "Huu ni mto. Je, ni mrefu? Ndiyo!", 3),
        ("ko", "이것은 강입니다. 깊습니까? 네!", 3),
    ],
)
def test_sentences_end_with_the_marks_of_the_language(language, text, count):
    for n in (count, count + 1):
        at_least = {"num_sentences": n, "relation": "at least"}
        assert followed(text, "length_constraints:number_sentences", language, **at_least) is (n == count), n


@each_case(
    "language, text, comma",
    [
        ("zh", "西湖，很美", True),
        ("zh", "苹果、梨", False),  # a mark of its own between the items of a list
        ("ja", "川、山", True),
        ("ar", "نهر، جبل", True),
        ("hi", "नदी, पहाड़", True),
        ("th", "แม่น้ำ ภูเขา", False),
        ("ko", "강, 산", True),
        ("en", "river， hill", True),
        ("en", "river、hill", True),
    ],
)
def test_commas_are_those_of_all_scripts(language, text, comma):
    assert followed(text, "punctuation:no_comma", language) is not comma


@each_case(
    "language, word, text, there",
    [
        ("de", "Fluss", "Der FLUSS ist tief.", True),
        ("de", "Fluss", "Der Flusslauf ist lang.", False),
        ("ko", "강", "강은 깊다.", True),  # particles stand behind a word
        ("ko", "강", "건강이 좋다.", False),
        ("ar", "نهر", "والنهر عميق", True),  # "and" and "the" stand before it
        ("ar", "نهر", "نَهْر", True),  # short vowels
        ("ar", "نهر", "منهر", False),
        ("zh", "河", "这条河很深。", True),
        ("ja", "川", "川は深い。", True),
        ("th", "น้ำ", "แม่น้ำลึก", True),
        ("hi", "कर", "काम करना है", False),
        ("hi", "क", "कि", False),  # the sign belongs to the letter
        ("hi", "नदी", "नदी गहरी है।", True),
        ("tr", "ırmak", "IRMAK derin.", True),  # dotless i
        ("tr", "irmak", "IRMAK derin.", False),
        ("ru", "река", "РЕКА глубокая.", True),
        ("sw", "mto", "Mto ni mrefu.", True),
        ("sw", "mto", "Mtoto analala.", False),
    ],
)
def test_a_forbidden_word_is_a_word_of_the_language(language, word, text, there):
    assert followed(text, "keywords:forbidden_words", language, forbidden_words=[word]) is not there


@each_case(
    "language, letter, text, count",
    [
        ("tr", "i", "Ilık İzmir", 2),
        ("tr", "ı", "Ilık İzmir", 2),
        ("de", "ä", "Ähre, Bär", 2),
        ("ru", "р", "Река Рейн", 2),
        ("hi", "क", "कि कौन", 2),
        ("zh", "河", "河，大河", 2),
        ("ko", "강", "강, 한강", 2),
    ],
)
def test_letters_are_those_of_the_language(language, letter, text, count):
    for n in (count, count + 1):
        arguments = {"letter": letter, "let_frequency": n, "let_relation": "at least"}
        assert followed(text, "keywords:letter_frequency", language, **arguments) is (n == count), n


@pytest.mark.slow
@each_case(
    "language, text",
    [
        ("de", "DER FLUSS IST TIEF UND DER WEG IST WEIT."),
        ("ru", "РЕКА ГЛУБОКАЯ И ПУТЬ ДАЛЁКИЙ."),
        ("tr", "IRMAK DERİN VE YOL ÇOK UZUN."),
        ("sw", "MTO NI MREFU NA NJIA NI NDEFU SANA."),
    ],
)
def test_capitals_are_asked_for_in_the_rows_language(language, text):
    assert followed(text, "change_case:english_capital", language) is True
    assert followed(text.lower(), "change_case:english_capital", language) is False
    assert followed(text.lower(), "change_case:english_lowercase", language) is True
    assert (
        followed("THIS IS ALL IN ENGLISH AND NOT WHAT THE ROW HAS ASKED FOR.", "change_case:english_capital", "ru")
        is False
    )


@each_case(
    "language, text",
    [
        ("de", "Alle Bären campen dort."),
        ("ru", "Арбуз был вкусный."),
        ("tr", "Ayşe bugün camdan çıktı."),
        ("sw", "Asha bado cheza dada."),
        ("ko", "가을 나비 도토리"),
        ("hi", "अब आप इधर ईख उधर"),
        ("ar", "بيت تين ثوب جبل"),
    ],
)
def test_the_alphabet_is_that_of_the_language(language, text):
    assert followed(text, "words:alphabet", language) is True
    assert followed(" ".join(reversed(text.split())), "words:alphabet", language) is False


@each_case(
    "language, word, count",
    [
        ("de", "schönheit", 2),
        ("ru", "молоко", 3),
        ("tr", "kitaplar", 3),
        ("sw", "watu", 2),
        ("ko", "사람", 2),
        ("en", "baked", 1),
    ],
)
def test_syllables(language, word, count):
    assert syllables(word, language_of(language)) == count


@each_case(
    "language, text, pronouns",
    [
        ("de", "Ich kenne ihn, er kennt mich.", 4),
        ("ru", "Я знаю его, он знает меня.", 4),
        ("tr", "Ben onu bilirim.", 2),
        ("sw", "Mimi namjua yeye.", 2),
        ("ar", "أنا أعرف هذا", 2),
        ("hi", "मैं उसे जानता हूँ", 2),
    ],
)
def test_pronouns_are_those_of_the_language(language, text, pronouns):
    for n in (pronouns, pronouns + 1):
        assert followed(text, "count:pronouns", language, N=n) is (n == pronouns), n


@each_case(
    "language, text",
    [
        ("de", "„Der Fluss ist tief.“"),
        ("de", "»Der Fluss ist tief.«"),
        ("ru", "«Река глубокая.»"),
        ("zh", "“西湖很美。”"),
        ("ja", "「川は深い。」"),
        ("ar", "«النهر عميق.»"),
        ("en", '"The river is deep."'),
    ],
)
def test_quotation_marks_are_those_of_the_language(language, text):
    assert followed(text, "startend:quotation", language) is True
    assert followed(text[1:], "startend:quotation", language) is False


@each_case(
    "language, text",
    [
        ("zh", "好，真的吗？！对；好：是！对吗？。"),
        ("ar", "نعم، حقا؟! لا؛ هذا: كذا! كيف؟."),
        ("hi", "हाँ, सच?! नहीं; यह: ठीक! क्या? हाँ।"),
        ("en", "Yes, is it?! No; so: it is! Is it? Yes."),
    ],
)
def test_punctuation_marks_are_those_of_the_language(language, text):
    assert followed(text, "count:punctuation", language) is True
    assert followed(text.replace("!", "").replace("！", ""), "count:punctuation", language) is False


MEANINGLESS = {
    "change_case:english_capital": "zh ja th ar hi ko",
    "change_case:english_lowercase": "zh ja th ar hi ko",
    "change_case:capital_word_frequency": "zh ja th ar hi ko",
    "format:title_case": "zh ja th ar hi ko",
    "length_constraints:number_sentences": "th",
    "length_constraints:number_words": "",
    "ratio:sentence_balance": "th",
    "words:palindrome": "zh ja th",
    "words:repeats": "zh ja th",
    "words:alphabet": "zh ja th",
    "words:vowel": "zh ja th ar hi ko",
    "words:odd_even_syllables": "zh ja th ar hi",
    "words:start_verb": "zh ja th ar hi de sw ko ru tr",
    "ratio:stop_words": "zh ja th ko",
    "count:conjunctions": "zh ja th ar ko",
    "count:person_names": "zh ja th ar hi ko ru",
    "detectable_format:constrained_response": "zh ja th ar hi de sw ko ru tr",
    "custom:european_capitals_sort": "zh ja th ar hi de sw ko ru tr",
    "custom:multiples": "",
    "punctuation:no_comma": "",
    "detectable_format:json_format": "",
}


def test_an_instruction_without_a_meaning_is_undecided_with_the_reason():
    arguments = {
        "change_case:capital_word_frequency": {"capital_frequency": 1, "capital_relation": "at least"},
        "length_constraints:number_sentences": {"num_sentences": 1, "relation": "at least"},
        "length_constraints:number_words": {"num_words": 1, "relation": "at least"},
        "words:repeats": {"small_n": 3},
        "ratio:stop_words": {"percentage": 50},
        "count:conjunctions": {"small_n": 1},
        "count:person_names": {"N": 1},
    }
    for name, without in MEANINGLESS.items():
        for language in LANGUAGES:
            [verdict] = scored("1 river", [name], [arguments.get(name, {})], language).info["instructions"]
            assert (verdict["followed"] is None) is (language in without.split()), (name, language)
            assert ("reason" in verdict) is (verdict["followed"] is None)


def test_what_is_undecided_depends_on_the_row_alone():
    """No response gets rid of an instruction."""
    for name in MEANINGLESS:
        if name in ("custom:multiples", "format:title_case", "words:alphabet", "words:vowel", "words:palindrome"):
            for language in LANGUAGES:
                said = ("x", "河", "น้ำ", "नदी, नदी।", "River! " * 20, "1")
                undecided = {followed(text, name, language) is None for text in said}
                assert len(undecided) == 1, (name, language)


def test_a_language_may_have_a_name_and_needs_no_file():
    assert followed("西湖，", "punctuation:no_comma", "Chinesisch") is False
    assert followed("苹果、梨", "punctuation:no_comma", "zh-Hans") is True
    assert followed("STRASSE UND FLUSS", "change_case:english_capital", "deu_Latn") is True
    assert followed("西湖", "change_case:english_capital", "zho") is None
    assert followed("Le fleuve, oui.", "punctuation:no_comma", "fr") is False
    assert followed("მდინარე", "change_case:english_capital", "ka") is None
    assert scored("Le fleuve", ["words:vowel"], [{}], "fr").info["instructions"][0]["reason"] == (
        "no vowels and consonants among the letters of the language 'fr'"
    )


@each_case(
    "language, text, there",
    [
        ("kn", "ಇದು ಒಂದು ನದಿ.", True),
        ("kn", "This is a river.", False),
        ("hi", "यह एक बहुत लंबी और गहरी नदी है।", True),
        ("German", "Das ist ein sehr langer und tiefer Fluss, den jeder kennt.", True),
        ("de", "This is a very long and deep river that everybody knows.", False),
    ],
)
def test_the_language_of_a_response_is_told(language, text, there):
    score = scored(text, ["language:response_language"], [{"language": language}])
    assert score.info["instructions"][0]["followed"] is there


def test_a_language_that_nothing_tells_is_undecided():
    [verdict] = scored("यो नदी हो।", ["language:response_language"], [{"language": "ne"}]).info["instructions"]
    assert verdict["followed"] is None
    assert "no model" in verdict["reason"]
