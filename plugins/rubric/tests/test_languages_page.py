"""docs/rubric_languages.md lists the languages that are packaged, and its recipe is one."""

import re
from pathlib import Path

from rewardlab.recipe import load
from rewardlab.training import check_recipe
from rewardlab_rubric.strategies.language_file import packaged_texts

PAGE = (Path(__file__).parents[3] / "docs" / "rubric_languages.md").read_text(encoding="utf-8")
RUBRICS = (Path(__file__).parents[3] / "docs" / "rubrics.md").read_text(encoding="utf-8")


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


def test_its_recipes_are_fit_to_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("quality.yaml").write_text("{1: bad, 2: good}", encoding="utf-8")
    Path("rows.jsonl").write_text('{"prompt": "?", "language": "ms"}\n', encoding="utf-8")
    recipes = re.findall(r"^```yaml\n(version: 1.*?)^```", PAGE, re.S | re.M)
    for text in recipes:
        Path("r.yaml").write_text(text, encoding="utf-8")
        check_recipe(load(Path("r.yaml")), purpose="check")
    assert ["tgt-tgt" in text for text in recipes] == [True, False]
