"""A judge's licence: measured by `rewardlab judge --licence`, asked for by `run`, with a real judge behind HTTP."""

import json
import re
from importlib.resources import files

import pytest
from helpers.each_case import each_case

NUMBER = re.compile(r"(good|bad) (\d+)")


class Answers:
    """A judge with a known error: of the pairs 0 to 9, 10 to 19, ..., the first `wrong` of each ten are turned.

    The first `flips` of each ten are turned in every other draw, and of the first `first` what stands first wins.
    """

    def __init__(self, wrong=0, flips=0, first=0):
        self.wrong, self.flips, self.first = wrong, flips, first

    def __call__(self, request):
        shown = re.findall(r"BEGIN RESPONSE ([AB]).*?\n(.*?)\n=== END", request["messages"][-1]["content"], re.S)
        if len(shown) != 2:
            return "ready"
        found = NUMBER.search(shown[0][1])
        if found is None:
            return r"\boxed{A}"
        word, number = found.groups()
        place = int(number) % 10
        right = "A" if word == "good" else "B"
        if place < self.first:
            return r"\boxed{A}"
        other = "B" if right == "A" else "A"
        turned = place < self.wrong or (place < self.flips and request["seed"] % 2)
        return rf"\boxed{{{other if turned else right}}}"


@pytest.fixture
def judging(judge_server, write, tmp_path, monkeypatch):
    """Serve a judge and write r.yaml: `judging(Answers(wrong=1), min_accuracy=0.8)` returns the server."""
    monkeypatch.chdir(tmp_path)
    servers = []

    def serve(answers, rows=(), **require):
        server = judge_server.Serving(judge_server.JudgeServer(answer=answers))
        servers.append(server)
        main = {
            "use": "openai/chat",
            "with": {"model": "m", "base_url": server.__enter__().url, "temperature": 0, "seed": 0},
            "cassette": {"path": "kept/main.jsonl"},
            "require": {"labels": "labels.jsonl", **require},
        }
        write("r.yaml", json.dumps(RECIPE | {"judges": {"main": main}}))
        if rows:
            write("labels.jsonl", rows)
        return server.server

    yield serve
    for server in servers:
        server.__exit__()


RECIPE = {
    "version": 1,
    "model": {"use": "tiny"},
    "dataset": {"use": "toy/counting", "with": {"rows": 32}, "holdout": 0.2},
    "reward": {
        "components": {"preference": {"use": "pairwise/win_rate", "with": {"judge": "main"}, "on_missing": 0.5}},
        "total": "preference",
    },
    "stages": [{"use": "rl", "algorithm": "grpo", "group_size": 4, "batch_size": 2, "steps": 2}],
    "backend": {"use": "toy"},
}


def labels(count, start=0, **columns):
    return [
        {"prompt": f"q {n}", "chosen": f"good {n}", "rejected": f"bad {n}", "language": "sw" if n % 4 else "en"}
        | columns
        for n in range(start, start + count)
    ]


@pytest.fixture
def licence(main):
    """`licence()` measures; returns (exit code, the licence of component `preference`)."""

    def run(*arguments):
        code, out, err = main("judge", "r.yaml", "--licence", "--json", *arguments)
        assert out, err
        return code, json.loads(out)["licences"][0]

    return run


@pytest.mark.slow
@each_case(
    "answers, require, state",
    [
        (Answers(wrong=0), {"min_accuracy": 0.8, "min_kappa": 0.5}, "licensed"),
        (Answers(wrong=1), {"min_accuracy": 0.8, "max_position_bias": 0.05}, "licensed"),
        (Answers(wrong=1), {"min_accuracy": 0.9}, "undecided"),
        (Answers(wrong=4), {"min_accuracy": 0.8}, "refused"),
        (Answers(wrong=3), {"min_kappa": 0.75}, "refused"),
        (Answers(first=3), {"max_position_bias": 0.1}, "refused"),
        (Answers(), {"max_flip_rate": 0.1}, "licensed"),
        (Answers(flips=4), {"max_flip_rate": 0.1}, "refused"),
    ],
)
def test_a_judge_of_known_accuracy_has_a_licence_or_none(judging, licence, tmp_path, answers, require, state):
    for file in tmp_path.glob("kept/*"):
        file.unlink()
    judging(answers, labels(120), **require)
    code, told = licence()
    assert (told["state"], code) == (state, int(state != "licensed"))
    assert {bound["labels"] for bound in told["bounds"]} == {120}


