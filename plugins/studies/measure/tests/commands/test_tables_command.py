"""`rewardlab tables`: evaluated models in, the tables of a paper out."""

import json
from random import Random

import pytest
import rewardlab
from helpers.each_case import each_case
from rewardlab import Completion, Sample, Score, ScoredGroup
from rewardlab.cli import main
from rewardlab_training import Ledger, Results
from rewardlab_training.results import Slice

TASKS = {"MGSM": ["de", "sw"], "Belebele": ["de", "sw", "zh"]}
PROMPTS = 12


def prompts():
    return [(task, language, i) for task, languages in TASKS.items() for language in languages for i in range(PROMPTS)]


def scores_of(name, chance, samples=4):
    """A line for each prompt: how many of its completions are right, and how much of each is in its language."""
    random = Random(name)
    for task, language, i in prompts():
        right = [float(random.random() < chance) for _ in range(samples)]
        share = [round(random.random(), 2) for _ in range(samples)]
        yield scored_row(f"{task}-{language}-{i}", correct=right, language=share)


def scored_row(row_id, **components):
    first = next(iter(components.values()))
    entries = {
        name: {
            "value": values,
            "error": ["it broke" if v is None else None for v in values],
            "info": [{}] * len(values),
        }
        for name, values in components.items()
    }
    return {"id": row_id, "total": first, "shaped": [v or 0.0 for v in first], "components": entries}


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the scores of a weak and a strong model, and the rows that were scored."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": f"{t}-{lang}-{i}", "prompt": f"{t} {i} in {lang}", "task": t, "language": lang, "problem": i}
        for t, lang, i in prompts()
    ]
    write(tmp_path / "rows.jsonl", rows)
    write(tmp_path / "sft.jsonl", scores_of("sft", 0.3))
    write(tmp_path / "sp3f.jsonl", scores_of("sp3f", 0.9))
    return tmp_path


MODELS = ("sft=sft.jsonl", "sp3f=sp3f.jsonl", "--rows", "rows.jsonl")


@pytest.fixture
def tables(folder, capsys):
    """What the command prints as JSON; its error where it has another exit code."""

    def run(*arguments, code=0):
        assert main(["tables", *map(str, arguments), "--json"]) == code
        printed = capsys.readouterr()
        return json.loads(printed.out) if code == 0 else printed.err

    return run


def mean(found, model, measure="correct", task=None, language=None):
    place = {"model": model, "measure": measure, "task": task, "language": language}
    return next(a for a in found["averages"] if place.items() <= a.items())["mean"]


def test_rows_have_the_columns_that_the_recipe_named(tables, folder):
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text("utf-8").splitlines()]
    write(folder / "theirs.jsonl", [{"question": row.pop("prompt"), "nr": row.pop("id"), **row} for row in rows])
    theirs = ("sft=sft.jsonl", "sp3f=sp3f.jsonl", "--rows", "theirs.jsonl")
    assert "map yours with `fields: {prompt: <column>}`" in tables(*theirs, code=2)
    found = tables(*theirs, "--field", "prompt=question", "--field", "id=nr")
    assert found["averages"] == tables(*MODELS)["averages"]


