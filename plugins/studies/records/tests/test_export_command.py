"""`rewardlab export`: scores beside their rows, in the forms that other tools read; no component is lost."""

import json
import zipfile
from statistics import fmean

import pytest
import yaml
from helpers.paths import TESTS
from rewardlab.data import read_lines
from rewardlab_records.rollouts import inspect_file
from rewardlab_records.rollouts.inspect_file import open_members

VERL, LOG = TESTS / "data" / "verl" / "3.jsonl", TESTS / "data" / "inspect_ai" / "sums.json"
PARTS = "{box: {use: format/boxed}, short: {use: toy/brevity, with: {words: 1}}}"


@pytest.fixture
def scored(main, write, tmp_path):
    """Score rows: the lines of out.jsonl."""

    def score(rows):
        write("r.yaml", f"version: 1\nreward: {{components: {PARTS}, total: 0.5*box + short}}")
        code, _, err = main("score", "r.yaml", rows, "-o", "out.jsonl")
        assert code == 0, err
        return [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]

    return score


def test_a_table_has_every_component_of_every_completion(main, scored, tmp_path):
    pytest.importorskip("pyarrow")
    lines = scored(VERL)
    code, out, _ = main("export", VERL, "out.jsonl", "-o", "t.parquet")
    assert (code, out) == (0, "4 completions: t.parquet\n")
    rows = [row for _, row in read_lines(tmp_path / "t.parquet")]
    for number, line in enumerate(lines):
        for index in range(2):
            row = rows[2 * number + index]
            assert (row["id"], row["index"], row["total"]) == (line["id"], index, line["total"][index])
            assert row["shaped"] == line["shaped"][index]
            for name, entry in line["components"].items():
                assert row[f"components.{name}.value"] == entry["value"][index]
                assert json.loads(row[f"components.{name}.info"]) == entry["info"][index]
    assert rows[1]["completion"] == "\\boxed{6}"
    assert json.loads(rows[1]["recorded"]) == {"score": 0.0, "acc": 0, "pred": "6", "request_id": "d"}
    assert json.loads(rows[1]["fields"]) == {"step": 3, "answer": "5"}
    assert main("export", VERL, "out.jsonl", "-o", "t.csv")[0] == 0
    assert len([row for _, row in read_lines(tmp_path / "t.csv")]) == 4
    code, _, err = main("score", "r.yaml", "t.csv", "-o", "again.jsonl")
    assert code == 2, "its cells have no types"
    assert "of an exported table the .parquet is read, no .csv" in err


def write_ids(write, count):
    lines = [{"id": n, "prompt": "?", "answer": "4", "completions": ["\\boxed{4}"] * (1 + n % 3)} for n in range(count)]
    write("rows.jsonl", "".join(json.dumps(line) + "\n" for line in lines))


def totals(path):
    return [(str(row["id"]), row["total"]) for _, row in read_lines(path)]


def test_a_folder_in_partitions_is_scored_again_as_it_was(main, scored, write, tmp_path):
    pytest.importorskip("pyarrow")
    write_ids(write, 7)
    lines = scored("rows.jsonl")
    assert main("export", "rows.jsonl", "out.jsonl", "-o", "data", "--rows-per-file", "4")[0] == 0
    files = sorted((tmp_path / "data" / "data").iterdir())
    assert [(file.name, len(totals(file))) for file in files] == [
        ("train-00000.parquet", 6),  # the third group is whole
        ("train-00001.parquet", 6),
        ("train-00002.parquet", 1),
    ]
    card = yaml.safe_load((tmp_path / "data" / "README.md").read_text("utf-8").split("---")[1])
    assert card["configs"][0]["data_files"] == [{"split": "train", "path": "data/train-*.parquet"}]
    assert main("score", "r.yaml", "data", "-o", "again.jsonl")[0] == 0
    again = [json.loads(line) for line in (tmp_path / "again.jsonl").read_text().splitlines()]
    assert [line["total"] for line in again] == [line["total"] for line in lines]


@pytest.mark.parametrize("words", [["t.parquet", "--rows-per-file", "4"], ["data", "--rows-per-file", "0"]])
def test_only_a_folder_is_divided(main, scored, write, words):
    write_ids(write, 2)
    scored("rows.jsonl")
    code, _, err = main("export", "rows.jsonl", "out.jsonl", "-o", *words)
    assert (code, "--rows-per-file: it divides the parquet file of a folder" in err) == (2, True), err


