"""Formulas, by math-verify."""

import logging

import pytest
from antlr4.PredictionContext import PredictionContextCache
from helpers.each_case import each_case
from rewardlab_math import algebra


def equal(gold, answer):
    return algebra.any_equal(*(algebra.formulas(text, decimal_comma=False) for text in (gold, answer)))


@each_case("text", ["", "+", r"\frac{1}{", "2 + + )", "{", r"\foo{"])
def test_what_is_no_formula_is_told_apart(text):
    with pytest.raises(algebra.UnparsableFormula):
        algebra.formulas(text, decimal_comma=False)


def test_a_comma_between_digits_may_mark_decimals():
    half = algebra.formulas("0.5x", decimal_comma=False)[0]
    assert half not in algebra.formulas("0,5x", decimal_comma=False)
    assert half in algebra.formulas("0,5x", decimal_comma=True)


@each_case(
    "gold, answer",
    [
        ("x^2 = -1", "0 = 1"),  # both without solutions
        ("12", r"|\infty|"),  # which sympy may simplify to nothing
        ("(1, 2)", r"(1, |\infty|)"),
        ("12", r"\frac{0}{0}"),
    ],
)
def test_what_math_verify_takes_for_equal_and_is_not(gold, answer):
    assert not equal(gold, answer)


def test_infinite_ends_of_intervals_need_not_be_written():
    assert equal("x > 2", r"(2, \infty)")
    assert equal(r"(2, \infty)", "x > 2")


def test_the_parser_forgets(monkeypatch):
    monkeypatch.setattr(algebra, "_MAX_TABLES", 0)
    monkeypatch.setattr(algebra.PSParser, "sharedContextCache", PredictionContextCache())
    monkeypatch.setattr(algebra.PSParser, "decisionsToDFA", algebra.PSParser.decisionsToDFA)
    assert equal("x + 1", "1 + x")
    assert len(algebra.PSParser.sharedContextCache.cache) == 0
    assert equal("x + 1", "1 + x")


def test_the_warning_about_math_verify_s_own_limits_is_not_for_users(caplog):
    with caplog.at_level(logging.WARNING):
        assert equal("x + 1", "1 + x")
    assert not caplog.records
