"""The pages that `python docs/reference` makes say something of every key, component, command and public name."""

import importlib
import inspect
import re
import runpy

import pytest
from helpers.paths import DOCS
from rewardlab.registry import Registry, first_party
from rewardlab_testing.listing.listing import component_rows
from rewardlab_testing.listing.recipe_keys import PARTS, part_row

MADE = runpy.run_path(str(DOCS / "reference"))


@pytest.fixture(scope="module")
def pages():
    """Each page's text, by its name."""
    return {name: page() for name, page in MADE["PAGES"].items()}


def test_the_index_in_git_has_a_section_for_each_page():
    index = (DOCS / "reference" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^## (.+)$", index) == list(MADE["PAGES"])


def test_every_key_says_what_it_is():
    rows = [part_row(name) for name in PARTS] + [
        row for p in Registry() for row in component_rows(p) if "options" in row
    ]
    assert len(rows) > 30
    assert [f"{row['use']}: {key['name']}" for row in rows for key in row["options"] if not key["help"]] == []


def test_every_engine_of_ours_has_its_settings(pages):
    sections = dict(re.findall(r"(?ms)^## backend (\S+)$\n\n(.*?)(?=^## |\Z)", pages["settings"]))
    engines = {name: spec for name, spec in Registry().backends().items() if name in first_party()}
    assert {"trl", "openrlhf", "verl"} <= engines.keys() == sections.keys()
    keys = [f"backend {name}: {key}" for name, spec in engines.items() for key in spec.config.model_fields]
    told = {f"backend {name}: {key}" for name in engines for key in re.findall(r"`backend\.(\w+)", sections[name])}
    assert [key for key in keys if key not in told] == []


def test_every_component_says_what_it_is(pages):
    sections = dict(re.findall(r"(?ms)^### (\S+)$\n\n(.*?)(?=^##|\Z)", pages["components"]))
    assert len(sections) > 50
    assert {"math/accuracy", "normalize/gdpo", "openai/chat"} <= sections.keys()
    assert [name for name, text in sections.items() if not re.match(r"[^|(]{15,}.*\(\w+.*\)\.$", text, re.M)] == []


def test_every_command_says_what_it_and_its_flags_do(pages):
    sections = dict(re.findall(r"(?ms)^## (\S+)$\n\n```text\n(.*?)(?=^## |\Z)", pages["commands"]))
    assert {"run", "score", "compare", "serve"} <= sections.keys()
    assert [
        name for name, text in sections.items() if text.startswith("```") or re.search(r"\|\s*\|$", text, re.M)
    ] == []


def test_every_public_function_and_class_says_what_it_is():
    api_page = MADE["api_page"]
    silent = [
        f"{package}.{name}"
        for package in api_page.PACKAGES
        for name in importlib.import_module(package).__all__
        if callable(value := getattr(importlib.import_module(package), name))
        and (inspect.isclass(value) or inspect.isroutine(value))
        and not api_page.first_sentence(value)
    ]
    assert silent == []


def test_no_row_of_a_table_has_more_or_fewer_cells_than_its_head(pages):
    for name, text in pages.items():
        tables = re.findall(r"(?m)(?:^\|.*\|$\n?)+", text)
        assert tables or name == "commands"
        for table in tables:
            widths = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
            assert len(widths) == 1, (name, table[:200])
