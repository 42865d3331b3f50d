"""`rewardlab check` as a user meets it: every mistake in one run, on a line of its own."""

import json

import pytest
from helpers.each_case import each_case

FINE = """\
version: 1
model: {use: tiny}
dataset: {use: toy/counting, holdout: 0.5}
reward: {components: {short: {use: toy/brevity}}, total: "2 * short - 1"}
stages: [{use: rl, algorithm: grpo}]
"""

MISTAKEN = """\
version: 2
seed: ${oc.env:NO_SUCH_SEED}
model: {use: tiny}
dataset: {use: toy/counting, with: {rows: 40}}
judges:
  main: {use: toy/polit}
reward:
  components:
    short: {use: toy/brevity, with: {wrods: 9}}
    polite: {use: toy/prefer, with: {judge: mian}}
    other: {use: toy/prefer}
    answer: {use: match/accuracy}
    quick: {use: toy/letters}
  total: "short + langauge + 1 / quick"
  correctness: quick
  correctness: shrot
stages:
  - {use: sft, batch_size: 16, micro_batch_size: 5, dataset: {use: toy/counting, wiht: 1}}
  - {use: rl, algorithm: gpro}
  - {use: dpo, dataset: {use: data/jsonl, with: {path: chosen.jsonl}}}
  - {use: eval}
"""

SAYS = [
    "1: version: expected 1, found 2",
    "2: seed: no environment variable NO_SUCH_SEED",
    "6: judges.main.use: plugin 'toy' has no judge 'polit'; did you mean 'toy/polite'?",
    "9: reward.components.short.with.wrods: no such option; did you mean 'words'? [toy/brevity takes",
    "10: reward.components.polite.with.judge: no judge 'mian'; did you mean 'main'?",
    "11: reward.components.other.with.judge: missing; expected text [toy/prefer takes judge: text]",
    "12: reward.components.answer.use: no plugin 'match'; did you mean 'math/accuracy'?",
    "14: reward.total: no component 'langauge'; there are 'answer', 'other', 'polite', 'progress', 'quick', 'short'",
    "14: reward.total: the denominator `quick` can be 0 (its range is [0, 1])",
    "16: reward.correctness: duplicate key, line 15 has it too; keep one",
    "16: reward.correctness: no component 'shrot'; did you mean 'short'?",
    "18: stages.0.dataset.wiht: no such option; did you mean 'with'?",
    "18: stages.0.micro_batch_size: 16 rows do not divide into micro-batches of 5",
    "19: stages.1.algorithm: 'gpro' is not allowed; did you mean 'grpo'?",
    "20: stages.2.dataset: chosen.jsonl: no such file",
    "21: stages.3: no row of toy/counting is held out; set dataset.holdout (such as 0.1)",
]


def test_a_recipe_that_is_fine(main, write):
    code, out, err = main("check", write("r.yaml", FINE))
    assert (code, err) == (0, "")
    assert out.splitlines()[0].endswith("r.yaml: fine")
    assert "total '2 * short - 1' is in [-1, 1]" in out


def test_an_override_of_a_key_that_no_recipe_has_is_named_with_the_nearest_key(main, write):
    _, _, err = main("check", write("r.yaml", FINE), "stage.0.steps=50")
    assert err == "error: override 'stage.0.steps=50': stage: no such option; did you mean 'stages'?\n"


@pytest.mark.parametrize(
    ("words", "quoted"),
    [
        (["reward.components.x={use:", "toy/letters}"], "'reward.components.x={use: toy/letters}'"),
        (["seed=1", "reward.total=short", "+", "1", "name=b"], "'reward.total=short + 1'"),
        (["rows.jsonl", "stages.0.steps=", "50"], "'stages.0.steps= 50'"),
    ],
)
def test_an_override_that_the_shell_has_split_is_shown_in_quotes(main, write, words, quoted):
    code, _, err = main("check", write("r.yaml", FINE), *words)
    assert code == 2
    assert err == f"error: the shell has split an override at a space; put it in quotes: {quoted}\n"


def test_rows_in_the_place_of_a_recipe_are_told(main, write):
    write("rows.jsonl", "{}\n")
    _, _, err = main("check", "rows.jsonl", write("r.yaml", FINE))
    assert err == "error: rows.jsonl: these are rows; a recipe is a YAML file, and comes before them\n"