@pytest.mark.slow
def test_a_judge_that_is_asked_twice_for_flips_is_as_accurate_as_one_answer(judging, licence, tmp_path):
    """A run asks once: what the second draw mends or spoils counts as a flip and nowhere else."""
    judging(Answers(flips=4), labels(120), max_flip_rate=0.1, min_accuracy=0.9)
    _, told = licence()
    assert {bound["bound"]: (bound["value"], bound["state"]) for bound in told["bounds"]} == {
        "min_accuracy": (1.0, "kept"),
        "max_flip_rate": (0.4, "broken"),
    }


def test_a_run_refuses_a_judge_without_one_and_trains_with_it(judging, licence, main, tmp_path):
    judging(Answers(wrong=1), labels(120), min_accuracy=0.8)
    code, _, err = main("run", "r.yaml")
    assert code == 2
    assert "judge main has no licence, unmeasured (asked by preference)" in err
    assert "--unlicensed runs nevertheless" in err
    assert not list(tmp_path.glob("runs/*"))
    for arguments in (("check", "r.yaml"), ("check", "r.yaml", "stages=[]"), ("run", "r.yaml", "--dry-run")):
        code, _, err = main(*arguments)
        assert code == 0
        assert "judge main has no licence, unmeasured" in err
    assert licence()[0] == 0
    assert "judge main has a licence (asked by preference): accuracy 0.90" in main("check", "r.yaml")[1]
    code, _, err = main("run", "r.yaml")
    assert code == 0, err
    (run,) = tmp_path.glob("runs/*")
    assert "unlicensed" not in (run / "ledger.jsonl").read_text() + (run / "manifest.json").read_text()
    kept = json.loads((tmp_path / "kept" / "main.licence.json").read_text())
    assert (kept["version"], kept["judge"], len(kept["licences"])) == (1, "main", 1)


@each_case(
    "override, difference",
    [
        ("judges.main.with.model=other", 'judges.main.model was "m", is "other"'),
        ("judges.main.with.temperature=0.7", "judges.main.params.temperature was 0.0, is 0.7"),
        ("reward.components.preference.with.template=mine.txt", "component.with.template"),
        ("reward.components.preference.repeats=3", "draws.main was 1, is 3"),
    ],
)
def test_another_model_prompt_or_temperature_has_none(judging, licence, main, write, override, difference):
    judging(Answers(), labels(60), min_accuracy=0.8)
    assert licence()[0] == 0
    write("mine.txt", (files("rewardlab_pairwise") / "templates" / "plain.txt").read_text() + "Be fair.")
    code, _, err = main("run", "r.yaml", override)
    assert code == 2
    assert "has no licence, expired" in err
    assert difference in err
    assert main("check", "r.yaml", "judges.main.concurrency=3", "judges.main.timeout=9")[0] == 0


def test_a_template_file_that_is_edited_and_labels_that_are_changed_end_it(judging, licence, main, write):
    judging(Answers(), labels(60), min_accuracy=0.8)
    assert licence()[0] == 0
    write("labels.jsonl", labels(61))
    code, _, err = main("run", "r.yaml")
    assert code == 2
    assert "labels.jsonl has changed since" in err
    assert licence()[0] == 0, "what is kept in the cassette is not asked again"
    assert main("run", "r.yaml")[0] == 0


