"""data/mix: shares that hold in every stretch, and rows that are known by their part."""

import json
from collections import Counter
from itertools import islice

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from rewardlab import Context, Sample, find
from rewardlab.cli import main
from rewardlab.errors import UserError
from rewardlab.recipe import load
from rewardlab_training import check_recipe

SPEC = find("dataset", "data/mix")


@pytest.fixture
def file(tmp_path):
    """file(name, rows): a file of so many rows, or of these."""

    def write(name, rows):
        rows = (
            [{"id": number, "prompt": f"{name} {number}?"} for number in range(rows)] if isinstance(rows, int) else rows
        )
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return str(path)

    return write


def mix(seed=0, until="first_exhausted", disjoint=False, sources=None, **parts):
    options = SPEC.config(parts=parts, until=until, disjoint=disjoint)
    return SPEC.build(options, Context(seed=seed, sources=sources or {}))


def ids(rows):
    return [row.id for row in rows]


def test_rows_alternate_by_their_shares_from_the_first_on(file):
    made = mix(a={"path": file("a", 9), "share": 3}, b={"path": file("b", 9), "share": 1})
    assert ids(islice(made, 8)) == ["a/0", "a/1", "b/0", "a/2", "a/3", "a/4", "b/1", "a/5"]


@given(st.lists(st.floats(0.05, 20), min_size=2, max_size=5))
def test_every_stretch_has_the_shares(file, weights):
    parts = {f"p{at}": {"path": file(f"p{at}", 60), "share": weight} for at, weight in enumerate(weights)}
    taken = dict.fromkeys(parts, 0)
    for count, row in enumerate(mix(**parts), 1):
        taken[row.fields["dataset"]] += 1
        for at, name in enumerate(parts):
            assert abs(taken[name] - weights[at] / sum(weights) * count) < len(parts)


def test_it_ends_with_the_first_part_that_has_no_more(file):
    made = list(mix(a={"path": file("a", 9), "share": 1}, b={"path": file("b", 2), "share": 1}))
    assert ids(made) == ["a/0", "b/0", "a/1", "b/1", "a/2"]


def test_or_when_all_have_been_read_and_rows_that_come_again_have_other_ids(file):
    made = mix(until="all_exhausted", a={"path": file("a", 5), "share": 1}, b={"path": file("b", 2), "share": 1})
    assert ids(made) == ["a/0", "b/0", "a/1", "b/1", "a/2", "b/0#2", "a/3", "b/1#2", "a/4", "b/0#3"]
    assert ids(made) == ids(made)


def test_the_seed_changes_nothing(file):
    parts = {"a": {"path": file("a", 9), "share": 1.7}, "b": {"path": file("b", 9), "share": 0.4}}
    assert ids(mix(seed=1, **parts)) == ids(mix(seed=2, **parts))


def test_each_part_has_its_own_columns_and_makes_ids_where_there_are_none(file):
    other = file("b", [{"question": "Why?", "gold": "So."}, {"question": "Why?", "gold": "Thus."}])
    fields = {"prompt": "question", "reference": "gold"}
    made = mix(a={"path": file("a", 4), "share": 1}, b={"path": other, "share": 1, "fields": fields})
    rows = [row for row in made if row.fields["dataset"] == "b"]
    assert [(row.prompt[0]["content"], row.fields["reference"]) for row in rows] == [("Why?", "So."), ("Why?", "Thus.")]
    assert len({row.id for row in rows}) == 2
    assert all(row.id.startswith("b/") for row in rows)


def test_a_wrong_row_is_named_by_its_place(file):
    made = mix(a={"path": file("a", 4), "share": 1}, b={"path": file("b", [{"question": "Why?"}]), "share": 1})
    with pytest.raises(UserError, match=r"b\.jsonl:1: no prompt"):
        list(made)


def test_a_row_that_says_itself_where_it_is_from_is_refused(file):
    own = file("b", [{"prompt": "Why?", "dataset": "mine"}])
    with pytest.raises(UserError, match="a column 'dataset' of the row's own"):
        list(mix(a={"path": file("a", 4), "share": 1}, b={"path": own, "share": 1}))


@each_case(
    "parts",
    [
        {"a": {"path": "a.jsonl", "share": 1}},
        {"a": {"path": "a.jsonl", "share": 0}, "b": {"path": "b.jsonl", "share": 1}},
        {"a/b": {"path": "a.jsonl", "share": 1}, "b": {"path": "b.jsonl", "share": 1}},
        {"a": {"path": "a.txt", "share": 1}, "b": {"path": "b.jsonl", "share": 1}},
    ],
)
def test_options_are_checked(parts):
    with pytest.raises(ValidationError):
        SPEC.config(parts=parts)


def test_quotas_are_filled_in_step_whatever_else_the_files_have(file):
    made = mix(a={"path": file("a", 90), "rows": 6}, b={"path": file("b", 3), "rows": 2})
    assert ids(made) == ["a/0", "a/1", "b/0", "a/2", "a/3", "a/4", "b/1", "a/5"]
    assert ids(made) == ids(made)


