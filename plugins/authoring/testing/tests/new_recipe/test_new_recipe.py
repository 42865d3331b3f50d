"""`rewardlab new recipe`: a recipe for somebody's rows, or a copy of one of ours, which passes `check`."""

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from helpers.each_case import each_case
from helpers.paths import RECIPES
from rewardlab.recipe import shipped_recipes
from rewardlab_testing.new_recipe.text import _model

GSM8K = [{"question": f"How much is {n} + {n}?", "answer": f"{n} + {n} = {2 * n}\n#### {2 * n}"} for n in range(40)]
MULTILINGUAL = [
    {
        "problem": f"Wie viel ist {n} + {n}?",
        "final_answer": 2 * n,
        "solution": f"It is {2 * n}.",
        "lang": "de",
        "output": f"Es ist {2 * n}.",
        "null": "x",
    }
    for n in range(40)
]
CHAT = [
    {
        "messages": [{"role": "user", "content": f"{n} + {n}?"}],
        "label": str(2 * n),
        "split": "test" if n % 4 else "train",
    }
    for n in range(40)
]
PROMPTS = [{"prompt": f"Write a line about {n}."} for n in range(3)]
SHARED = [{"q1": f"What is the sum of {n} and {n}, please?", "result": 2 * n, "tongue": "sw"} for n in range(40)]
SOLVED = [
    {"problem": f"{n}?", "answer": f"A long way to the result, told in several sentences, {n} " * 3} for n in range(9)
]
FILES = {
    "gsm8k": (GSM8K, {"prompt": "question", "answer": "answer"}, "accuracy + format"),
    "multilingual": (
        MULTILINGUAL,
        {
            "prompt": "problem",
            "answer": "final_answer",
            "reference": "solution",
            "language": "lang",
            "response": "output",
        },
        "accuracy + format + language + preference",
    ),
    "chat": (CHAT, {"prompt": "messages", "answer": "label"}, "accuracy + format"),
    "prompts": (PROMPTS, {"prompt": "prompt"}, "format"),
    "shared": (SHARED, {"prompt": "q1", "answer": "result", "language": "tongue"}, "accuracy + format + language"),
    "solved": (SOLVED, {"prompt": "problem", "reference": "answer"}, "format + preference"),
}


@pytest.fixture
def made(main, write):
    """The recipe for some rows: `made(rows)` is (file, its tree, what was printed as JSON)."""

    def recipe(rows, *arguments):
        write("rows.jsonl", rows)
        code, out, err = main("new", "recipe", "rows.jsonl", "--json", *arguments)
        assert (code, err) == (0, "")
        told = json.loads(out)
        return told["file"], yaml.safe_load(Path(told["file"]).read_text("utf-8")), told

    return recipe


@pytest.mark.parametrize("name", FILES)
def test_columns_are_found_and_the_recipe_passes_check(made, main, name):
    rows, columns, total = FILES[name]
    file, tree, told = made(rows)
    assert {ours: found["column"] for ours, found in told["columns"].items()} == columns
    assert tree["dataset"]["fields"] == columns
    assert tree["reward"]["total"] == total
    assert main("check", file) == (0, main("check", file)[1], "")
    assert main("run", file, "--dry-run")[0] == 0


def test_comments_tell_what_was_guessed_and_what_to_do_with_the_rest(made):
    file, _, told = made(MULTILINGUAL)
    text = Path(file).read_text("utf-8")
    assert "    answer: final_answer    # guessed by its name; the first is 0\n" in text
    assert "  # columns that nothing here uses: null\n" in text
    assert told["unused"] == ["null"]
    assert "# without" not in text


def test_the_stage_that_is_a_comment_is_valid_too(made, main):
    file, _, _ = made(MULTILINGUAL)
    begin = [line for line in Path(file).read_text("utf-8").splitlines() if line.startswith("  # - use: sft")]
    assert begin
    text = Path(file).read_text("utf-8")
    head, _, rest = text.partition("  # - use: sft")
    stage, _, end = rest.partition("\n\n")
    Path(file).write_text(head + ("  # - use: sft" + stage).replace("  # ", "  ") + "\n\n" + end)
    assert main("check", file)[0] == 0
    assert [stage["use"] for stage in yaml.safe_load(Path(file).read_text("utf-8"))["stages"]] == ["sft", "rl"]


