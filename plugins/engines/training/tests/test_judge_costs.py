"""The most that judges may cost, by judge and stage, and the keys that are not set: before anything is paid."""

import json

import pytest
from helpers.each_case import each_case
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab_training.check import check_recipe
from rewardlab_training.judge_costs import REPLACED, UNKNOWN, cost_lines, judge_costs

RECIPE = """
    version: 1
    name: made
    model: {use: tiny}
    dataset: {use: toy/counting, with: {rows: 32}, holdout: 0.25}
    judges:
      main:
        use: openai/chat
        with: {model: m, base_url: "http://127.0.0.1:9/v1", api_key_env: MAIN_KEY, max_tokens: 100}
        price: {prompt: 1, completion: 10}
      own: {use: openai/chat, with: {model: n, base_url: "http://127.0.0.1:9/v1"}}
    reward:
      components: {best: {use: pairwise/win_rate, with: {judge: main, orders: both}, on_missing: group_mean}}
      total: best
    stages:
      - {use: rl, algorithm: grpo, group_size: 4, batch_size: 8, steps: 10, max_new_tokens: 125}
"""
SCALE = "{description: Is it right?, scoring: {1: wrong, 2: poor, 3: right}}"
RUBRIC = f"{{use: rubric/pointwise, with: {{judge: main, max_tokens: 400, rubric: {SCALE}}}}}"
APPEAL = "{judge: main, criterion: It has an answer., max_tokens: 30}"
EACH = (2 * 125 + 1000 + 250) * 1e-6 + 100 * 10e-6
"""dollars of a question: two answers of the policy, what stands around them, and the judge's longest answer"""


@pytest.fixture
def costs(toy, write):
    """`costs(*overrides)`: what the judges of the recipe may cost."""
    path = write("r.yaml", RECIPE)
    return lambda *overrides: judge_costs(make_plan(load(path, overrides), purpose="check"))


@each_case(
    "overrides, asked",
    [
        ([], 12 * 8 * 10),
        (["stages.0.eval={samples: 4, prompts: 6}"], 12 * 8 * 10 + 12 * 6 * 2),
        (["stages.0.eval={samples: 4, prompts: 6}", "stages.0.eval_before=false"], 12 * 8 * 10 + 12 * 6),
        (["stages.0.eval={samples: 4, prompts: 6}", "stages.0.eval_every=3"], 12 * 8 * 10 + 12 * 6 * 5),
        (["reward.components.best.repeats=3"], 3 * 12 * 8 * 10),
        (["reward.components.best.with.judge=[main, own]"], 12 * 8 * 10),
        (["reward.components.best.with.design=swiss"], 2 * 2 * 2 * 8 * 10),  # rounds, pairs, orders
        (["reward.components.again={use: pairwise/win_rate, with: {judge: main}}"], 2 * 12 * 8 * 10),
    ],
)
def test_each_question_of_a_training_counts(costs, overrides, asked):
    assert costs(*overrides)["main"].by_stage == {0: pytest.approx(asked * EACH)}


def test_passes_over_rows_that_are_there_are_so_many_steps(costs):
    """The last batch is filled, and rows that are held out train no policy."""
    by_epochs = ["stages.0.steps=null", "stages.0.epochs=1.5"]
    assert costs(*by_epochs)["main"].by_stage == {0: pytest.approx(12 * 8 * 6 * EACH)}
    evaluated = [*by_epochs, "stages.0.eval={samples: 4, prompts: 6}", "stages.0.eval_every=2"]
    assert costs(*evaluated)["main"].by_stage == {0: pytest.approx((12 * 8 * 6 + 12 * 6 * 4) * EACH)}


@pytest.mark.parametrize(("there", "steps"), [(None, 3), (4, 3), (70, 9)])
def test_rows_that_a_stage_before_makes_are_as_many_as_it_makes_at_most(costs, tmp_path, there, steps):
    """However many of them are there already."""
    made = tmp_path / "made.jsonl"
    if there is not None:
        made.write_text("".join(f'{{"prompt": "{number}?"}}\n' for number in range(there)))
    data = f"{{use: data, dataset: {{use: toy/counting, with: {{rows: 20}}}}, to: {made}}}"
    train = "{use: rl, algorithm: grpo, group_size: 4, batch_size: 8, epochs: 1, max_new_tokens: 125}"
    found = costs(f"dataset={{use: data/jsonl, with: {{path: {made}}}}}", f"stages=[{data}, {train}]")["main"]
    assert found.by_stage == {1: pytest.approx(12 * 8 * steps * EACH)}


