"""`rewardlab winrates`: models' answers and a judge in, how often each model wins out."""

import json
from math import erfc, sqrt

import pytest
import rewardlab
from rewardlab.cli import main

RECIPE = """
version: 1
judges: {main: {use: pairwise/overlap}}
reward:
  components: {preference: {use: pairwise/win_rate, with: {judge: main, privileged: reference}}}
  total: preference
"""
SERVED = """
version: 1
judges: {{main: {{use: openai/chat, with: {{model: m, base_url: "{url}"}}}}}}
reward:
  components: {{preference: {{use: pairwise/win_rate, with: {{judge: main, privileged: reference}}}}}}
  total: preference
"""
REFERENCE = "add seven and five to get twelve and then halve it"


def rows(answer, samples=2, languages=("de", "sw"), prompts=5):
    return [
        {
            "id": f"{language}-{i}",
            "prompt": f"question {i} in {language}",
            "language": language,
            "reference": f"{REFERENCE} {i}",
            "completions": [{"text": answer(language, i, n)} for n in range(samples)],
        }
        for language in languages
        for i in range(prompts)
    ]


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judge.yaml").write_text(RECIPE)
    write(tmp_path / "good.jsonl", rows(lambda language, i, n: f"{REFERENCE} {i} {n}"))
    write(tmp_path / "half.jsonl", rows(lambda language, i, n: f"add seven {i} {n}"))
    write(
        tmp_path / "poor.jsonl",
        rows(lambda language, i, n: f"who knows {n}" if language == "de" else f"add seven {i} {n}"),
    )
    return tmp_path


THREE = ("--model", "good=good.jsonl", "--model", "half=half.jsonl", "--model", "poor=poor.jsonl")


@pytest.fixture
def winrates(folder, capsys):
    """What the command prints as JSON; its error where it has another exit code."""

    def run(*arguments, code=0, recipe="judge.yaml"):
        assert main(["winrates", recipe, *map(str, arguments), "--json"]) == code
        printed = capsys.readouterr()
        return json.loads(printed.out) if code == 0 else printed.err

    return run


def rate(found, model, against, language=None):
    place = {"model": model, "against": against, "language": language}
    return next(r for r in found["win_rates"] if place.items() <= r.items())


def test_each_pair_of_models_has_a_win_rate_with_an_interval(winrates):
    found = winrates(*THREE, "-o", "out")
    assert rate(found, "good", "half")["mean"] == 1.0
    assert rate(found, "half", "poor")["mean"] == 0.75
    even = rate(found, "half", "poor", "sw")
    assert (even["mean"], even["low"], even["high"]) == (
        0.5,
        *(pytest.approx(0.5 + d, abs=0.01) for d in (-0.39, 0.39)),
    )
    assert rate(found, "half", "poor")["ties"] == 0.5
    assert rate(found, "good", "half")["ties"] == 0.0
    won = rate(found, "good", "half")
    assert won["p"] == pytest.approx(erfc(sqrt(10 / 2)))  # Wilson's test of ten of ten
    assert won["corrected"] == pytest.approx(3 * won["p"])  # of three pairs
    assert found["sentences"][0].startswith("good is preferred to half: it wins 100.0% [72.2, 100.0] of comparisons")


def test_columns_are_called_as_the_recipe_says(winrates, folder):
    theirs = {"prompt": "question", "reference": "solution", "id": "nr"}
    for name in ("good", "half", "poor"):
        lines = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]
        write(
            folder / f"{name}.jsonl", [{theirs.get(key, key): value for key, value in line.items()} for line in lines]
        )
    (folder / "named.yaml").write_text(RECIPE + f"dataset: {{fields: {json.dumps(theirs)}}}\n")
    found = winrates(*THREE, "-o", "wins", recipe="named.yaml")
    assert rate(found, "good", "half")["mean"] == 1.0


