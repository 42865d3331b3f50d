"""docs/checklists.md is true: its files are read and checked, and its table names every packaged checklist."""

import re
from pathlib import Path

from rewardlab.cli import main
from rewardlab_checklist.checklist_file import find_checklist, packaged_names

PAGE = (Path(__file__).parents[4] / "docs" / "checklists.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.S | re.M)


def test_its_recipes_and_its_checklist_pass_check(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for number, text in enumerate(BLOCKS):
        named = re.match(r"# (\w+\.yaml)\n", text)
        (tmp_path / (named[1] if named else f"{number}.yaml")).write_text(text, encoding="utf-8")
    for recipe in ("0.yaml", "haiku_recipe.yaml"):
        assert main(["check", recipe]) == 0, capsys.readouterr().err
    haiku = find_checklist("haiku.yaml")
    assert [one.weight for one in haiku.dimensions] == [0.4, 0.4, 0.2]
    assert haiku.dimensions[2].worth_of("はい") == 1


def test_its_table_has_every_packaged_checklist():
    table = PAGE.partition("## Packaged checklists")[2]
    named = set(re.findall(r"`([a-z_]+)`", table))
    assert {name for name in packaged_names() if not name.endswith("_i6")} <= named