@each_case(
    "overrides, asked, shown, longest",
    [
        (["reward.components.best.commit_first=true"], 13, 100, 100),  # the judge's own solution is shown, too
        ([f"reward.components.best={RUBRIC}"], 4, 0, 400),  # it asks for longer answers than the judge gives
        ([f"reward.components.best={RUBRIC}", "judges.main.with.max_tokens=null"], 4, 0, 400),
        ([f"reward.components.best={{use: format/boxed, appeal: {APPEAL}}}"], 4, 0, 30),
    ],
)
def test_how_a_component_asks_counts(costs, overrides, asked, shown, longest):
    each = (2 * 125 + 1000 + 250 + shown) * 1e-6 + longest * 10e-6
    assert costs(*overrides)["main"].by_stage == {0: pytest.approx(asked * 80 * each)}


def test_an_evaluation_and_the_policy_that_it_asks_count(costs):
    made = costs("stages.0={use: eval, policy: {judge: main}, samples: 4, prompts: 5, max_new_tokens: 125}")
    policy = 4 * 5 * (250e-6 + 125 * 10e-6)
    assert made["main"].by_stage == {0: pytest.approx(12 * 5 * EACH + policy)}


def test_a_served_policy_whose_answers_its_judge_bounds_shows_the_others_as_long_ones(costs):
    made = costs("stages.0={use: eval, policy: {judge: own}, samples: 4, prompts: 5}", "judges.own.with.max_tokens=700")
    assert made["main"].by_stage == {0: pytest.approx(12 * 5 * (EACH + 2 * (700 - 125) * 1e-6))}


@each_case(
    "overrides, why",
    [
        (["judges.main.price=null"], "has no price"),
        (["stages.0.steps=null", "dataset={use: data/hub, with: {path: far/away}}"], UNKNOWN),
        (["reward.teach={flat: replace, by: best}"], REPLACED),
        (["judges.main.with.max_tokens=null"], "may answer at any length (max_tokens)"),
    ],
)
def test_what_is_not_known_is_said_and_is_no_zero(costs, overrides, why):
    made = costs(*overrides)
    assert (made["main"].usd, made["main"].unknown) == (None, {0: why})
    assert list(cost_lines(made)) == [
        "judges cost at most about $0.00, and what is not known",
        f"  main: {why} (stage 0); no budget",
    ]


@each_case(
    "budget, usd",
    [
        ("{usd: 1}", 1.0),
        ("{usd: 99}", 960 * EACH),
        ("{tokens: 10000}", 0.1),  # if all of them are the judge's own
        ("{tokens: 10000, usd: 0.05}", 0.05),
    ],
)
def test_a_budget_bounds_it(costs, budget, usd):
    assert costs(f"judges.main.budget={budget}")["main"].usd == pytest.approx(usd)


@each_case(
    "override",
    [
        "reward.components.best.with.judge=own",
        "judges.main.cassette={path: kept.jsonl, mode: strict}",  # which asks nobody
    ],
)
def test_nobody_who_is_free_is_counted(costs, override):
    made = costs(override)
    assert made == {}
    assert list(cost_lines(made)) == []


def test_check_and_a_dry_run_add_it_up(toy, write, main, monkeypatch):
    monkeypatch.setenv("MAIN_KEY", "sk-any")
    write("r.yaml", RECIPE)
    said = f"judges cost at most about ${960 * EACH:,.2f}\n  main: ${960 * EACH:,.2f} in stage 0; no budget"
    for command in (["check", "r.yaml"], ["run", "r.yaml", "--dry-run"]):
        code, out, _ = main(*command)
        assert code == 0
        assert said in out