def test_each_shard_is_a_partition(main, scored, write, tmp_path):
    """Shards are exported where they are scored, and nothing has to be merged."""
    pytest.importorskip("pyarrow")
    write_ids(write, 9)
    scored("rows.jsonl")
    assert main("export", "rows.jsonl", "out.jsonl", "-o", "whole.parquet")[0] == 0
    (tmp_path / "parts").mkdir()
    for part in (1, 2, 3):
        assert main("score", "r.yaml", "rows.jsonl", "-o", "s.jsonl", "--shard", f"{part}/3")[0] == 0
        assert main("export", "rows.jsonl", f"s.{part}-of-3.jsonl", "-o", f"parts/{part}.parquet")[0] == 0
    parts = [row for part in (1, 2, 3) for row in totals(tmp_path / "parts" / f"{part}.parquet")]
    assert sorted(parts) == sorted(totals(tmp_path / "whole.parquet"))
    assert main("score", "r.yaml", "parts", "-o", "again.jsonl")[0] == 0


def test_members_of_a_group_that_stand_apart_are_one_shards(main, scored, write, tmp_path):
    """In one file they are a group; a group in two files is two rows of one id."""
    parquet = pytest.importorskip("pyarrow.parquet")
    write_ids(write, 6)
    scored("rows.jsonl")
    assert main("export", "rows.jsonl", "out.jsonl", "-o", "table.parquet")[0] == 0
    table = parquet.read_table(tmp_path / "table.parquet")
    parquet.write_table(
        table.take([*range(0, table.num_rows, 2), *range(1, table.num_rows, 2)]), tmp_path / "apart.parquet"
    )
    assert main("score", "r.yaml", "apart.parquet", "-o", "one.jsonl")[0] == 0
    for part in (1, 2):
        assert main("score", "r.yaml", "apart.parquet", "-o", "s.jsonl", "--shard", f"{part}/2")[0] == 0
    assert main("merge", "s.jsonl")[0] == 0
    assert (tmp_path / "s.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()
    (tmp_path / "parts").mkdir()
    for name, rows in (("1", [0, 1]), ("2", [2])):  # the second group has two members
        parquet.write_table(table.take(rows), tmp_path / "parts" / f"{name}.parquet")
    code, _, err = main("score", "r.yaml", "parts", "-o", "p.jsonl", "--shard", "1/2")
    assert (code, "parts/2.parquet:1: the id '1' is already used by parts/1.parquet:2" in err) == (2, True), err


def test_rows_with_other_components_than_the_first_are_no_table(main, scored, write):
    first, second = scored(VERL)
    second["components"]["extra"] = second["components"].pop("short")
    write("out.jsonl", "".join(json.dumps(line) + "\n" for line in (first, second)))
    code, out, err = main("export", VERL, "out.jsonl", "-o", "t.csv")
    problem = f"the row {second['id']!r} has other components than box, short, those of the first"
    assert (code, out, err) == (2, "", f"error: out.jsonl: {problem}; export the scores of one recipe\n")


def test_a_folder_says_how_the_reward_is_composed(main, scored, tmp_path):
    pytest.importorskip("pyarrow")
    scored(VERL)
    assert main("export", VERL, "out.jsonl", "-o", "data")[0] == 0
    assert main("export", VERL, "out.jsonl", "-o", "data") == (
        2,
        "",
        "error: data: exists already; give -o another name\n",
    )
    card = (tmp_path / "data" / "README.md").read_text("utf-8")
    head = yaml.safe_load(card.split("---")[1])
    [file] = head["configs"][0]["data_files"]
    assert len([*read_lines(tmp_path / "data" / file["path"])]) == 4
    assert "`total` is `0.5*box + short`" in card
    assert "| short | toy/brevity |" in card


def test_a_folder_without_what_made_the_scores_is_refused(main, scored, tmp_path):
    scored(VERL)
    (tmp_path / "out.jsonl.state").rename(tmp_path / "elsewhere")
    code, _, err = main("export", VERL, "out.jsonl", "-o", "data")
    assert code == 2
    assert "out.jsonl: the folder .state beside it is gone" in err
    assert not (tmp_path / "data").exists()


def test_a_log_of_inspect_gets_its_scores_and_a_failure_is_none(main, scored, write, tmp_path):
    first, second = scored(LOG)
    first["total"][1], first["components"]["short"]["value"][1] = None, None
    write("out.jsonl", [first, second])
    code, out, _ = main("export", LOG, "out.jsonl", "-o", "scores.jsonl")
    assert (code, out) == (0, "3 completions: scores.jsonl; 1 have no total and stay unscored\n")
    scores = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text("utf-8").splitlines()]
    assert [(one["id"], one["epoch"], one["value"]) for one in scores] == [
        ("s1", 1, 1.5),
        ("s2", 1, 1.5),
        ("s2", 2, 1.5),
    ]
    assert scores[0]["explanation"] == "box: 1; short: 1"
    assert scores[0]["metadata"]["components"]["short"]["value"] == 1


