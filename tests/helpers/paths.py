"""Where the repository and its test data are."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
RECIPES = ROOT / "recipes"
DOCS = ROOT / "docs"