JOB = """
    version: 1
    name: made
    model: {use: tiny}
    dataset: {use: toy/counting, with: {rows: 32}, holdout: 0.25}
    judges:
      main:
        use: openai/chat
        with: {model: m, base_url: URL, api_key_env: MAIN_KEY, max_tokens: 100}
        price: {prompt: 1, completion: 10}
      second:
        use: openai/chat
        with: {model: n, base_url: URL, api_key_env: MAIN_KEY, max_tokens: 300}
        price: {prompt: 2, completion: 20}
    reward:
      components:
        panel: {use: pairwise/win_rate, with: {judge: [main, second], orders: both}, on_missing: group_mean}
        rounds: {use: pairwise/win_rate, with: {judge: main, design: swiss}, on_missing: group_mean}
        drawn: {use: rubric/pointwise, with: {judge: second, rubric: SCALE}, repeats: 3, commit_first: true}
        looked: {use: format/boxed, appeal: {judge: main, criterion: It has an answer.}}
      total: panel + rounds + drawn + looked
    stages:
      - {use: rl, algorithm: grpo, group_size: 4, batch_size: 2, steps: 4, eval: {samples: 3, prompts: 4}}
      - {use: eval, samples: 4, prompts: 3}
    backend: {use: toy, answers: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"]}
""".replace("SCALE", SCALE)


ENGINES = {
    "toy": [],
    "trl": [
        "backend={use: trl, device: cpu}",
        "stages.0.eval_every=3",
        *(f"stages.{n}.max_new_tokens=8" for n in (0, 1)),
    ],
}


def answer_by(vote):
    """`answer(request)`: a vote, a score, or what an appeal is told."""

    def answer(request):
        asked = request["messages"][-1]["content"]
        if "A line begins with " in asked:
            return f"{asked.split('A line begins with ')[1].split()[0]} 1 | so it is | met"
        voted = vote(request)
        return '{"explanation": "so it is", "score": 2}' if voted == "ready" else voted

    return answer


@pytest.mark.parametrize("engine", ["toy", pytest.param("trl", marks=pytest.mark.slow)])
def test_a_real_job_costs_no_more(engine, toy, write, main, monkeypatch, judge_server):
    """Tournaments, a panel, repeats, appeals and evaluations: by what the server counted, but for the first calls."""
    overrides, answer = ENGINES[engine], answer_by(judge_server.vote)
    monkeypatch.setenv("MAIN_KEY", "sk-any")
    with judge_server.Serving(judge_server.JudgeServer(answer=answer)) as server:
        path = write("r.yaml", JOB.replace("URL", json.dumps(server.url)))
        bounds = judge_costs(make_plan(load(path, overrides), purpose="check"))
        code, _, err = main("run", path, *overrides, "--run-dir", "run")
    assert code == 0, err
    before = 4  # a question in the form of each component to each of its judges, before the run
    for name, model in (("main", "m"), ("second", "n")):
        asked = [request for request in server.requests if request["model"] == model]
        most, price = sum(bounds[name].questions.values()), {"main": 1, "second": 2}[name]
        assert most / 3 < len(asked) <= most + before, name
        spent = [json.loads(judge_server.completion(answer(one), one))["usage"] for one in asked]
        usd = sum(price * use["prompt_tokens"] + 10 * price * use["completion_tokens"] for use in spent) / 1e6
        assert 0 < usd <= bounds[name].usd


class TestKeys:
    def test_check_names_one_that_is_not_set(self, toy, write, monkeypatch):
        monkeypatch.delenv("MAIN_KEY", raising=False)
        warnings = check_recipe(load(write("r.yaml", RECIPE))).warnings
        assert [line.partition("judges.main.")[2] for line in warnings if "MAIN_KEY" in line] == [
            "with.api_key_env: the environment variable MAIN_KEY is not set; it should hold a key"
        ]

    def test_but_none_of_a_judge_that_nobody_asks(self, toy, write, monkeypatch):
        monkeypatch.delenv("MAIN_KEY", raising=False)
        document = load(write("r.yaml", RECIPE), ["reward.components.best.with.judge=own"])
        assert not any("MAIN_KEY" in line for line in check_recipe(document).warnings)
