"""SP3F on rows in the form of the published ones (neulab/SP3F-Training-Data); there is no hub in a test."""

import json
from collections import Counter

import pytest
from helpers.paths import RECIPES
from rewardlab.recipe.loading import load

RECIPE = RECIPES / "sp3f_published.yaml"
TOLD = {
    "de": (
        "Denke Schritt für Schritt.",
        "Anna hat {} Äpfel und kauft noch einen. Wie viele hat sie?",
        "Sie hat nun {}.",
    ),
    "ja": (
        "段階的に考えてください。",
        "アンナはりんごを{}個持っていて、もう一個買います。全部で何個ですか。",
        "今は{}個です。",
    ),
    "en": ("Think step by step.", "Ann has {} apples and buys one more. How many has she?", "She now has {}."),
}
ENGLISH, SOLVED = TOLD["en"][1:]


def published(n, language):
    """A row as the published code writes it, with the same columns."""
    system, problem, solution = TOLD[language]
    problem, answer = problem.format(n - 1), f"{n:,}"
    told = [{"role": "system", "content": system}, {"role": "user", "content": problem}]
    solved = f"{solution.format(n)} \\boxed{{{answer}}}."
    return {
        "solution": f"{SOLVED.format(n)} \\boxed{{{answer}}}.",
        "translated_solution": solved,
        "reward_model": {"ground_truth": answer},
        "query": ENGLISH.format(n - 1),
        "input": told,
        "output": f"{SOLVED.format(n)} \\boxed{{{answer}}}.",
        "data_source": "train_dataset",
        "raw_prompt": problem,
        "extra_info": {"task": "train_dataset", "ground_truth": answer, "use_lang": False, "lang": language},
        "messages": [*told, {"role": "assistant", "content": solved}],
    }


ROWS = [published(1200 + n, language) for n in range(20) for language in TOLD]


@pytest.fixture
def stage(main, tmp_path):
    """`stage(0, source)`: the rows that a stage writes from such a dataset."""

    def run(number, source):
        place = f"stages.{number}.dataset"
        given = [f"{place}.{key}={json.dumps(value)}" for key, value in source.items()]
        code, out, err = main(
            "run", RECIPE, "--stage", number, *given, "backend={use: trl}", "--run-dir", f"run-{number}"
        )
        assert code == 0, out + err
        made = (tmp_path / ["sp3f-sft.jsonl", "sp3f-rl.jsonl"][number]).read_text("utf-8")
        return [json.loads(line) for line in made.splitlines()]

    return run


def check_rows(rows):
    """Each is one of ours, under the names that stages and rewards read."""
    for row in rows:
        language, number = row["language"], int(row["answer"].replace(",", ""))
        as_published = published(number, language)
        assert row["prompt"] == as_published["input"]
        assert row["response"] == as_published["translated_solution"]
        assert (row["reference"], row["problem"]) == (as_published["solution"], as_published["query"])


def check_scores(main, write, rows):
    """The published answers are right for their own solutions, whatever the language: 1,200 is not 1.2."""
    write("scored.jsonl", [{**row, "completions": [row["response"], "\\boxed{1.2}"]} for row in rows])
    total = ("reward.components.preference=null", "reward.total=accuracy")
    code, out, err = main("score", RECIPE, "scored.jsonl", *total, "-o", "-")
    assert code == 0, err
    assert [json.loads(line)["total"] for line in out.splitlines()] == [[1.0, 0.0]] * len(rows)


def test_its_rows_have_the_names_that_stages_and_rewards_read(stage, write):
    write("published.jsonl", ROWS)
    made = stage(0, {"use": "data/jsonl", "with": {"path": "published.jsonl"}})
    assert len(made) == len(ROWS)
    check_rows(made)


@pytest.mark.slow  # imports `datasets`
def test_of_a_dataset_folder_each_stage_draws_its_own(stage, main, write, tmp_path):
    import pyarrow
    import pyarrow.parquet

    folder = tmp_path / "SP3F-Training-Data"
    folder.mkdir()
    for split, rows in (("train", ROWS), ("test", ROWS[-3:])):
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"{split}.parquet")
    sft, rl = (stage(number, {"with.path": str(folder), "with.rows": 30}) for number in (0, 1))
    for rows in (sft, rl):
        assert len({row["id"] for row in rows}) == 30
        assert set(Counter(row["language"] for row in rows)) == set(TOLD)
        check_rows(rows)
    both = {row["id"] for row in sft} & {row["id"] for row in rl}
    assert 5 <= len(both) <= 25, "two draws of 30 of 60 have some 15 in common"
    check_scores(main, write, sft[:6])


def test_nobody_is_paid_for_a_translation_and_all_else_is_as_in_sp3f():
    whole, ours = load(RECIPES / "sp3f.yaml").tree, load(RECIPE).tree
    assert set(ours["judges"]) == {"main"}
    assert ours["stages"][2:] == whole["stages"][2:]
    for stage, reads in zip(ours["stages"][:2], whole["stages"][2:], strict=True):
        assert stage["dataset"]["with"]["rows"] == reads["steps"] * reads["batch_size"], "each row once"
    assert ours["reward"]["components"].pop("accuracy") == {"use": "math/accuracy", "with": {"gold_language": "en"}}
    whole["reward"]["components"].pop("accuracy")
    assert {key: ours[key] for key in ("model", "dataset", "reward", "backend")} == {
        key: whole[key] for key in ("model", "dataset", "reward", "backend")
    }
