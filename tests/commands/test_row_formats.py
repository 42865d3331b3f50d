"""Rows of CSV, a JSON array and parquet with every command that reads JSON lines: they give the same."""

import json
import re
from importlib.metadata import EntryPoints

import pytest
from rewardlab.data import row_file
from rewardlab.registry import pip_install

pyarrow = pytest.importorskip("pyarrow", reason="comes with the engine trl, which this environment lacks")
RECIPE = "version: 1\nreward: {components: {boxed: {use: format/boxed}}, total: 2 * boxed}\n"
ROWS = [
    {"id": f"r{n}", "prompt": f"1+{n}?\n", "answer": f"{n + 1}", "completions": [f"\\boxed{{{n}}}", "none", " "]}
    for n in range(40)
]
TIME = re.compile(r'"measured_seconds": [^}]+')
ENDINGS = ["jsonl", "json", "csv", "parquet"]


def as_csv(rows):
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    cells = ([cell if isinstance(cell, str) else json.dumps(cell) for cell in line] for line in lines)
    return "".join(",".join('"' + cell.replace('"', '""') + '"' for cell in line) + "\n" for line in cells)


TEXTS = {
    "csv": as_csv,
    "json": lambda rows: json.dumps(rows, indent=1),
    "jsonl": lambda rows: "".join(json.dumps(row) + "\n" for row in rows),
}


@pytest.fixture
def rows(tmp_path):
    """A file of ROWS, or others: `rows("csv")` is its name."""

    def file(ending, rows=ROWS):
        path = tmp_path / f"rows.{ending}"
        if ending == "parquet":
            from pyarrow import parquet

            parquet.write_table(pyarrow.Table.from_pylist(rows), path, row_group_size=7)
        else:
            path.write_text(TEXTS[ending](rows))
        return path.name

    return file


@pytest.fixture(autouse=True)
def recipe(write):
    write("r.yaml", RECIPE)


@pytest.mark.parametrize("ending", ENDINGS[1:])
def test_score_gives_the_same_and_goes_on_where_it_stopped(rows, main, tmp_path, ending):
    for name in (rows("jsonl"), rows(ending)):
        code, _, err = main("score", "r.yaml", name, "-o", f"{name}.scored.jsonl")
        assert code == 0, err
    scored = tmp_path / f"rows.{ending}.scored.jsonl"
    whole = scored.read_bytes()
    assert whole == (tmp_path / "rows.jsonl.scored.jsonl").read_bytes()
    scored.write_bytes(whole[: len(whole) // 2])
    code, _, err = main("score", "r.yaml", f"rows.{ending}", "-o", scored.name, "--resume")
    assert (code, scored.read_bytes()) == (0, whole), err


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS[1:])
@pytest.mark.parametrize("command", ["causes", "probe", "compare"])
def test_other_commands_tell_the_same(rows, main, ending, command):
    recipes = ["r.yaml", "r.yaml", "b:reward.total=boxed"] if command == "compare" else ["r.yaml"]
    (code, out, _), (other_code, other_out, err) = (
        main(command, "--json", *recipes, rows(name)) for name in ("jsonl", ending)
    )
    assert json.loads(out)
    assert (other_code, TIME.sub("", other_out)) == (code, TIME.sub("", out)), err


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_wrong_has_its_place(rows, main, ending):
    code, out, _ = main("check", "r.yaml", rows(ending))
    assert (code, f"rows.{ending}: {len(ROWS)} rows" in out) == (0, True)
    wrong = [row | ({"prompt": " "} if n == 2 else {}) for n, row in enumerate(ROWS)]
    code, _, err = main("score", "r.yaml", rows(ending, wrong), "-o", "out.jsonl")
    place = {"csv": 6}.get(ending, 3)  # a line with the head and two prompts of two lines come before it
    assert (code, f"rows.{ending}:{place}: prompt is empty" in err) == (2, True), err


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_dataset_is_read_from_it(rows, main, write, ending):
    write("r.yaml", f"{RECIPE}dataset: {{use: data/jsonl, with: {{path: {rows(ending)}}}}}\n")
    _, out, err = main("probe", "r.yaml", "--limit", "3", "--json")
    assert "problems" not in json.loads(out), err


def test_without_the_plugin_that_reads_a_format_its_installation_is_told(rows, main, monkeypatch):
    monkeypatch.setattr(row_file, "entry_points_of", lambda group: EntryPoints(()))
    code, _, err = main("score", "r.yaml", rows("csv"), "-o", "out.jsonl")
    assert (code, err) == (2, f"error: rows.csv: nothing here reads .csv files; {pip_install('data')} brings it\n")
