"""A recipe's reward as inspect_ai's scorer: real evaluations of a model that says what it is told."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", reason="needs the environment of requirements-inspect.txt")

from inspect_ai import Task, eval, score
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Target, match
from inspect_ai.solver import TaskState, generate, system_message, use_tools
from inspect_ai.tool import tool
from rewardlab import load_reward
from rewardlab.cli import main
from rewardlab.errors import UserError
from rewardlab_inspect import recipe
from rewardlab_inspect.sample_row import sample_row
from rewardlab_records.rollouts import inspect_log

pytestmark = [pytest.mark.slow, pytest.mark.inspect]

RECIPE = """
version: 1
reward:
  components:
    accuracy: {use: math/accuracy}
    format: {use: format/boxed}
  total: accuracy + 0.5 * format
"""
JUDGED = """
version: 1
judges: {main: {use: pairwise/overlap}}
reward:
  components: {won: {use: pairwise/win_rate, with: {judge: main}}, format: {use: format/boxed}}
  total: won + format
"""


@pytest.fixture
def given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("recipe.yaml").write_text(RECIPE)
    return tmp_path


def wrote(text, stop="stop"):
    output = ModelOutput.from_content("mockllm/model", text, stop_reason=stop)
    output.usage = ModelUsage(input_tokens=5, output_tokens=6, total_tokens=11)
    return output


SAMPLES = [Sample(id="a", input="1 + 1?", target="2"), Sample(id="b", input="1 + 2?", target="3")]
FAILING = """
    from rewardlab import reward

    @reward(range=(0, 1))
    def never_three(sample, completion):
        "Whether it is right, unless the answer is 3."
        if sample.fields["answer"] == "3":
            raise OSError("the disk of threes is away")
        return 1.0