def test_without_one_a_run_says_so_in_its_ledger_report_and_end(judging, main, tmp_path):
    judging(Answers(), labels(60), min_accuracy=0.8)
    code, _, err = main("run", "r.yaml", "--unlicensed")
    assert code == 0, err
    sentence = "judge main has no licence, unmeasured (asked by preference)"
    assert f"warning: {sentence}" in err
    (run,) = tmp_path.glob("runs/*")
    rows = [json.loads(line) for line in (run / "ledger.jsonl").read_text().splitlines()]
    assert {row["unlicensed"] for row in rows} == {"main"}
    assert json.loads((run / "manifest.json").read_text())["unlicensed"]["0"]["main"].startswith(sentence)
    assert "(it ran with --unlicensed)." in (run / "report.html").read_text()
    assert "--unlicensed" in json.loads((run / "manifest.json").read_text())["commands"][0]


def test_each_value_of_by_keeps_the_bounds_by_itself(judging, licence):
    """English is always right; of 90 others the judge turns those whose number ends with 1, 2 or 3."""
    rows = labels(120)
    for row in rows:
        number = int(row["prompt"].split()[1])
        if row["language"] == "en" and number % 10 < 4:
            row |= {"chosen": row["rejected"], "rejected": row["chosen"]}
    judging(Answers(wrong=4), rows, min_accuracy=0.8, by="language")
    code, told = licence()
    assert (code, told["state"]) == (1, "refused")
    assert {bound["of"]: bound["state"] for bound in told["bounds"]} == {"en": "kept", "sw": "broken"}


def test_rows_without_the_field_of_by_are_named(judging, main):
    judging(Answers(), [{"prompt": "q", "chosen": "good 1", "rejected": "bad 1"}], min_accuracy=0.8, by="region")
    code, _, err = main("judge", "r.yaml", "--licence")
    assert code == 2
    assert "labels.jsonl:1: has no region, by which a licence is asked" in err


def test_an_undecided_judge_is_told_how_many_labels_decide(judging, licence, main):
    judging(Answers(wrong=1), labels(40), min_accuracy=0.8)
    code, told = licence()
    assert (code, told["state"]) == (1, "undecided")
    (bound,) = told["bounds"]
    assert told["more"] == {"all": bound["more"]}
    assert 10 <= bound["more"] <= 100
    assert f"about {bound['more']} more labels would decide" in told["why"]
    judging(Answers(wrong=1), labels(40 + bound["more"] + 10), min_accuracy=0.8)
    assert licence()[1]["state"] == "licensed"


def test_a_value_with_one_label_says_nothing(judging, licence):
    rows = [row for row in labels(160) if row["language"] == "en"] + [labels(2)[1]]
    judging(Answers(), rows, min_accuracy=0.8, by="language")
    code, told = licence()
    assert (code, told["state"], told["more"]) == (1, "undecided", {"sw": 9})
    assert told["why"].endswith("labels of sw: 1, too few to say anything")


def test_labels_that_contradict_themselves_are_shown(judging, main, licence):
    rows = labels(60)
    circle = [("a", "b"), ("b", "c"), ("c", "a")]
    rows += [
        {"prompt": "circle", "chosen": f"good 1 {a}", "rejected": f"good 1 {b}", "language": "en"} for a, b in circle
    ]
    rows.append(rows[3] | {"chosen": rows[3]["rejected"], "rejected": rows[3]["chosen"]})
    judging(Answers(), rows, min_accuracy=0.8)
    code, _, err = main("judge", "r.yaml", "--licence")
    assert code == 2
    assert "labels.jsonl:4: contradicts labels.jsonl:64" in err
    assert "labels.jsonl:61: contradicts labels.jsonl:62 and labels.jsonl:63" in err
    code, told = licence("--skip-bad")
    assert (code, told["bounds"][0]["labels"]) == (0, 59)
    assert "warning: labels.jsonl:4: contradicts labels.jsonl:64" in main("judge", "r.yaml", "labels.jsonl")[2]


