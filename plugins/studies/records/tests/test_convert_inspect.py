"""`rewardlab convert`: a log of inspect_ai in, rows to score out."""

import json
import subprocess
import sys
import tracemalloc
import zipfile

import pytest
from helpers.paths import TESTS
from rewardlab_records.rollouts import inspect_file

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


@pytest.mark.slow
def test_without_the_reader_of_zstd_it_is_told_what_to_install(tmp_path):
    program = (
        "import sys; sys.modules['backports'] = None; from rewardlab.cli import main\n"
        f"sys.exit(main(['convert', {str(LOGS / 'sums.eval')!r}, '-o', 'rows.jsonl']))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "sums.eval: its parts are compressed by zstd" in done.stderr
    assert "pip install backports.zstd" in done.stderr


@pytest.fixture
def zipped(tmp_path):
    """Write log.eval: a question for each text, which is its prompt."""
    (sample, *_) = json.loads((LOGS / "sums.json").read_text("utf-8"))["samples"]

    def write(*texts):
        library = pytest.importorskip("backports.zstd.zipfile") if sys.version_info < (3, 14) else zipfile
        with library.ZipFile(tmp_path / "log.eval", "w", library.ZIP_ZSTANDARD) as parts:
            parts.writestr("header.json", json.dumps({"eval": {"task": "t"}}))
            for number, text in enumerate(texts):
                messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "4"}]
                changed = json.dumps({**sample, "id": number, "messages": messages})
                parts.writestr(f"samples/{number}_epoch_1.json", changed)
        assert (tmp_path / "log.eval").stat().st_size < 30_000

    return write


def test_a_zip_bomb_is_refused(main, zipped, tmp_path, monkeypatch):
    monkeypatch.setattr(inspect_file, "MAX_LOG", 4 << 20)
    zipped(*("x" * (2 << 20) for _ in range(3)))
    code, _, err = main("convert", "log.eval", "-o", "rows.jsonl", "--skip-bad")
    assert code == 2
    assert "log.eval: holds more than 4 MB, unpacked, and is not read" in err
    assert not (tmp_path / "rows.jsonl").exists()


def test_a_sample_that_no_row_holds_is_left_out(main, zipped, rows, monkeypatch):
    monkeypatch.setattr(inspect_file, "MAX_BYTES", 1 << 20)
    zipped("x" * (2 << 20), "1 + 1?")
    code, _, err = main("convert", "log.eval", "-o", "rows.jsonl")
    assert code == 2
    assert "log.eval: samples/0_epoch_1.json: this sample is longer than" in err
    assert main("convert", "log.eval", "-o", "rows.jsonl", "--skip-bad")[0] == 0
    assert [row["id"] for row in rows()] == ["t/1"]


def test_memory_holds_the_samples_of_one_question(main, zipped):
    def peak(count):
        zipped(*("x" * 200_000 for _ in range(count)))
        tracemalloc.start()
        assert main("convert", "log.eval", "-o", f"rows{count}.jsonl")[0] == 0
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(1)
    assert peak(40) < peak(4) + 200_000


def test_a_damaged_sample_can_be_left_out_and_a_damaged_head_cannot(main, tmp_path, rows):
    whole = bytearray((LOGS / "sums.eval").read_bytes())
    whole[2_000] ^= 0xFF  # in samples/s0_epoch_1.json
    (tmp_path / "log.eval").write_bytes(whole)
    code, _, err = main("convert", "log.eval", "-o", "rows.jsonl")
    assert code == 2
    assert "log.eval: samples/s0_epoch_1.json: cannot be unpacked" in err
    assert main("convert", "log.eval", "-o", "rows.jsonl", "--skip-bad")[0] == 0
    assert [row["id"] for row in rows()] == ["sums/s1", "sums/s2", "sums/s3"]
    (tmp_path / "log.eval").write_bytes(whole[:-30])
    code, _, err = main("convert", "log.eval", "-o", "other.jsonl", "--skip-bad")
    assert code == 2
    assert "log.eval: is not a readable log of inspect_ai" in err


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
        ({"output": {"choices": [{"message": {}}]}}, "a message has no text"),
        ({"messages": []}, "its epochs were asked different things"),
        ({"messages": "hello"}, "messages: Input should be a valid list"),
        ({"messages": [{"role": "user", "content": [1]}]}, "messages.0.content.0: must be an object"),
        ({"output": {"choices": [7]}}, "output.choices.0: must be an object"),
        ({"output": {"usage": {"output_tokens": "6"}}}, "output.usage.output_tokens: Input should be a valid integer"),
        ({"metadata": [1]}, "metadata: Input should be a valid dictionary"),
        ({"epoch": None}, "epoch: Input should be a valid integer"),
        ({"epoch": 2}, "epoch 2 appears twice"),
        ({"error": "boom"}, "error: must be an object"),
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
    assert f"{name}: is not a readable log of inspect_ai" in err


def test_filters_are_of_the_other_tool(main):
    code, _, err = main("convert", LOGS / "sums.json", "-o", "rows.jsonl", "--filtered")
    assert code == 2
    assert "inspect_ai logs no filters; leave out --filter and --filtered" in err
