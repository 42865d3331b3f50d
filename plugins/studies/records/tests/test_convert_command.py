"""`rewardlab convert`: samples that lm-evaluation-harness logged in, rows to score out."""

import json
import shutil

import pytest
import rewardlab
from helpers.paths import TESTS

LOGGED = TESTS / "data" / "lm_eval"
(SUMS,) = LOGGED.glob("samples_sums_de_*.jsonl")
(PICK,) = LOGGED.glob("samples_pick_de_*.jsonl")
PATTERN = "samples_{task}_{language}_{}.jsonl"


@pytest.fixture
def rows(tmp_path):
    return lambda name="rows.jsonl": [json.loads(line) for line in (tmp_path / name).read_text("utf-8").splitlines()]


def sample(**changes):
    first = json.loads(SUMS.read_text("utf-8").splitlines()[0])
    return {name: value for name, value in (first | changes).items() if value is not ...}


def test_each_document_is_a_row_with_the_models_texts(main, rows):
    code, out, err = main("convert", SUMS, "-o", "rows.jsonl", "--name", PATTERN)
    assert (code, out) == (0, "2 rows of 1 file: rows.jsonl\n"), err
    first, second = rows()
    assert first == {
        "id": "sums/de/0",
        "prompt": "Frage: Wie viel ist 2 + 3?\nAntwort:",
        "completions": ["lol", "lol"],
        "answer": "5",
        "problem": "0",
        "question": "Wie viel ist 2 + 3?",
        "level": 1,
        "task": "sums",
        "language": "de",
    }
    assert (second["id"], second["answer"]) == ("sums/de/1", "11")


@pytest.mark.slow
def test_the_rows_are_scored_and_make_tables(main, write, tmp_path):
    texts = [sample(doc_id=n, resps=[[rf"\boxed{{{5 + 6 * n}}}", "no"]], target=str(5 + 6 * n)) for n in range(2)]
    write("samples_sums_de_2026-11-23T07-43-51.677842.jsonl", texts)
    given = "samples_sums_de_2026-11-23T07-43-51.677842.jsonl"
    assert main("convert", given, "-o", "rows.jsonl", "--name", PATTERN)[0] == 0
    components = "{accuracy: {use: math/accuracy}}"
    write("r.yaml", f"version: 1\nreward: {{components: {components}, total: accuracy}}")
    assert main("score", "r.yaml", "rows.jsonl", "-o", "scored.jsonl")[0] == 0
    code, out, err = main("tables", "model=scored.jsonl", "--rows", "rows.jsonl", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert (found["tasks"], found["languages"]) == (["sums"], ["de"])
    assert found["averages"][0]["mean"] == 0.5


def test_a_filters_text_may_be_the_completion(main, rows):
    assert main("convert", SUMS, "-o", "rows.jsonl", "--filtered")[0] == 0
    assert [row["completions"] for row in rows()] == [["[invalid]"]] * 2
    assert main("convert", SUMS, "-o", "more.jsonl", "--filtered", "--filter", "flexible")[0] == 0
    assert [row["completions"] for row in rows("more.jsonl")] == [["lol"]] * 2
    code, _, err = main("convert", SUMS, "-o", "none.jsonl", "--filter", "flexibel")
    assert code == 2
    assert "no lines of the filter 'flexibel'; did you mean 'flexible'" in err


def test_the_gold_and_further_fields_are_the_users(main, rows):
    assert (
        main("convert", SUMS, "-o", "rows.jsonl", "--gold", "level", "--set", "language=de", "--set", "task=t")[0] == 0
    )
    assert [(row["answer"], row["language"], row["task"]) for row in rows()] == [(1, "de", "t"), (2, "de", "t")]
    assert [row["id"] for row in rows()] == ["samples_sums_de/0", "samples_sums_de/1"]
    code, _, err = main("convert", SUMS, "-o", "other.jsonl", "--gold", "levl")
    assert code == 2
    assert ":1: the document has no 'levl'; did you mean 'level'" in err


def test_files_of_several_languages_become_one(main, rows, tmp_path):
    shutil.copy(SUMS, tmp_path / "samples_sums_fr_x.jsonl")
    assert main("convert", SUMS, "samples_sums_fr_x.jsonl", "-o", "rows.jsonl", "--name", PATTERN)[0] == 0
    assert [row["id"] for row in rows()] == ["sums/de/0", "sums/de/1", "sums/fr/0", "sums/fr/1"]
    code, _, err = main("convert", SUMS, SUMS, "-o", "twice.jsonl", "--name", PATTERN)
    assert code == 2
    assert "the id 'sums/de/0' is there already; use --name if the files" in err
    code, _, err = main("convert", SUMS, "-o", "twice.jsonl", "--name", "sample_{language}.jsonl")
    assert code == 2
    assert "its name is not of the form sample_{language}.jsonl" in err


def test_a_chats_messages_are_the_prompt(main, write, rows):
    chat = [{"role": "system", "content": "Kurz."}, {"role": "user", "content": "2 + 3?"}]
    text, listed = json.dumps(chat), {"gen_args_0": {"arg_0": [json.dumps(chat)], "arg_1": {"until": []}}}
    write(
        "s.jsonl", [sample(arguments={"gen_args_0": {"arg_0": text, "arg_1": {}}}), sample(doc_id=1, arguments=listed)]
    )
    assert main("convert", "s.jsonl", "-o", "rows.jsonl")[0] == 0
    assert [row["prompt"] for row in rows()] == [chat, chat]


def test_columns_of_the_document_do_not_take_ours(main, write, rows):
    write("s.jsonl", [sample(doc={"id": "x", "prompt": "y", "completions": "z", "problem": "2 + 3?"})])
    assert main("convert", "s.jsonl", "-o", "rows.jsonl")[0] == 0
    [row] = rows()
    assert (row["doc_id"], row["doc_prompt"], row["doc_completions"]) == ("x", "y", "z")
    assert (row["doc_problem"], row["problem"]) == ("2 + 3?", "0")
    assert row["prompt"].startswith("Frage")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"resps": ..., "completions": ["5"]}, "is a row with completions, which `score` and the others read as it is"),
        ({"resps": ...}, "is not a sample of lm-evaluation-harness: no 'resps'"),
        ({"resps": [[]]}, "`resps` should hold texts, not []"),
        ({"resps": [[["a", 1]]]}, "`resps` should hold texts"),
        ({"doc": "x"}, "the document is not an object, but 'x'"),
        ({"arguments": {}}, "`arguments` should hold a request, not []"),
        ({"arguments": {"gen_args_0": {"arg_0": 7, "arg_1": {}}}}, "the question is not a text, but 7"),
    ],
)
def test_a_sample_of_another_form_is_told_with_its_line(main, write, tmp_path, changes, told):
    write("s.jsonl", [sample(doc_id=0), sample(doc_id=1, **changes)])
    code, _, err = main("convert", "s.jsonl", "-o", "rows.jsonl")
    assert code == 2
    assert f"s.jsonl:2: {told}" in err
    assert not (tmp_path / "rows.jsonl").exists()
    code, out, err = main("convert", "s.jsonl", "-o", "rows.jsonl", "--skip-bad")
    assert (code, out) == (0, "1 row of 1 file: rows.jsonl\n")
    assert "left out" in err


