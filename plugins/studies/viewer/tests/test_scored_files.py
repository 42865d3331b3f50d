"""The page of a file that `score` wrote: what it opens with, and what each component contributed."""

import gzip
import json
import re
from base64 import b64decode
from collections import Counter

import pytest
from helpers.each_case import each_case
from helpers.synthetic_run import GROUP, write_run
from rewardlab_viewer.demo import demo_run
from rewardlab_viewer.page.page import write_report
from rewardlab_viewer.read.columns import MAX_BEGINNING, ScoreColumns, beginning_of
from rewardlab_viewer.read.run_folder import RunFolder
from rewardlab_viewer.read.scored_file import ScoredSource
from rewardlab_viewer.read.source import doubled

ROWS = [
    {"id": "am", "language": "am", "question": "ሁለት ሲደመር ሁለት ስንት ነው?", "solution": "4"},
    {"id": "en", "language": "en", "question": "What is 2 + 2?", "solution": "4"},
]
ANSWERS = ["\\boxed{4}", "four", "It is, after a long while, \\boxed{5}"]


@pytest.fixture
def scored(tmp_path, main):
    """A file that `score` wrote, with its rows."""
    recipe, rows = tmp_path / "recipe.yaml", tmp_path / "rows.jsonl"
    recipe.write_text(
        "version: 1\ndataset: {fields: {answer: solution, prompt: question}}\n"
        "reward:\n  components: {boxed: {use: format/boxed}, other: {use: format/boxed}}\n  total: boxed + 2 * other\n"
    )
    rows.write_text("".join(json.dumps(row | {"completions": ANSWERS}, ensure_ascii=False) + "\n" for row in ROWS))
    assert main("score", recipe, rows, "-o", tmp_path / "scored.jsonl")[0] == 0
    return tmp_path / "scored.jsonl"


def page(scored, rows=None):
    write_report([scored], scored.with_suffix(".html"), rows=rows)
    return scored.with_suffix(".html").read_text(encoding="utf-8")


def data(text):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text)[1])["runs"][0]


def test_it_opens_with_its_samples_and_has_no_empty_section(scored):
    text = page(scored, str(scored.with_name("rows.jsonl")))
    sections = re.findall(r'<section id="(\w+)"', text)
    assert sections == ["samples", "overview", "fields", "coverage", "causes", "judges"]
    assert re.findall(r'<a href="#(\w+)">', text) == sections, "and so does its head"
    assert "<dt>mean total</dt><dd>2.00</dd>" in text
    assert "total = boxed + 2 * other, from 0 to 3" in text


def test_it_says_what_each_component_contributed(scored):
    source = ScoredSource(scored)
    lines = list(source.lines())
    given = [[entry["contribution"] for entry in line["components"].values()] for line in lines]
    assert given == [[1.0, 2.0], [0.0, 0.0], [1.0, 2.0]] * 2
    assert [line["rest"] for line in lines] == [0.0] * 6
    assert source.notes == []
    text = page(scored)
    assert '<p class="about">2 groups that were scored. The share says' in text
    assert "weight 2" in text
    assert "Nothing says what each component contributed" not in text


def test_contributions_that_the_recipe_does_not_explain_are_none_and_said(scored):
    rows = [json.loads(line) for line in scored.read_text(encoding="utf-8").splitlines()]
    rows[0]["total"][0] = 9.0
    scored.write_text("".join(json.dumps(row) + "\n" for row in rows))
    source = ScoredSource(scored)
    lines = list(source.lines())
    assert ["contribution" in line["components"]["boxed"] for line in lines] == [False] * 3 + [True] * 3
    assert source.notes == [
        "What components contributed is not known of 1 row of scored.jsonl: the recipe beside it makes another total "
        "of the values."
    ]


