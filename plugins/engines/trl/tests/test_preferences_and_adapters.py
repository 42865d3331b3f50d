"""Stage dpo, and LoRA adapters in every stage: what is learnt, what stays, and what a resume reads."""

import json

import pytest

pytestmark = pytest.mark.slow

RECIPE = """
version: 1
model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
curriculum: {use: toy/reversed}
reward:
  components: {letters: {use: toy/letters}}
  total: letters
stages:
  - {use: dpo, dataset: {use: data/jsonl, with: {path: pairs.jsonl}}, steps: 12, batch_size: 8, learning_rate: 5.0e-3}
"""
RL = (
    "stages=[{use: rl, dataset: {use: toy/counting, with: {rows: 16}}, algorithm: dr_grpo, group_size: 4, "
    "batch_size: 4, steps: 3, max_new_tokens: 8, learning_rate: 1.0e-3, kl: {coef: 0.05}}]"
)
SFT = (
    "stages=[{use: sft, dataset: {use: toy/counting, with: {rows: 24}}, steps: 12, batch_size: 8, "
    "learning_rate: 5.0e-3}]"
)
LORA = "backend.lora={rank: 4, alpha: 8}"
PAIRS = [
    {
        "id": f"p{number}",
        "prompt": f"How much is {number} + 1?",
        "chosen": f"{number + 1}",
        "rejected": "I would not know.",
    }
    for number in range(24)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("preferences")
    (folder / "r.yaml").write_text(RECIPE)
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in PAIRS))
    return folder


@pytest.fixture(scope="module")
def run(command, folder):
    """`run(*overrides)`: the run directory of the recipe, made once for each, and what was printed."""
    runs = {}

    def once(*overrides):
        if overrides not in runs:
            code, out, err = command(folder, "run", "r.yaml", *overrides)
            assert code == 0, out + err
            runs[overrides] = folder / out.split("run directory: ")[1].splitlines()[0]
        return runs[overrides]

    return once


def weights(path, stage):
    from safetensors.torch import load_file

    return load_file(path / "models" / stage / "model.safetensors")


def changed(path, stage):
    """The names of the weights that differ from those that the stage began with."""
    before, after = weights(path, "tiny"), weights(path, stage)
    assert before.keys() == after.keys(), "a merged model has the names of a whole one"
    return {name for name in before if not before[name].equal(after[name])}


def log(path, stage):
    return [json.loads(line) for line in (path / "logs" / f"{stage}.jsonl").read_text().splitlines()]


