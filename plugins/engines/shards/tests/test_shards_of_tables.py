"""`judge` and `probe` in shards: each scores its own groups, and the merge is the command over all of them, unasked."""

import asyncio
import json
from pathlib import Path

import pytest
from helpers.paths import TESTS
from rewardlab import Completion, Group, Sample
from rewardlab.cli import main
from rewardlab.commands import find_command
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.scorefile import StateFolder
from rewardlab.scoring import InputRow
from rewardlab_shards.kept_scores import KeptScores
from rewardlab_shards.kept_shard import KeptShard


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working folder; the plugin `cases` is installed."""
    monkeypatch.syspath_prepend(str(TESTS / "score_plugin"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_pairs(count=12):
    with open("pairs.jsonl", "w") as file:
        for number in range(count):
            texts = {"chosen": f"{number} and one is {number + 1}", "rejected": "I like trains" * (number % 3 + 1)}
            row = {"id": f"p{number}", "prompt": f"{number} + 1?", "reference": f"It is {number + 1}.", **texts}
            file.write(json.dumps(row | {"language": "en" if number % 2 else "de"}) + "\n")


def write_rows(count=8):
    with open("rows.jsonl", "w") as file:
        for number in range(count):
            row = {"id": number, "prompt": f"What is {number} + 1?", "answer": str(number + 1)}
            file.write(json.dumps(row | {"completions": [f"It is \\boxed{{{number + 1}}}."]}) + "\n")


def write_recipe(components, **more):
    reward = {"components": components, "total": " + ".join(components)}
    Path("r.yaml").write_text(json.dumps({"version": 1, "reward": reward, **more}))


PREFERENCE = {"use": "pairwise/win_rate", "with": {"judge": "main", "privileged": "reference"}}


def judged(capsys, *arguments):
    write_recipe({"wins": PREFERENCE}, judges={"main": {"use": "pairwise/overlap"}})
    assert main(["judge", "r.yaml", "pairs.jsonl", *arguments]) == 0
    return capsys.readouterr().out


def test_judge_measures_on_all_shards_what_one_machine_measures(capsys):
    write_pairs()
    alone = judged(capsys, "-o", "one.jsonl", "--json")
    for part in (1, 2, 3):
        assert "once all shards are done: rewardlab merge out.jsonl" in judged(
            capsys, "-o", "out.jsonl", "--shard", f"{part}/3"
        )
    assert main(["merge", "out.jsonl", "--json"]) == 0
    assert capsys.readouterr().out == alone
    assert Path("out.jsonl").read_bytes() == Path("one.jsonl").read_bytes()


def test_probe_says_of_all_shards_what_one_machine_says(capsys):
    write_rows()
    write_recipe({"length": {"use": "cases/length", "with": {"log": "log.txt"}}})
    assert main(["probe", "r.yaml", "rows.jsonl", "--json"]) == 1
    alone = capsys.readouterr().out
    for part in (1, 2):
        assert main(["probe", "r.yaml", "rows.jsonl", "-o", "p.jsonl", "--shard", f"{part}/2"]) == 0
    before = Path("log.txt").read_text()
    capsys.readouterr()
    assert main(["merge", "p.jsonl", "--json"]) == 1  # the exit code is the command's
    assert capsys.readouterr().out == alone
    assert Path("log.txt").read_text() == before  # nothing was scored again


def test_what_comes_next_can_be_typed_whatever_the_file_is_called(capsys):
    write_rows(2)
    write_recipe({"length": {"use": "cases/length"}})
    assert main(["probe", "r.yaml", "rows.jsonl", "-o", "my p.jsonl", "--shard", "1/1"]) == 0
    assert "once all shards are done: rewardlab merge 'my p.jsonl'" in capsys.readouterr().out


def test_a_shard_goes_on_and_scores_again_what_failed(capsys):
    write_rows()
    write_recipe({"obey": {"use": "cases/obey", "with": {"unless": "well"}}, "length": {"use": "cases/length"}})
    shard = ["probe", "r.yaml", "rows.jsonl", "-o", "p.jsonl", "--shard", "1/1"]
    assert main(shard) == 0
    path = Path("p.1-of-1.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    failed = lines[0].replace(b'"error": [null', b'"error": ["no luck"', 1)
    path.write_bytes(failed + b"".join(lines[2:]) + lines[1][:50])
    assert main(["merge", "p.jsonl"]) == 2
    assert "p.1-of-1.jsonl: shard 1/1 is not finished" in capsys.readouterr().err
    assert main([*shard, "--resume"]) == 0
    assert sorted(path.read_bytes().splitlines(keepends=True)) == sorted(lines)
    assert main(shard) == 2
    assert "p.1-of-1.jsonl: exists already; --resume continues it" in capsys.readouterr().err


def test_a_shard_without_a_row_and_a_merge_that_writes_nothing(capsys):
    write_rows(2)
    write_recipe({"length": {"use": "cases/length"}})
    assert main(["probe", "r.yaml", "rows.jsonl", "--json"]) == 1
    alone = capsys.readouterr().out
    for part in range(1, 6):
        assert main(["probe", "r.yaml", "rows.jsonl", "-o", "p.jsonl", "--shard", f"{part}/5"]) == 0
    assert "shard 5/5: 0 groups of " in capsys.readouterr().out
    assert main(["merge", "p.jsonl", "-o", "q.jsonl"]) == 2
    assert "q.jsonl: a merge of probe writes what that command writes, and where" in capsys.readouterr().err
    assert main(["merge", "p.jsonl", "--json"]) == 1
    assert capsys.readouterr().out == alone


def test_rows_that_have_changed_since_are_named(capsys):
    write_rows()
    write_recipe({"length": {"use": "cases/length"}})
    for part in (1, 2):
        assert main(["probe", "r.yaml", "rows.jsonl", "-o", "p.jsonl", "--shard", f"{part}/2"]) == 0
    write_rows(9)
    assert main(["merge", "p.jsonl"]) == 2
    assert "no shard has scored" in capsys.readouterr().err
    write_rows()
    write_recipe({"length": {"use": "cases/length", "with": {"longest": 7}}})
    assert main(["merge", "p.jsonl"]) == 2
    assert "p.1-of-2.jsonl: was made by another recipe" in capsys.readouterr().err


def test_shards_of_other_versions_than_the_merge_are_refused(capsys):
    write_rows()
    write_recipe({"length": {"use": "cases/length"}})
    assert main(["probe", "r.yaml", "rows.jsonl", "-o", "p.jsonl", "--shard", "1/1"]) == 0
    state = StateFolder(Path("p.1-of-1.jsonl"))
    content = state.read()
    state.write(content | {"plugins": content["plugins"] | {"rewardlab": "0.0.9"}})
    assert main(["merge", "p.jsonl"]) == 2
    told = "p.1-of-1.jsonl: was made by other versions (rewardlab 0.0.9) than are here; merge with those"
    assert told in capsys.readouterr().err


def test_shards_with_other_options_are_refused(capsys):
    write_rows()
    write_recipe({"length": {"use": "cases/length"}})
    for part, *more in (["1"], ["2", "--max-won", "0.5"]):
        assert main(["probe", "r.yaml", "rows.jsonl", "-o", "p.jsonl", "--shard", f"{part}/2", *more]) == 0
    assert main(["merge", "p.jsonl"]) == 2
    assert "p.2-of-2.jsonl: was made with another max_won than p.1-of-2.jsonl" in capsys.readouterr().err


def test_hosts_of_ray_are_no_shard(capsys):
    write_pairs(3)
    write_rows(3)
    write_recipe({"length": {"use": "cases/length"}})
    assert main(["probe", "r.yaml", "rows.jsonl", "-o", "p.jsonl", "--shard", "1/2", "--on", "ray"]) == 2
    assert "--on: goes without --shard: it divides the rows itself" in capsys.readouterr().err


NOBODY = {"use": "openai/chat", "with": {"model": "m", "base_url": "http://127.0.0.1:9/v1"}, "concurrency": 2}
"""a judge behind a port where nobody listens"""


def test_a_limit_that_cannot_be_divided_is_refused_by_each_command(capsys):
    write_pairs(3)
    write_rows(3)
    write_recipe({"wins": PREFERENCE}, judges={"main": NOBODY})
    Path("rows.jsonl").write_text(Path("rows.jsonl").read_text().replace('"answer"', '"reference"'))
    for words in (
        ["score", "r.yaml", "rows.jsonl"],
        ["judge", "r.yaml", "pairs.jsonl"],
        ["probe", "r.yaml", "rows.jsonl"],
    ):
        assert main([*words, "-o", "out.jsonl", "--shard", "1/3"]) == 2
        told = "judge 'main': concurrency 2 cannot be divided between 3 processes; let at most 2 ask it"
        assert told in capsys.readouterr().err, words


def test_a_part_of_a_budget_that_pays_for_no_question_is_said_before_any_is_asked(capsys):
    judge = NOBODY | {"with": NOBODY["with"] | {"max_tokens": 64}, "concurrency": 64, "budget": {"tokens": 6400}}
    write_recipe({"wins": PREFERENCE}, judges={"main": judge})
    with open("rows.jsonl", "w") as file:
        for number in range(300):
            row = {"id": number, "prompt": "?", "reference": "one", "completions": ["one", "two"]}
            file.write(json.dumps(row) + "\n")
    assert main(["score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--shard", "1/64"]) == 1
    errors = capsys.readouterr().err
    problem = "part 1/64 of what was left of its budget of 100 tokens is less than one question could cost ("
    assert f"judge 'main': {problem}" in errors
    assert "raise judges.main.budget.tokens and go on with --resume" in errors
    assert "to go on: rewardlab score r.yaml rows.jsonl -o out.jsonl --shard 1/64 --resume" in errors


def test_identical_groups_are_one_of_a_shard_that_goes_on():
    """As two attempts of a probe at one row may be: a shard that went on lacked one of them for ever."""
    write_rows(1)
    write_recipe({"length": {"use": "cases/length"}})
    group = Group(sample=Sample(id="a"), completions=[Completion(text="x")])
    plan = make_plan(load("r.yaml", strict=False), purpose="score")
    probe = find_command("probe").options(recipe="r.yaml", rows="rows.jsonl", shard="1/1", output=Path("p.jsonl"))
    for resume in (False, True):
        options = probe.model_copy(update={"resume": resume})
        KeptShard("probe", options, plan, [InputRow(given_id="a", group=group)] * 2).run()
    kept = KeptScores(Path("p.jsonl"), plan)
    assert asyncio.run(kept.scores(group))["length"][0].value is not None