def test_epochs_of_a_log_keep_their_numbers(main, scored, write, tmp_path):
    whole = json.loads(LOG.read_text("utf-8"))
    for sample in whole["samples"]:
        sample["epoch"] += 4
    write("log.json", json.dumps(whole))
    scored("log.json")
    assert main("export", "log.json", "out.jsonl", "-o", "scores.jsonl")[0] == 0
    first = json.loads((tmp_path / "scores.jsonl").read_text("utf-8").splitlines()[0])
    assert (first["id"], first["epoch"]) == ("s1", 5)


def test_scores_of_other_rows_are_refused(main, scored, write, tmp_path):
    scored(VERL)
    code, _, err = main("export", LOG, "out.jsonl", "-o", "scores.jsonl")
    assert code == 2
    assert "out.jsonl:1: no row of" in err
    rows = [{"prompt": "2 + 3?", "completions": [text], "answer": "5"} for text in ("\\boxed{5}", "\\boxed{6}")]
    write("rows.jsonl", rows)
    write("more.jsonl", [rows[0] | {"completions": ["a", "b"]}, rows[1]])
    (tmp_path / "out.jsonl").unlink()
    _, second = scored("rows.jsonl")
    assert "but its row has 2 completions" in main("export", "more.jsonl", "out.jsonl", "-o", "scores.jsonl")[2]
    write("out.jsonl", [second])
    assert "has no scores and no id" in main("export", "rows.jsonl", "out.jsonl", "-o", "scores.jsonl")[2]


class TestALogOfInspectWithScores:
    def test_has_them_in_its_samples_summaries_and_results(self, main, scored, write, tmp_path):
        log = LOG.with_suffix(".eval")
        lines = scored(log)
        lines[0]["total"][1] = None
        write("out.jsonl", lines)
        code, out, _ = main("export", log, "out.jsonl", "-o", "new.eval")
        assert (code, out) == (0, "7 completions: new.eval; 1 have no total and stay unscored\n")
        with zipfile.ZipFile(tmp_path / "new.eval") as new:
            samples = [json.loads(new.read(name)) for name in new.namelist() if name.startswith("samples/")]
            summaries, header = (json.loads(new.read(f"{name}.json")) for name in ("summaries", "header"))
        of = {(one["id"], one["epoch"]): one["scores"] for one in samples}
        assert set(of["s0", 2]) == {"match"}, "no total, no score"
        for line in lines[1:]:
            for epoch, total in enumerate(line["total"], 1):
                score = of[line["id"].rpartition("/")[2], epoch]["rewardlab"]
                assert score["value"] == total
                assert {*score["metadata"]["components"]} == {"box", "short"}
        assert [{*one["scores"]} for one in summaries] == [{*of[one["id"], one["epoch"]]} for one in summaries]
        match, ours = header["results"]["scores"]
        assert match["name"] == "match"
        means = [fmean(total for total in line["total"] if total is not None) for line in lines]
        assert ours["metrics"]["mean"]["value"] == pytest.approx(fmean(means))
        assert main("score", "r.yaml", "new.eval", "-o", "again.jsonl")[0] == 0, "it is a log as the first one"

    def test_keeps_a_sample_that_cannot_be_read_and_is_not_made_of_other_damage(
        self, main, scored, tmp_path, monkeypatch
    ):
        bad = "samples/s0_epoch_1.json"

        def damaged(log, **parts):
            with open_members(str(LOG.with_suffix(".eval"))) as members, zipfile.ZipFile(tmp_path / log, "w") as new:
                for name in members.names:
                    new.writestr(name, parts.get(name) or members.content(name))

        damaged("bad.eval", **{bad: "[]"})
        assert main("convert", "bad.eval", "-o", "rows.jsonl", "--skip-bad")[0] == 0
        scored("rows.jsonl")
        assert main("export", "bad.eval", "out.jsonl", "-o", "new.eval")[0] == 0
        with zipfile.ZipFile(tmp_path / "new.eval") as new:
            assert new.read(bad) == b"[]"
        header = '{"eval": {"task": "sums"}, "results": {"scores": [3]}}'
        for number, (name, content) in enumerate([("summaries.json", "{"), ("header.json", header)]):
            damaged(f"{number}.eval", **{bad: "[]", name: content})
            code, _, err = main("export", f"{number}.eval", "out.jsonl", "-o", f"new{number}.eval")
            assert code == 2
            assert f"{number}.eval: {name}: is not as inspect_ai writes it" in err
        monkeypatch.setattr(inspect_file, "MAX_BYTES", 100_000)
        damaged("large.eval", **{bad: "[]", "reductions.json": " " * 100_001})
        code, _, err = main("export", "large.eval", "out.jsonl", "-o", "cut.eval")
        assert code == 2
        assert "large.eval: reductions.json: this part is" in err

    def test_is_not_made_of_other_rows(self, main, scored, tmp_path):
        scored(LOG)
        code, _, err = main("export", LOG, "out.jsonl", "-o", "new.eval")
        assert code == 2
        assert "an .eval needs the .eval that was scored" in err
        assert not (tmp_path / "new.eval").exists()