def margin(path, stage):
    """The mean difference of log-probabilities of chosen and rejected texts, by transformers alone."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    source = path / "models" / stage
    model, tokenizer = AutoModelForCausalLM.from_pretrained(source).eval(), AutoTokenizer.from_pretrained(source)

    def logp(prompt, text):
        ids, start = tokenizer(prompt + text)["input_ids"], len(tokenizer(prompt)["input_ids"])
        with torch.inference_mode():
            found = model(torch.tensor([ids])).logits[0].log_softmax(-1)
        return sum(found[place - 1, ids[place]].item() for place in range(start, len(ids)))

    return sum(logp(row["prompt"], row["chosen"]) - logp(row["prompt"], row["rejected"]) for row in PAIRS) / len(PAIRS)


class TestDpo:
    @pytest.mark.parametrize("overrides", [(), (LORA,)], ids=["whole", "lora"])
    def test_raises_the_margin_of_what_was_chosen(self, run, overrides):
        path = run(*overrides)
        assert margin(path, "0-dpo") > margin(path, "tiny") + 1
        losses = [row["loss"] for row in log(path, "0-dpo")]
        assert losses[0] == pytest.approx(0.6931, abs=1e-3), "the reference is the model as the stage finds it"
        assert losses[-1] < 0.3

    @pytest.mark.nightly
    @pytest.mark.parametrize("overrides", [(), (LORA,)], ids=["whole", "lora"])
    def test_of_a_model_with_learned_positions_begins_at_its_reference(self, run, model_folder, overrides):
        """GPT-2: positions count from the first token in policy and reference alike; its linear layers are Conv1D."""
        path = run(f"model={model_folder('gpt2')}", "stages.0.learning_rate=1.0e-2", *overrides)
        losses = [row["loss"] for row in log(path, "0-dpo")]
        assert losses[0] == pytest.approx(0.6931, abs=1e-3)
        assert losses[-1] < 0.6

    def test_reads_pairs_in_the_curriculums_order(self, run, monkeypatch, command, folder):
        tiny, read = run() / "models" / "tiny", []

        def watched(trainer, *_):
            read.extend(row["chosen_ids"] for row in trainer.train_dataset)
            raise KeyboardInterrupt

        monkeypatch.setattr("rewardlab_trl.train.train_to_the_end", watched)
        command(folder, "run", "r.yaml", "stages.0.steps=3")
        from transformers import AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(tiny)
        assert [tokenizer.decode(ids, skip_special_tokens=True) for ids in read] == [str(n) for n in range(24, 0, -1)]

    def test_cuts_and_leaves_out_rows_as_sft_does(self, command, folder):
        code, out, err = command(folder, "run", "r.yaml", "stages.0.max_tokens=24", "stages.0.steps=1")
        assert code == 0, out + err
        assert "of 24 rows at max_tokens, 24" in out + err

    def test_trains_longer_and_says_that_its_warm_up_grows(self, command, folder):
        code, out, err = command(folder, "run", "r.yaml", "stages.0.warmup_ratio=0.5", "stages.0.steps=4")
        assert code == 0, out + err
        path = folder / out.split("run directory: ")[1].splitlines()[0]
        code, out, err = command(folder, "run", "--resume", path, "stages.0.steps=8")
        assert code == 0, out + err
        line = "its warm-up is 0.5 of the new length: one run of this length would have trained otherwise"
        assert f"stage 0 (dpo) trains longer: steps was 4, is 8; {line}\n" in out
        assert [row["step"] for row in log(path, "0-dpo")] == list(range(1, 9))

    def test_names_a_row_without_a_text(self, command, folder):
        (folder / "bad.jsonl").write_text(json.dumps({**PAIRS[0], "rejected": 3}) + "\n")
        code, out, err = command(folder, "run", "r.yaml", "stages.0.dataset.with.path=bad.jsonl")
        assert code != 0
        assert "rejected" in out + err
        assert "bad.jsonl:1" in out + err


class TestAdapters:
    LAYERS = 2
    LINEAR = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")

    @pytest.mark.parametrize(("stages", "name"), [(None, "0-dpo"), (SFT, "0-sft"), (RL, "0-rl")])
    def test_change_every_linear_layer_and_nothing_else(self, run, stages, name):
        path = run(*filter(None, (stages, LORA)))
        found = changed(path, name)
        assert {part for weight in found for part in weight.split(".") if part in self.LINEAR} == set(self.LINEAR)
        assert len(found) == self.LAYERS * len(self.LINEAR)

    def test_change_the_layers_that_are_named(self, run):
        found = changed(run(SFT, "backend.lora={rank: 2, targets: [q_proj, v_proj]}"), "0-sft")
        assert {weight.split(".")[-2] for weight in found} == {"q_proj", "v_proj"}

    def test_write_a_model_that_the_next_stage_starts_from(self, command, folder):
        both = RECIPE + SFT.removeprefix("stages=[").removesuffix("]").join(("  - ", "\n"))
        (folder / "both.yaml").write_text(both)
        code, out, err = command(folder, "run", "both.yaml", LORA)
        assert code == 0, out + err
        assert "stage 1 (sft) starts from" in out

    def test_are_written_as_a_whole_model_of_the_base_and_what_was_learnt(self, run, monkeypatch, command, folder):
        """Base weight + alpha / rank * B A, from the adapter that the trainer kept in its last checkpoint."""
        from safetensors.torch import load_file

        path = run(LORA)
        (kept,) = path.glob("checkpoints/0-dpo/checkpoint-12/adapter_model.safetensors")
        adapter, before, after = load_file(kept), weights(path, "tiny"), weights(path, "0-dpo")
        assert all("lora_" in name for name in adapter), "a checkpoint holds adapters alone"
        for name in changed(path, "0-dpo"):
            place = f"base_model.model.{name.removesuffix('.weight')}"
            learnt = adapter[f"{place}.lora_B.weight"] @ adapter[f"{place}.lora_A.weight"] * 8 / 4
            assert after[name].allclose(before[name] + learnt, atol=1e-6)

    @pytest.mark.nightly
    @pytest.mark.parametrize("stages", [None, SFT, RL], ids=["dpo", "sft", "rl"])
    def test_learn_the_same_with_activations_computed_again(self, run, stages):
        name = "0-" + (stages.split("use: ")[1][:3].strip(",") if stages else "dpo")
        options = list(filter(None, (stages, LORA)))
        again = weights(run(*options, "backend.gradient_checkpointing=true"), name)
        assert all(again[weight].allclose(value, atol=1e-6) for weight, value in weights(run(*options), name).items())

    @pytest.mark.parametrize(("stages", "name"), [(SFT, "0-sft"), (None, "0-dpo")])
    def test_leave_out_inputs_where_dropout_says_so(self, run, stages, name):
        options = list(filter(None, (stages,)))
        dropped = weights(run(*options, "backend.lora={rank: 4, alpha: 8, dropout: 0.5}"), name)
        assert not all(dropped[weight].equal(value) for weight, value in weights(run(*options, LORA), name).items())

    @pytest.mark.parametrize("name", ["q_prj", "lm_head", "self_attn", "embed_tokens"])
    def test_name_a_layer_that_they_cannot_go_into(self, command, folder, name):
        code, out, err = command(folder, "run", "r.yaml", f"backend.lora={{rank: 2, targets: [q_proj, {name}]}}")
        assert code == 2, out + err
        assert f"'{name}' is not a linear layer inside the model; there are down_proj, gate_proj, k_proj" in err
        assert "backend.lora.targets" in err

    @pytest.mark.nightly
    @pytest.mark.parametrize(("stages", "name"), [(SFT, "0-sft"), (None, "0-dpo"), (RL, "0-rl")])
    def test_that_were_killed_go_on_to_the_same_weights(self, run, command, folder, monkeypatch, stages, name):
        """The trainer raises after its second checkpoint, as a kill would leave it."""
        options = [*filter(None, (stages, LORA)), "stages.0.save_every=4", "stages.0.steps=12"]
        whole = run(*options)
        known = set(folder.glob("runs/*"))

        def raising(self, args, state, control, **_):
            if state.global_step == 9:
                raise RuntimeError("killed")

        with monkeypatch.context() as patch:
            patch.setattr("rewardlab_trl.train.StepCallback.on_step_end", raising)
            assert command(folder, "run", "r.yaml", *options)[0] != 0
        (path,) = set(folder.glob("runs/*")) - known
        code, out, err = command(folder, "run", "--resume", path)
        assert code == 0, out + err
        resumed = weights(path, name)
        assert all(resumed[weight].equal(value) for weight, value in weights(whole, name).items())
