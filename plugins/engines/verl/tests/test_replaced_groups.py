"""Groups that are flat in their outcome do not train: verl's loss got those that the ledger says, of other prompts.

The curves of such a run say what its ledger says.
"""

import json
from statistics import fmean

import pytest
from helpers.recorded_groups import recorded_groups

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.verl]

RECIPE = """
version: 1
seed: 1
model: MODEL
dataset: {use: toy/counting, with: {rows: 12}}
judges:
  main: {use: openai/chat, with: {model: m, base_url: "URL"}, price: {prompt: 1000, completion: 1000}}
reward:
  components:
    right: {use: outcomes/by_prompt}
    letters: {use: toy/letters}
    judged: {use: pairwise/win_rate, with: {judge: main, orders: balanced}}
  total: right + 0.1 * letters + 0.2 * judged
  correctness: right
  teach: {flat: replace}
stages:
  - {use: rl, algorithm: dr_grpo, group_size: 4, batch_size: 2, micro_batch_size: 8, steps: 3, max_new_tokens: 8,
     learning_rate: 1.0e-3}
backend: {use: verl, gpus_per_node: 1, precision: fp32, tensorboard: true, engine: ENGINE}
"""


@pytest.fixture
def job(jobs, installed, model_folder, toy_path, tmp_path, judge_server):
    """Run the recipe with these settings of `refill`; return how it ended, and what the trainer got by step."""
    plugin = installed(jobs.HERE / "outcomes_plugin")

    def run(*overrides, **refill):
        path, told = tmp_path / "recipe.yaml", tmp_path / "received.jsonl"
        engine = json.dumps({**jobs.ON_CPU, "refill": refill, "barrier": {"on_partial": "score"}})
        recipe = RECIPE.replace("MODEL", str(model_folder("llama"))).replace("ENGINE", engine)
        env = {"REWARDLAB_CPU_ENGINE_TOKENS": "8", "REWARDLAB_CPU_ENGINE_RECEIVED": str(told)}
        env["REWARDLAB_CPU_ENGINE_RAISE"] = "?"
        with judge_server.Serving(judge_server.JudgeServer()) as server:
            path.write_text(recipe.replace("URL", server.url))
            ended = jobs.run(tmp_path, path, *overrides, env=env, paths=[toy_path, plugin])
        return ended, jobs.batches(told) if told.exists() else []

    return run


def groups_of(run):
    """The groups of a run's ledger by verl's name for them: (step, trained, their rows)."""
    return {key: (rows[0]["step"], rows[0]["trained"], rows) for key, rows in recorded_groups(run).items()}


def test_what_trains_differs_in_its_outcome_and_the_ledger_says_which(job, jobs):
    """All wrong, with lengths that differ, does not teach, nor does what rounding alone tells apart."""
    ended, batches = job()
    groups = groups_of(ended.succeeded().directory)
    got = [{row["group"] for row in batch} for batch in batches]
    yes = [(step, key) for key, (step, trained, _) in groups.items() if trained == "yes"]
    assert got == [{key for of, key in yes if of == step} for step in (1, 2, 3)]
    assert [len(keys) for keys in got] == [2, 2, 2]
    for step, trained, rows in groups.values():
        differs = (int(rows[0]["id"].removeprefix("count-")) + 1) % 3 == 2
        assert differs or trained == "no", (step, rows)
    assert "no" in {trained for _, trained, _ in groups.values()}
    assert min(len(rows) for _, _, rows in groups.values()) == 3, (
        "a group that lost a completion is left out as others are"
    )
    for batch in batches:
        for key in {row["group"] for row in batch}:
            totals = [row["total"] for row in groups[key][2]]
            wanted = [total - sum(totals) / len(totals) for total in totals]
            assert [row["advantages"][0] for row in batch if row["group"] == key] == pytest.approx(wanted, abs=1e-6)
    assert [line["step"] for line in ended.log("0-rl")] == [1, 2, 3]
    assert_curves_are_those_of_the_ledger(ended)


def assert_curves_are_those_of_the_ledger(ended):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    usage = {row["step"]: row for row in map(json.loads, (ended.directory / "usage.jsonl").open())}
    events = EventAccumulator(str(ended.directory / "logs" / "tensorboard" / "0-rl")).Reload()
    for logged in ended.log("0-rl"):
        step = logged["step"]
        groups = [rows for of, _, rows in groups_of(ended.directory).values() if of == step]
        for name, value in curves_of(groups).items():
            assert logged[name] == (None if value is None else pytest.approx(value)), (step, name)
        asked = logged["judge/main/seconds"], logged["judge/main/usd"], logged["judge/main/usd"]
        assert asked == (usage[step]["seconds"], usage[step]["usd"], pytest.approx(logged["judge/main/tokens"] / 1000))
        for name, value in logged.items():
            if value is not None and name not in ("step", "attempt"):
                shown = [event.value for event in events.Scalars(f"train/{name}") if event.step == step]
                assert shown == pytest.approx([value], rel=1e-5, abs=1e-9), name


def curves_of(groups):
    """What the curves of a step should say, from the rows of its groups."""
    teaching = [rows for rows in groups if rows[0]["trained"] == "yes"]
    trained = [row for rows in teaching for row in rows]
    expected = {
        "teaching/total": fmean(row["total"] for row in trained),
        "generated/total": fmean(row["total"] for rows in groups for row in rows),
        "judge/main/tokens": sum(part(rows[0], "judged")["info"]["group"]["tokens"] for rows in groups),
    }
    for name, is_right in (("right", True), ("wrong", False)):
        lengths = [row["tokens"] for row in trained if (part(row, "right")["value"] > 0.5) is is_right]
        expected[f"length/{name}"] = fmean(lengths) if lengths else None
    of_total = sum(products([row["total"] for row in rows], rows) for rows in teaching)
    for name in ("right", "letters", "judged"):
        given = sum(products([part(row, name)["contribution"] for row in rows], rows) for rows in teaching)
        expected[f"advantage/{name}"] = given / of_total
    return expected


def part(row, name):
    return row["components"][name]


def products(values, rows):
    """The sum of products of these values and the shaped rewards, each less its mean."""
    shaped = [row["shaped"] for row in rows]
    return sum((x - fmean(values)) * (y - fmean(shaped)) for x, y in zip(values, shaped, strict=True))


@pytest.mark.nightly
def test_prompts_that_are_all_flat_end_the_job_with_the_reason(job, jobs):
    """They are in the ledger: somebody paid for them."""
    flat = "reward.total=letters", "dataset.with.rows=1", "stages.0.batch_size=1", "stages.0.micro_batch_size=4"
    ended, batches = job(*flat, max_batches=3)
    assert ended.code == 1
    assert "step 1: too many groups are flat in right, 3 batches of 1 prompts do not make one" in ended.output
    assert batches == []
    assert {trained for _, trained, _ in groups_of(ended.directory).values()} == {"no"}
