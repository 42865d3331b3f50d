"""Shapes of a job that real clusters use, each for a few steps: what is asserted is what only that shape can break."""

import json
from itertools import groupby
from statistics import stdev

import pytest
from rewardlab import Completion, Sample, ScoredGroup
from rewardlab_training import group_advantages

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.nightly, pytest.mark.openrlhf]  # test_end_to_end_training.py has a job on one GPU

STEPS, PROMPTS, SIZE = 3, 4, 4  # of recipes/short.yaml


@pytest.fixture
def short(jobs, drive, model, tmp_path):
    """`short(*overrides)` is recipes/short.yaml from the model that drive.yaml's sft trained, run to its good end."""

    def job(*overrides, **more):
        recipe = drive.with_name("short.yaml")
        return jobs.run(tmp_path, recipe, f"model={model}", *overrides, **more).succeeded()

    return job


def trained(ended, lost=0):
    """The rows that trained, having checked that every step has groups of its own, whole but for `lost` rows."""
    rows = ended.ledger(trained="yes")
    assert sorted({row["step"] for row in rows}) == list(range(1, STEPS + 1))
    assert len(rows) == STEPS * PROMPTS * SIZE - lost
    assert len({row["group"] for row in rows}) == STEPS * PROMPTS
    assert len({(row["group"], row["index"]) for row in rows}) == len(rows)
    return rows


def mean_total(rows):
    return sum(row["total"] for row in rows) / len(rows)


def engine_means(ended, name, engine=True):
    """The means by step that OpenRLHF's own trainer logged of what it received: {step: mean}; else the host's."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found = {}
    folders = {path.parent for path in (ended.directory / "logs" / "tensorboard").rglob("events*")}
    for folder in (folder for folder in folders if (folder.name != "0-rl") == engine):
        events = EventAccumulator(str(folder)).Reload()
        if name in events.Tags()["scalars"]:
            found |= {event.step: event.value for event in events.Scalars(name)}
        if name in events.Tags()["tensors"]:  # as TensorBoard's own writer has scalars
            found |= {event.step: event.tensor_proto.float_val[0] for event in events.Tensors(name)}
    return found


def ledger_means(rows):
    """The mean total of the rows of each step."""
    return {step: mean_total([r for r in rows if r["step"] == step]) for step in sorted({r["step"] for r in rows})}


def mean_value(component, rows):
    return sum(row["components"][component]["value"] for row in rows) / len(rows)


def filtered(ended):
    """Return ({step: its groups}, the groups that were left out) of the training, as the ledger has them."""
    trained, left_out = {}, []
    rows = [row for row in ended.ledger() if row["phase"] == "training"]
    for _, rows_of_group in groupby(rows, key=lambda row: row["group"]):
        group = list(rows_of_group)
        is_kept = 0.3 < mean_value("format", group) < 1
        assert {row["trained"] for row in group} == {"yes" if is_kept else "no"}
        if is_kept:
            trained.setdefault(group[0]["step"], []).append(group)
        else:
            left_out.append(group)
    return trained, left_out


def mean_spread(groups):
    """Return the mean over groups of the standard deviation of their advantages, which OpenRLHF's trainer received."""
    advantages = [group_advantages("grpo", shaped_group(group)) for group in groups]
    return sum(map(stdev, advantages)) / len(advantages)


def shaped_group(rows):
    return ScoredGroup(
        sample=Sample(id="s"),
        completions=[Completion(text="")] * len(rows),
        components={},
        totals=[row["total"] for row in rows],
        shaped=[row["shaped"] for row in rows],
    )


def weights(folder):
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def changed(before, after):
    """The names of the weights that training changed."""
    return {name for name, value in weights(after).items() if not value.equal(weights(before)[name].to(value.dtype))}


def test_production_flags(short, model):
    """Two GPUs shared in turn: engines and trainer sleep, rows are packed by tokens, groups are filtered.

    Some groups are left out, which use up prompts. It is evaluated on two sets, before the first step too; OpenRLHF's
    own pass rates are those of what is `correctness`.
    """
    ended = short(
        f"stages.0.steps={2 * STEPS}",
        "reward.correctness=format",
        "backend.gpus_per_node=2",
        "backend.gradient_checkpointing=true",
        "backend.tensorboard=true",
        "stages.0.eval_every=2",
        "stages.0.eval={samples: 2, prompts: 6, by: [],"
        " sets: {ours: null, more: {use: data/arithmetic, with: {kind: prompts}}}}",
        "backend.engine={sleep: true, packing: true, tokens_per_gpu: 512, prefix_caching: true, zero_stage: 3,"
        " correction: {level: token, bounds: [0.5, 5.0]}}",
        "reward.teach={flat: replace, between: [0.3, 1]}",
    )
    trained_on, left_out = filtered(ended)
    assert left_out, "or nothing was tried"
    whole = {step: groups for step, groups in trained_on.items() if len(groups) == PROMPTS}
    assert [*whole] == [*range(1, len(whole) + 1)]
    rows = [row for groups in whole.values() for group in groups for row in group]

    def logged(name, engine=True):
        """The means of whole steps. Of another, OpenRLHF logs the whole micro-batches, if there are any."""
        return {step: mean for step, mean in engine_means(ended, name, engine).items() if step in whole}

    assert ledger_means(rows) == pytest.approx(logged("train/reward/total"), rel=1e-5)
    assert ledger_means(rows) == pytest.approx(logged("train/reward/total", engine=False), rel=1e-5)
    assert {*whole} == {*logged("train/loss", engine=False)}
    spreads = {step: mean_spread(groups) for step, groups in whole.items()}
    assert spreads == pytest.approx(logged("train/group_reward_std"), rel=1e-4)
    assert ("taught nothing" in ended.output) == (len(whole) < len(trained_on))
    evaluated = [row for row in ended.ledger(trained="no") if row["phase"] != "training"]
    steps = sorted({0, *range(2, len(trained_on) + 1, 2), len(trained_on)})  # of the final model, too
    assert [row["step"] for row in evaluated] == [step for step in steps for _ in range(12)]
    assert {row["phase"] for row in evaluated if row["step"] == 0} == {"before"}
    for name in ("ours", "more"):
        rates = {
            step: mean_value("format", [r for r in evaluated if r["step"] == step and r["id"].startswith(f"{name}/")])
            for step in steps
        }
        for engine in (True, False):
            found = engine_means(ended, f"eval/eval_set {name}/reward/format", engine)
            assert found == pytest.approx(rates, rel=1e-5)
        # OpenRLHF knows neither of the one before nor of the final model's
        known = {step: rate for step, rate in rates.items() if step and step % 2 == 0}
        assert engine_means(ended, f"eval/eval_{name}_pass1") == pytest.approx(known, rel=1e-5)
    assert changed(model, ended.directory / "models" / "0-rl")