@given(st.lists(st.integers(1, 30), min_size=2, max_size=5))
def test_each_part_gives_its_quota_and_no_more(file, quotas):
    parts = {f"p{at}": {"path": file(f"p{at}", 30), "rows": quota} for at, quota in enumerate(quotas)}
    given_by = Counter(row.fields["dataset"] for row in mix(**parts))
    assert [given_by[name] for name in parts] == quotas


def test_a_quota_that_a_file_cannot_fill_is_an_error_or_read_again(file):
    parts = {"a": {"path": file("a", 9), "rows": 4}, "b": {"path": file("b", 2), "rows": 3}}
    with pytest.raises(UserError, match=r"b.jsonl: 2 rows, and 3 are wanted; lower `rows`, or .*all_exhausted"):
        list(mix(**parts))
    assert ids(mix(until="all_exhausted", **parts)) == ["a/0", "b/0", "a/1", "b/1", "a/2", "b/0#2", "a/3"]


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        (({"share": 1, "rows": 2}, {"share": 1}), "part 'a': give `share` or `rows`"),
        (({}, {"share": 1}), "part 'a': give `share` or `rows`"),
        (({"share": 1}, {"rows": 1}), "give every part the same of them"),
    ],
)
def test_every_part_has_a_share_or_every_part_a_quota(parts, why):
    a, b = ({"path": f"{name}.jsonl", **part} for name, part in zip("ab", parts, strict=True))
    with pytest.raises(ValidationError, match=why):
        mix(a=a, b=b)


@pytest.fixture
def overlapping(file):
    """Files whose first two prompts are the same; the last of b stands there twice."""
    other = [{"id": number, "prompt": f"{'a' if number < 2 else 'b'} {min(number, 3)}?"} for number in range(5)]
    return {"a": {"path": file("a", 5)}, "b": {"path": file("b", other)}}


def test_a_prompt_that_another_part_gave_is_left_out_and_told(overlapping, caplog):
    shared = {name: {**part, "share": 1} for name, part in overlapping.items()}
    assert ids(mix(disjoint=True, **shared)) == ["a/0", "b/1", "a/2", "b/2", "a/3", "b/3", "a/4", "b/4"]
    assert "rows left out with a prompt that another part gave before: 1 of b, 1 of a" in caplog.text
    assert ids(mix(**shared))[:4] == ["a/0", "b/0", "a/1", "b/1"]


def test_whichever_part_comes_first_keeps_the_prompt(overlapping):
    shared = {name: {**overlapping[name], "share": 1} for name in ("b", "a")}
    assert ids(mix(disjoint=True, **shared))[:4] == ["b/0", "a/1", "b/2", "a/2"]


def test_a_quota_counts_the_rows_that_are_left(overlapping, file):
    wanted = {"a": {**overlapping["a"], "rows": 2}, "b": {**overlapping["b"], "rows": 5}}
    assert len(ids(mix(**wanted))) == 7
    with pytest.raises(UserError, match=r"b.jsonl: \d rows without those of other parts, and 5 are wanted"):
        list(mix(disjoint=True, **wanted))


def test_a_part_all_of_whose_prompts_are_anothers_ends_no_mix_silently(file):
    rows = [{"prompt": "the same?"}]
    parts = {"a": {"path": file("a", rows), "rows": 2}, "b": {"path": file("b", rows), "rows": 2}}
    with pytest.raises(UserError, match=r"b.jsonl: every prompt of it is another part's, too"):
        list(mix(until="all_exhausted", disjoint=True, **parts))


