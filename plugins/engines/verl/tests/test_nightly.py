"""What takes minutes with verl's own loop: the quickstart learns, as with trl; the laws that CI leaves out hold."""

import itertools

import pytest
from helpers.learning import assert_lifts_the_held_out_total
from rewardlab.testing import check_backend
from rewardlab_testing.backend_laws.ledger import read_rows

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = pytest.mark.nightly


def test_verl_lifts_the_held_out_total(jobs, recipe, tmp_path):
    assert_lifts_the_held_out_total("verl", jobs.run(tmp_path, *recipe, limit=900).succeeded().directory)


def test_verl_keeps_the_laws_that_cost_a_job_each(jobs, model_folder, toy, tmp_path):
    told = tmp_path / "received.jsonl"
    with jobs.ray_environment(tmp_path) as (environment, left):
        environment |= {"REWARDLAB_CPU_ENGINE_TOKENS": "8", "REWARDLAB_CPU_ENGINE_RECEIVED": str(told)}
        [result] = check_backend(
            jobs.laws_recipe(model_folder("llama")),
            environment=environment,
            only=jobs.AT_NIGHT,
            received=lambda run: jobs.received(run, told),
        )
        assert not left()
    assert [outcome.law for outcome in result.of("held")] == [*jobs.AT_NIGHT]


@pytest.mark.parametrize("algorithm", ["reinforce_baseline", "dr_grpo"])
def test_a_completion_without_a_value_has_no_vote_in_verls_own_batch(jobs, model_folder, toy, tmp_path, algorithm):
    """Of those that look at the whole step: verl's would whiten tokens, masked ones with them.

    dr_grpo with normalize/gdpo, which looks at each component, too, under weights that change from step to step.
    """
    recipe = jobs.laws_recipe(model_folder("llama")).replace("grpo", algorithm)
    if algorithm == "dr_grpo":
        total = "letters + 0.1 * longest + accuracy"
        scheduled = f"{total} - progress * accuracy\n  normalize: [normalize/gdpo]"
        assert total in recipe
        recipe = recipe.replace(total, scheduled)
    told, progress = tmp_path / "received.jsonl", set()

    def received(run):
        progress.update((row["step"], row.get("progress")) for row in read_rows(run))
        return jobs.received(run, told)

    with jobs.ray_environment(tmp_path) as (environment, _):
        environment |= {"REWARDLAB_CPU_ENGINE_TOKENS": "8", "REWARDLAB_CPU_ENGINE_RECEIVED": str(told)}
        [result] = check_backend(recipe, environment=environment, only=["masked"], received=received)
    assert progress == {(step + 1, step / 3 if algorithm == "dr_grpo" else None) for step in range(3)}
    assert [outcome.law for outcome in result.of("held")] == ["masked"]
    for row in itertools.chain(*jobs.batches(told)):
        assert len({*row["advantages"]}) == 1, "one advantage for every token of a completion"


def test_a_lost_completion_ends_the_job_with_its_reason(jobs, recipe, tmp_path):
    """verl itself would go on without it."""
    lost = {"REWARDLAB_CPU_ENGINE_RAISE": "?"}
    short = ["stages.1.steps=2", "stages.1.batch_size=8", "stages.1.eval=null", "--stage", "1"]
    ended = jobs.run(tmp_path, *recipe, *short, name="lost", env=lost)
    assert ended.code == 1
    assert "1 of 8 completions were lost" in ended.output
    assert "RuntimeError: the engine lost this request" in ended.output
    assert "`on_partial: score` scores the others" in ended.output
