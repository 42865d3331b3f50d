"""`rewardlab probe` of a recipe that `rewardlab new recipe` wrote, on rows with references in either language."""

import json

import pytest

OWN = {
    "de": [
        (
            "Was ist 3 + 4?",
            "7",
            "Wir rechnen drei plus vier. Das sind sieben.",
            "Drei und vier ergeben sieben.",
        ),
        (
            "Wie viele Beine haben 4 Katzen?",
            "16",
            "Wir rechnen vier mal vier. Das ist es.",
            "Es sind sechzehn Beine.",
        ),
    ],
    "ja": [
        ("3 足す 4 はいくつですか。", "7", "三足す四を計算します。答えは七です。", "三と四を足すと七になります。"),
        ("猫4匹の足は何本ですか。", "16", "四掛ける四は十六です。足は十六本です。", "四匹では十六本になります。"),
    ],
}
ENGLISH = ["Three and four make seven together.", "A cat has four legs. So four cats have sixteen."]


def rows_of(language, english):
    """Rows with a reference in English or in their own language."""
    for (prompt, answer, honest, own), translated in zip(OWN[language], ENGLISH, strict=True):
        reference = translated if english else own
        boxed = {"response": f"{honest} \\boxed{{{answer}}}", "reference": f"{reference} \\boxed{{{answer}}}"}
        yield {"prompt": prompt, "answer": answer, "language": language, **boxed}


@pytest.fixture
def probed(main, write):
    """`probed(rows)`: the exit code, and the completions by name, of the recipe that is written for the rows."""

    def run(rows):
        write("rows.jsonl", list(rows))
        assert main("new", "recipe", "rows.jsonl", "-o", "r.yaml")[0] == 0
        code, out, _ = main("probe", "r.yaml", "rows.jsonl", "--thorough", "0", "--json")
        return code, json.loads(out)["slices"]["all"]["completions"]

    return run


@pytest.mark.parametrize("language", OWN)
def test_a_sound_reward_passes_where_the_references_are_in_the_rows_own_language(language, probed):
    code, tried = probed(rows_of(language, english=False))
    for name in ("english_reference", "language_switch"):
        assert (tried[name]["rows"], tried[name]["absent"]) == (0, {"its reference is not seen to be English": 2})
    assert code == 0


def test_where_they_are_english_they_are_tried_and_held_by_the_language(probed):
    code, tried = probed([*rows_of("de", english=True), *rows_of("ja", english=True)])
    assert (code, tried["english_reference"]["rows"], tried["language_switch"]["rows"]) == (0, 4, 4)
    assert tried["english_reference"]["held_by"] == ["language"]


def test_of_rows_of_both_kinds_those_with_english_references_alone_are_tried(probed):
    _, tried = probed([*rows_of("de", english=True), *rows_of("ja", english=False)])
    assert tried["english_reference"]["rows"] == 2


def test_an_english_reference_wins_without_the_language(probed, main, write):
    probed(rows_of("ja", english=True))
    total = "reward.total=accuracy + format + preference"
    code, out, _ = main("probe", "r.yaml", "rows.jsonl", total, "--thorough", "0", "--json")
    assert (code, json.loads(out)["slices"]["all"]["completions"]["english_reference"]["wins"]) == (1, True)