class TestDatasets:
    @pytest.fixture
    def recipe(self, tmp_path, file):
        """recipe(mix): the text of a recipe that writes this dataset."""
        file("a", 4)
        file("b", [{"id": n, "question": f"b {n}?"} for n in range(4)])

        def text(dataset):
            path = tmp_path / "r.yaml"
            path.write_text(f"version: 1\nstages:\n  - {{use: data, to: mixed.jsonl, dataset: {dataset}}}\n")
            return path

        return text

    A = "{use: data/jsonl, with: {path: a.jsonl}}"
    B = "{use: data/jsonl, with: {path: b.jsonl}, fields: {prompt: question}}"
    PARTS = "{parts: {a: {share: 1}, b: {share: 1, first: 2}}}"

    @pytest.fixture
    def run(self, recipe, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)

        def do(command, dataset):
            code = main([command, str(recipe(dataset))])
            return code, "".join(capsys.readouterr())

        return do

    def test_stand_under_from_by_their_parts_names(self, run, tmp_path):
        code, out = run("run", f"{{use: data/mix, with: {self.PARTS}, from: {{a: {self.A}, b: {self.B}}}}}")
        assert code == 0, out
        rows = [json.loads(line) for line in (tmp_path / "mixed.jsonl").read_text().splitlines()]
        assert [row["id"] for row in rows] == ["a/0", "b/0", "a/1", "b/1", "a/2"]
        assert [row["dataset"] for row in rows] == ["a", "b", "a", "b", "a"]

    def test_one_may_be_a_mix_itself(self, run, tmp_path):
        inner = f"{{use: data/mix, with: {self.PARTS}, from: {{a: {self.A}, b: {self.B}}}, fields: {{id: id}}}}"
        outer = "{parts: {ab: {share: 1, first: 3}, c: {share: 1, path: a.jsonl}}, disjoint: true}"
        code, out = run("check", f"{{use: data/mix, with: {outer}, from: {{ab: {inner}}}}}")
        assert code == 0, out

    @pytest.mark.parametrize(
        ("dataset", "told"),
        [
            (
                "{use: data/mix, with: PARTS}",
                "dataset: data/mix needs datasets under `from`: {a: {use: ...}, b: {use: ..",
            ),
            (
                "{use: data/mix, with: PARTS, from: {a: A}}",
                "dataset: data/mix needs these datasets under `from`: {b: {",
            ),
            (
                "{use: data/mix, with: PARTS, from: A}",
                "dataset.from: data/mix takes several datasets, each by its name",
            ),
            (
                "{use: data/mix, with: PARTS, from: {a: A, b: B, c: B}}",
                "dataset.from.c: data/mix reads no dataset of this name; it takes a, b",
            ),
            (
                "{use: data/jsonl, with: {path: a.jsonl}, from: {a: A}}",
                "dataset.from: data/jsonl reads no other dataset",
            ),
            (
                "{use: embed/distinct, with: {model: m, against: [a.jsonl]}, from: {a: A}}",
                "dataset.from: embed/distinct starts from one dataset, {use: ..., with: ...}; data/mix makes one of",
            ),
            ("{use: data/mix, with: PARTS, from: {a: A, b: {use: data/jsonl}}}", "dataset.from.b.with.path: missing"),
            ("{use: data/mix, with: PARTS, from: {a: A, b: {usee: data/jsonl}}}", "dataset.from.b.use: missing"),
            ("{use: data/mix, with: PARTS, from: {a: A, b: 3}}", "dataset.from"),
            (
                "{use: data/mix, with: {parts: {a: {share: 1, fields: {x: y}}, b: {share: 1}}}, from: {a: A, b: B}}",
                "skip_bad and fields are for a file; give them to the dataset itself under `from`",
            ),
        ],
    )
    def test_what_does_not_fit_is_told_with_its_place(self, run, dataset, told):
        for name, text in (("PARTS", self.PARTS), (": A", f": {self.A}"), (": B", f": {self.B}")):
            dataset = dataset.replace(name, text)
        code, out = run("check", dataset)
        assert code == 2
        assert told in out
        assert "r.yaml:3" in out

    def test_belong_into_a_stage_that_writes_them(self, tmp_path, run, recipe):
        path = recipe("null")
        mix = f"{{use: data/mix, with: {self.PARTS}, from: {{a: {self.A}, b: {self.B}}}}}"
        path.write_text(f"version: 1\nmodel: {{use: tiny}}\ndataset: {mix}\nstages: [{{use: sft, steps: 1}}]\n")
        with pytest.raises(UserError, match="data/mix is a data step; write its rows to a file in a stage `data`"):
            check_recipe(load(path))

    def test_are_read_as_their_turns_come_and_again_where_the_mix_begins_them_anew(self):
        read = []

        class Rows:
            def __iter__(self):
                for number in range(2):
                    read.append(number)
                    yield Sample(id=str(number), prompt=({"role": "user", "content": f"{number}?"},))

        same = [Sample(id=str(number), prompt=({"role": "user", "content": "?"},)) for number in range(3)]
        made = mix(until="all_exhausted", sources={"a": Rows(), "b": same}, a={"share": 1}, b={"share": 1})
        rows = iter(made)
        next(rows)
        assert read == [0]
        assert ids(rows) == ["b/0", "a/1", "b/1", "a/0#2", "b/2", "a/1#2"]


def test_a_mix_that_reads_each_part_once_has_no_row_twice(tmp_path):
    """Of 5 and 2 rows with shares of 13 and 5 the mix that goes round has 7 rows and more; each_read has 7."""
    for name, count in (("long", 5), ("short", 2)):
        (tmp_path / f"{name}.jsonl").write_text("".join(f'{{"prompt": "{name} {n}"}}\n' for n in range(count)))
    parts = {name: {"path": str(tmp_path / f"{name}.jsonl"), "share": 1} for name in ("short", "long")}
    spec = find("dataset", "data/mix")
    made = {until: list(spec.build(spec.config(parts=parts, until=until), Context())) for until in ENDS}
    assert sorted(row.prompt[0]["content"] for row in made["each_read"]) == [
        *(f"long {n}" for n in range(5)),
        *(f"short {n}" for n in range(2)),
    ]
    assert len(made["all_exhausted"]) > 7
    with pytest.raises(ValueError, match="until: each_read reads every part once"):
        spec.config(parts={name: {"path": "x.jsonl", "rows": 1} for name in parts}, until="each_read")


ENDS = ("all_exhausted", "each_read")