def test_languages_may_have_names_under_any_column(made, main):
    """A column of another name is found by its values, and the reward for the language is in the total."""
    names = {"de": "Deutsch", "ja": "Japanisch", "en": "English"}
    rows = [{**row, "Spr": names.get(row["lang"], "ドイツ語")} for row in MULTILINGUAL]
    for row in rows:
        del row["lang"]
    file, tree, told = made(rows)
    assert told["columns"]["language"]["column"] == "Spr"
    assert "language" in tree["reward"]["total"]
    assert main("check", file)[0] == 0


def test_a_language_that_no_model_knows_leaves_its_reward_out(made):
    rows = [row | {"lang": "tlh"} for row in MULTILINGUAL]
    _, tree, told = made(rows)
    assert "tlh" in told["left_out"]["language"]
    assert "language" not in tree["reward"]["components"]


def test_a_split_of_some_rows_decides_for_them_alone(made, main):
    file, tree, _ = made([row | ({"split": "train"} if n == 3 else {}) for n, row in enumerate(GSM8K)])
    assert tree["dataset"]["holdout"] == 0.1
    assert main("check", file)[0] == 0


def test_rows_that_are_too_few_are_not_held_out(made, main):
    file, tree, _ = made(PROMPTS[:1])
    assert "holdout" not in tree["dataset"]
    assert "eval" not in tree["stages"][0]
    assert main("check", file)[0] == 0


@pytest.mark.parametrize(
    "column",
    [
        "true",
        "it's",
        'a "b"',
        "a: b",
        "${x}",
        "zwei\nZeilen",
        "\u2028",
        "- a",
        "ü",
        "a#b",
        "12",
        "🙂",
        "𝒳 \U0001f469\u200d\U0001f680",
    ],
)
def test_columns_of_any_name_are_written_so_that_they_are_read_again(made, main, column):
    file, _, _ = made([{column: "x", "prompt": "?", "answer": n, "question": "why?"} for n in range(20)])
    assert main("check", file)[0] == 0
    file, _, told = made(
        [{column: f"A question long enough to be one: {n}", "gold": n} for n in range(20)], "-o", "b.yaml"
    )
    assert told["columns"]["prompt"]["column"] == column
    assert main("check", file)[0] == 0


def test_the_model_is_yours(made):
    assert made(GSM8K, "--model", "/models/my own")[1]["model"] == "/models/my own"


