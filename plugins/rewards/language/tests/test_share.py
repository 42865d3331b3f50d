"""The share of letters in the row's language: right for gold texts, zero for English, true for mixtures."""

import re

import pytest
from helpers.each_case import each_case
from rewardlab_language.density import DENSITY
from rewardlab_language.prose import prose
from rewardlab_language.words import words

ENGLISH = (
    "Let us compute the total step by step. First we add the two numbers and then divide the result by "
    "three. So the final answer is 24."
)
INDONESIAN = (
    "Mari kita selesaikan soal ini langkah demi langkah. Pertama kita jumlahkan kedua bilangan itu, kemudian "
    "hasilnya dibagi tiga. Jadi jawabannya adalah 24."
)


def letters(text):
    return sum(word.letters for word in words(prose(text).text))


def said(text, language):
    """What a text in this language says, in hundredths of an English letter."""
    return DENSITY[language] * letters(text)


def sentences(text):
    return [s for s in re.split(r"(?<=[.。।։۔])\s*(?!\d)", text) if letters(s)]


def test_a_short_gold_text_is_in_its_language(four_sentences, share):
    for language in four_sentences:
        assert share(" ".join(four_sentences[language]), language) >= 0.9, language


def test_a_first_sentence_alone_is_in_its_language(four_sentences, share):
    for language in four_sentences:
        assert share(four_sentences[language][0], language) >= 0.7, language


def test_english_is_in_no_other_language(four_sentences, share):
    for language in four_sentences.keys() - {"en"}:
        assert share(" ".join(four_sentences["en"]), language) <= 0.1, language
        assert share(ENGLISH, language) <= 0.31, language


def test_a_mixture_by_sentence_has_its_true_share(solutions, share):
    for language in solutions.keys() - {"en"}:
        for own in [(0, 2), (1, 3), (0, 1), (1, 2, 3), (0, 1, 2), (3,)]:
            gold, english = sentences(solutions[language]), sentences(solutions["en"])
            assert len(gold) >= 4 or language == "th", (language, own)  # Thai has no full stops
            gold *= 4
            mixture = " ".join(gold[i] if i in own else english[i] for i in range(4))
            mine = sum(said(gold[i], language) for i in own)
            true = mine / (mine + sum(said(english[i], "en") for i in set(range(4)) - set(own)))
            assert share(mixture, language) == pytest.approx(true, abs=0.15), (language, own)


@pytest.mark.slow
def test_a_solution_is_in_its_language_and_no_other(solutions, share):
    for language in solutions:
        assert share(solutions[language], language) == 1.0, language
        for other in solutions.keys() - {language}:
            assert share(solutions[language], other) <= 0.15, other


def test_half_of_a_sentence_counts_as_half(share):
    text = "Primero sumamos los dos números and then we divide the result by three to get the answer."
    assert share(text, "es") == pytest.approx(27 / 69, abs=0.1)


@each_case(
    "text, row",
    [
        ("Bonjour, nous allons calculer la somme des deux nombres pour trouver la réponse.", "en"),
        (INDONESIAN, "en"),
        ("Primero sumamos los dos números y luego dividimos el resultado entre tres.", "fr"),
        ("Primeiro somamos os dois números e depois dividimos o resultado por três.", "es"),
        ("Сначала мы складываем два числа, а затем делим результат на три.", "uk"),
        ("Спочатку ми додаємо два числа, а потім ділимо результат на три.", "ru"),
        ("首先，我们计算总数。然后把结果除以三，得到最终答案。因此，答案是七。", "ja"),
        ("まず、りんごの合計を計算します。次に、その結果を三で割ります。", "zh"),
        ("首先，我们计算总数。然后把结果除以三，得到最终答案。", "ko"),
        ("首先，我们计算总数。然后把结果除以三，得到最终答案。", "id"),
        ("प्रथम आपल्याला माहीत आहे की सफरचंदे आहेत आणि नंतर आपण उरलेली मिळवतो.", "hi"),
        ("ابتدا می‌دانیم که پنج سیب وجود دارد. سپس سه سیب دیگر را اضافه می‌کنیم.", "ar"),
        ("ជំហានដំបូង យើងបូកចំនួនទាំងពីរ", "th"),
    ],
)
def test_a_rival_language_is_told_apart(text, row, share):
    assert share(text, row) <= 0.2


@each_case(
    "text, row",
    [
        ("John有5个苹果，Mary给了他3个。所以John一共有8个苹果。", "zh"),
        ("John มีแอปเปิ้ล 5 ผล Mary ให้เขาอีก 3 ผล ดังนั้น x + y = 8 cm", "th"),
        ("주어진 방정식 ax + b = 0 을 풉니다. Step 1: x를 구합니다.", "ko"),
        ("먼저 total을 계산하고 average를 구합니다. 따라서 답은 7입니다.", "ko"),
        ("لنفترض أن x هو عدد التفاح. إذن x + 3 = 8 ومنه x = 5. الجواب هو 5.", "ar"),
        ("मान लीजिए कि AB = 5 cm और BC = 3 cm है। तब AC = 8 cm होगा।", "hi"),
        ("Пусть ABCD — прямоугольник, AB = 5 см. Тогда S = 15 см². Ответ: 15.", "ru"),
        ("Sea x el número de manzanas. John tiene 5 y Mary Smith tiene 3. Entonces x = 8.", "es"),
        ("Satu buku berharga $5 dan dua pensil berharga $3, jadi totalnya $8.", "id"),
        ("Έστω ότι ο λόγος είναι π. Τότε α = 3 και β = 4.", "el"),
    ],
)
def test_names_variables_units_and_terms_do_not_ruin_a_text(text, row, share):
    assert share(text, row) == 1.0


