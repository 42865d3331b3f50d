"""Groups of languages as merges of a table: the packaged tiers, a user's file, and what is wrong with one."""

import pytest
from rewardlab.errors import UserError
from rewardlab_measure.tables.coverage import refuse_idle_merges
from rewardlab_measure.tables.language_groups import parse_merges
from rewardlab_measure.tables.layout import Cell, TableLayout, TablePlace


def test_the_packaged_tiers_are_those_of_the_paper():
    tiers = {one.language: one.parts for one in parse_merges(["@sgcm_tiers"])}
    assert {name: len(parts) for name, parts in tiers.items()} == {"high": 13, "medium": 23, "low": 14}
    assert len({part for parts in tiers.values() for part in parts}) == 50


def test_each_language_of_a_group_counts_and_others_stay(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("north: [no, fi]\n'south': [it]\n")
    merges = parse_merges([f"@{path}", "zh=zh-cn+zh-tw"])
    cells = [Cell("qa", language) for language in ("no", "fi", "sw")]
    refuse_idle_merges(merges[:2], cells)
    layout = TableLayout(cells, merges)
    assert layout.weights(TablePlace("qa", "north")) == {cells[0]: 0.5, cells[1]: 0.5}
    assert layout.weights(TablePlace("qa", None)) == pytest.approx(dict.fromkeys(cells, 1 / 3))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[no, fi]", "is not a file of language groups"),
        ("north: no", "is not a file of language groups"),
        ("north: []", "is not a file of language groups"),
        ("north: [[a]]", "is not a file of language groups"),
        ("north: [no]\nsouth: [no]", "no is in north and in south"),
        ("north: [", "is not YAML"),
        (f"north: {'[' * 1000}", "is not YAML: nested too deeply"),
    ],
)
def test_a_wrong_file_is_named(text, says, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        parse_merges([f"@{path}"])
    assert says in str(caught.value)
    assert "mine.yaml" in str(caught.value)


def test_a_name_that_is_neither_packaged_nor_a_file_says_what_there_is():
    with pytest.raises(UserError, match=r"packaged groups: @sgcm_tiers"):
        parse_merges(["@sgcm_tier"])


def test_groups_of_which_no_language_is_there_are_idle():
    with pytest.raises(UserError, match=r"--merge @sgcm_tiers: none of its languages is there"):
        refuse_idle_merges(parse_merges(["@sgcm_tiers"]), [Cell("qa", "sw")])
