"""The tables inside of math-verify's parser, which rewardlab-math empties, are where it looks for them."""

import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from helpers.each_case import each_case
from packaging.requirements import Requirement
from rewardlab_math import algebra

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


@pytest.fixture
def tables():
    parser = algebra.PSParser
    kept = parser.decisionsToDFA, parser.sharedContextCache
    yield parser
    parser.decisionsToDFA, parser.sharedContextCache = kept


def test_large_tables_are_emptied_and_read_on(tables, monkeypatch):
    algebra.formulas("1+1", decimal_comma=False)
    assert tables.sharedContextCache.cache
    before = tables.decisionsToDFA
    monkeypatch.setattr(algebra, "_MAX_TABLES", 0)
    with algebra.parsing():
        pass
    assert not tables.sharedContextCache.cache
    assert tables.decisionsToDFA is not before
    assert algebra.formulas("2+2", decimal_comma=False)


def test_a_parser_without_them_is_refused_with_what_to_install():
    with pytest.raises(ImportError, match=r"pip install latex2sympy2_extended==1\.11\.0"):
        algebra.check_parser(type("Another", (), {"sharedContextCache": None}))


@each_case("name", ["math-verify", "latex2sympy2_extended", "antlr4-python3-runtime", "sympy"])
def test_what_is_tested_is_what_the_distribution_asks_for(name):
    needed = map(Requirement, tomllib.loads(PROJECT.read_text())["project"]["dependencies"])
    (found,) = (one for one in needed if one.name == name)
    assert version(name) in found.specifier
    assert any(bound.operator in ("==", "<") for bound in found.specifier)
