import asyncio
import threading

from helpers.each_case import each_case
from helpers.growth import many, refuse_growth
from hypothesis import given
from hypothesis import strategies as st
from rewardlab import Ask, Context, find
from rewardlab_pairwise.maths import maths
from rewardlab_pairwise.verdicts import verdict
from sacrebleu.metrics.chrf import CHRF

SPEC = find("judge", "pairwise/overlap")


def overlap(**options):
    return SPEC.build(SPEC.config(**options), Context())


def ask(judge, a, b, reference):
    return asyncio.run(judge.ask(Ask(parts={"query": "q", "a": a, "b": b, "reference": reference})))


@given(*[st.text("abc 7", max_size=12) for _ in range(3)])
def test_the_answer_with_the_higher_chrf_wins_wherever_it_stands(a, b, reference):
    judge, chrf = overlap(), CHRF()
    of_a, of_b = (chrf.sentence_score(text, [reference]).score for text in (a, b))
    expected = "tie" if abs(of_a - of_b) <= 1e-12 else "A" if of_a > of_b else "B"
    mirrored = {"A": "B", "B": "A", "tie": "tie"}[expected]
    assert verdict(ask(judge, a, b, reference).text, (a, b, reference)) == expected
    assert verdict(ask(judge, b, a, reference).text, (a, b, reference)) == mirrored


def test_without_a_reference_the_reply_is_an_error_that_says_so():
    reply = asyncio.run(overlap().ask(Ask(parts={"a": "x", "b": "y"})))
    assert "'reference'" in reply.error
    assert "privileged" in reply.error


ENGLISH = r"First we have 3 apples. Then we add 4. So 3 + 4 = 7. The answer is \boxed{7}."
GERMAN = r"Zuerst gibt es 3 Äpfel. Dann kommen 4 dazu. Also ist 3 + 4 = 7. Die Antwort ist \boxed{7}."
SLIPPED = r"Zuerst gibt es 3 Äpfel. Dann kommen 4 dazu. Also ist 3 + 4 = 7. Die Antwort ist \boxed{4}."


def test_compare_maths_is_blind_to_the_language_and_sees_the_slip():
    reference = ENGLISH.replace("apples", "fruits")
    text, numbers = overlap(), overlap(compare="maths")
    assert verdict(ask(text, ENGLISH, GERMAN, reference).text) == "A"
    assert verdict(ask(numbers, ENGLISH, GERMAN, reference).text) == "tie"
    assert verdict(ask(numbers, SLIPPED, GERMAN, reference).text) == "B"


def test_measuring_long_answers_leaves_the_event_loop_free():
    judge, threads = overlap(), set()
    measure = judge._measure

    def measured(text, reference):
        threads.add(threading.current_thread())
        return measure(text, reference)

    judge._measure = measured
    assert ask(judge, "1 2 3", "1 2 4", "1 2 5").error is None
    assert len(threads) == 1
    assert threading.current_thread() not in threads


@each_case(
    "text, expected",
    [
        (ENGLISH, r"3;4;3+4=7;\boxed{7}"),
        (GERMAN, r"3;4;3+4=7;\boxed{7}"),
        ("Combien reste-t-il ? 3 − 4 = −1", "3-4=-1"),
        ("অতএব ৩ + ৪ = ৭", "3+4=7"),
        ("３＋４＝７", "3+4=7"),
        (r"$\frac{1}{2}$ of 1,000.5 m", r"\frac{1}{2};1,000.5"),
        (r"\boxed{three}, or (one)", r"\boxed{three}"),
        ("no maths (none at all) - really", ""),
    ],
)
def test_maths_is_what_all_languages_share(text, expected):
    assert maths(text) == expected


@given(st.text())
def test_maths_takes_any_text(text):
    assert maths(maths(text)) is not None


def test_maths_reads_hostile_texts_in_linear_time():
    refuse_growth("all at once", maths, many("-(", before=r"\boxed{" * 20_000 + "1" * 100_000))