@each_case(
    "overrides, problem",
    [
        (["judges.main.require={labels: labels.jsonl}"], "bounds nothing; give one of min_accuracy"),
        (["judges.main.require={labels: labels.jsonl, min_acuracy: .8}"], "min_accuracy"),
        (
            ["judges.main.use=policy/self", "judges.main.with={}", "backend={use: trl}"],
            "policy/self is another judge with every step",
        ),
        (["judges.other={use: pairwise/overlap, require: {labels: l.jsonl, min_kappa: .5}}"], "no component"),
    ],
)
def test_what_cannot_be_required_is_a_mistake_of_the_recipe(judging, main, overrides, problem):
    judging(Answers(), labels(10), min_accuracy=0.8)
    code, out, err = main("check", "r.yaml", *overrides)
    assert code == 2
    assert problem in out + err


def test_a_damaged_file_of_licences_is_named(judging, main, write, tmp_path):
    judging(Answers(), labels(10), min_accuracy=0.8)
    (tmp_path / "kept").mkdir()
    write("kept/main.licence.json", '{"version": 7}')
    code, _, err = main("run", "r.yaml")
    assert code == 2
    assert "main.licence.json: is no file of licences (version:" in err


def test_a_damaged_file_is_named_before_the_judge_is_asked(judging, main, write, tmp_path):
    server = judging(Answers(), labels(10), min_accuracy=0.8)
    (tmp_path / "kept").mkdir()
    write("kept/main.licence.json", "{")
    code, _, err = main("judge", "r.yaml", "--licence")
    assert (code, list(server.requests)) == (2, [])
    assert "main.licence.json: is no file of licences" in err


def test_pairs_without_a_value_are_said(judging, main):
    server = judging(Answers(), labels(40), min_accuracy=0.8)
    server.fault = lambda number, request: "500" if "good 7" in str(request["messages"]) else None
    _, _, err = main("judge", "r.yaml", "--licence", "judges.main.retries=0")
    assert "warning: 1 of 40 pairs have no value of preference, and count nowhere" in err


def test_a_measurement_that_lacks_answers_replaces_none_that_has_them(judging, licence, main, tmp_path):
    server = judging(Answers(), labels(40), min_accuracy=0.8)
    assert licence()[0] == 0
    (tmp_path / "kept" / "main.jsonl").unlink()
    whole = (tmp_path / "kept" / "main.licence.json").read_bytes()
    server.fault = lambda number, request: "500" if "good 7" in str(request["messages"]) else None
    server.answer = Answers(wrong=5)
    code, _, err = main("judge", "r.yaml", "--licence", "judges.main.retries=0")
    assert "main left questions about 1 of 40 labels without an answer; the measurement of " in err
    assert (code, (tmp_path / "kept" / "main.licence.json").read_bytes()) == (0, whole)
    (tmp_path / "kept" / "main.jsonl").unlink()
    server.fault = None
    assert licence()[1]["state"] == "refused", "a whole one does"


def test_on_other_labels_it_replaces_the_one_before_and_is_mended_later(judging, licence, main, write, tmp_path):
    server = judging(Answers(), labels(40), min_accuracy=0.8)
    assert licence()[0] == 0
    write("labels.jsonl", labels(48))
    server.fault = lambda number, request: "500" if "good 47" in str(request["messages"]) else None
    _, _, err = main("judge", "r.yaml", "--licence", "judges.main.retries=0")
    assert "main.licence.json, though main left questions about 1 of 48 labels without an answer" in err
    server.fault = None
    assert licence()[1]["bounds"][0]["labels"] == 48


def test_a_judge_that_gives_all_answers_the_same_has_none_by_what_it_never_does(judging, licence):
    """It never flips, and has no kappa: that bound stays open and is not left out."""
    judging(lambda request: r"\boxed{tie}", labels(60), min_kappa=0.5, max_flip_rate=0.1)
    code, told = licence()
    assert {bound["bound"]: bound["state"] for bound in told["bounds"]} == {
        "min_kappa": "undecided",
        "max_flip_rate": "kept",
    }
    assert (code, told["state"]) == (1, "undecided")
    assert "kappa is not known" in told["why"]


