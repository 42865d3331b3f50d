"""What docs/fidelity.md says of languages, beside what the recipes really run, up to the rows that they write."""

import json
import re
from collections import Counter
from typing import get_args

import pytest
from helpers.paths import RECIPES, TESTS
from rewardlab.recipe.loading import load
from rewardlab_language.options import TRAINING_LANGUAGES, UnseenLanguage
from rewardlab_language.wording import wordings

PAGE = (TESTS.parent / "docs" / "fidelity.md").read_text(encoding="utf-8")
WORDS = {"eight": 8, "fifty": 50}
PACKAGED = TESTS.parent / "plugins" / "rewards" / "rubric" / "rewardlab_rubric" / "languages"
QUESTION = "How many red apples does Ann have in the end?"


def row(beginning):
    """The one row of the page that begins so, as one text."""
    [found] = [line for line in PAGE.splitlines() if line.startswith(f"| {beginning}")]
    return found


def number(beginning, words):
    """The number that a row states: {} in `words` stands for it."""
    pattern = re.escape(words).replace(r"\{\}", r"(\w+)")
    found = re.search(pattern, row(beginning))
    assert found, (words, row(beginning))
    return int(WORDS.get(found[1], found[1]))


def tree(name):
    return load(RECIPES / f"{name}.yaml").tree


def step(name, stage, use):
    """The options of a data step of a recipe, wherever it stands below its stage."""
    found = tree(name)["stages"][stage]["dataset"]
    while found["use"] != use:
        found = found["from"]
    return found["with"]


def translated(request):
    """A question in the language that is asked for: the packaged words that ask for a solution, without the box."""
    text = "\n".join(message["content"] for message in request["messages"])
    if "BEGIN QUESTION" in text:
        return "<think>She has two.</think><answer>2</answer>"
    code = next((code for code, wording in wordings().items() if f"into {wording.name}" in text), None)
    if code is None:
        return "ready"
    return re.sub(r"\\boxed\s*\{\}", "", wordings()[code].system) + "?"


@pytest.fixture
def rows_of(main, write, judge_server, monkeypatch, tmp_path):
    """`rows_of(recipe, stage, file, overrides)`: the rows that a data stage writes from questions of ours."""

    def run(name, stage, out, *overrides):
        with judge_server.Serving(judge_server.JudgeServer(answer=translated)) as server:
            for variable in ("TEACHER_URL", "EXPERT_URL", "TRANSLATOR_URL"):
                monkeypatch.setenv(variable, server.url)
            monkeypatch.setenv("TEACHER_API_KEY", "local")
            code, said, err = main(
                "run", RECIPES / f"{name}.yaml", "--stage", stage, *overrides, "--run-dir", f"run-{name}"
            )
        assert code == 0, said + err
        return [json.loads(line) for line in (tmp_path / out).read_text("utf-8").splitlines()]

    return run


@pytest.mark.slow
def test_sp3f_writes_rows_in_as_many_languages_as_the_page_says(rows_of, write):
    problems = [{"problem": f"{QUESTION} ({word})", "solution": "Two.", "answer": "2"} for word in ("new", "old")]
    write("mine.jsonl", problems)
    source = "{use: data/jsonl, with: {path: mine.jsonl}, fields: {prompt: problem, reference: solution}}"
    own = [f"stages.1.dataset.from={source}", "judges.teacher.cassette=null", "backend={use: trl}"]
    made = rows_of("sp3f", 1, "sp3f-rl.jsonl", *own, "stages.1.dataset.with.candidates=1")
    languages = number("3, GPT-5-Nano", "into {} languages")
    counted = Counter(one["language"] for one in made)
    assert counted == dict.fromkeys(counted, len(problems)), "equal shares"
    assert len(counted) == languages == number("table 6, 18", "6, {} and") == 18
    prompts = {one["prompt"][-1]["content"] for one in made if one["language"] != "en"}
    assert len(prompts) == languages - 1
    assert step("sp3f", 0, "language/translated").get("languages") is None, "SFT reads the same"
    share = row("3, equal shares")
    problems, by = map(int, re.search(r"([\d,]+) by (\d+)", share.replace(",", ""))[0].split(" by "))
    assert (problems, by) == (step("sp3f", 1, "language/translated")["problems"], languages)
    assert abs(problems * by - 125_000) < by


