"""`rewardlab convert`: a log of inspect_ai in, rows to score out."""

import json
import subprocess
import sys
import zipfile

import pytest
from helpers.paths import TESTS
from rewardlab.data import inspect_log

LOGS = TESTS / "data" / "inspect_ai"


@pytest.fixture
def rows(tmp_path):
    return lambda name="rows.jsonl": [json.loads(line) for line in (tmp_path / name).read_text("utf-8").splitlines()]


@pytest.fixture
def log(write):
    """Write log.json: the real one, whose first sample has these changes; `...` takes a key away."""

    def change(**changes):
        whole = json.loads((LOGS / "sums.json").read_text("utf-8"))
        sample = whole["samples"][0] | changes
        whole["samples"][0] = {name: value for name, value in sample.items() if value is not ...}
        write("log.json", json.dumps(whole))

    return change


def test_each_question_is_a_row_whose_completions_are_its_epochs(main, rows):
    code, out, err = main("convert", LOGS / "sums.json", "-o", "rows.jsonl")
    assert (code, out) == (0, "2 rows of 1 file: rows.jsonl\n"), err
    first, second = rows()
    assert first == {
        "id": "sums/s1",
        "task": "sums",
        "language": "de",
        "level": 1,
        "problem": "s1",
        "prompt": [
            {"role": "system", "content": "Antworte in einer Box."},
            {"role": "user", "content": "Was ist 1 + 1?"},
        ],
        "completions": [
            {"text": "\\boxed{0}", "truncated": False, "token_count": 6},
            {"text": "\\boxed{4}", "truncated": False, "token_count": 6},
        ],
        "answer": "2",
    }
    assert [one["text"] for one in second["completions"]] == ["\\boxed{2}", "\\boxed{7}"]


def test_a_zip_of_parts_is_the_same_log(main, rows, tmp_path):
    whole = json.loads((LOGS / "sums.json").read_text("utf-8"))
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("header.json", json.dumps({"eval": whole["eval"]}))
        for sample in whole["samples"]:
            parts.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
    assert main("convert", "log.eval", "-o", "zip.jsonl")[0] == 0
    assert main("convert", LOGS / "sums.json", "-o", "json.jsonl")[0] == 0
    assert rows("zip.jsonl") == rows("json.jsonl")


def test_a_log_as_inspect_writes_it_today_is_read(main, rows):
    """Its parts are compressed by zstd."""
    code, out, err = main("convert", LOGS / "sums.eval", "-o", "rows.jsonl")
    assert (code, out) == (0, "4 rows of 1 file: rows.jsonl\n"), err
    assert main("convert", LOGS / "sums.json", "-o", "json.jsonl")[0] == 0
    assert {row["id"]: row for row in rows()}["sums/s1"]["completions"] == rows("json.jsonl")[0]["completions"]