@pytest.mark.parametrize("output", ["data", "t.parquet"])
def test_what_was_exported_is_scored_again_and_has_every_component(main, scored, output, tmp_path):
    pytest.importorskip("pyarrow")
    lines = scored(VERL)
    assert main("export", VERL, "out.jsonl", "-o", output)[0] == 0
    code, _, err = main("score", "r.yaml", output, "-o", "again.jsonl")
    assert code == 0, err
    assert [json.loads(line) for line in (tmp_path / "again.jsonl").read_text("utf-8").splitlines()] == lines
    assert main("convert", "data/data/train.parquet" if output == "data" else output, "-o", "rows.jsonl")[0] == 0
    first = json.loads((tmp_path / "rows.jsonl").read_text("utf-8").splitlines()[0])
    assert first["recorded"]["components.short.value"] == lines[0]["components"]["short"]["value"]
    assert first["recorded"]["pred"] == ["5", "6"]
    assert first["answer"] == "5"


def test_a_prompt_that_looks_like_messages_is_the_same_when_it_is_read_again(main, scored, write, tmp_path):
    pytest.importorskip("pyarrow")
    asked = ["[1, 2] sorted?", "[1, 2]", '[{"role": "user", "content": "1?"}]']
    write("rows.jsonl", [{"prompt": text, "completions": ["\\boxed{1}"]} for text in asked])
    scored("rows.jsonl")
    assert main("export", "rows.jsonl", "out.jsonl", "-o", "t.parquet")[0] == 0
    assert main("convert", "t.parquet", "-o", "again.jsonl")[0] == 0
    again = [row["prompt"] for _, row in read_lines(tmp_path / "again.jsonl")]
    assert [one if isinstance(one, str) else one[0]["content"] for one in again] == asked


@pytest.mark.parametrize("cell", [None, 3, "no", "[1]", "null", "[" * 100_000, '{"a": NaN}'])
@pytest.mark.parametrize("column", ["fields", "recorded"])
def test_a_table_whose_cells_are_no_json_is_refused(main, write, column, cell):
    row = {"id": "a", "index": 0, "prompt": "1?", "completion": "1", "truncated": False, "fields": "{}"}
    write("t.jsonl", [row | {"recorded": "{}"} | {column: cell}])
    code, _, err = main("convert", "t.jsonl", "-o", "rows.jsonl")
    assert code == 2, err
    assert f"t.jsonl:1: `{column}` is no text of a JSON object" in err


def test_a_dataset_of_the_hub_is_read_as_a_folder(main, scored, write, tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = [{"prompt": f"{n}?", "completions": ["\\boxed{1}", "no"]} for n in range(3)]
    (tmp_path / "hub" / "data").mkdir(parents=True)
    for number, part in enumerate([rows[:2], rows[2:]]):
        parquet.write_table(pyarrow.Table.from_pylist(part), tmp_path / f"hub/data/train-0000{number}-of-00002.parquet")
    write("hub/README.md", "a card")
    write("hub/dataset_infos.json", "{}")
    assert [line["components"]["box"]["value"] for line in scored("hub")] == [[1.0, 0.0]] * 3
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "hub/data/test-00000-of-00001.parquet")
    code, _, err = main("score", "r.yaml", "hub", "-o", "x.jsonl")
    assert (code, "hub: has the splits test, train; name the file of one" in err) == (2, True)