def test_ppo_with_a_critic_while_generation_runs_ahead(short, model, toy_path):
    """Weights are exchanged in the middle of completions. A reward's NaN is a missing value, and never a number.

    Two steps' prompts are generated at once: the ledger's steps are those in which OpenRLHF trained on the groups. Two
    engines have GPUs of their own, and each fails at its first completion: the groups go on without it, since the
    recipe says so. Micro-batches are made by tokens, as they are without a size.
    """
    ended = short(
        "stages.0.algorithm=ppo",
        "stages.0.critic.learning_rate=1.0e-4",
        "stages.0.max_new_tokens=600",
        "backend.gpus_per_node=4",
        "backend.tensorboard=true",
        "backend.engine={colocate: false, engines: 2, zero_stage: 1, packing: true, generate_batch: 8,"
        " asynchronous: {queue: 2, partial_rollouts: true}, barrier: {on_partial: score}}",
        "reward.components.faulty={use: toy/faulty, with: {how: nan, when: '5'}, on_missing: 0, max_missing: 1.0}",
        "reward.total=accuracy + format + faulty",
        paths=[toy_path],
        env={"REWARDLAB_CPU_ENGINE_RAISE": "?"},
    )
    rows = trained(ended, lost=2)
    whole = {step for step in range(1, STEPS + 1) if sum(row["step"] == step for row in rows) == PROMPTS * SIZE}
    told, logged = ledger_means(rows), engine_means(ended, "train/reward/total")
    assert {step: told[step] for step in whole} == pytest.approx({step: logged[step] for step in whole}, rel=1e-5)
    assert whole
    failed = [row for row in rows if row["components"]["faulty"]["value"] is None]
    assert failed == [row for row in rows if "5" in row["completion"]] != []
    for row in rows:
        values = [row["components"][name]["value"] or 0.0 for name in ("accuracy", "format", "faulty")]
        assert row["total"] == pytest.approx(sum(values))
    assert changed(model, ended.directory / "models" / "0-rl")


LINEAR = {f"{name}_proj" for name in ("q", "k", "v", "o", "gate", "up", "down")}
ADAPTERS = ("stages.0.warmup_ratio=0.1", "stages.0.learning_rate=5.0e-3", "backend.engine.lora={rank: 8}")


@pytest.mark.parametrize(
    "overrides",
    [(), ADAPTERS],
    ids=["whole", "lora"],
)
def test_dpo(jobs, drive, model, tmp_path, overrides):
    """It prefers what was chosen more than the model that it started from does; adapters leave all but layers alone."""
    pairs = tmp_path / "pairs.jsonl"
    with pairs.open("w") as file:
        for number in range(32):
            texts = {"prompt": f"How much is {number % 9} + 1?", "chosen": " It is so.", "rejected": " No idea at all."}
            file.write(f"{json.dumps({'id': str(number), **texts})}\n")
    recipe = tmp_path / "dpo.yaml"
    recipe.write_text(
        f"""
        version: 1
        name: dpo
        model: {model}
        stages:
          - use: dpo
            dataset: {{use: data/jsonl, with: {{path: {pairs}}}}}
            batch_size: 8
            epochs: 4
            beta: 0.1
            learning_rate: 5.0e-4
        backend: {{use: openrlhf, gpus_per_node: 1}}
        """
    )
    ended = jobs.run(tmp_path, recipe, *overrides).succeeded()
    after = ended.directory / "models" / "0-dpo"
    assert margin(after) > margin(model) + 1.0
    if overrides:
        assert {name.split(".")[-2] for name in changed(model, after)} == LINEAR


def margin(folder):
    """How much likelier, as a logarithm, the chosen answer is than the rejected one."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)

    def likelihood(answer):
        prompt = tokenizer("How much is 3 + 1?", add_special_tokens=False)["input_ids"]
        ids = torch.tensor([prompt + tokenizer(answer, add_special_tokens=False)["input_ids"]])
        with torch.no_grad():
            logprobs = model(ids).logits[0, :-1].float().log_softmax(-1)
        return logprobs.gather(-1, ids[0, 1:, None])[len(prompt) - 1 :].sum().item()

    return likelihood(" It is so.") - likelihood(" No idea at all.")