def test_pb_rlsvr_writes_rows_in_the_languages_that_the_page_names(rows_of, write):
    questions = [{"id": f"q{n}", "question": QUESTION} for n in range(96)]
    write("questions.jsonl", questions)
    place = "stages.0.dataset.from"
    own = [f"{place}.from={{use: data/jsonl, with: {{path: questions.jsonl}}, fields: {{prompt: question}}}}"]
    made = rows_of(
        "pb_rlsvr", 0, "pb-rlsvr.jsonl", *own, "backend={use: trl}", "stages.1.kl={coef: 0.01, in: loss, estimator: k3}"
    )
    named = re.match(r"\| 4.1, ([a-z ]+) \|", row("4.1, es "))[1].split()
    counted = Counter(one["language"] for one in made)
    assert len(made) == len({one["id"].rpartition("-")[0] for one in made}) == len(questions), "disjoint parts"
    assert set(counted) == set(named)
    assert len(named) == number("4.1, NaturalReasoning", ", {} parts")
    assert min(counted.values()) > 2
    assert step("pb_rlsvr", 0, "data/hub")["rows"] == len(named) * 100_000
    for name in ("pb_rlsvr_32b", "pb_rlsvr_baselines/sft", "pb_rlsvr_baselines/ppo"):
        assert step(name, 0, "language/translated")["languages"] == named, name


def test_sp3f_is_evaluated_in_the_languages_of_its_tables():
    unseen = get_args(UnseenLanguage)
    assert number("table 2, eight", "2, {} unseen") == len(unseen) == number("table 6, 18", "and {} languages")
    assert not set(unseen) & set(TRAINING_LANGUAGES)
    read = set()
    for use in tree("evaluate_sp3f")["stages"][0]["sets"].values():
        read |= {language.partition("-")[0] for language in use["with"]["languages"]}
    assert read == set(TRAINING_LANGUAGES)


def test_the_texts_of_judges_are_in_as_many_languages_as_the_page_says(main, write, judge_server):
    """A judge is asked in each of them, and its question is another one in each."""
    packaged = sorted(path.stem for path in PACKAGED.glob("*.yaml"))
    claimed = number("C.2.2, the translated texts", "in {} languages")
    reward = {"use": "rubric/binary", "with": {"judge": "j", "strategy": "tgt-eng"}}
    with judge_server.Serving(
        judge_server.JudgeServer(answer=lambda request: '{"explanation": "x", "score": "true"}')
    ) as server:
        judge = {"use": "openai/chat", "with": {"model": "m", "base_url": server.url}}
        recipe = {"version": 1, "judges": {"j": judge}, "reward": {"components": {"r": reward}, "total": "r"}}
        write("r.yaml", json.dumps(recipe))
        write(
            "rows.jsonl", [{"id": code, "prompt": "1+1?", "completions": ["2"], "language": code} for code in packaged]
        )
        code, out, err = main("score", "r.yaml", "rows.jsonl", "-o", "-")
        asked = {json.dumps(one["messages"]) for one in server.requests if "1+1?" in json.dumps(one["messages"])}
    assert code == 0, err
    assert [json.loads(line)["total"] for line in out.splitlines()] == [[1.0]] * len(packaged)
    assert len(asked) == len(packaged) == claimed
    for page in ("rubric_languages.md", "rubrics.md"):
        told = re.findall(r"(\d+) languages", (TESTS.parent / "docs" / page).read_text(encoding="utf-8"))
        assert str(claimed) in told, page


def test_mr3_names_the_rest_of_its_languages():
    """The others have texts made, by a stage of the recipe that names them."""
    packaged = {path.stem.partition("-")[0] for path in PACKAGED.glob("*.yaml")}
    told = re.search(r"the other (\d+) of the (\d+)", row("C.2.2, the translated texts"))
    first = tree("mr3")["stages"][0]["dataset"]
    assert first["use"] == "rubric/translated_texts"
    made = set(first["with"]["names"])
    assert not made & packaged
    assert (len(made), len(made | packaged)) == (int(told[1]), int(told[2])) == (int(told[1]), 72)


def test_unseen_languages_are_among_those_that_a_benchmark_has():
    codes = re.search(r"--languages ([\w,]+)", row("table 8, unseen"))[1].split(",")
    include = (
        TESTS.parent / "plugins/studies/measure/rewardlab_measure/judge_benchmarks/formats/include.yaml"
    ).read_text("utf-8")
    names = {"te": "Telugu", "sq": "Albanian", "ml": "Malayalam", "ne": "Nepali"}
    assert sorted(codes) == sorted(names)
    assert all(name in include for name in names.values())


def test_the_languages_of_table_7_of_sgcm_and_those_without_a_detector():
    claim = row("table 7, the fifty languages")
    page = (TESTS.parent / "plugins" / "rewards" / "language" / "README.md").read_text(encoding="utf-8")
    table = page.partition("<!-- table")[2].partition("<!-- end")[0]
    together = re.search(r"\| (\d+): ([\w ]+) \|", table)
    alone = re.findall(r"^\| `(\w+)` (\w+) \| (\w+) \| (\w+) \| (\w+) \|$", table, re.M)
    assert int(together[1]) == len(together[2].split())
    assert len(together[2].split()) + len(alone) == number("table 7, the", "the {} languages")
    none = [name for _, name, *known in alone if known == ["no"] * 3]
    assert f"two without a detector: {none[0]}, and {none[1]}" in claim