def test_sentences_of_another_script_count_in_letters(share):
    thai = "ก่อนอื่นเราต้องเข้าใจโจทย์ข้อนี้ให้ดี สี่เหลี่ยมผืนผ้ามีความยาวรอบรูปยี่สิบเซนติเมตร "
    tail = "So the final answer is 24."
    assert share(thai + tail, "th") == pytest.approx(said(thai, "th") / (said(thai, "th") + said(tail, "en")))
    assert share(ENGLISH, "th") == 0.0


def test_names_alone_are_no_text_in_the_language(share):
    assert share("Mary, John", "th") == 0.0


def test_words_of_another_script_beyond_the_target_letters_count(share):
    assert share("John Mary 和 Anna Peter 和 Bob Carl", "zh") < 0.7


@pytest.mark.parametrize("row", ["id", "th"])
def test_padding_that_is_not_prose_does_not_help(row, share):
    padding = {"id": INDONESIAN, "th": "ก่อนอื่นเราต้องเข้าใจโจทย์ข้อนี้ให้ดี"}[row] * 3
    for before, after in (
        ("```\n", "\n```"),
        ("\\[\\text{", "}\\]"),
        ("`", "`"),
        ("\\boxed{", "}"),
        ("$", "$"),
    ):
        assert share(f"{ENGLISH} {before}{padding.strip()}{after}", row) <= 0.05


def test_a_reasoning_hidden_in_code_or_formulas_counts_against_the_text(share):
    for hidden in (f"```\n{ENGLISH * 5}\n```", f"$${ENGLISH * 5}$$"):
        assert share(f"{INDONESIAN}\n{hidden}", "id") < 0.5
    assert share(f"{INDONESIAN}\n```python\nprint('hello')  # add the two numbers\n```", "id") == 1.0


def test_a_repeated_word_does_not_outweigh_the_text(share):
    assert share(f"{ENGLISH} {'adalah ' * 300}", "id") < 0.7


def test_invisible_characters_change_nothing(share):
    assert share("\u200b".join(ENGLISH), "id") == share(ENGLISH, "id")
    assert share("\u2060".join(INDONESIAN), "id") == 1.0


def test_a_word_of_lookalike_letters_is_in_no_language(share):
    homoglyphs = str.maketrans("aeo", "аео")
    assert share(INDONESIAN.translate(homoglyphs), "id") < 0.1
    assert share(ENGLISH.translate(homoglyphs), "ru") == 0.0


def test_letters_in_disguise_are_letters(share):
    bold = ENGLISH.translate({ord("a") + i: 0x1D41A + i for i in range(26)})
    assert share(f"{bold} Jadi jawabannya adalah 24.", "id") < 0.3


@each_case("text", ["", "5 + 3 = 8", "$x$", "\\boxed{8}", "🙂", "x y"])
def test_no_letters_no_share(text, share):
    assert share(text, "id") is None


def test_the_detected_language_is_named(meter):
    assert meter("id").measure(INDONESIAN).language == "id"
    assert meter("id").measure(ENGLISH).language == "en"
    assert meter("id").measure("ก่อนอื่นเราต้องเข้าใจโจทย์ข้อนี้ให้ดี").language == "th"
    assert meter("id").measure("首先，我们计算总数。").language == "zh"
    assert meter("id").measure("Сначала мы складываем два числа.").language is None
    assert meter("no").measure("Først vet vi at det er 5 epler.").language == "no"


def test_serbian_may_be_in_either_alphabet(share, four_sentences):
    latin = "Prvo znamo da ima 5 jabuka. Zatim dodajemo ostale 3. Dakle odgovor je 8."
    assert share(latin, "sr") == 1.0
    assert share(latin, "sr-Latn") == 1.0
    assert share(latin, "sr-Cyrl") == 0.0
    assert share(" ".join(four_sentences["sr"]), "sr-Cyrl") == 1.0


def test_listed_languages_are_the_only_ones(meter):
    spanish = "Primero sumamos los dos números y luego dividimos el resultado entre tres."
    assert meter("pt", ["en"]).measure(spanish).value == 1.0  # nothing else to take it for
    assert meter("pt", ["en", "es"]).measure(spanish).value == 0.0
    assert meter("th", ["th"]).measure(ENGLISH).value == 0.0


def test_the_share_does_not_depend_on_other_texts(meter):
    before = meter("id").measure(ENGLISH + INDONESIAN)
    for text in ("Kwanza tunajua", "Zuerst wissen wir", INDONESIAN * 3):
        meter("id").measure(text)
    assert meter("id").measure(ENGLISH + INDONESIAN) == before