def test_models_may_be_called_as_the_hub_calls_them(winrates, folder, capsys):
    """Of ORGANISATION/MODEL each pair has files in the folder itself, also after a resume, and in both directions."""
    names = ("Qwen/Qwen2.5-7B", "Qwen%2FQwen2.5-7B", "../up")
    models = [
        part
        for name, file in zip(names, ("good", "half", "poor"), strict=True)
        for part in ("--model", f"{name}={file}.jsonl")
    ]
    found = winrates(*models, "-o", "out", "--reference", "../up")
    assert rate(found, "Qwen/Qwen2.5-7B", "../up")["mean"] == 1.0
    assert rate(found, "Qwen%2FQwen2.5-7B", "../up")["mean"] == 0.75
    assert winrates(*models, "-o", "out", "--reference", "../up", "--resume") == found
    rows_files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.rows.jsonl"))
    assert rows_files == [
        "out/Qwen%252FQwen2.5-7B_against_..%2Fup.rows.jsonl",
        "out/Qwen%2FQwen2.5-7B_against_..%2Fup.rows.jsonl",
    ]
    assert main(["winrates", "judge.yaml", *models, "-o", "table"]) == 0
    assert "Qwen/Qwen2.5-7B" in capsys.readouterr().out


def test_the_matrix_has_both_directions(folder, capsys):
    assert main(["winrates", "judge.yaml", *THREE, "-o", "out"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[1:5]] == [
        ["good", "half", "poor"],
        ["good", "-", "100.0", "100.0"],
        ["half", "0.0", "-", "75.0"],
        ["poor", "0.0", "25.0", "-"],
    ]


def test_translations_of_a_problem_count_as_one(winrates, folder, capsys):
    """Five problems in two languages: half's answers are right in all or in none."""
    for name in ("good", "half"):
        lines = rows(lambda language, i, n, name=name: REFERENCE if name == "good" or i == 4 else "who knows")
        write(folder / f"{name}.jsonl", [line | {"problem": line["id"].split("-")[1]} for line in lines])
    found, alone = (winrates(*THREE[:4], "-o", name, *more) for name, more in (("a", ()), ("b", ("--cluster", "none"))))
    assert found["clustering"] == {"field": "problem", "clusters": 5, "prompts": 10, "alone": 0}
    assert alone["clustering"] is None
    together, each = (rate(one, "good", "half") for one in (found, alone))
    assert together["mean"] == each["mean"]
    assert together["p"] > 0.05 > each["p"]
    assert (together["clusters"], each["clusters"]) == (5, 10)
    assert together["high"] - together["low"] > 1.2 * (each["high"] - each["low"])
    assert rate(found, "good", "half", "sw")["low"] < 0.9 < rate(found, "good", "half", "sw")["high"]
    assert together["too_few"]
    assert "and so few prompts could not have shown it" in found["sentences"][0]
    assert main(["winrates", "judge.yaml", *THREE[:4], "-o", "c"]) == 0
    head, by_language = (part.splitlines() for part in capsys.readouterr().out.split("\n\n")[0:3:2])
    assert head == [
        "Prompts of a task with the same problem count as one: 10 prompts have 5 different ones. "
        "(--cluster none: each prompt by itself)"
    ]
    assert by_language[-1].split()[0] == "sw"
    assert by_language[-1].count("[") == 1


def test_a_judge_behind_http_is_asked_once(winrates, folder, judge_server):
    with judge_server.Serving(judge_server.JudgeServer()) as server:
        (folder / "served.yaml").write_text(SERVED.format(url=server.url))
        two = THREE[:4]
        first = winrates(*two, "-o", "out", recipe="served.yaml")
        asked = len(server.requests)
        assert asked == 2 * 10 * 2  # both orders of two answers to each of ten prompts
        assert winrates(*two, "-o", "out", "--resume", recipe="served.yaml") == first
        assert len(server.requests) == asked


def test_comparisons_without_a_verdict_stop_the_command_or_are_told(winrates, folder, judge_server, capsys):
    with judge_server.Serving(judge_server.JudgeServer(answer=lambda request: unsure(request))) as server:
        drops = SERVED.replace("privileged: reference", "privileged: reference, on_unparsable: drop")
        drops = drops.replace("}}}}}}\n  total", "}}, on_missing: 0, max_missing: 1}}}}\n  total")
        (folder / "served.yaml").write_text(drops.format(url=server.url))
        error = winrates(*THREE[:4], "-o", "out", recipe="served.yaml", code=1)
        assert "8 of 20 comparisons have no verdict" in error
        found = winrates(*THREE[:4], "-o", "out", "--resume", "--missing", "leave-out", recipe="served.yaml")
        assert rate(found, "good", "half")["prompts"] == 6


def test_what_to_type_to_go_on_has_all_that_was_asked_for(winrates, folder, judge_server):
    with judge_server.Serving(judge_server.JudgeServer(fault=lambda number, _: "500" if number else None)) as server:
        served = SERVED.replace('base_url: "{url}"}}', 'base_url: "{url}"}}, retries: 0')
        (folder / "served.yaml").write_text(served.format(url=server.url))
        options = ("--prompts", "common", "--missing", "leave-out")
        error = winrates(*THREE[:4], "-o", "out", *options, recipe="served.yaml", code=1)
    assert "-o out --prompts common --missing leave-out --resume" in error


def test_without_any_verdict_there_is_no_win_rate(winrates, folder, judge_server):
    with judge_server.Serving(judge_server.JudgeServer(answer=lambda request: "?")) as server:
        drops = SERVED.replace("privileged: reference", "privileged: reference, on_unparsable: drop")
        drops = drops.replace("}}}}}}\n  total", "}}, on_missing: 0, max_missing: 1}}}}\n  total")
        (folder / "served.yaml").write_text(drops.format(url=server.url))
        error = winrates(*THREE[:4], "-o", "out", "--missing", "leave-out", recipe="served.yaml", code=1)
    assert "20 of 20 comparisons have no verdict" in error


def test_of_one_language_there_is_one_win_rate(winrates, folder):
    for name in ("good", "half"):
        lines = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
        write(folder / f"{name}.jsonl", [line for line in lines if line["language"] == "de"])
    assert [r["language"] for r in winrates(*THREE[:4], "-o", "out")["win_rates"]] == [None]


def unsure(request):
    """The first answer is better, but nothing is said of the questions 0 and 1."""
    text = request["messages"][-1]["content"]
    return "?" if "question 0" in text or "question 1" in text else "\\boxed{A}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (THREE[:2], "at least two models are needed"),
        ((*THREE[:2], "--model", "good=half.jsonl"), "each with a name of its own"),
        ((*THREE[:2], "--model", "x=no.jsonl"), "no such file"),
        ((*THREE[:4], "--component", "no"), "no component 'no'"),
    ],
)
def test_a_mistake_is_named(winrates, arguments, message):
    assert message in winrates(*arguments, "-o", "out", code=2)