@each_case(
    "model, written",
    [
        *((text, {"use": "tiny"}) for text in ("tiny", "Tiny", " TINY ", "use: tiny", "use=tiny", "{use: tiny}")),
        *((text, {"use": "tiny"}) for text in ("{ use:tiny }", "{use: 'tiny'}", '{use: "tiny"}', '"tiny"')),
        *((text, text) for text in ("org/tiny", "tiny-llama", "./tiny", "tiny/model", "/models/tiny", "mytiny")),
        *((text, text) for text in ("tiny2", "tiny.", "~/tiny", "use/tiny", "tiny: 1")),
    ],
)
def test_the_tiny_model_is_the_one_that_is_built_here(model, written, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = _model(model)
    assert yaml.safe_load(line)["model"] == written
    (tmp_path / "tiny").mkdir(exist_ok=True)
    assert yaml.safe_load(_model("tiny"))["model"] == "tiny", "a folder of that name"
    (tmp_path / "tiny").rmdir()


def test_a_recipe_with_the_tiny_model_passes_the_check_and_its_bare_name_does_not(made, main):
    file, _, _ = made(GSM8K, "--model", "tiny")
    assert main("check", file)[0] == 0
    code, _, err = main("check", file, "model=tiny")
    assert (code, "the model that is built here is `model: {use: tiny}`" in err) == (2, True)


def test_other_rows_of_that_name_have_a_recipe_of_their_own(made, main, tmp_path):
    made(GSM8K)
    (tmp_path / "more").mkdir()
    shutil.copy(tmp_path / "rows.jsonl", tmp_path / "more" / "rows.jsonl")
    assert main("new", "recipe", "more/rows.jsonl")[1].startswith("rows-2.yaml is written\n")
    assert "path: more/rows.jsonl" in (tmp_path / "rows-2.yaml").read_text()
    assert main("new", "recipe", "more/rows.jsonl")[2] == (
        "error: rows-2.yaml: it is there already; name a new file with -o\n"
    )


def test_a_file_that_is_there_stays(made, main, write):
    made(GSM8K)
    assert main("new", "recipe", "rows.jsonl")[::2] == (
        2,
        "error: rows.yaml: it is there already; name a new file with -o\n",
    )
    assert main("new", "recipe", "rows.jsonl", "-o", "a/b.yaml")[0] == 0


@each_case(
    "arguments, says",
    [
        ([], "what should it make? `rewardlab new recipe ROWS.jsonl`, or `rewardlab new recipe --from NAME`\n"),
        (["plugin"], "; a plugin: `rewardlab plugins new NAME`\n"),
        (
            ["recipe"],
            "which rows? `rewardlab new recipe ROWS.jsonl`; for a copy of ours, --from with one of amro, ",
        ),
        (["recipe", "a.jsonl", "b.jsonl"], "one file of rows, not 'a.jsonl b.jsonl'\n"),
        (["recipe", "no.jsonl"], "no.jsonl: no such file in "),
        (["recipe", "no.txt"], "no.txt: 'no.txt' has no known ending of rows; "),
        (
            ["recipe", "numbers.jsonl"],
            "which column is the prompt? None of these has a text, or messages, in every row: 'a'\n",
        ),
        (["recipe", "twice.jsonl"], "twice.jsonl: the id '1' is already used by row 1\n"),
        (["recipe", "--from", "spf"], "no recipe 'spf' comes with rewardlab; did you mean 'sp3f'?\n"),
        (["recipe", "a.jsonl", "--from", "sp3f"], "leave out the rows, --model and columns"),
    ],
)
def test_mistakes_say_what_to_type(main, write, arguments, says):
    write("numbers.jsonl", [{"a": 1}])
    write("twice.jsonl", [{"id": 1, "prompt": "a"}, {"id": 1, "prompt": "b"}])
    code, out, err = main("new", *arguments)
    assert (code, out) == (2, "")
    assert says in err


@pytest.mark.parametrize("name", sorted(shipped_recipes()))
def test_a_copy_passes_check_and_speaks_of_itself(main, name, tmp_path):
    code, out, _ = main("new", "recipe", "--from", name, "-o", "copy.yaml")
    assert (code, out.splitlines()[0]) == (0, "copy.yaml is written")
    text = (tmp_path / "copy.yaml").read_text()
    command = (
        "judge" if name.endswith(("r3_judge", "published_judge")) else "eval" if name.startswith("evaluate_") else "run"
    )
    assert f"rewardlab {command} copy.yaml" in text.splitlines()[0]
    assert "recipes/" not in text
    assert yaml.safe_load(text) == yaml.safe_load((RECIPES / f"{name}.yaml").read_text())


def test_files_beside_a_recipe_are_copied_with_it(main, tmp_path, monkeypatch):
    from rewardlab.recipe import shipped

    folder = tmp_path / "shipped"
    (folder / "templates").mkdir(parents=True)
    (folder / "templates/judge.txt").write_text("Which?")
    (folder / "one.yaml").write_text(
        "version: 1\nname: one\njudges: {m: {use: a/b, with: {template: templates/judge.txt}}}\n"
    )
    monkeypatch.setattr(shipped, "shipped_folder", lambda: folder)
    assert main("new", "recipe", "--from", "one", "-o", "mine/one.yaml")[0] == 0
    assert (tmp_path / "mine/templates/judge.txt").read_text() == "Which?"


def test_help_points_at_what_works_without_a_clone(main):
    out = main("--help")[1]
    assert "rewardlab run quickstart " in out
    assert "rewardlab new recipe rows.jsonl" in out
    assert "recipes/" not in out


def test_rows_may_be_csv(main, write):
    write("mine.csv", "question,answer,lang\n" + "".join(f"How much is {n} and {n}?,{2 * n},en\n" for n in range(40)))
    code, out, _ = main("new", "recipe", "mine.csv", "--json")
    found = {ours: guess["column"] for ours, guess in json.loads(out)["columns"].items()}
    assert (code, found) == (0, {"prompt": "question", "answer": "answer", "language": "lang"})
    assert main("check", "mine.yaml")[0] == 0


@pytest.mark.parametrize("first", [0, 1, 100, "7"])
def test_a_column_that_numbers_the_rows_is_no_answer(made, first):
    """Its values go up by one a row, as no answers do; a recipe that paid for row numbers would pass `check`."""
    kind = type(first)
    rows = [
        {"q1": f"What is the sum of {n} and {n}?", "zz": kind(int(first) + n), "yy": "ABCD"[n % 4]} for n in range(20)
    ]
    assert "answer" not in made(rows)[2]["columns"]


def test_columns_may_have_hindi_names(main, write):
    lines = "".join(f"{n},{n} और {n} का योग क्या है?,{'ABCD'[n % 4]},hi_IN\n" for n in range(20))
    write("hi.csv", "क्रमांक,प्रश्न,उत्तर,भाषा\n" + lines)
    guessed = json.loads(main("new", "recipe", "hi.csv", "--json")[1])["columns"]
    found = {ours: guess["column"] for ours, guess in guessed.items()}
    assert found == {"prompt": "प्रश्न", "answer": "उत्तर", "language": "भाषा", "id": "क्रमांक"}


def test_an_answer_inside_of_another_column_is_pointed_at(made):
    """As verl's files have it."""
    rows = [{"prompt": f"{n}?", "reward_model": {"style": "rule", "ground_truth": str(n)}} for n in range(20)]
    told = made(rows)[2]
    assert told["left_out"]["accuracy"] == (
        "no column looks like the answer; 'reward_model' holds 'ground_truth': make that a column of its own, since a "
        "recipe names whole columns"
    )


SOLVED_UNNAMED = [
    {"q1": f"{n} + 1?", "weg": f"Erst {n}, dann eins mehr, das macht zusammen {n + 1}."} for n in range(20)
]


def test_between_several_texts_nothing_is_guessed(main, write):
    write("rows.jsonl", SOLVED_UNNAMED)
    code, out, err = main("new", "recipe", "rows.jsonl")
    assert (code, out) == (2, "")
    assert err == "error: rows.jsonl: which column is the prompt? Add --prompt q1 or --prompt weg\n"
    assert not Path("rows.yaml").exists()
    assert main("new", "recipe", "rows.jsonl", "--prompt", "q1", "--reference", "weg")[0] == 0
    assert yaml.safe_load(Path("rows.yaml").read_text("utf-8"))["dataset"]["fields"] == {
        "prompt": "q1",
        "reference": "weg",
    }


def test_a_column_that_is_named_must_be_there(main, write):
    write("rows.jsonl", SOLVED_UNNAMED)
    code, _, err = main("new", "recipe", "rows.jsonl", "--prompt", "wegg")
    assert (code, err) == (2, "error: rows.jsonl: --prompt: no column 'wegg'; did you mean 'weg'?\n")


def test_no_column_can_be_asked_for(made):
    rows = [row | {"question": "Why?", "solution": "So.", "rationale": "Thus."} for row in PROMPTS]
    assert made(rows, "--reference", "")[2]["columns"].keys() == {"prompt"}


@pytest.mark.slow
def test_somebody_at_a_terminal_is_asked(write, tmp_path):
    write("rows.jsonl", SOLVED_UNNAMED)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "rewardlab.cli", "new", "recipe", "rows.jsonl"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs) as asking:
        os.write(ours, b"9\n1\n")
        out = asking.stdout.read().decode()
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    os.close(theirs)
    assert "Which column is the prompt?\r\n  1  q1\r\n  2  weg\r\n" in shown
    assert (asking.returncode, "  prompt: column 'q1', as you said" in out) == (0, True)


def test_a_prompt_that_holds_its_answer_is_told(main, write):
    """Here by `new recipe`, which was told so, and by `check`."""
    write("rows.jsonl", [row | {"answer": n + 1} for n, row in enumerate(SOLVED_UNNAMED)])
    said = "20 of 20 prompts hold their own answer (0 another row's), first "
    assert said in main("new", "recipe", "rows.jsonl", "--prompt", "weg")[2]
    code, _, err = main("check", "rows.yaml")
    assert code == 0
    assert f"warning: rows.yaml:11: dataset: {said}" in err
    main("new", "recipe", "rows.jsonl", "--prompt", "q1", "-o", "right.yaml")
    assert main("check", "right.yaml")[2] == ""


def test_prompts_that_come_again_are_told(main, write):
    write("rows.jsonl", [{"prompt": f"{n % 10}?"} for n in range(20)])
    assert (
        "10 of 20 rows repeat the prompt of an earlier row, first row 11 that of row 1; "
        in (main("new", "recipe", "rows.jsonl")[2])
    )
