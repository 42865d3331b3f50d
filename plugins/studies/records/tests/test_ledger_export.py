"""`rewardlab ledger`: every completion of a run as a row of a table that pandas and polars read without options."""

import csv
import json
import re
import sys
import tracemalloc
from dataclasses import replace

import pytest
from helpers.paths import DOCS
from rewardlab import Completion, Sample, Score, ScoredGroup
from rewardlab.errors import UserError
from rewardlab_records.ledger.export import export_ledger
from rewardlab_records.ledger.flat_file import flat_file
from rewardlab_training import LEDGER_BEGINNING, LEDGER_COLUMNS, SCORE_COLUMNS, SOME_HAVE, Ledger

pandas = pytest.importorskip("pandas", reason="comes with the engine trl, which this environment lacks")
HOSTILE = 'ü "quoted", \n\r\u2028 \x00 \ud800 NA\t,'


def scored(id, *texts, prompt="1+1?", system=None, error=None, **fields):
    messages = ([{"role": "system", "content": system}] if system else []) + [{"role": "user", "content": prompt}]
    return ScoredGroup(
        sample=Sample(id=id, prompt=messages, fields=fields),
        completions=tuple(Completion(text=text, token_count=len(text), truncated=text == "cut") for text in texts),
        components={"a": [Score(value=0.5, error=error, info={"seen": [1]}) for _ in texts]},
        totals=[0.5] * len(texts),
        shaped=[1.0] * len(texts),
    )


@pytest.fixture
def run(tmp_path):
    """The folder of a run that was killed after step 2 and resumed at step 2, with evaluations around it."""
    folder = tmp_path / "run"
    folder.mkdir()
    first = Ledger(folder / "ledger.jsonl", attempt=0)
    first.write(1, 0, [scored("e1", "before", answer="2")], "no", "before")
    for step in (1, 2):
        first.write(1, step, [scored(f"t{step}", "x", HOSTILE, system="be brief", answer="3", level=step)], "yes")
    first.close()
    second = Ledger(folder / "ledger.jsonl", attempt=1)
    second.write(1, 2, [scored("t2", "x", "cut", system="be brief", answer="3", level=2.5, more={"a": [1]})], "yes")
    second.write(1, 2, [scored("e1", "after", error="no luck", answer="2")], "no", "after")
    second.close()
    return folder


@pytest.fixture
def flat(run, tmp_path, main):
    def export(ending, source=run, name="flat"):
        path = tmp_path / f"{name}.{ending}"
        code, out, err = main("ledger", str(source), "-o", str(path))
        assert code == 0, out + err
        return path

    return export


READERS = {
    "parquet": lambda path: pandas.read_parquet(path),
    "csv": lambda path: pandas.read_csv(path),
    "jsonl": lambda path: pandas.read_json(path, lines=True),
}


