"""What a translation altered: found where it did, and not said of honest translations, in many languages."""

import pytest
from helpers.each_case import each_case
from helpers.growth import many, refuse_growth
from rewardlab_language.alterations import alterations, question_alterations
from rewardlab_language.faithful_words import asking_words, number_words
from rewardlab_language.numbers_in_text import explained_values, lost_numbers, numbers_in
from rewardlab_language.wording import wordings

HONEST = [
    (
        "de",
        "A town has 1,234,567 people and 2.5% are 65 or older.",
        "Eine Stadt hat 1.234.567 Einwohner, und 2,5 % sind 65 oder älter.",
    ),
    ("fr", "It costs $1,250.50 for 3 nights.", "Cela coûte 1 250,50 $ pour trois nuits."),
    ("hi", "He bought 100,000 shares.", "उसने 1,00,000 शेयर खरीदे।"),
    ("bn", "There are 25 students and 1,500 books.", "২৫ জন ছাত্র এবং ১,৫০০টি বই আছে।"),
    ("zh", "The population is 1.5 million and grows by 20,000 a year.", "人口为150万，每年增加2万。"),
    ("ja", "He has two apples and 3 oranges.", "彼はりんごを2個とオレンジを3個持っている。"),
    ("ja", "He has 10,000 yen.", "彼は1万円持っている。"),
    ("ar", "Find the sum of 12 and 30.", "أوجد مجموع ١٢ و٣٠."),
    ("fa", "What is 12.5 + 7?", "حاصل ۱۲٫۵ + ۷ چیست؟"),
    ("es", "She runs 5 miles in 2 hours.", "Corre cinco millas en dos horas."),
    ("ru", "There are 4 boxes with 6 balls each.", "Есть четыре коробки, в каждой по шесть шаров."),
    ("th", "How many apples are left if 7 of 20 are eaten?", "ถ้ากินแอปเปิลไป 7 ผลจาก 20 ผล จะเหลือกี่ผล"),
    ("de", "The train leaves at 3:30 p.m. How long is it?", "Der Zug fährt um 15:30 Uhr ab. Wie lang ist er?"),
    ("fr", "In the 21st century, how many?", "Au XXIe siècle, combien ?"),
    ("de", "If $x = 1{,}000$ and $y=\\frac{3}{4}$, find x.", "Wenn $x = 1000$ und $y=\\frac{3}{4}$ ist, bestimme $x$."),
    ("sw", "Is 7 a prime number?", "Je, 7 ni namba tasa?"),
    ("ko", "Find 25% of 80.", "80의 25%를 구하시오."),
    ("vi", "There are twenty-five students. How many?", "Có 25 học sinh. Có bao nhiêu?"),
    ("id", "What is half of 50?", "Berapa setengah dari 50?"),
    ("de", "Half of the 60 people leave.", "1/2 der 60 Leute gehen."),
    ("tr", "What is the probability that it rains for 10 days?", "10 gün boyunca yağmur yağma olasılığı nedir?"),
    ("te", "How many sides does a hexagon with 6 vertices have?", "6 శీర్షాలు ఉన్న షడ్భుజికి ఎన్ని భుజాలు ఉంటాయి?"),
    ("pt", "Evaluate f(1,2) + g(3).", "Calcule f(1, 2) + g(3)."),
    ("de", "A has $.50 and B $12.00.", "A hat 0,50 $ und B 12 $."),
    ("zh", "How many of the 12 eggs are left?", "12个鸡蛋还剩多少个"),
    ("yo", "How many apples does he have if he had 5 and ate 2?", "Àpùl mélòó ni ó kù tí ó bá ní 5 tí ó sì jẹ 2"),
    ("de", "Find x^2 + 3^{10}.", "Bestimme x² + 3¹⁰."),
    ("pl", "The 3 friends met on March 5, 2021.", "Trzej przyjaciele spotkali się 5 marca 2021 r."),
    ("zh", "On March 5 he sold 3 dozen eggs.", "3月5日，他卖出了36个鸡蛋。"),
    ("es", "It takes 1 hour and 1/2 minute.", "Tarda una hora y medio minuto."),
    ("ar", "Ali has 2 apples. How many apples?", "لدى علي تفاحتان. كم تفاحة؟"),
    ("he", "5 children and 8 dogs", "חמישה ילדים ושמונה כלבים"),
    ("it", "What is the 3rd digit of 123456789?", "Qual è la terza cifra di 123456789?"),
    ("hi", "Ram has 3 pens. How many pens?", "राम के पास तीन कलम हैं। कितनी कलम"),
    ("gu", "What is 15 × 4?", "૧૫ × ૪ કેટલા થાય?"),
    (
        "uk",
        "Each of 5 boys has 9 coins. How many coins are there?",
        "Кожен із п’яти хлопців має дев’ять монет. Скільки всього монет?",
    ),
    ("sv", "The area is 1,000 m^2.", "Arean är 1 000 m²."),
    ("vi", "He reads 5 books per week. How many?", "Anh ấy đọc năm cuốn sách mỗi tuần. Bao nhiêu?"),
    ("ja", "Find the value of x.", "xの値を求めよ。"),
    ("ja", "What is the value of x if 2x=6?", "2x=6のとき、xの値を求めよ。"),
    ("ko", "What is 3 + 4?", "3 + 4의 값을 구하여라."),
    ("th", "What is 3 + 4?", "จงหาค่าของ 3 + 4"),
]
ALTERED = [
    ("de", "5 apples", "6 Äpfel"),
    ("de", "There are 3.5 kg. How much?", "Es sind 35 kg. Wie viel?"),
    ("zh", "20,000 people", "2000人"),
    ("zh", "20,000 people and 1 million", "2000人 100万"),
    ("es", "2 cats and 5 dogs", "3 gatos y 5 perros"),
    ("es", "two cats and 5 dogs", "cinco perros y 7 gatos"),
    ("bn", "12 books", "১৩টি বই"),
    ("fr", "1,234 books", "1 243 livres"),
    ("de", "5 apples, then 5 more", "5 Äpfel, dann 6"),
    ("th", "12 of 40", "12 จาก 400"),
    ("id", "How many?", "Jawabannya 7."),
    ("de", "How many apples?", "Es sind viele Äpfel."),
    ("hi", "100 people", "1000 लोग"),
    ("ja", "How many are there?", "たくさんあります。"),
]