"""


@pytest.fixture
def fails_for_b(given, offer):
    """A recipe whose accuracy fails on the second of SAMPLES."""
    offer("mine", FAILING)
    return Path("recipe.yaml").write_text(RECIPE.replace("{use: math/accuracy}", "{use: mine/never_three}"))


def evaluated(outputs, samples, scorer, tmp_path, **more):
    dataset = MemoryDataset(samples, name="sums")
    task = Task(dataset=dataset, solver=[system_message("In a box."), generate()], scorer=scorer, name="sums")
    model = get_model("mockllm/model", custom_outputs=outputs)
    settings = {"log_dir": str(tmp_path / "logs"), "display": "none", "max_samples": 1}
    [log] = eval(task, model=model, **settings, **more)
    return log


def test_each_sample_has_the_total_and_its_components(given):
    samples = [Sample(id=n, input=f"{n} + {n}?", target=str(2 * n), metadata={"language": "en"}) for n in (1, 2, 3)]
    outputs = [wrote(r"\boxed{2}"), wrote("4"), wrote(r"\boxed{7}")]
    log = evaluated(outputs, samples, recipe("recipe.yaml"), given)
    assert log.status == "success", log.error
    values = [sample.scores["recipe"].value for sample in log.samples]
    assert values == [
        {"total": 1.5, "accuracy": 1.0, "format": 1.0},
        {"total": 0.0, "accuracy": 0.0, "format": 0.0},
        {"total": 0.5, "accuracy": 0.0, "format": 1.0},
    ]
    means = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert means == pytest.approx({"total": 2 / 3, "accuracy": 1 / 3, "format": 2 / 3})
    assert log.samples[0].scores["recipe"].metadata["accuracy"]["extracted"] == "2"


def test_a_log_is_scored_by_the_scorers_name(given):
    samples = [Sample(id="a", input="1 + 1?", target="2")]
    log = evaluated([wrote(r"\boxed{2}")], samples, recipe("recipe.yaml", overrides=["reward.total=format"]), given)
    [again] = score(log, recipe("recipe.yaml"), action="overwrite", display="none").samples
    assert again.scores["recipe"].value["total"] == 1.5
    command = [str(Path(sys.executable).parent / "inspect"), "score", log.location, "--overwrite", "--display", "none"]
    named = ["--scorer", "rewardlab_inspect/recipe", "-S", "recipe=recipe.yaml", "--action", "overwrite"]
    done = subprocess.run([*command, *named], capture_output=True, text=True, env=dict(os.environ), timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_eval_log(log.location).samples[0].scores["recipe"].value["total"] == 1.5


def test_what_could_not_be_scored_is_in_no_mean(given, fails_for_b):
    tolerated = recipe("recipe.yaml", overrides=["reward.components.accuracy.on_missing=zero_advantage"])
    log = evaluated([wrote(r"\boxed{2}"), wrote(r"\boxed{3}")], SAMPLES, tolerated, given)
    assert log.status == "success", log.error
    first, second = (sample.scores["recipe"] for sample in log.samples)
    assert first.value == {"total": 1.5, "accuracy": 1.0, "format": 1.0}
    assert math.isnan(second.value["accuracy"])
    assert math.isnan(second.value["total"])
    assert "the disk of threes is away" in second.explanation
    means = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert means == {"total": 1.5, "accuracy": 1.0, "format": 1.0}


def test_a_failure_that_the_recipe_does_not_allow_is_the_samples_error(given, fails_for_b):
    log = evaluated([wrote(r"\boxed{2}"), wrote(r"\boxed{3}")], SAMPLES, recipe("recipe.yaml"), given)
    assert log.status == "error"
    assert "component 'accuracy' (mine/never_three) failed on sample 'b'" in log.error.message


def test_a_target_that_holds_no_answer_is_the_error_of_a_sample_that_has_a_name(given):
    samples = [SAMPLES[0], Sample(id="b", input="1 + 2?", target="?")]
    log = evaluated([wrote(r"\boxed{2}"), wrote(r"\boxed{3}")], samples, recipe("recipe.yaml"), given)
    assert log.status == "error"
    assert "sample 'b': accuracy (math/accuracy): field 'answer': '?' holds no answer" in log.error.message


def test_a_sample_is_a_row(given):
    asked = [{"role": "system", "content": "In a box."}, {"role": "user", "content": "1 + 1?"}]
    state = TaskState(
        model="mockllm/model",
        sample_id=7,
        epoch=2,
        input=[ChatMessageSystem(content="In a box."), ChatMessageUser(content="1 + 1?")],
        messages=[],
        output=wrote("two", stop="max_tokens"),
        metadata={"language": "en"},
    )
    completion = {"text": "two", "truncated": True, "token_count": 6}
    row = {"language": "en", "id": "7", "prompt": asked, "completion": completion}
    assert sample_row(state, Target(["2", "two"]), "golds") == {**row, "golds": ["2", "two"]}
    assert sample_row(state, Target(""), "answer") == row
    state.metadata["prompt"] = "mine"
    with pytest.raises(UserError, match="sample 7: its metadata have prompt, which a row has itself"):
        sample_row(state, Target("2"), "answer")


def test_a_sample_with_tools_is_a_conversation_that_is_read_by_its_last_answer(given):
    @tool
    def double():
        async def execute(number: int) -> str:
            """Double it.

            Args:
                number: what to double
            """
            return rf"\boxed{{{2 * number}}}"

        return execute

    asks = ModelOutput.for_tool_call("mockllm/model", "double", {"number": 1})
    asks.usage = ModelUsage(input_tokens=5, output_tokens=6, total_tokens=11)
    task = Task(
        dataset=MemoryDataset([Sample(id="a", input="1 + 1?", target="2")]),
        solver=[use_tools(double()), generate()],
        scorer=recipe("recipe.yaml"),
    )
    model = get_model("mockllm/model", custom_outputs=[asks, wrote("It is 2.")])
    [log] = eval(task, model=model, log_dir=str(given / "logs"), display="none", log_format="json")
    assert log.status == "success", log.error
    assert log.samples[0].scores["recipe"].value == {"total": 0.0, "accuracy": 0.0, "format": 0.0}
    [row] = [row for _, row in inspect_log.FORMAT.rows(log.location)]
    asked, said, last = row["completions"][0]["messages"]
    assert (asked["tool_calls"][0]["function"], said["content"], last["content"]) == (
        "double",
        r"\boxed{2}",
        "It is 2.",
    )
    with load_reward("recipe.yaml") as reward:
        assert reward.score([row])[0].totals == [0.0]


def test_a_recipe_that_compares_is_refused_before_anything_is_asked(given):
    Path("judged.yaml").write_text(JUDGED)
    with pytest.raises(UserError, match="won compares the answers to a question, of which a scorer sees one"):
        recipe("judged.yaml")


def test_a_mistake_of_the_recipe_is_told_with_its_line(given):
    Path("bad.yaml").write_text(RECIPE.replace("math/accuracy", "math/acuracy"))
    with pytest.raises(UserError, match=r"bad\.yaml:5.*math/accuracy"):
        recipe("bad.yaml")


def test_inspect_reads_the_log_that_export_writes(given):
    samples = [Sample(id=name, input="1 + 1?", target="2") for name in "ab"]
    log = evaluated([wrote(r"\boxed{2}"), wrote("3")], samples, match(), given)
    assert main(["score", "recipe.yaml", log.location, "-o", "scored.jsonl"]) == 0
    assert main(["export", log.location, "scored.jsonl", "-o", "both.eval"]) == 0
    both = read_eval_log("both.eval")
    assert [{*sample.scores} for sample in both.samples] == [{"match", "rewardlab"}] * 2
    assert both.samples[0].scores["rewardlab"].value == 1.5
    assert both.samples[0].scores["rewardlab"].metadata["components"]["accuracy"]["value"] == 1.0
    assert [score.name for score in both.results.scores] == ["match", "rewardlab"]
    assert [sample.scores["rewardlab"].value for sample in read_eval_log_sample_summaries("both.eval")] == [1.5, 0.0]
