"""docs/rubric_languages.md lists the languages that are packaged, and its recipe is one."""

import re
from pathlib import Path

from rewardlab.recipe import load
from rewardlab_rubric.strategies.language_file import packaged_texts
from rewardlab_rubric.strategies.language_texts import Languages, NoTexts
from rewardlab_training import check_recipe

PAGE = (Path(__file__).parents[4] / "docs" / "rubric_languages.md").read_text(encoding="utf-8")
RUBRICS = (Path(__file__).parents[4] / "docs" / "rubrics.md").read_text(encoding="utf-8")

CODES = (
    "aa af ar as az be bg bn bs ca cs da de el en es et eu fa fi fr ha he hi hr hu hy id ie it iw ja ka kk ko ku la",
    "lt lv mk ms my nl nn no oc pl pt ro ru rw sa sco si sk sl sr sv sw ta th tl tlh tr tt uk vi vo war xh zh zh-Hant",
)
TRAINED = [code for line in CODES for code in line.split()]


def test_the_table_has_every_packaged_language():
    rows = re.findall(r"^\| ([a-z]{2}(?:-[A-Z][a-z]{3})?) \| ([^|]+) \| ([A-Z][a-z]{3}) \|", PAGE, re.M)
    assert rows == [(code, texts.language, texts.script) for code, texts in sorted(packaged_texts().items())]
    counted = f"{len(rows)} languages have packaged texts"
    assert counted in PAGE
    assert counted in RUBRICS


def test_no_language_is_both_packaged_and_missing():
    missing = re.search(r"these have no packaged\ntexts: ([^.]+)\.", PAGE)[1]
    named = {name.strip() for name in missing.split(",")}
    assert not named & {texts.language for texts in packaged_texts().values()}


def test_the_papers_languages_without_texts_are_those_that_mr3_has_made():
    """The codes that rubricreward/mr3 `54ad59a` lists in its README as those of the training."""
    assert len(TRAINED) == 72
    languages, lacking = Languages(), set()
    for code in TRAINED:
        try:
            languages.find(code)
        except NoTexts:
            lacking.add(code)
    recipe = load(Path(__file__).parents[4] / "recipes" / "mr3.yaml")
    assert lacking == set(recipe.tree["stages"][0]["dataset"]["with"]["names"])
    assert f"{len(lacking)} of them have no packaged texts" in PAGE


def test_its_recipes_are_fit_to_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("quality.yaml").write_text("{1: bad, 2: good}", encoding="utf-8")
    Path("rows.jsonl").write_text('{"prompt": "?", "language": "ms"}\n', encoding="utf-8")
    recipes = re.findall(r"^```yaml\n(version: 1.*?)^```", PAGE, re.S | re.M)
    for text in recipes:
        Path("r.yaml").write_text(text, encoding="utf-8")
        check_recipe(load(Path("r.yaml")), purpose="check")
    assert ["tgt-tgt" in text for text in recipes] == [True, False]