def test_a_document_in_two_languages_is_one_problem_of_the_tables(main, write):
    for language in ("de", "sw"):
        texts = [sample(doc_id=n, resps=[[rf"\boxed{{{n % 2}}}"]], target="1") for n in range(6)]
        write(f"samples_sums_{language}_2026-11-23T07-43-51.677842.jsonl", texts)
    logs = [f"samples_sums_{language}_2026-11-23T07-43-51.677842.jsonl" for language in ("de", "sw")]
    assert main("convert", *logs, "-o", "rows.jsonl", "--name", PATTERN)[0] == 0
    write("r.yaml", "version: 1\nreward: {components: {box: {use: format/boxed}}, total: box}")
    assert main("score", "r.yaml", "rows.jsonl", "-o", "scored.jsonl")[0] == 0
    code, out, err = main("tables", "model=scored.jsonl", "--rows", "rows.jsonl", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["clustering"] == {"field": "problem", "clusters": 6, "prompts": 12, "alone": 0}
    assert found["averages"][0]["clusters"] == 6


def test_a_task_of_likelihoods_has_no_texts(main):
    code, _, err = main("convert", PICK, "-o", "rows.jsonl")
    assert code == 2
    assert "compares likelihoods of given texts, so that the model wrote none; log a task that generates" in err


def test_nothing_is_written_over(main, write, tmp_path):
    write("rows.jsonl", ["kept"])
    code, _, err = main("convert", SUMS, "-o", "rows.jsonl")
    assert code == 2
    assert "exists already" in err
    code, _, err = main("convert", SUMS, "-o", "none/new.jsonl")
    assert (code, err) == (2, "error: none/new.jsonl: there is no folder none; make it first\n")
    code, _, err = main("convert", SUMS, "-o", "new.jsonl", "--set", "id=7")
    assert code == 2
    assert "a field is NAME=TEXT, and not id, prompt or completions" in err
    write("empty.jsonl", [])
    assert "empty.jsonl: no samples" in main("convert", "empty.jsonl", "-o", "new.jsonl")[2]


def test_a_program_gets_what_the_command_says(main, tmp_path):
    found = rewardlab.convert([SUMS], tmp_path / "a.jsonl", name=PATTERN)
    code, out, _ = main("convert", SUMS, "-o", "b.jsonl", "--name", PATTERN, "--json")
    assert (code, json.loads(out)) == (0, {**found.data, "output": "b.jsonl"})
    assert (tmp_path / "a.jsonl").read_text() == (tmp_path / "b.jsonl").read_text()