def test_a_folder_that_exists_is_kept(winrates, folder):
    (folder / "out").mkdir()
    assert "--resume continues it" in winrates(*THREE, "-o", "out", code=2)


def test_models_that_answered_other_prompts_are_refused(winrates, folder):
    write(folder / "poor.jsonl", rows(lambda language, i, n: "?", prompts=4))
    assert "poor lacks 2 prompts that others have, such as the id 'de-4'" in winrates(*THREE, "-o", "out", code=2)
    assert winrates(*THREE, "-o", "out", "--prompts", "common")["prompts"] == 8
    write(folder / "poor.jsonl", [{**row, "prompt": "another"} for row in rows(lambda language, i, n: "?")])
    assert "is another prompt than in good.jsonl" in winrates(*THREE, "-o", "new", code=2)


def test_as_many_answers_of_both_are_needed(winrates, folder):
    write(folder / "poor.jsonl", rows(lambda language, i, n: "?", samples=3))
    assert "poor.jsonl:1: 3 completions here and 2 in good.jsonl:1" in winrates(*THREE, "-o", "out", code=2)
    assert not (folder / "out").exists(), "it is said before anything is asked"


def test_columns_that_differ_are_told(winrates, folder, capsys):
    lines = rows(lambda language, i, n: f"add seven {i} {n}")
    write(folder / "half.jsonl", [{**line, "reference": "another", "model": "half"} for line in lines])
    assert main(["winrates", "judge.yaml", *THREE[:4], "-o", "out"]) == 0
    told = "note: half.jsonl: 10 rows have another reference than in good.jsonl, whose columns are taken"
    assert told in capsys.readouterr().err


def test_an_answer_that_a_server_did_not_give_has_no_counterpart(folder, capsys):
    lines = rows(lambda language, i, n: f"add seven {i} {n}")
    lines[3] |= {"completions": lines[3]["completions"][:1], "eval_missing": 1}
    write(folder / "half.jsonl", lines)
    assert main(["winrates", "judge.yaml", *THREE[:4], "-o", "out"]) == 2
    assert "--prompts common" in capsys.readouterr().err
    assert main(["winrates", "judge.yaml", *THREE[:4], "-o", "out", "--prompts", "common"]) == 0
    assert "1 answers of good or half have no counterpart and are not compared" in capsys.readouterr().err
    assert len((folder / "out" / "good_against_half.rows.jsonl").read_text().splitlines()) == 19


