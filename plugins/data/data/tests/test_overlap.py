"""data/overlap: what counts as the same text, in scripts with spaces and without."""

import json

import pytest
from rewardlab import Context, Sample, find
from rewardlab.errors import UserError
from rewardlab_data.grams import grams, normal

SPEC = find("dataset", "data/overlap")
LONG = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
TWELVE = " ".join(LONG.split()[:12])
CHINESE = "人人生而自由在尊嚴和權利上一律平等他們賦有理性和良心並應以兄弟關係的精神相對待"


def keep(tmp_path, texts, evaluated, **options):
    path = tmp_path / "evaluation.jsonl"
    path.write_text("".join(json.dumps({"prompt": text}) + "\n" for text in evaluated))
    rows = [Sample(id=str(n), prompt=({"role": "user", "content": text},)) for n, text in enumerate(texts)]
    return [int(row.id) for row in SPEC.build(SPEC.config(against=[str(path)], **options), Context(source=rows))]


@pytest.mark.parametrize(
    ("text", "evaluated", "kept"),
    [
        ("How many  pens?", "how many pens", False),
        ("How many pens has she?", "How many pens?", True),  # shorter than 13 words: only the whole counts
        (f"Say this: {LONG.upper()}!", LONG, False),
        (f"Before {TWELVE}", f"{TWELVE} after", True),  # 12 words in common
        ("one, two; three - four", "One two three four.", False),
        (f"請翻譯：{CHINESE[:20]}。", CHINESE, False),
        (f"請翻譯：{CHINESE[:19]}。", CHINESE, True),
        ("कितने कलम हैं", "कितने कलम हैं?", False),
        ("कितने कलम हैं", "कितनी कलम हैं?", True),  # a vowel sign is a part of its word
    ],
)
def test_a_text_overlaps_as_a_whole_or_by_13_words(tmp_path, text, evaluated, kept):
    assert keep(tmp_path, [text], [evaluated, "another"]) == ([0] if kept else [])


def test_the_number_of_words_and_the_warning(tmp_path, caplog):
    texts = ["a b c d", "b c x", "x y z", "q r"]
    assert keep(tmp_path, texts, ["b c d", "z z z"], n=2) == [2, 3]
    assert "data/overlap: 2 of 4 rows dropped: 0 and " in caplog.text
    assert "evaluation.jsonl:1: 'b c'" in caplog.text


def test_other_fields_of_both(tmp_path):
    path = tmp_path / "evaluation.csv"
    path.write_text("problem,answer\nHow many pens?,7\n")
    options = SPEC.config(against=[str(path)], fields=["problem", "reference"])
    rows = [Sample(id="a", fields={"reference": "How many pens"}), Sample(id="b", fields={"problem": "Seven?"})]
    assert [row.id for row in SPEC.build(options, Context(source=rows))] == ["b"]
    with pytest.raises(UserError, match="data/overlap: c: no text in problem or reference"):
        list(SPEC.build(options, Context(source=[Sample(id="c", fields={"answer": "7"})])))


def test_what_is_wrong_with_an_evaluation_set_is_named(tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"problem": "x"}\n{"prompt": \n')
    for path, message in ((tmp_path / "no.jsonl", "no such file"), (bad, "bad.jsonl:1: no text in prompt")):
        with pytest.raises(UserError) as caught:
            SPEC.build(SPEC.config(against=[str(path)]), Context())
        assert message in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["a" * 300_000, "a " * 200_000, "無" * 200_000, "\u0e31" * 100_000, "\u0301" * 200_000]
)
def test_long_texts_are_read_in_one_go(text):
    assert sum(1 for _ in grams(normal(text), 13)) <= len(text)