def test_pairs_to_label_next_are_of_the_language_that_is_open(judging, licence, main, write, tmp_path):
    rows = labels(120)[0::4][:30] + [row for row in labels(40) if row["language"] == "sw"][:10]
    judging(Answers(), rows, min_accuracy=0.8, by="language")
    assert {bound["of"]: bound["state"] for bound in licence()[1]["bounds"]} == {"en": "kept", "sw": "undecided"}
    pool = [
        {"prompt": f"new {n}", "completions": [f"good {n}", f"bad {n}"], "language": "sw" if n % 4 else "en"}
        for n in range(80)
    ]
    write(
        "pool.jsonl",
        [
            *pool,
            {"prompt": rows[-1]["prompt"], "completions": [rows[-1]["chosen"], rows[-1]["rejected"]], "language": "sw"},
        ],
    )
    code, _, err = main("judge", "r.yaml", "pool.jsonl", "--next", "6", "-o", "next.jsonl")
    assert code == 0, err
    chosen = [json.loads(line) for line in (tmp_path / "next.jsonl").read_text().splitlines()]
    assert [row["language"] for row in chosen] == ["sw"] * 6
    code, out, err = main(
        "judge", "r.yaml", "pool.jsonl", "--next", "6", "-o", "none.jsonl", "judges.main.require.by=null"
    )
    assert (code, out) == (0, "no pair to label next\n")
    assert (
        "no label would help now: judge main has no licence, expired (asked by preference): it was measured by" in err
    )
    assert not (tmp_path / "none.jsonl").exists()
    assert all(len(row["completions"]) == 2 and str(row["prompt"]).find("new") >= 0 for row in chosen)


@pytest.fixture
def two_judges(judging, write, main, tmp_path):
    """`two_judges(other={"labels": ...})` writes a recipe whose judges `main` and `other` have a component each."""

    def of(other, rows, **main_requires):
        judging(Answers(), rows, **main_requires)
        recipe = json.loads((tmp_path / "r.yaml").read_text())
        asks = {"use": "pairwise/win_rate", "with": {"judge": "other"}, "on_missing": 0.5}
        recipe["reward"]["components"]["second"] = asks
        recipe["judges"]["other"] = recipe["judges"]["main"] | {"require": other, "cassette": {"path": "kept/o.jsonl"}}
        write("r.yaml", json.dumps(recipe))
        main("judge", "r.yaml", "--licence")

    return of


def pool(count, **columns):
    return [{"prompt": f"new {n}", "completions": [f"good {n}", f"bad {n}"]} | columns for n in range(count)]


def test_pairs_to_label_next_are_as_many_as_any_judge_of_these_labels_needs(two_judges, main, write, tmp_path):
    """The second judge's bound is nearer to what it does, so that it needs more labels than the first."""
    two_judges({"labels": "labels.jsonl", "min_accuracy": 0.97}, labels(20), min_accuracy=0.9)
    write("pool.jsonl", pool(200))

    def chosen(file, *overrides):
        code, _, err = main("judge", "r.yaml", "pool.jsonl", "--next", "180", "-o", file, *overrides)
        assert code == 0, err
        return (tmp_path / file).read_text().count("\n")

    alone = chosen("first.jsonl", "judges.other.require=null"), chosen("second.jsonl", "judges.main.require=null")
    assert 0 < alone[0] < alone[1] == chosen("both.jsonl")


def test_a_judge_with_labels_of_its_own_is_next_when_the_first_needs_none(two_judges, main, write, tmp_path):
    write("others.jsonl", labels(12))
    two_judges({"labels": "others.jsonl", "min_accuracy": 0.9}, labels(12), min_accuracy=0.9)
    write("pool.jsonl", pool(80))
    _, _, err = main("judge", "r.yaml", "pool.jsonl", "--next", "5", "-o", "next.jsonl")
    assert "for labels.jsonl, where the licence of main is open; other judges come later" in err
    write("labels.jsonl", labels(200))
    _, _, err = main("judge", "r.yaml", "pool.jsonl", "--next", "5", "-o", "then.jsonl")
    assert "for others.jsonl, where the licence of other is open" in err
    assert len((tmp_path / "then.jsonl").read_text().splitlines()) == 5