def test_rollouts_that_failed_are_told_by_their_reason(main, write):
    completions = ["a", {"error": "the sandbox died"}, {"text": "", "token_count": 0}]
    rows = [{"id": number, "prompt": "?", "completions": completions} for number in range(2)]
    write("rows.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    code, out, err = main("check", write("r.yaml", FINE), "rows.jsonl")
    assert (code, out.splitlines()[-1]) == (0, "rows.jsonl: 2 rows with 6 completions have what the reward needs")
    begins = "warning: rows.jsonl: 2 completions of 6: the rollout failed, so that it is no answer and gets no total: "
    assert [line.removeprefix(begins) for line in err.splitlines()] == [
        "the sandbox died",
        "the policy sampled no token",
    ]


def test_every_mistake_of_a_recipe_is_found_in_one_run(main, write):
    write("r.yaml", MISTAKEN)
    code, out, err = main("check", "r.yaml")
    assert (code, out) == (2, "")
    lines = err.splitlines()
    assert len(lines) == len(SAYS), err
    for line, says in zip(lines, SAYS, strict=True):
        assert line.startswith(f"error: r.yaml:{says}")


def test_as_json(main, write):
    write("r.yaml", MISTAKEN)
    code, out, err = main("check", "--json", "r.yaml")
    assert (code, err) == (2, "")
    answer = json.loads(out)
    assert answer["ok"] is False
    assert len(answer["problems"]) == len(SAYS)
    assert answer["problems"][3] == {
        "where": "r.yaml:9: reward.components.short.with.wrods",
        "path": ["reward", "components", "short", "with", "wrods"],
        "what": "no such option; did you mean 'words'? [toy/brevity takes words: integer = 50]",
    }


def test_a_recipe_that_is_fine_as_json(main, write):
    code, out, _ = main("check", write("r.yaml", FINE), "--json", "seed=3")
    assert code == 0
    assert json.loads(out) == {
        "ok": True,
        "problems": [],
        "warnings": [],
        "total_range": [-1.0, 1.0],
    }


def test_overrides_are_checked_too(main, write):
    write("r.yaml", FINE)
    code, out, err = main("check", "r.yaml", "reward.total=shrt", "stages.0.steps=0")
    assert (code, out) == (2, "")
    assert sorted(err.splitlines()) == [
        "error: override 'reward.total=shrt': reward.total: no component 'shrt'; did you mean 'short'?",
        "error: override 'stages.0.steps=0': stages.0.steps: expected a number greater than 0, found 0 "
        "(batches to train on; absent: `epochs` decide)",
    ]


@each_case(
    "content, says",
    [
        (None, "error: r.yaml: no such file in "),
        ("", "error: r.yaml: it is empty; a recipe starts with `version: 1`"),
        ("a: [1\nb: 2", "error: r.yaml:2: "),
        ("- 1", "error: r.yaml:1: a recipe is a mapping"),
        ("version: 1\nversion: 1", "error: r.yaml:2: version: duplicate key, line 1 has it too; keep one"),
        (
            "version: 1\nseed: ${oc.env:NO_SUCH_SEED}",
            "error: r.yaml:2: seed: no environment variable NO_SUCH_SEED",
        ),
    ],
)
def test_a_file_that_is_no_recipe(main, write, content, says):
    if content is not None:
        write("r.yaml", content)
    code, out, err = main("check", "r.yaml")
    assert (code, out) == (2, "")
    assert err.startswith(says)


@pytest.mark.slow
def test_a_value_from_the_environment_is_not_printed(rewardlab, write):
    write("r.yaml", "version: 1\nseed: ${oc.env:SECRET_SEED}")
    for flags, stream in ([], "stderr"), (["--json"], "stdout"):
        result = rewardlab("check", "r.yaml", *flags, env={"SECRET_SEED": "sk-very-secret"})
        assert result.returncode == 2
        assert "expected a whole number, found" in getattr(result, stream)
        assert "***" in getattr(result, stream)
        assert "sk-very" not in result.stdout + result.stderr


def test_warnings_do_not_stop_anybody(main, write, offer):
    offer(
        "picky",
        """
        from rewardlab import RewardSpec, hookimpl

        @hookimpl
        def rewardlab_rewards():
            def abstains(options, sample):
                return "even" if sample.fields["answer"] in ("2", "4") else None
            return [RewardSpec(name="odd", summary="", abstains=abstains, build=print)]
        """,
    )
    write("r.yaml", FINE.replace("toy/brevity", "picky/odd, on_abstain: 0").replace("0.5", "0"))
    code, out, err = main("check", "r.yaml")
    assert (code, out.splitlines()[0]) == (0, "r.yaml: fine")
    assert err == "warning: r.yaml:4: reward.components.short: will abstain: even (2 of 4 rows)\n"


def test_right_answers_that_cannot_be_read_are_counted_and_three_shown(main, write):
    answers = [r"\frac{1}{", "42", "2 + + )", r"\frac{m}{2}", "P(x) = {", r"\sqrt{", "x^2 + 2 a"]
    write("rows.jsonl", [{"question": "?", "answer": answer} for answer in answers])
    write(
        "r.yaml",
        """
        version: 1
        dataset: {use: data/jsonl, with: {path: rows.jsonl}, fields: {prompt: question}}
        reward: {components: {right: {use: math/accuracy}}, total: right}
        """,
    )
    code, out, err = main("check", "r.yaml")
    assert (code, out.splitlines()[0]) == (0, "r.yaml: fine")
    assert "cannot be read as mathematics, so that only the same writing is right: 4 of 7 rows: " in err
    assert err.count("(rows.jsonl:") == 3
    assert r"'\\frac{1}{' (rows.jsonl:1), '2 + + )' (rows.jsonl:3), 'P(x) = {' (rows.jsonl:5), ..." in err


@pytest.mark.parametrize("path", ["~no_such_user_anywhere/x", "./x\0y"])
@pytest.mark.parametrize("command", [["check"], ["run"]])
def test_a_path_that_no_system_could_open_is_a_mistake_with_its_line(main, write, path, command):
    shown = json.dumps(path)
    stages = "stages: [{use: sft, steps: 1}]"
    reward = "reward: {components: {a: {use: math/accuracy}}, total: a}"
    write(
        "r.yaml",
        f"version: 1\nmodel: {shown}\ndataset: {{use: data/jsonl, with: {{path: {shown}}}}}\n{reward}\n{stages}\n",
    )
    code, out, err = main(*command, "r.yaml")
    assert (code, out) == (2, "")
    assert "error: r.yaml:2: model: " in err
    assert "error: r.yaml:3: dataset" in err
    assert "fault" not in err


@each_case(
    "fields, column, says",
    [
        ("{answer: solutoin}", "solution", "`fields: {answer: solution}`; columns: prompt, solution, x"),
        ("{}", "Final Answer", '`fields: {answer: "Final Answer"}`; columns: Final Answer, prompt, x'),
        ("{}", "Ergebnis", "`fields: {answer: Ergebnis}`; columns: Ergebnis, prompt, x"),
        ("{}", "y", "`fields: {answer: COLUMN}`; columns: prompt, x, y"),
    ],
)
def test_a_missing_column_is_told_with_the_nearest_and_those_that_are_there(main, write, fields, column, says):
    write("rows.jsonl", [{"prompt": f"What is {n}?", column: str(n), "x": 1} for n in range(4)])
    dataset = f"dataset: {{use: data/jsonl, with: {{path: rows.jsonl}}, fields: {fields}}}"
    write("m.yaml", f"version: 1\n{dataset}\nreward: {{components: {{a: {{use: math/accuracy}}}}, total: a}}\n")
    code, _, err = main("check", "m.yaml")
    assert code == 2
    assert f"field 'answer' is needed by a (math/accuracy), but no row has it; name its column, {says}" in err


def test_swapped_fields_are_warned_of_with_the_cure(main, write):
    write("rows.jsonl", [{"question": f"How much is {n} + {n}?", "answer": str(2 * n)} for n in range(8)])
    write(
        "r.yaml",
        """
        version: 1
        dataset: {use: data/jsonl, with: {path: rows.jsonl}, fields: {prompt: answer, answer: question}}
        reward: {components: {right: {use: math/accuracy}}, total: right}
        """,
    )
    code, _, err = main("check", "r.yaml")
    assert (code, err) == (
        0,
        "warning: r.yaml:3: dataset.fields: are prompt and answer swapped? the column 'answer' sounds like answer, and "
        "'question' like prompt; if so, write fields: {prompt: question, answer: answer}\n",
    )