def test_an_honest_translation_alters_nothing():
    for language, source, translation in HONEST:
        assert question_alterations(source, translation, language) == [], (language, source, translation)


@each_case("language, source, translation", ALTERED)
def test_another_problem_is_told(language, source, translation):
    assert question_alterations(source, translation, language)


def test_texts_that_say_the_same_in_all_languages_alter_nothing(four_sentences, solutions):
    for language in wordings():
        for texts in (four_sentences, solutions):
            if language in texts:
                source, translation = (
                    one if isinstance(one := texts[code], str) else " ".join(one) for code in ("en", language)
                )
                assert alterations(source, translation, language) == [], language


def test_each_number_that_changes_is_told_in_each_language(four_sentences):
    for language in wordings():
        source, translation = (" ".join(four_sentences[code]) for code in ("en", language))
        assert alterations(source, translation.replace("8", "9"), language), language
        assert alterations(source.replace("5", "500"), translation.replace("5", "510"), language), language


@each_case(
    "answer, source, translation, states",
    [
        ("42", "What is 6 times 7?", "Was ist 6 mal 7? 42", True),
        ("42", "What is 6 times 7?", "Was ist 6 mal 7?", False),
        ("1,200", "How much?", "Wie viel? 1.200 Euro.", True),
        ("12", "How many is a dozen?", "Wie viele sind 12?", False),
        ("7", "Is it 7?", "Ist es 7?", False),
        (r"\\frac{1}{2}", "How much?", r"Wie viel? $\\frac{1}{2}$", True),
        ("B", "Which?", "Welche B?", False),
        ("x" * 200, "Which?", "Welche?", False),
        ("৪২", "What is 6 times 7?", "Was ist 6 mal 7? 42", True),
    ],
)
def test_a_translation_that_states_the_answer_is_told(answer, source, translation, states):
    found = question_alterations(source, translation, "de", answer)
    assert [one.kind for one in found] == ["answer"] * states


def test_a_translation_with_a_box_is_an_answer_and_one_without_those_of_its_source_lost_some():
    assert [one.kind for one in question_alterations("How many?", r"Wie viele? \boxed{}", "de")] == ["question"]
    assert [one.kind for one in alterations(r"So \boxed{5}.", "Also 5.", "de")] == ["box"]
    assert alterations(r"So \boxed{5}.", r"Also \boxed {5}.", "de") == []


def test_words_of_english_explain_figures():
    assert {25, 300, 2500, 12, 5} <= explained_values(
        "twenty-five of three hundred, two thousand five hundred, a dozen, in May"
    )


def test_each_language_of_the_step_has_its_words():
    for language in wordings():
        assert sorted(number_words(language)) == list(range(3, 11))
        assert asking_words(language)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["7", "1.", "1,2 ", "1 234 ", "۵", "$x_1$ ", "{,}", "\\,", "¹", "twenty ", "II", "十"])
def test_hostile_texts_take_linear_time(unit):
    def read(text):
        assert numbers_in(text) is not None
        lost_numbers(text, "7 " + text[::2], "zh")
        question_alterations(text, text[::-1], "ja", text)

    refuse_growth(unit, read, many(unit))