def test_a_program_gets_what_the_command_prints(winrates, folder, capsys):
    printed = winrates(*THREE, "-o", "out")
    files = {name: folder / f"{name}.jsonl" for name in ("good", "half", "poor")}
    found = rewardlab.winrates("judge.yaml", files, output=folder / "again", say=lambda line: None)
    assert json.loads(json.dumps(found.data)) == printed
    assert main(["winrates", "judge.yaml", *THREE, "-o", "third"]) == 0
    assert capsys.readouterr().out == f"{found}\n"


# --- a fixed reference


def test_each_model_is_compared_with_the_reference_alone(winrates, folder, capsys):
    found = winrates(*THREE, "--reference", "half", "-o", "out")
    assert [(r["model"], r["against"]) for r in found["win_rates"] if r["language"] is None] == [
        ("good", "half"),
        ("poor", "half"),
    ]
    assert (rate(found, "good", "half")["mean"], rate(found, "poor", "half")["mean"]) == (1.0, 0.25)
    assert found["reference"] == "half"
    assert sorted(path.name for path in (folder / "out").glob("*.rows.jsonl")) == [
        "good_against_half.rows.jsonl",
        "poor_against_half.rows.jsonl",
    ]
    assert main(["winrates", "judge.yaml", *THREE, "--reference", "half", "-o", "again"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["Win", "rate", "against", "half,", "in", "percent"] in lines
    assert ["good", "100.0", "[72.2,", "100.0]", "0.0"] in lines
    turned = (*THREE[4:], *THREE[:4])
    assert main(["winrates", "judge.yaml", *turned, "--reference", "half", "-o", "other"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[0] for line in lines[2:4]] == ["good", "poor"]  # the best first, whatever the order of the files


def test_the_one_answer_of_a_reference_meets_all_answers_of_a_model(winrates, folder):
    write(folder / "one.jsonl", rows(lambda language, i, n: f"add seven {i}", samples=1))
    two = ("--model", "one=one.jsonl", *THREE[:2], *THREE[4:])
    assert "2 completions here and 1 in" in winrates(*two, "-o", "out", code=2)
    found = winrates(*two, "--reference", "one", "-o", "out")
    pairs = (folder / "out" / "good_against_one.rows.jsonl").read_text().splitlines()
    assert len(pairs) == 2 * 2 * 5
    assert {json.loads(line)["completions"][1]["text"] for line in pairs[:2]} == {"add seven 0"}
    assert (rate(found, "good", "one")["mean"], rate(found, "poor", "one", "de")["mean"]) == (1.0, 0.0)


def test_an_unknown_reference_is_refused_and_the_resume_command_keeps_it(winrates, folder):
    error = winrates(*THREE, "--reference", "god", "-o", "out", code=2)
    assert "--reference: no model 'god'; did you mean 'good'?" in error
    assert not (folder / "out").exists()


WIDE = """
from rewardlab import RewardSpec, Score, hookimpl

class Wide:
    async def score(self, stream):
        raise AssertionError("asked")

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="margin", summary="from -1 to 1", scope="group", runs="async", range=(-1.0, 1.0),
                       build=lambda options, context: Wide())]
"""


def test_a_reward_beyond_0_to_1_is_no_win_rate(winrates, folder, offer):
    offer("wide", WIDE)
    (folder / "wide.yaml").write_text("version: 1\nreward: {components: {it: {use: wide/margin}}, total: it}\n")
    told = winrates(*THREE, "-o", "out", recipe="wide.yaml", code=2)
    assert "it has values from -1 to 1, and a win rate lies in 0 to 1" in told
    assert not (folder / "out").exists()


def test_of_several_pairs_the_interval_goes_with_the_p_value_of_one(winrates):
    found = winrates(*THREE, "-o", "out")
    overall = [one for one in found["win_rates"] if one["language"] is None]
    for one in overall:
        assert (one["p"] < 0.05) == (not one["low"] <= 0.5 <= one["high"])
        assert one["p"] <= one["corrected"] <= 1
    assert " corrected)" in found["sentences"][0]
