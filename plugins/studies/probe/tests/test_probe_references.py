"""`rewardlab probe` of a recipe that `rewardlab new recipe` wrote, on rows with references in either language."""

import json

import pytest

pytestmark = pytest.mark.slow  # each probe starts a process that reads answers

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
    """`probed(rows, override)`: the exit code, and the completions by name, of the recipe that is written for them."""

    def run(rows, *overrides):
        write("rows.jsonl", list(rows))
        assert main("new", "recipe", "rows.jsonl", "-o", "r.yaml")[0] == 0
        code, out, _ = main("probe", "r.yaml", "rows.jsonl", "--thorough", "0", "--json", *overrides)
        return code, json.loads(out)["slices"]["all"]["completions"]

    return run


def test_where_they_are_english_they_are_tried_and_held_by_the_language(probed):
    """And where they are in the row's own language, or not seen to be English, they are not."""
    english, own = (list(rows_of(language, english=language == "de")) for language in OWN)
    code, tried = probed([*english, *own])
    for name in ("english_reference", "language_switch"):
        absent = {"its reference is not seen to be English": len(own)}
        assert (tried[name]["rows"], tried[name]["absent"]) == (len(english), absent)
    assert tried["english_reference"]["held_by"] == ["language"]
    assert code == 0


def test_an_english_reference_wins_without_the_language(probed):
    code, tried = probed(rows_of("ja", english=True), "reward.total=accuracy + format + preference")
    assert (code, tried["english_reference"]["wins"]) == (1, True)