def test_lines_and_the_page_have_the_columns_of_the_table(run):
    lines = [json.loads(line) for line in (run / "ledger.jsonl").read_bytes().split(b"\n") if line]
    assert {tuple(line)[: len(LEDGER_BEGINNING)] for line in lines} == {LEDGER_BEGINNING}
    # `rest` is of groups with causes, and `superseded` is worked out
    absent = {"rest", "superseded", *SOME_HAVE}
    assert {key for line in lines for key in line} == {*LEDGER_COLUMNS, "fields", "components"} - absent
    rows = re.findall(r"^\| (`.+?) \| (\w+) \|", (DOCS / "ledger.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [(name.strip("`"), kind) for name, kind in rows if "." not in name] == [*LEDGER_COLUMNS.items()]
    scores = [(key, kind) for names, kind in rows for key in re.findall(r"`(?:components\.NAME)?\.(\w+)`", names)]
    assert scores == [*SCORE_COLUMNS.items()]


@pytest.mark.parametrize("ending", READERS)
def test_every_completion_is_a_row_with_its_prompt_phase_and_step(flat, ending):
    table = READERS[ending](flat(ending))
    told = table[["phase", "step", "attempt", "id", "superseded", "tokens"]].values.tolist()
    assert told == [
        ["before", 0, 0, "e1", False, 6],
        ["training", 1, 0, "t1", False, 1],
        ["training", 1, 0, "t1", False, len(HOSTILE)],
        ["training", 2, 0, "t2", True, 1],
        ["training", 2, 0, "t2", True, len(HOSTILE)],
        ["training", 2, 1, "t2", False, 1],
        ["training", 2, 1, "t2", False, 3],
        ["after", 2, 1, "e1", False, 5],
    ]
    assert table["prompt"][0] == "1+1?"
    assert json.loads(table["prompt"][2])[0] == {"role": "system", "content": "be brief"}
    assert table["superseded"].dtype == bool
    assert table["truncated"].tolist() == [False] * 6 + [True, False]
    assert table["total"].tolist() == [0.5] * 8
    assert table["fields.level"].tolist()[1:7] == [1.0, 1.0, 2.0, 2.0, 2.5, 2.5]
    assert json.loads(table["fields.more"][5]) == {"a": [1]}
    assert table["components.a.error"].tolist()[-1] == "no luck"
    assert json.loads(table["components.a.info"][0]) == {"seen": [1]}


def test_a_conversation_has_its_messages_in_a_column_of_their_own(run, flat):
    assert "messages" not in READERS["csv"](flat("csv"))
    talk = [{"role": "assistant", "content": "a"}, {"role": "tool", "content": "b"}]
    ledger = Ledger(run / "ledger.jsonl", attempt=1)
    ledger.write(1, 3, [replace(scored("t3", "a"), completions=[Completion.of(talk)])], "yes")
    ledger.close()
    found = READERS["csv"](flat("csv", name="with"))
    assert (found["completion"].tolist()[-1], json.loads(found["messages"].tolist()[-1])) == ("a", talk)


@pytest.mark.parametrize("ending", READERS)
def test_what_a_group_sampler_did_not_choose_is_there_and_has_no_total(run, flat, ending):
    ledger = Ledger(run / "ledger.jsonl", attempt=1)
    left = replace(scored("t3", "left", answer="3"), totals=[None], shaped=())
    ledger.write(1, 3, [left], "no")
    ledger.close()
    [row] = [row for row in READERS[ending](flat(ending)).to_dict("records") if row["completion"] == "left"]
    assert (row["phase"], row["trained"], row["step"], row["superseded"]) == ("training", "no", 3, False)
    assert pandas.isna(row["total"])
    assert pandas.isna(row["shaped"])
    assert row["components.a.value"] == 0.5


def test_the_formats_hold_the_same_texts(flat):
    shown = HOSTILE.encode("utf-8", "backslashreplace").decode()  # no table knows half of a surrogate pair
    assert READERS["parquet"](flat("parquet"))["completion"][2] == shown
    assert READERS["jsonl"](flat("jsonl"))["completion"][2] == shown
    with open(flat("csv"), newline="", encoding="utf-8") as file:
        assert [*csv.DictReader(file)][2]["completion"] == shown


RUN_BY_SPREADSHEETS = ['=HYPERLINK("http://a.b")', "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "＝1+1"]
KEPT = ["-5", "+1.5e3", "a=b", "'=1"]


@pytest.mark.parametrize("raw", [False, True])
def test_a_spreadsheet_runs_no_cell_of_csv(tmp_path, main, raw):
    ledger = Ledger(tmp_path / "ledger.jsonl", attempt=0)
    ledger.write(1, 1, [scored("t1", *RUN_BY_SPREADSHEETS, *KEPT, prompt="=1", level=-1, note="@x")], "yes")
    ledger.close()
    out = tmp_path / "flat.csv"
    assert main("ledger", str(tmp_path), "-o", str(out), *(["--raw"] if raw else []))[0] == 0
    with open(out, newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    sign = "" if raw else "'"
    assert [row["completion"] for row in rows] == [*(sign + text for text in RUN_BY_SPREADSHEETS), *KEPT]
    assert (rows[0]["prompt"], rows[0]["fields.note"], rows[0]["fields.level"]) == (f"{sign}=1", f"{sign}@x", "-1")


def test_parquet_keeps_types_and_what_is_missing(flat):
    from pyarrow import parquet

    schema = parquet.read_schema(flat("parquet"))
    kinds = {name: str(schema.field(name).type) for name in ("version", "step", "total", "fields.answer", "truncated")}
    assert kinds == {
        "version": "int64",
        "step": "int64",
        "total": "double",
        "fields.answer": "string",
        "truncated": "bool",
    }
    rows = READERS["parquet"](flat("parquet", name="again"))
    assert rows["fields.level"].isna().tolist() == [True, *[False] * 6, True]
    assert rows["components.a.error"].isna().tolist() == [True] * 7 + [False]


def test_a_ledger_without_a_version_is_read(run, flat):
    old = []
    for line in (run / "ledger.jsonl").read_text().splitlines():
        row = json.loads(line)
        old.append({key: row[key] for key in row if key not in ("version", "phase", "prompt", "fields")})
    path = run.parent / "old.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in old))
    table = READERS["parquet"](flat("parquet", source=path))
    assert table["version"].tolist() == [1] * 8
    assert table["prompt"].isna().all()
    assert table["phase"].isna().all()
    assert table["superseded"].sum() == 2


@pytest.mark.parametrize("command", ["ledger", "report", "causes"])
def test_a_ledger_of_a_later_version_is_refused(run, tmp_path, main, write, command):
    path = run / "ledger.jsonl"
    path.write_text(path.read_text().replace('{"version": 2', '{"version": 3'))
    (run / "manifest.json").write_text("{}")
    (run / "recipe.resolved.yaml").write_text("")
    recipe = write("r.yaml", "version: 1\nreward: {components: {a: {use: format/boxed}}, total: a}\n")
    typed = {
        "ledger": ["ledger", str(run), "-o", str(tmp_path / "flat.csv")],
        "report": ["report", str(run)],
        "causes": ["causes", str(recipe), str(path)],
    }
    code, _, err = main(*typed[command])
    assert code == 2
    assert "ledger.jsonl:1: a ledger of version 3; this rewardlab reads up to 2: upgrade it" in err
    assert not (tmp_path / "flat.csv").exists()


def test_a_line_that_is_not_written_to_its_end_does_not_count(run, main, tmp_path):
    with open(run / "ledger.jsonl", "a") as file:
        file.write('{"version": 2, "attempt": 1')
    code, out, err = main("ledger", str(run), "-o", str(tmp_path / "flat.csv"))
    assert (code, err.count("ledger.jsonl:9 is cut off")) == (0, 1)
    assert out == f"wrote 8 rows of 23 columns, 2 of them superseded by a resume: {tmp_path / 'flat.csv'}\n"


def test_a_line_that_is_none_of_a_ledger_is_named_and_nothing_is_written(run, main, tmp_path):
    with open(run / "ledger.jsonl", "a") as file:
        file.write('[1]\n{"id": "x"}\n' + (run / "ledger.jsonl").read_text().splitlines()[0] + "\n")
    code, _, err = main("ledger", str(run), "-o", str(tmp_path / "flat.csv"))
    assert code == 2
    assert "ledger.jsonl:9: this looks like a JSON array" in err
    assert "ledger.jsonl:10: no attempt; a ledger's lines have one" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


@pytest.mark.parametrize("ending", READERS)
@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ({"total": 10**400}, "total must be a number of 64 bits, not the number 1000"),
        ({"total": "1"}, "total must be a number or null, not a text"),
        ({"step": 10**20}, "step must be a number of 64 bits, not the number 1000"),
        ({"step": 1.5}, "step must be a whole number or null, not the number 1.5"),
        ({"group": None}, "group must be a whole number, not null"),
        ({"truncated": 1}, "truncated must be true, false or null, not the number 1"),
        ({"components": {"a": {"value": "x"}}}, "value of the component 'a' must be a number or null, not a text"),
        ({"prompt": ["hi"], "fields": {}}, "prompt must be a list of messages, each with role and content"),
        ({"prompt": [{"role": "user", "content": "x"}], "fields": 1}, "fields must be an object"),
    ],
)
def test_a_value_that_no_column_holds_is_told_with_its_line(run, main, tmp_path, ending, damage, told):
    line = json.loads((run / "ledger.jsonl").read_text().splitlines()[0])
    with open(run / "ledger.jsonl", "a") as file:
        file.write(json.dumps(line | damage) + "\n")
    code, _, err = main("ledger", str(run), "-o", str(tmp_path / f"flat.{ending}"))
    assert code == 2
    assert f"ledger.jsonl:9: {told}" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


@pytest.mark.parametrize("ending", READERS)
def test_of_two_exports_to_one_file_the_first_to_end_has_it(run, tmp_path, ending):
    output = tmp_path / f"flat.{ending}"
    with pytest.raises(UserError, match="exists already"), flat_file(output, ending, []):
        export_ledger(run, output, print)
        finished = output.read_bytes()
    assert output.read_bytes() == finished
    assert sorted(path.name for path in tmp_path.iterdir()) == [output.name, "run"]


def test_no_file_is_replaced_and_the_ending_must_say_the_format(run, main, tmp_path):
    (tmp_path / "flat.csv").write_text("mine")
    for output, told in {
        tmp_path / "flat.csv": "exists already; give -o another name",
        run / "ledger.jsonl": "exists already",
        tmp_path / "flat.xlsx": "the ending says the format: .parquet, .csv or .jsonl",
        tmp_path / "none" / "flat.csv": "there is no folder",
    }.items():
        code, _, err = main("ledger", str(run), "-o", str(output))
        assert code == 2
        assert told in err
    assert (tmp_path / "flat.csv").read_text() == "mine"
    code, _, err = main("ledger", str(tmp_path), "-o", str(tmp_path / "new.csv"))
    assert (code, "there is no ledger here" in err) == (2, True)


def test_a_missing_pyarrow_is_named_with_its_pip_install(run, main, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = main("ledger", str(run), "-o", str(tmp_path / "flat.parquet"))
    assert code == 2
    assert "parquet files need the library pyarrow; pip install pyarrow" in err


def test_many_different_fields_are_one_column(run, flat):
    ledger = Ledger(run / "ledger.jsonl", attempt=2)
    ledger.write(1, 9, [scored("many", "x", **{f"f{n}": n for n in range(300)})], "yes")
    ledger.close()
    table = READERS["parquet"](flat("parquet"))
    assert not [name for name in table.columns if name.startswith("fields.")]
    assert json.loads(table["fields"].tolist()[-1])["f299"] == 299


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_rows_that_show_a_type_first_come_first_where_the_format_has_none(tmp_path, flat, ending):
    """polars looks at the first 100 rows: of `step`, null in all of them, it would make a text or fail at the 5."""
    ledger = Ledger(tmp_path / "late.jsonl", attempt=0)
    for n in range(120):
        ledger.write(0, None, [scored(f"s{n}", "x")], "unknown")
    ledger.write(0, 5, [scored("late", "x", "y", error="no luck", answer="007", share=0.5)], "no", "after")
    ledger.close()
    source = tmp_path / "late.jsonl"
    assert READERS[ending](flat(ending, source=source))["id"].tolist()[:3] == ["late", "s0", "s1"]
    assert len(READERS[ending](flat(ending, source=source, name="again"))) == 122
    ordered = READERS["parquet"](flat("parquet", source=source))
    assert ordered["group"].tolist() == [*range(121), 120]


@pytest.mark.slow
@pytest.mark.parametrize("ending", READERS)
def test_memory_does_not_grow_with_the_ledger(tmp_path, main, ending, monkeypatch):
    monkeypatch.setattr("rewardlab_records.ledger.flat_file.BATCH_ROWS", 50)

    def peak(groups):
        ledger = Ledger(tmp_path / "ledger.jsonl", attempt=groups)
        for step in range(groups):
            ledger.write(0, step + 1, [scored(f"s{step}", "x" * 2_000, "y", answer=str(step))], "yes")
        ledger.close()
        tracemalloc.start()
        assert main("ledger", str(tmp_path), "-o", str(tmp_path / f"{groups}.{ending}"))[0] == 0
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        (tmp_path / "ledger.jsonl").unlink()
        return most

    peak(10)  # imports what is needed
    assert peak(300) < peak(100) + 200_000