def test_without_the_reader_of_zstd_it_is_told_what_to_install(tmp_path):
    program = (
        "import sys; sys.modules['backports'] = None; from rewardlab.cli import main\n"
        f"sys.exit(main(['convert', {str(LOGS / 'sums.eval')!r}, '-o', 'rows.jsonl']))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "sums.eval: its parts are compressed by zstd" in done.stderr
    assert "pip install 'rewardlab[zstd]'" in done.stderr


@pytest.mark.parametrize("packed", ["zstd", "deflate"])
def test_a_zip_bomb_is_refused(main, tmp_path, monkeypatch, packed):
    monkeypatch.setattr(inspect_log, "MAX_LOG", 4 << 20)
    library = pytest.importorskip("backports.zstd.zipfile") if sys.version_info < (3, 14) else zipfile
    how = library.ZIP_ZSTANDARD if packed == "zstd" else library.ZIP_DEFLATED
    with library.ZipFile(tmp_path / "log.eval", "w", how) as parts:
        parts.writestr("header.json", json.dumps({"eval": {"task": "t"}}))
        for number in range(3):
            parts.writestr(f"samples/{number}.json", b'{"id": "' + b" " * (2 << 20) + b'"}')
    assert (tmp_path / "log.eval").stat().st_size < 20_000
    code, _, err = main("convert", "log.eval", "-o", "rows.jsonl")
    assert code == 2
    assert "log.eval: holds more than 4 MB, unpacked, and is not read" in err
    assert not (tmp_path / "rows.jsonl").exists()


def test_a_damaged_log_is_told(main, tmp_path):
    whole = bytearray((LOGS / "sums.eval").read_bytes())
    for place in range(200, len(whole) - 1500, 97):
        whole[place] ^= 0xFF
    (tmp_path / "log.eval").write_bytes(whole)
    code, _, err = main("convert", "log.eval", "-o", "rows.jsonl")
    assert code == 2
    assert "log.eval: is no log of inspect_ai" in err


def test_gold_fields_and_the_files_name_are_the_users(main, rows):
    given = (LOGS / "sums.json", "-o", "rows.jsonl", "--gold", "level", "--set", "language=fr", "--name", "{part}.json")
    assert main("convert", *given)[0] == 0
    assert [(row["id"], row["answer"], row["language"]) for row in rows()] == [
        ("sums/s1", 1, "fr"),
        ("sums/s2", 2, "fr"),
    ]
    code, _, err = main("convert", LOGS / "sums.json", "-o", "other.jsonl", "--gold", "levl")
    assert code == 2
    assert "sums.json: sample s1: its metadata have no 'levl'; did you mean 'level'" in err


def test_long_texts_stand_beside_the_messages(main, rows, log):
    choice = {"message": {"content": "attachment://1"}, "stop_reason": "max_tokens"}
    log(output={"choices": [choice]}, attachments={"1": "a long text"})
    assert main("convert", "log.json", "-o", "rows.jsonl")[0] == 0
    assert rows()[0]["completions"][0] == {"text": "a long text", "truncated": True}


def test_a_models_reasoning_is_none_of_its_answer(main, rows, log):
    content = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "4"}]
    log(output={"choices": [{"message": {"content": content}}]})
    assert main("convert", "log.json", "-o", "rows.jsonl")[0] == 0
    assert rows()[0]["completions"][0]["text"] == "4"


def test_choices_and_columns_that_are_ours_are_fields(main, rows, log):
    log(choices=["two", "three"], metadata={"id": "x", "prompt": "y"})
    assert main("convert", "log.json", "-o", "rows.jsonl")[0] == 0
    first = rows()[0]
    assert (first["choices"], first["metadata_id"], first["metadata_prompt"]) == (["two", "three"], "x", "y")
    assert first["id"] == "sums/s1"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"error": {"message": "ConnectionError('no')"}}, "epoch 1 ended with an error: ConnectionError('no')"),
        ({"output": {"choices": []}}, "epoch 1 has no output of a model"),
        ({"output": {"choices": [{"message": {"content": [{"type": "image"}]}}]}}, "a message has image, and not only"),
        ({"output": {"choices": [{"message": {}}]}}, "a message has no text, but None"),
        ({"messages": []}, "its epochs were asked different things"),
    ],
)
def test_a_sample_that_makes_no_row_is_told_and_can_be_left_out(main, rows, log, tmp_path, changes, told):
    log(**changes)
    code, _, err = main("convert", "log.json", "-o", "rows.jsonl")
    assert code == 2
    assert f"log.json: sample s1: {told}" in err
    assert not (tmp_path / "rows.jsonl").exists()
    assert main("convert", "log.json", "-o", "rows.jsonl", "--skip-bad")[0] == 0
    assert [row["id"] for row in rows()] == ["sums/s2"]


@pytest.mark.parametrize("text", ["[]", "{}", '{"eval": {}, "samples": 1}', '{"eval": [], "samples": [1]}', "no"])
@pytest.mark.parametrize("name", ["log.json", "log.eval"])
def test_a_file_that_is_no_log_is_told(main, write, name, text):
    write(name, text)
    code, _, err = main("convert", name, "-o", "rows.jsonl")
    assert code == 2
    assert f"{name}: is no log of inspect_ai" in err


def test_filters_are_of_the_other_tool(main):
    code, _, err = main("convert", LOGS / "sums.json", "-o", "rows.jsonl", "--filtered")
    assert code == 2
    assert "inspect_ai logs no filters; leave out --filter and --filtered" in err