class TestAverages:
    def test_are_over_languages_and_then_over_tasks(self, tables, folder):
        found = tables(*MODELS)
        cells = {}
        for line in (folder / "sft.jsonl").read_text().splitlines():
            row = json.loads(line)
            right = row["components"]["correct"]["value"]
            cells.setdefault(tuple(row["id"].split("-")[:2]), []).append(sum(right) / len(right))
        of_cell = {cell: sum(values) / len(values) for cell, values in cells.items()}
        of_task = {t: sum(of_cell[t, lang] for lang in TASKS[t]) / len(TASKS[t]) for t in TASKS}
        assert mean(found, "sft", task="Belebele", language="zh") == pytest.approx(of_cell["Belebele", "zh"])
        assert mean(found, "sft", task="MGSM") == pytest.approx(of_task["MGSM"])
        assert mean(found, "sft") == pytest.approx(sum(of_task.values()) / 2)
        assert mean(found, "sft", language="zh") == pytest.approx(of_cell["Belebele", "zh"])

    def test_have_thresholds_and_pass_at_k(self, tables):
        found = tables(*MODELS, "--measure", "accuracy=correct", "--measure", "fidelity=language>=0.7", "--pass-at", 2)
        assert found["measures"] == ["accuracy", "fidelity", "pass@2"]
        assert mean(found, "sft", "accuracy") < mean(found, "sft", "pass@2") < 1

    def test_have_intervals_that_need_no_seed_unless_they_are_no_shares(self, folder, tables):
        once, other = (tables(*MODELS, "--seed", seed)["averages"] for seed in (1, 2))
        assert once == other
        assert all(a["low"] < a["mean"] < a["high"] for a in once)
        random = Random(1)
        lengths = [scored_row(f"{t}-{x}-{i}", length=[random.expovariate(0.01)]) for t, x, i in prompts()]
        write(folder / "long.jsonl", lengths)
        long = ("long.jsonl", "--rows", "rows.jsonl", "--raw", "--draws", 200)
        once, again, other = (tables(*long, "--seed", seed)["averages"] for seed in (1, 1, 2))
        assert once == again != other

    def test_of_translations_drawn_together_are_less_certain(self, folder, tables):
        rows = [scored_row(f"{t}-{lang}-{i}", correct=[float(i % 3 == 0)]) for t, lang, i in prompts()]
        write(folder / "same.jsonl", rows)  # a problem is right in every language or in none
        alone, together = (
            next(a for a in tables("same.jsonl", "--rows", "rows.jsonl", *more)["averages"] if a["task"] == "Belebele")
            for more in (("--cluster", "none"), ())
        )
        assert together["mean"] == pytest.approx(alone["mean"])
        assert together["low"] < together["mean"] < together["high"]
        assert together["high"] - together["low"] > 1.3 * (alone["high"] - alone["low"])

    def test_of_questions_about_one_text_are_less_certain_in_one_language_too(self, folder, tables):
        """Four texts of three questions, each right or wrong as a whole."""
        questions = [(i, {"id": str(i), "prompt": f"{i}?", "language": "de", "text": i // 3}) for i in range(12)]
        write(folder / "rows.jsonl", [row for _, row in questions])
        for name, right in (("weak", ()), ("strong", (0, 1, 2))):
            write(
                folder / f"{name}.jsonl", [scored_row(str(i), correct=[float(i // 3 in right)]) for i, _ in questions]
            )
        alone, together = (
            tables("weak.jsonl", "strong.jsonl", "--rows", "rows.jsonl", *more) for more in ((), ("--cluster", "text"))
        )
        widths = [
            next(a["high"] - a["low"] for a in found["averages"] if a["model"] == "strong")
            for found in (alone, together)
        ]
        assert widths[1] > 1.4 * widths[0]
        assert alone["comparisons"][0]["p"] < 0.01
        assert together["comparisons"][0]["p"] == pytest.approx(0.25)  # 2 of the 8 signs of three texts


class TestComparisons:
    def test_say_in_how_many_languages_a_model_is_better(self, tables):
        found = tables(*MODELS, "--measure", "accuracy=correct")
        (sentence,) = found["sentences"]
        assert sentence.startswith("accuracy: sp3f is better than sft in 3 of 3 languages; overall +")
        assert {c["verdict"] for c in found["comparisons"]} == {"better"}
        assert all(c["p"] <= c["corrected"] for c in found["comparisons"])

    def test_prompts_of_a_problem_count_as_one_unless_told_otherwise(self, folder, tables, capsys):
        found = tables(*MODELS)
        assert found["clustering"] == {"field": "problem", "clusters": 24, "prompts": 60, "alone": 0}
        assert {a["clusters"] for a in found["averages"] if a["task"] and a["language"] is None} == {12}
        assert tables(*MODELS, "--cluster", "none")["clustering"] is None
        assert main(["tables", *MODELS]) == 0
        head = "Prompts of a task with the same problem count as one: 60 prompts have 24 different ones."
        assert capsys.readouterr().out.startswith(head)
        rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
        odd = [None, ["a"], True, "", {"a": 1}, 1.5]
        write(
            folder / "rows.jsonl",
            [row | {"problem": odd[i % 6] if i < 12 else row["problem"]} for i, row in enumerate(rows)],
        )
        assert tables(*MODELS)["clustering"] == {"field": "problem", "clusters": 24, "prompts": 60, "alone": 12}
        assert "problem must be a text, not null" in tables(*MODELS, "--cluster", "problem", code=2)

    def test_of_a_model_with_itself_find_nothing(self, tables, folder):
        write(folder / "again.jsonl", scores_of("sft", 0.3))
        found = tables("sft=sft.jsonl", "again=again.jsonl", "--rows", "rows.jsonl", "--measure", "correct")
        assert {(c["mean"], c["p"], c["verdict"]) for c in found["comparisons"]} == {(0.0, 1.0, "not distinguishable")}
        assert "3 not distinguishable (de, sw, zh)" in found["sentences"][0]

    def test_of_translations_go_by_the_problem(self, folder, tables):
        """Two problems of twelve, right in all languages: much evidence by prompts, little by problems."""
        for name, right in (("weak", ()), ("strong", (0, 1, 2))):
            write(
                folder / f"{name}.jsonl",
                [scored_row(f"{t}-{x}-{i}", correct=[float(i in right)]) for t, x, i in prompts()],
            )
        models = ("weak.jsonl", "strong.jsonl", "--rows", "rows.jsonl")
        alone, together = (
            next(c for c in tables(*models, *more)["comparisons"] if c["task"] == "Belebele" and c["language"] is None)
            for more in (("--cluster", "none"), ())
        )
        assert alone["p"] < 0.01
        assert together["p"] == pytest.approx(0.25)  # 2 of the 8 signs of three differences are as far off

    def test_are_corrected_for_their_number_by_sort(self, tables, folder):
        write(folder / "near.jsonl", scores_of("near", 0.42))
        found = tables("sft.jsonl", "near.jsonl", "--rows", "rows.jsonl", "--measure", "correct")["comparisons"]
        overall = [c for c in found if c["task"] is c["language"] is None]
        languages = [c for c in found if c["task"] is None and c["language"]]
        assert [c["corrected"] for c in overall] == [c["p"] for c in overall]
        assert min(c["corrected"] for c in languages) == pytest.approx(3 * min(c["p"] for c in languages))

    @pytest.mark.slow
    def test_a_large_difference_is_one_of_910_too(self, folder, tables):
        """As in SP3F: six models, all pairs, 62 languages of tasks, of which the last model lacks four."""
        cells = [
            (f"t{t}", f"l{x:02}", i) for t, many in enumerate((11, 18, 18, 15)) for x in range(many) for i in range(18)
        ]
        rows = [
            {"id": "-".join(map(str, c)), "prompt": "?", "task": c[0], "language": c[1], "problem": c[2]} for c in cells
        ]
        write(folder / "rows.jsonl", rows)
        for model in range(6):
            random = Random(model)
            lines = [
                scored_row(
                    row["id"], correct=[float(random.random() < (0.93 if model == 3 else 0.06)) for _ in range(8)]
                )
                for row in rows
                if model != 5 or row["language"] != "l00"
            ]
            write(folder / f"m{model}.jsonl", lines)
        models = [f"m{model}.jsonl" for model in range(6)]
        found = tables(*models, "--rows", "rows.jsonl", "--against", "all", "--prompts", "own")
        compared = [c for c in found["comparisons"] if c["task"] and c["language"]]
        assert len(compared) == 910
        for c in compared:
            expected = {"m3": {"better"}}.get(
                c["model"], {"worse"} if c["against"] == "m3" else {"not distinguishable"}
            )
            assert c["verdict"] in expected
        assert not any("too few" in note for note in found["notes"])

    def test_of_too_few_prompts_have_no_verdict_and_that_is_told(self, folder, tables):
        """Five problems can have p = 1/16, whatever the models answer."""
        for name, value in (("weak", 0.0), ("strong", 1.0)):
            few = [scored_row(f"{t}-{x}-{i}", correct=[value]) for t, x, i in prompts() if i < 5]
            write(folder / f"{name}.jsonl", few)
        rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
        write(folder / "rows.jsonl", [row for row in rows if row["problem"] < 5])
        found = tables("weak.jsonl", "strong.jsonl", "--rows", "rows.jsonl")
        of_tasks = [c for c in found["comparisons"] if c["task"] and c["language"] is None]
        assert {(c["p"], c["floor"], c["verdict"], c["mean"]) for c in of_tasks} == {
            (1 / 16, 1 / 16, "too few prompts", 1.0)
        }
        told = "correct: 5 of 5 comparisons have too few prompts for a verdict: p can be no smaller than 0.062, and 5"
        assert any(told in note for note in found["notes"])
        assert "1 with too few prompts (zh)" in found["sentences"][0]

    def test_are_with_the_first_model_or_another_or_between_all(self, tables, folder):
        write(folder / "rlvr.jsonl", scores_of("rlvr", 0.5))
        three = ("sft=sft.jsonl", "rlvr=rlvr.jsonl", "sp3f=sp3f.jsonl", "--rows", "rows.jsonl", "--measure", "correct")

        def pairs(*more):
            return {(c["model"], c["against"]) for c in tables(*three, *more)["comparisons"]}

        assert pairs() == {("rlvr", "sft"), ("sp3f", "sft")}
        assert pairs("--against", "sp3f") == {("sft", "sp3f"), ("rlvr", "sp3f")}
        assert pairs("--against", "all") == {("rlvr", "sft"), ("sp3f", "sft"), ("sp3f", "rlvr")}
        assert "did you mean 'rlvr'" in tables(*three, "--against", "rlrv", code=2)


class TestRefusals:
    def test_two_runs_over_different_prompts_stop_and_say_what_is_missing(self, tables, folder):
        rows = [row for row in scores_of("sp3f", 0.9) if not row["id"].startswith("MGSM-sw")]
        write(folder / "sp3f.jsonl", rows)
        error = tables(*MODELS, code=2)
        assert "sp3f lacks 12 of 60 prompts (MGSM sw 12 of 12), such as the id 'MGSM-sw-0'" in error
        assert "--prompts common" in error

    def test_common_prompts_count_for_all_models_and_own_ones_for_each(self, tables, folder):
        whole = tables(*MODELS)
        write(folder / "sp3f.jsonl", [r for r in scores_of("sp3f", 0.9) if not r["id"].startswith("MGSM-sw")])
        common, own = (tables(*MODELS, "--prompts", policy) for policy in ("common", "own"))
        assert mean(common, "sft", task="MGSM") == mean(whole, "sft", task="MGSM", language="de")
        assert mean(own, "sft", task="MGSM") == mean(whole, "sft", task="MGSM")
        assert "all averages are over the 48 prompts that every model answered" in common["notes"]
        assert any("its averages are without these" in note for note in own["notes"])

    def test_of_a_language_of_which_a_model_has_a_part_the_common_part_counts(self, tables, folder):
        write(folder / "sft.jsonl", [scored_row(f"{t}-{x}-{i}", correct=[float(i < 3)]) for t, x, i in prompts()])
        other = [scored_row(f"{t}-{x}-{i}", correct=[1.0]) for t, x, i in prompts() if i < 6]
        write(folder / "sp3f.jsonl", other)
        assert mean(tables(*MODELS, "--prompts", "own"), "sft") == pytest.approx(3 / 12)
        assert mean(tables(*MODELS, "--prompts", "common"), "sft") == pytest.approx(3 / 6)
        write(folder / "sp3f.jsonl", other[:1])
        write(folder / "sft.jsonl", [scored_row("MGSM-de-1", correct=[1.0])])
        assert "no prompt was answered by all models" in tables(*MODELS, "--prompts", "common", code=2)

    def test_nothing_is_averaged_over_missing_scores_unless_told(self, tables, folder):
        rows = list(scores_of("sp3f", 0.9))
        rows[3]["components"]["correct"] = {
            "value": [None, 1.0, 1.0, 1.0],
            "error": ["down", *[None] * 3],
            "info": [{}] * 4,
        }
        write(folder / "sp3f.jsonl", rows)
        error = tables(*MODELS, code=2)
        assert "sp3f.jsonl:4: 1 of 240 completions of sp3f have no score of correct (failed: down)" in error
        left_out, zero = (tables(*MODELS, "--missing", policy) for policy in ("leave-out", "zero"))
        assert mean(left_out, "sp3f") > mean(zero, "sp3f")
        assert "sp3f: 1 completion without correct count nowhere" in left_out["notes"]

    def test_a_language_without_any_score_is_in_no_average_and_that_is_told(self, tables, folder):
        rows = list(scores_of("sp3f", 0.9))
        for row in rows[PROMPTS : 2 * PROMPTS]:
            row["components"]["correct"] |= {"value": [None] * 4, "error": ["down"] * 4}
        write(folder / "sp3f.jsonl", rows)
        alone = ("sp3f.jsonl", "--rows", "rows.jsonl", "--measure", "correct", "--missing", "leave-out")
        assert "no average has MGSM sw, where no completion has a score" in tables(*alone)["notes"]
        notes = tables("sft.jsonl", *alone, "--prompts", "own")["notes"]
        assert "sp3f and sft are compared over the 48 of 60 prompts that both have" in notes

    def test_models_without_a_common_prompt_are_not_compared_and_that_is_told(self, tables, folder):
        rows = list(scores_of("sft", 0.3))
        write(folder / "one.jsonl", rows[:30])
        write(folder / "other.jsonl", rows[30:])
        found = tables("one.jsonl", "other.jsonl", "--rows", "rows.jsonl", "--prompts", "own")
        assert found["comparisons"] == []
        assert "other and one have no prompt in common, and are not compared" in found["notes"]

    def test_completions_that_were_not_scored_are_refused_with_the_command(self, tables, folder):
        write(folder / "eval.jsonl", [{"id": "a", "prompt": "?", "completions": ["7"]}])
        assert "score it first: rewardlab score" in tables("eval.jsonl", code=2)

    @each_case(
        "arguments, message",
        [
            (("sft.jsonl", "--measure", "corect"), "no component 'corect'; did you mean 'correct'?"),
            (("a=sft.jsonl", "a=sp3f.jsonl"), "two models are called a"),
            (("no.jsonl",), "no such file"),
            (("sft.jsonl@after",), "chooses an evaluation of a run"),
            (("sft.jsonl@afer",), "no evaluation is called 'afer'; did you mean 'after'"),
            (("sft.jsonl", "--pass-at", "9", "--measure", "correct"), "4 completions are too few for pass@9"),
            (("sft.jsonl", "--pass-at", "2", "--measure", "language"), "give pass@2 a threshold"),
            (("sft.jsonl", "-o", "t.xls"), "the ending says the format"),
            (("sft.jsonl", "-o", "rows.jsonl"), "the ending says the format"),
            (("sft.jsonl", "--rows", "rows.jsonl", "--task", "tusk"), "no field 'tusk'"),
            (("sft.jsonl", "--rows", "rows.jsonl", "--language", "tusk"), "no field 'tusk'"),
            (("sft.jsonl", "--rows", "rows.jsonl", "--merge", "pt=pt-br+pt-pt"), "none of these languages is there"),
            (
                ("sft.jsonl", "--rows", "rows.jsonl", "--merge", "no/zh=sw+de"),
                "no task 'no'; there are 'Belebele', 'MGSM'",
            ),
            (("rows.jsonl",), "has prompts without scores; name rows with --rows"),
            (("sft.jsonl", "--rows", "rows.jsonl", "--cluster", "tusk"), "no field 'tusk'"),
        ],
    )
    def test_a_mistake_is_named(self, tables, arguments, message):
        assert message in tables(*arguments, code=2)

    def test_numbers_that_are_no_shares_are_shown_raw_only(self, tables, folder):
        write(folder / "long.jsonl", [scored_row("a", length=[12.0, 30.0])])
        assert "is not a share; --raw" in tables("long.jsonl", code=2)
        assert mean(tables("long.jsonl", "--raw"), "long", "length") == 21

    def test_a_row_without_a_language_is_named_where_others_have_one(self, tables, folder):
        with (folder / "rows.jsonl").open("a") as file:
            file.write('{"id": "odd", "prompt": "?", "task": "MGSM"}\n')
        assert "rows.jsonl:61: no language, which other prompts have (rows.jsonl:1)" in tables(*MODELS, code=2)

    def test_an_id_that_stands_twice_is_named(self, tables, folder):
        rows = list(scores_of("sft", 0.3))
        write(folder / "sft.jsonl", [*rows, rows[0]])
        assert "sft.jsonl:61: the id 'MGSM-de-0' stands here a second time" in tables(*MODELS, code=2)

    def test_a_prompt_of_another_language_in_another_file_is_refused(self, tables, folder):
        rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
        write(folder / "other.jsonl", [row | {"language": "de"} for row in rows])
        assert "is of MGSM in de here and of MGSM in sw in another file" in tables(
            *MODELS, "--rows", "other.jsonl", code=2
        )

    def test_scores_of_other_rows_are_refused(self, tables, folder):
        write(folder / "sft.jsonl", [scored_row("other", correct=[1.0])])
        assert "sft.jsonl:1: no row has the id 'other'" in tables(*MODELS, code=2)


class TestRuns:
    @pytest.fixture
    def run(self, folder):
        def make(name, chances, prompt="{} {} in {}"):
            """A run with an evaluation for each (phase, step) of `chances`, and steps of training between them."""
            path = folder / name
            path.mkdir()
            ledger = Ledger(path / "ledger.jsonl", attempt=0)
            for (phase, step), chance in chances.items():
                groups = [group(row, prompt) for row in scores_of(f"{name}{phase}", chance)]
                ledger.write(0, step, groups, "no" if phase != "training" else "yes", phase)
            ledger.close()
            return path

        def group(row, prompt):
            task, language, i = row["id"].split("-")
            fields = {"task": task, "language": language}
            message = {"role": "user", "content": prompt.format(task, i, language)}
            sample = Sample(id=row["id"], prompt=(message,), fields=fields)
            right = row["components"]["correct"]["value"]
            return ScoredGroup(
                sample=sample,
                completions=tuple(Completion(text="7") for _ in right),
                components={"correct": tuple(Score(value=value) for value in right)},
                totals=tuple(right),
                shaped=tuple(right),
            )

        return make

    def test_the_last_evaluation_of_a_run_is_read_and_others_are_told(self, tables, run):
        run("r", {("before", 0): 0.2, ("training", 1): 0.5, ("after", 40): 0.9})
        found = tables("sp3f=r")
        assert mean(found, "sp3f") > 0.8
        assert found["notes"] == ["sp3f: the evaluation 0-after:40; there are also 0-before:0"]

    def test_a_run_is_compared_with_its_own_beginning(self, tables, run):
        run("r", {("before", 0): 0.2, ("training", 1): 0.5, ("after", 40): 0.9})
        found = tables("base=r@before", "sp3f=r@after:40", "--measure", "correct")
        assert found["sentences"][0].startswith("correct: sp3f is better than base in 3 of 3 languages")

    def test_of_two_stages_either_is_chosen(self, tables, run, folder):
        path = run("r", {("eval", None): 0.1})
        second = run("second", {("eval", None): 0.9}) / "ledger.jsonl"
        with (path / "ledger.jsonl").open("a") as file:
            for line in second.read_text().splitlines():
                file.write(json.dumps(json.loads(line) | {"stage": 1}) + "\n")
        found = tables("a=r@0-eval", "b=r@1-eval")
        assert mean(found, "a") < 0.3 < 0.7 < mean(found, "b")
        assert found["notes"] == [
            "a: the evaluation 0-eval; there are also 1-eval",
            "b: the evaluation 1-eval; there are also 0-eval",
        ]
        assert "has no such evaluation; there are: 0-eval, 1-eval" in tables("r@2-eval", code=2)

    @pytest.mark.parametrize(
        ("phase", "step", "results"),
        [("during", 40, "0-rl-step-40"), ("after", 40, "0-rl-after"), ("eval", None, "0-eval-results")],
    )
    def test_an_evaluation_that_goes_on_says_so(self, tables, run, phase, step, results):
        path = run("r", {(phase, step): 0.9})
        (path / "recipe.resolved.yaml").write_text("version: 1")
        (path / "evaluation").mkdir()
        for other in ("1-rl-after", "0-rl-step-4", "0-rl-before", "1-eval-results"):
            (path / "evaluation" / f"{other}.json").write_text("{}")
        (note,) = tables("m=r")["notes"]
        assert note.startswith("m: it has no results yet")
        assert tables("m=r/ledger.jsonl")["notes"] == [note]
        whole = Slice(name="all", prompts=60, completions=240, means={"total": 0.9}, truncated=7)
        Results(name="", slices=[whole]).save(path / "evaluation" / f"{results}.json")
        assert tables("m=r")["notes"] == ["m: 7 of 240 completions were cut at the length limit (max_new_tokens)"]
        (path / "evaluation" / f"{results}.json").write_text("{}")
        assert f"{results}.json cannot be read" in tables("m=r")["notes"][0]

    def test_a_line_that_a_killed_run_did_not_write_to_its_end_is_left_out(self, tables, run):
        path = run("r", {("after", 40): 0.9}) / "ledger.jsonl"
        whole = tables("m=r")
        with path.open("a") as file:
            file.write(path.read_text().splitlines()[0][:300])
        assert tables("m=r") == whole

    def test_what_a_resume_made_again_counts_once(self, tables, run, folder):
        path = run("r", {("before", 0): 0.2, ("after", 40): 0.1})
        again = run("again", {("after", 40): 0.9}) / "ledger.jsonl"
        with (path / "ledger.jsonl").open("a") as file:
            for line in again.read_text().splitlines():
                file.write(json.dumps(json.loads(line) | {"attempt": 1}) + "\n")
        assert mean(tables("r@after"), "r@after".partition("@")[0]) > 0.8

    def test_the_last_evaluation_is_the_one_that_ended_last(self, tables, run):
        path = run("r", {("after", 40): 0.1, ("before", 0): 0.9}) / "ledger.jsonl"
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join([*lines[4:], *lines[:4]]))  # a group of the first is scored after the second
        assert mean(tables("r"), "r") < 0.3

    def test_a_run_beside_a_file_of_scores(self, tables, run, folder):
        run("r", {("after", 40): 0.9})
        assert tables("sft.jsonl", "sp3f=r", "--measure", "correct")["sentences"][0].startswith(
            "correct: sp3f is better"
        )

    def test_an_evaluation_that_a_run_does_not_have_is_refused(self, tables, run):
        run("r", {("after", 40): 0.9})
        assert "there are: 0-after:40" in tables("r@before", code=2)

    def test_the_same_ids_with_other_prompts_are_refused(self, tables, run):
        run("one", {("after", 40): 0.9})
        run("two", {("after", 40): 0.9}, prompt="{} {} and {}")
        assert "is another prompt here" in tables("one", "two", code=2)


class TestFiles:
    def test_every_format_is_written(self, folder, capsys):
        outputs = [arg for end in ("txt", "csv", "md", "tex", "json") for arg in ("-o", f"t.{end}")]
        assert main(["tables", "a_b=sft.jsonl", *MODELS[1:], "--measure", "accuracy=correct", *outputs]) == 0
        text = capsys.readouterr().out
        assert (folder / "t.txt").read_text() == text
        assert "| sp3f | **" in (folder / "t.md").read_text()
        latex = (folder / "t.tex").read_text()
        assert r"a\_b & " in latex
        assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 6
        lines = (folder / "t.csv").read_text().splitlines()
        assert lines[0].startswith("kind,model,against,measure,task,language,mean")
        assert len(lines) == 1 + 2 * 11 + 11
        assert json.loads((folder / "t.json").read_text())["models"] == ["a_b", "sp3f"]

    def test_names_from_data_steer_nothing(self, folder, capsys):
        language = "d|e\n\x1b[31m"
        write(
            folder / "odd.jsonl",
            [{"id": "a", "prompt": "?", "language": language}, {"id": "b", "prompt": "!", "language": "=1+1"}],
        )
        write(folder / "one.jsonl", [scored_row("a", correct=[1.0]), scored_row("b", correct=[1.0, 0.0])])
        outputs = ("-o", "t.md", "-o", "t.tex", "-o", "t.csv")
        assert main(["tables", "one.jsonl", "--rows", "odd.jsonl", *outputs]) == 0
        assert ",'=1+1," in (folder / "t.csv").read_text()
        assert "d|e \\x1b[31m" in capsys.readouterr().out
        text = (folder / "t.md").read_text()
        assert "| d\\|e \\\\x1b\\[31m |" in text
        assert "\x1b" not in text + (folder / "t.tex").read_text()
        assert "one has different numbers of completions by prompt: 1 of each of 1, 2 of each of 1" in text

    def test_a_file_that_exists_is_kept(self, folder, capsys):
        (folder / "t.md").write_text("mine")
        assert main(["tables", *MODELS, "-o", "t.md"]) == 2
        assert (folder / "t.md").read_text() == "mine"

    def test_a_paper_s_row_stands_beside_a_model_s(self, tables, folder):
        (folder / "paper.csv").write_text(
            "model,task,language,correct\n" + "".join(f"paper,{t},{lang},50\n" for t in TASKS for lang in TASKS[t])
        )
        found = tables("sft.jsonl", "paper=paper.csv", "--rows", "rows.jsonl", "--measure", "correct")
        assert mean(found, "paper") == pytest.approx(0.5)
        overall = found["comparisons"][0]
        assert (overall["model"], overall["against"], overall["verdict"]) == ("paper", "sft", "not tested")
        assert overall["mean"] == pytest.approx(0.5 - mean(found, "sft"))
        assert {overall[name] for name in ("low", "high", "p", "corrected", "prompts")} == {None}
        assert "not tested, since averages that were printed have no prompts" in found["sentences"][0]

    def test_printed_rows_are_compared_with_each_other_and_with_a_model(self, tables, folder):
        (folder / "paper.csv").write_text(
            "model,task,language,correct\n"
            "A,MGSM,de,40\nA,MGSM,sw,20\nB,MGSM,de,50\nB,MGSM,sw,10\nB,Belebele,de,80\nC,MGSM,,33\n"
        )
        papers = ("A=paper.csv", "B=paper.csv", "C=paper.csv", "--measure", "correct", "--prompts", "own")

        def differences(found, model, against):
            of_pair = [c for c in found["comparisons"] if (c["model"], c["against"]) == (model, against)]
            assert {c["verdict"] for c in of_pair} <= {"not tested"}
            return {(c["task"], c["language"]): round(100 * c["mean"], 6) for c in of_pair}

        found = tables(*papers)
        assert differences(found, "B", "A") == {
            (None, None): 0,
            ("MGSM", None): 0,
            (None, "de"): 10,
            (None, "sw"): -10,
            ("MGSM", "de"): 10,
            ("MGSM", "sw"): -10,
        }
        assert differences(found, "C", "A") == {(None, None): 3, ("MGSM", None): 3}  # the whole task was printed
        assert "B and A are compared over the 2 languages of tasks that both have" in found["notes"]
        mine = tables(papers[0], "sft.jsonl", "sp3f.jsonl", *papers[3:], "--rows", "rows.jsonl")
        assert {(c["model"], c["against"]) for c in mine["comparisons"]} == {
            ("sft", "A"),
            ("sp3f", "A"),
            ("sp3f", "sft"),
        }
        expected = 100 * mean(mine, "sft", task="MGSM") - 30
        assert differences(mine, "sft", "A")["MGSM", None] == pytest.approx(expected)
        assert all(c["p"] is not None for c in mine["comparisons"] if c["against"] == "sft")
        named = tables("sft.jsonl", *papers, "--rows", "rows.jsonl", "--against", "B")
        assert {c["against"] for c in named["comparisons"]} == {"B"}

    def test_a_paper_without_a_language_is_refused_or_told(self, tables, folder):
        (folder / "paper.csv").write_text("model,task,language,correct\npaper,MGSM,de,50\npaper,MGSM,sw,N/A\n")
        arguments = ("sft.jsonl", "paper=paper.csv", "--rows", "rows.jsonl", "--measure", "correct")
        assert "paper: lacks Belebele de, Belebele sw, Belebele zh, MGSM sw" in tables(*arguments, code=2)
        assert "paper is averaged without" in tables(*arguments, "--prompts", "own")["notes"][0]
        common = tables(*arguments, "--prompts", "common")
        assert mean(common, "sft") == mean(common, "sft", task="MGSM", language="de")
        assert (
            "no average has Belebele de, Belebele sw, Belebele zh, MGSM sw, which some model lacks" in common["notes"]
        )

    def test_a_cell_of_a_paper_may_be_empty(self, tables, folder):
        (folder / "paper.csv").write_text("task,language,acc,fidelity\nMGSM,de,,40\nMGSM,sw,50,\n")
        found = tables("paper.csv", "--prompts", "own")
        assert found["measures"] == ["fidelity", "acc"]
        assert (mean(found, "paper", "acc"), mean(found, "paper", "fidelity")) == (0.5, 0.4)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("task,language,acc\nMGSM,de,\n", "paper.csv: has no column with numbers"),
            ("task,language,acc,b\nMGSM,de,-,1\n", "paper.csv: has no number of acc of paper"),
            ("task,language,b\nMGSM,de,1\n", "paper.csv: no column 'acc'; columns: task, language, b"),
            ("task,language,acc\nMGSM,de,250\n", "paper.csv:2: acc is 250, which is not a percentage; --raw"),
            ("task,language,acc\nMGSM,de,-3\n", "acc is -3, which is not a percentage"),
        ],
    )
    def test_averages_that_are_none_are_refused(self, tables, folder, content, message):
        (folder / "paper.csv").write_text(content)
        measure = [] if "no column with" in message else ["--measure", "acc"]
        assert message in tables("paper.csv", *measure, code=2)

    def test_averages_that_may_be_shares_are_told(self, tables, folder):
        (folder / "paper.csv").write_text("task,language,acc\nMGSM,de,0.5\nMGSM,sw,1.0\n")
        assert "paper: no average of it is above 1 percent" in tables("paper.csv")["notes"][0]
        assert tables("paper.csv", "--raw")["notes"] == []


def test_a_program_gets_what_the_command_prints(folder, capsys):
    command = ["tables", "SFT=sft.jsonl", "SP3F=sp3f.jsonl", "--rows", "rows.jsonl", "--draws", "50"]
    models = {"SFT": folder / "sft.jsonl", "SP3F": folder / "sp3f.jsonl"}
    found = rewardlab.tables(models, rows=[folder / "rows.jsonl"], draws=50, output=[folder / "t.md"])
    assert main(command) == 0
    assert capsys.readouterr().out == f"{found}\n"
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(found.data))
    assert (folder / "t.md").read_text().split("\n\n")[1].startswith("### Models")