def test_a_column_under_a_name_of_ours_is_one_field_and_stays_in_what_is_copied(scored):
    text = page(scored, str(scored.with_name("rows.jsonl")))
    told = data(text)
    assert sorted(map(tuple, told["names"])) == [("answer", "solution"), ("prompt", "question")]
    assert set(told["fields"]) == {"answer", "language"}, "figures have it once"
    [packed] = re.findall(r'id="texts-0-0">([^<]*)<', text)
    assert set(json.loads(gzip.decompress(b64decode(packed)))[0]["fields"]) == {"answer", "language", "solution"}


def test_a_list_has_the_beginnings_of_prompts(scored):
    assert data(page(scored, str(scored.with_name("rows.jsonl"))))["beginnings"] == [row["question"] for row in ROWS]
    assert data(page(scored))["beginnings"] == ["", ""], "without its rows it has none"


@each_case(
    "prompt, expected",
    [
        ("What  is\n2 + 2?", "What is 2 + 2?"),
        ([{"role": "system", "content": "Help."}, {"role": "user", "content": "2足す3は？"}], "2足す3は？"),
        (
            [
                {"role": "user", "content": "one"},
                {"role": "assistant", "content": "a"},
                {"role": "user", "content": "b"},
            ],
            "b",
        ),
        (
            [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "What is shown?"}]}],
            "What is shown?",
        ),
        ([{"role": "system", "content": "Only this."}], "Only this."),
        ("x" * 61, "x" * MAX_BEGINNING + "…"),
        ("x" * 60, "x" * 60),
        (" " * 100_000 + "late", "late"),
        ("a" + " " * 100_000 + "b", "a…"),
        (None, ""),
        (5, ""),
        ([5, None], ""),
        ([{"role": "user"}], ""),
        ([{"role": "user", "content": {"text": 5}}], ""),
        ("", ""),
    ],
)
def test_the_beginning_of_a_prompt_is_that_of_its_last_question(prompt, expected):
    assert beginning_of({"prompt": prompt, "id": "a"}) == expected


@each_case(
    "fields, names, expected",
    [
        ({"answer": "4", "solution": "4"}, [("answer", "solution")], {"solution"}),
        ({"answer": "4", "solution": "5"}, [("answer", "solution")], set()),
        ({"answer": "4"}, [("answer", "solution")], set()),
        ({"a": 1, "b": 1}, [("a", "b"), ("b", "a")], set()),
        ({"answer": "4", "solution": "4"}, [], set()),
        ({"answer": "4"}, [("answer", "answer")], set()),
        ({"answer": "4", "meta": {"solution": "4"}}, [("answer", "meta.solution")], set()),
    ],
)
def test_a_column_is_doubled_if_it_stands_under_our_name_too(fields, names, expected):
    assert doubled(fields, names) == expected


def test_a_doubled_column_has_no_table_of_its_own():
    line = {"stage": 0, "trained": "no", "id": "a", "components": {}}
    columns = ScoreColumns([("language", "lang")])
    for code in ("de", "de", "am", "am"):
        columns.add([line | {"fields": {"language": code, "lang": code}}], False)
    assert columns.split_fields() == ["language"]


def test_a_run_knows_the_columns_that_any_of_its_datasets_maps(tmp_path):
    folder = write_run(tmp_path / "run", 3 * GROUP)
    recipe = (folder / "recipe.resolved.yaml").read_text()
    mapped = "dataset: {use: data/mix, fields: {answer: solution}}"
    stages = recipe.replace(
        "{use: rl,", "{use: rl, eval: {dataset: {use: data/a, fields: {answer: gold, language: lang}}},"
    )
    (folder / "recipe.resolved.yaml").write_text(f"{stages}{mapped}\n")
    assert RunFolder(folder).names == [("answer", "gold"), ("answer", "solution"), ("language", "lang")]


def test_the_demos_ties_are_ties():
    with demo_run() as folder, open(folder / "ledger.jsonl", encoding="utf-8") as lines:
        infos = [json.loads(line)["components"]["preference"]["info"] for line in lines]
    said = Counter(verdict for info in infos for verdict in info["verdicts"].values())
    assert said.keys() == {"A", "B", "tie"}
    assert said["tie"] > 1_000
    assert sum(info["unparsable"] for info in infos) == 0
