"""The official scores of judge benchmarks, against the arithmetic of the published evaluations written out."""

import random

import pytest
from helpers.each_case import each_case
from rewardlab_measure.correlation import correlation
from rewardlab_measure.judge_benchmarks.benchmark_format import BENCHMARKS
from rewardlab_measure.judge_benchmarks.official_scores import benchmark_tables, official_score
from rewardlab_measure.judge_benchmarks.outcomes import Outcome
from rewardlab_measure.judge_benchmarks.resource_classes import classes, level_of
from rewardlab_training import kendall_tau_b


def by_the_book(one, other):
    """Pearson's correlation by sums."""
    n, xy = len(one), sum(a * b for a, b in zip(one, other, strict=True))
    spread = [n * sum(v * v for v in values) - sum(values) ** 2 for values in (one, other)]
    return (n * xy - sum(one) * sum(other)) / (spread[0] * spread[1]) ** 0.5


def outcome(right, **slices):
    return Outcome(right=right, slices={"language": "en", **slices})


@each_case("seed", range(5))
def test_rm_bench_is_the_mean_of_triangles_and_diagonal_of_each_domain(seed):
    draw, outcomes, totals = random.Random(seed), [], []
    for domain, rows in (("chat", 4), ("code", 7), ("math", 3), ("safety", 5)):
        matrix = [[0.0] * 3 for _ in range(3)]
        for _ in range(rows):
            for i in range(3):
                for j in range(3):
                    right = float(draw.random() < 0.6)
                    matrix[i][j] += right / rows
                    how = "easy" if i > j else "hard" if i < j else "normal"
                    outcomes.append(outcome(right, domain=domain, difficulty=how))
        hard = (matrix[0][1] + matrix[0][2] + matrix[1][2]) / 3
        normal = (matrix[0][0] + matrix[1][1] + matrix[2][2]) / 3
        easy = (matrix[1][0] + matrix[2][0] + matrix[2][1]) / 3
        totals.append((easy + normal + hard) / 3)
    assert official_score(BENCHMARKS.load("rm_bench"), outcomes) == pytest.approx(sum(totals) / 4)


@each_case("seed", range(5))
def test_m_rewardbench_is_the_mean_over_languages_of_the_mean_of_weighted_sections(seed):
    draw, benchmark = random.Random(seed), BENCHMARKS.load("m_rewardbench")
    outcomes, averages, by_section = [], [], {}
    for language in ("ar", "de", "sw"):
        sections = []
        for section, weights in benchmark.average.weights.items():
            whole = 0.0
            for subset, weight in weights.items():
                rights = [float(draw.random() < 0.7) for _ in range(draw.randint(1, 6))]
                outcomes += [outcome(right, language=language, subset=subset) for right in rights]
                whole += weight * sum(rights) / len(rights)
            sections.append(whole / sum(weights.values()))
            by_section.setdefault(section, []).append(sections[-1])
        averages.append(sum(sections) / 4)
    found = benchmark_tables(benchmark, outcomes)
    assert found["score"] == pytest.approx(sum(averages) / 3)
    assert found["sections"] == pytest.approx({name: sum(values) / 3 for name, values in by_section.items()})
    assert [found["slices"]["language"][one]["score"] for one in ("ar", "de", "sw")] == pytest.approx(averages)
    assert found["slices"]["resources"]["high"]["score"] == pytest.approx(sum(averages[:2]) / 2)


@each_case("seed", range(5))
def test_helpsteer3_takes_the_correlations_with_unread_replies_far_below(seed):
    draw, outcomes, said, gold = random.Random(seed), [], [], []
    for _ in range(60):
        right, told = draw.randint(-3, 3), draw.choice([*range(-3, 4), None])
        gold.append(right)
        said.append(-10000 if told is None else told)
        outcomes.append(
            Outcome(
                right=float(told == right), unparsable=told is None, score=told, gold=right, slices={"language": "en"}
            )
        )
    found = benchmark_tables(BENCHMARKS.load("helpsteer3"), outcomes)
    assert found["score"] == pytest.approx(kendall_tau_b(gold, said))
    assert found["all"]["pearson"] == pytest.approx(by_the_book(gold, said))
    assert found["all"]["accuracy"] == pytest.approx(sum(a == b for a, b in zip(gold, said, strict=True)) / 60)


@each_case("seed", range(5))
def test_pearson_is_that_of_the_books(seed):
    draw = random.Random(seed)
    one = [draw.randint(1, 5) for _ in range(200)]
    other = [max(1, min(5, value + draw.randint(-2, 2))) for value in one]
    assert correlation(one, other) == pytest.approx(by_the_book(one, other))


def test_correlations_that_nothing_defines_are_none():
    assert kendall_tau_b([1] * 9, list(range(9))) is None
    assert correlation([1.0, 1.0], [1.0, 2.0]) is None
    assert (correlation([1.0], [1.0]), kendall_tau_b([], [])) == (None, None)
    assert benchmark_tables(BENCHMARKS.load("feedback_bench"), [outcome(None)])["score"] is None


def test_what_has_no_answer_counts_nowhere_and_absent_sections_are_left_out():
    rewardbench = BENCHMARKS.load("rewardbench")
    outcomes = [outcome(1.0, subset="donotanswer"), outcome(None, subset="donotanswer"), outcome(None, subset="hep-go")]
    found = benchmark_tables(rewardbench, outcomes)
    assert (found["score"], found["sections"]["Reasoning"]) == (1.0, None)
    assert (found["all"]["missing"], found["slices"]["subset"]["hep-go"]["accuracy"]) == (2, None)


def test_resource_levels_by_codes_of_two_and_three_letters_and_with_scripts():
    assert [level_of(code) for code in ("de", "deu_Latn", "zh-Hant", "id", "eus", "sw", "no", "te")] == [
        *("high", "high", "high"),
        *("medium", "medium"),
        *("low", "low", "low"),
    ]
    assert level_of("xx") == "unknown"
    assert "false" not in classes()


def test_every_language_of_the_shipped_benchmarks_has_a_level():
    for name in ("m_rewardbench", "include", "helpsteer3"):
        for language in BENCHMARKS.load(name).names["language"].values():
            assert level_of(language) != "unknown", language
    mm_eval = (
        "ar",
        "bn",
        "ca",
        "de",
        "en",
        "es",
        "eu",
        "fr",
        "gl",
        "it",
        "ja",
        "ko",
        "ru",
        "sw",
        "te",
        "th",
        "vi",
        "zh",
    )
    assert {level_of(language) for language in mm_eval} == {"high", "medium", "low"}
