"""Training through TRL does what the recipe says: against stock TRL, against the formulas, against itself."""

import json
import shutil
import statistics

import pytest

pytestmark = pytest.mark.slow

RECIPE = """
version: 1
model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
dataset: {use: toy/counting, with: {rows: 24}}
curriculum: {use: toy/reversed}
reward:
  components: {letters: {use: toy/letters}, brevity: {use: toy/brevity, with: {words: 2}}}
  total: letters + brevity
stages:
  - {use: sft, steps: 4, batch_size: 8, learning_rate: 1.0e-3}
  - use: rl
    algorithm: dr_grpo
    group_size: 4
    batch_size: 4
    steps: 3
    max_new_tokens: 10
    learning_rate: 1.0e-3
"""
RL = ["--stage", "1"]
SAME_PROMPT = [{"id": str(n), "prompt": "How much?", "response": "Four."} for n in range(8)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the runs of this module happen, with its recipe."""
    folder = tmp_path_factory.mktemp("training")
    (folder / "r.yaml").write_text(RECIPE)
    (folder / "same.jsonl").write_text("".join(json.dumps(row) + "\n" for row in SAME_PROMPT))
    return folder


@pytest.fixture(scope="module")
def run(command, folder):
    """Run the recipe with overrides, once for each: what is in the run directory, and every trainer used."""
    runs = {}

    def once(*overrides):
        if overrides not in runs:
            trainers = []
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("rewardlab_trl.train.train_to_the_end", _watched(trainers))
                code, out, err = command(folder, "run", "r.yaml", *overrides)
            assert code == 0, out + err
            runs[overrides] = Run(folder / out.split("run directory: ")[1].splitlines()[0], trainers, out)
        return runs[overrides]

    return once


class Run:
    def __init__(self, path, trainers, out):
        self.path = path
        self.trainers = trainers
        self.out = out

    def weights(self, stage):
        from safetensors.torch import load_file

        return load_file(self.path / "models" / stage / "model.safetensors")

    def log(self, stage):
        return [json.loads(line) for line in (self.path / "logs" / f"{stage}.jsonl").read_text().splitlines()]

    def ledger(self, **where):
        rows = [json.loads(line) for line in (self.path / "ledger.jsonl").read_text().splitlines()]
        return [row for row in rows if all(row[key] == value for key, value in where.items())]


def _watched(trainers):
    """`train_to_the_end` that keeps the trainer."""
    from rewardlab_trl.train import train_to_the_end

    def train(trainer, *given):
        if hasattr(trainer, "_generate_and_score_completions"):
            _watch(trainer)
        trainers.append(trainer)
        train_to_the_end(trainer, *given)

    return train


def _watch(trainer):
    """Keep in `trainer.seen` what each of its steps has generated and scored."""
    trainer.seen, score = [], trainer._generate_and_score_completions

    def keep(inputs):
        trainer.seen.append(score(inputs))
        return trainer.seen[-1]

    trainer._generate_and_score_completions = keep


def distance(one, other):
    """The largest difference of any weight."""
    assert one.keys() == other.keys()
    return max((one[name] - other[name]).abs().max().item() for name in one)


class TestRows:
    def test_they_are_read_in_the_curriculums_order_pass_after_pass(self, run):
        read = [row["id"] for row in run().ledger(index=0, stage=1)]
        assert read == [f"count-{n}" for n in range(23, 11, -1)]
        read = [row["id"] for row in run("stages.1.steps=7").ledger(index=0, stage=1)]
        assert read == [f"count-{n}" for n in [*range(23, -1, -1), *range(23, 19, -1)]]

    def test_a_step_of_the_ledger_is_a_step_of_the_recipe(self, run):
        for made in (run(), run("stages.1.updates_per_batch=2", "stages.1.micro_batch_size=4")):
            assert [row["step"] for row in made.ledger(index=0, stage=1)] == [1] * 4 + [2] * 4 + [3] * 4

    def test_supervised_rows_too(self, run):
        """One row a step, at a rate that changes nothing: each step's loss is that of its row."""
        made = run("stages.0.batch_size=1", "stages.0.steps=24", "stages.0.learning_rate=1e-12")
        losses = [row["loss"] for row in made.log("0-sft")]
        expected = [
            _loss(made.path / "models" / "tiny", f"How much is {n} + 1?\n", f"It is {n + 1}.") for n in range(24)
        ]
        assert losses == pytest.approx(expected[::-1], rel=1e-4)

    def test_from_easy_to_hard_no_sampler_shuffles_them(self, run, folder):
        """As above; the published training of mR3 lost its order to a sampler that shuffles."""
        right = [2, 5, 0, 3, 5, 1]  # of five; of the two with 5 the second has the shorter prompt
        prompts = [f"How much is {n} and {n * 7}{' in all' if n == 1 else ''}?" for n in range(len(right))]
        rows = [
            {"id": str(n), "prompt": prompts[n], "response": f"It is {n * 8}.", "right": right[n]} for n in range(6)
        ]
        (folder / "rated.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        made = run(
            "dataset={use: data/jsonl, with: {path: rated.jsonl}}",
            "curriculum={use: curriculum/difficulty}",
            "stages=[{use: sft, steps: 12, batch_size: 1, learning_rate: 1.0e-12}]",
        )
        losses = [_loss(made.path / "models" / "tiny", row["prompt"] + "\n", row["response"]) for row in rows]
        expected = [losses[at] for at in [4, 1, 3, 0, 5, 2] * 2]
        assert [row["loss"] for row in made.log("0-sft")] == pytest.approx(expected, rel=1e-4)


def _loss(folder, prompt, response):
    """Mean negative log-likelihood of a response and its end, computed here."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    start = tokenizer(prompt)["input_ids"]
    answer = [*tokenizer(response)["input_ids"], tokenizer.eos_token_id]
    with torch.no_grad():
        logits = model(torch.tensor([start + answer])).logits[0].log_softmax(-1)
    return -sum(logits[len(start) - 1 + i, token].item() for i, token in enumerate(answer)) / len(answer)


class TestTokens:
    @pytest.mark.parametrize(
        ("kind", "chat"),
        [
            ("gpt2", {}),
            ("llama", {}),
            ("llama", {"template": "<s>{% for m in messages %}[{{ m.content }}]{% endfor %}", "system": "Count."}),
            ("qwen2", {"thinking": False}),
        ],
        ids=["plain", "every text begins with a token", "so does the template", "chat"],
    )
    def test_a_prompt_has_the_same_ids_in_every_stage(self, run, model_folder, kind, chat):
        """And those of the evaluation: what `PromptFormat` says."""
        from rewardlab import Sample
        from rewardlab.recipe.evaluation import Chat
        from rewardlab_training import PromptFormat
        from rewardlab_trl.models import load_model

        chats = [f"stages.{n}.chat={json.dumps(chat)}" for n in (0, 1)]
        sft, rl = run(f"model={model_folder(kind)}", "stages.1.updates_per_batch=2", *chats).trainers
        policy = load_model(str(model_folder(kind)), "cpu")
        shape = PromptFormat(policy.tokenizer, Chat(**chat), policy.ends)
        for row in range(4):
            question = {"role": "user", "content": f"How much is {23 - row} + 1?"}
            ids = shape.tokens(shape.text(Sample(prompt=(question,))))
            taught = sft.train_dataset[row]
            assert taught["input_ids"][: len(ids)] == ids
            assert taught["labels"] == [-100] * len(ids) + taught["input_ids"][len(ids) :]
            prompts, mask = rl.seen[0]["prompt_ids"][4 * row], rl.seen[0]["prompt_mask"][4 * row]
            assert prompts[mask.bool()].tolist() == ids


class TestSampling:
    def test_it_is_the_recipes_and_not_the_models_own(self, run, model_folder, tmp_path):
        """The model's folder asks for top_k 1, a repetition penalty and more; without that nothing changes."""
        clean = shutil.copytree(model_folder("qwen2"), tmp_path / "clean")
        (clean / "generation_config.json").write_text(json.dumps({"eos_token_id": [2, 0], "pad_token_id": 0}))
        chat = "stages.0.chat.thinking=false"
        asked, not_asked = run(f"model={model_folder('qwen2')}", chat, *RL), run(f"model={clean}", chat, *RL)
        said = [row["completion"] for row in asked.ledger(step=1)]
        assert said == [row["completion"] for row in not_asked.ledger(step=1)]
        assert len(set(said[:4])) == 4

    def test_a_nucleus_and_the_likeliest_tokens_are_the_recipes(self, run):
        config = run("stages.1.top_p=0.9", "stages.1.top_k=5", *RL).trainers[-1].generation_config
        assert (config.top_p, config.top_k) == (0.9, 5)

    def test_the_temperature_is_that_of_the_loss_too(self, run):
        """TRL divides the logits by it, so that the ratio is that of what was sampled."""
        trainer = run("stages.1.temperature=0.5", *RL).trainers[-1]
        config = trainer.generation_config
        assert (config.temperature, config.top_k, config.top_p, config.min_p, config.repetition_penalty) == (
            0.5,
            0,
            1.0,
            None,
            1.0,
        )
        assert trainer.temperature == 0.5


class TestLoss:
    @pytest.mark.parametrize("loss", ["constant", "token_mean", pytest.param("seq_mean", marks=pytest.mark.nightly)])
    def test_of_an_on_policy_step_is_minus_the_advantages_averaged_as_it_says(self, run, loss):
        made = run(f"stages.1.loss={loss}", "stages.1.max_new_tokens=60", "stages.1.steps=1", *RL)
        seen = made.trainers[-1].seen[0]
        lengths = seen["completion_mask"].sum(1)
        assert len(set(lengths.tolist())) > 1
        by_length = (seen["advantages"] * lengths).sum().item()
        expected = {
            "constant": -by_length / (16 * 60),
            "token_mean": -by_length / lengths.sum().item(),
            "seq_mean": -seen["advantages"].mean().item(),
        }[loss]
        assert made.log("1-rl")[0]["loss"] == pytest.approx(expected, abs=1e-6)

    def test_the_clip_is_the_recipes(self, run):
        trainer = run("stages.1.clip=[0.1, 0.3]", *RL).trainers[-1]
        assert (trainer.epsilon_low, trainer.epsilon_high) == (0.1, 0.3)


class TestSizes:
    def test_micro_batches_add_up_to_the_batch(self, run):
        """Four forward passes instead of one: the same weights but for rounding."""
        whole, parts = run(), run("stages.0.micro_batch_size=2", "stages.1.micro_batch_size=4")
        assert distance(whole.weights("0-sft"), parts.weights("0-sft")) < 2e-5
        assert distance(whole.weights("1-rl"), parts.weights("1-rl")) < 2e-4
        assert distance(whole.weights("1-rl"), whole.weights("0-sft")) > 1e-3
        assert [r["completion"] for r in whole.ledger(step=1)] == [r["completion"] for r in parts.ledger(step=1)]

    @pytest.mark.nightly
    @pytest.mark.parametrize("loss", ["token_mean", "seq_mean"])
    def test_for_every_way_to_average(self, run, loss):
        whole = run(f"stages.1.loss={loss}", "stages.1.steps=1", "dataset.with.rows=23")
        parts = run(f"stages.1.loss={loss}", "stages.1.steps=1", "dataset.with.rows=23", "stages.1.micro_batch_size=4")
        assert whole.log("1-rl")[0]["grad_norm"] == pytest.approx(parts.log("1-rl")[0]["grad_norm"], rel=1e-4)

    def test_updates_split_a_batch(self, run):
        trainer = run("stages.1.updates_per_batch=2", "stages.1.micro_batch_size=4").trainers[-1]
        assert trainer.state.global_step == 6  # two updates in each of three steps
        assert len(trainer.seen) == 3  # and one generation
        assert "old_per_token_logps" in trainer.seen[0]  # the second update is off-policy: the ratio is not 1

    @pytest.mark.nightly
    def test_passes_take_the_same_completions_again(self, run):
        """Two passes of two updates each: four updates a step, one generation, and warm-up by steps all the same."""
        made = run("stages.1.updates_per_batch=2", "stages.1.epochs_per_batch=2", "stages.1.warmup_steps=2")
        trainer = made.trainers[-1]
        assert (trainer.state.global_step, len(trainer.seen)) == (12, 3)
        assert "old_per_token_logps" in trainer.seen[0]
        assert [row["step"] for row in made.ledger(index=0, stage=1)] == [1] * 4 + [2] * 4 + [3] * 4
        assert [row["learning_rate"] / 1e-3 for row in made.log("1-rl")] == pytest.approx([3 / 8, 7 / 8, 1], abs=1e-4)

    def test_on_policy_nothing_is_clipped(self, run):
        assert all(row["clip_ratio/region_mean"] == 0 for row in run().log("1-rl"))


class TestSchedule:
    @pytest.mark.nightly
    @pytest.mark.parametrize(
        ("schedule", "warmup", "rates"),
        [
            ("constant", 0, [1, 1, 1, 1]),
            ("constant", 2, [0, 0.5, 1, 1]),
            ("linear", 0, [1, 0.75, 0.5, 0.25]),
            ("linear", 2, [0, 0.5, 1, 0.5]),
            ("cosine", 0, [1, 0.8536, 0.5, 0.1464]),
        ],
    )
    def test_of_the_learning_rate(self, run, schedule, warmup, rates):
        made = run(f"stages.0.schedule={schedule}", f"stages.0.warmup_steps={warmup}", "--stage", "0")
        assert [row["learning_rate"] / 1e-3 for row in made.log("0-sft")] == pytest.approx(rates, abs=1e-4)

    @pytest.mark.nightly
    @pytest.mark.parametrize(("ratio", "rates"), [(0.5, [0, 0.5, 1, 1]), (0.3, [0, 0.5, 1, 1]), (0, [1, 1, 1, 1])])
    def test_a_share_of_the_steps_is_warm_up(self, run, ratio, rates):
        made = run(f"stages.0.warmup_ratio={ratio}", "--stage", "0")
        assert [row["learning_rate"] / 1e-3 for row in made.log("0-sft")] == pytest.approx(rates, abs=1e-4)

    def test_a_cosine_may_end_above_zero(self, run):
        made = run("stages.0.schedule=cosine", "stages.0.min_learning_rate=2.0e-4", "--stage", "0")
        rates = [row["learning_rate"] / 1e-3 for row in made.log("0-sft")]
        assert rates == pytest.approx([1, 0.2 + 0.8 * 0.8536, 0.6, 0.2 + 0.8 * 0.1464], abs=1e-4)

    def test_warm_up_counts_steps_of_the_recipe_not_updates(self, run):
        """The log of a step tells its last update's: of 0, 1/4 | 1/2, 3/4 | 1, 1 the second each."""
        made = run("stages.1.updates_per_batch=2", "stages.1.warmup_steps=2", "stages.1.steps=3", "--stage", "1")
        assert [row["learning_rate"] / 1e-3 for row in made.log("1-rl")] == pytest.approx([0.25, 0.75, 1], abs=1e-4)


class TestSeeds:
    def test_the_same_seed_gives_the_same_weights(self, run):
        first, again = run(), run("seed=0")
        for stage in ("tiny", "0-sft", "1-rl"):
            assert distance(first.weights(stage), again.weights(stage)) == 0

    def test_another_seed_gives_others(self, run):
        first, other = run(), run("seed=1")
        for stage in ("tiny", "0-sft", "1-rl"):
            assert distance(first.weights(stage), other.weights(stage)) > 1e-3
        assert first.ledger(step=1)[0]["completion"] != other.ledger(step=1)[0]["completion"]


class TestReference:
    def test_kl_is_measured_against_the_model_after_sft(self, run):
        made = run("stages.1.kl.coef=0.5")
        reference = made.trainers[-1].ref_model.state_dict()
        assert distance({n: reference[n] for n in made.weights("0-sft")}, made.weights("0-sft")) == 0
        assert distance(made.weights("0-sft"), made.weights("tiny")) > 1e-3
        kl = [row["kl"] for row in made.log("1-rl")]
        assert kl[0] == pytest.approx(0, abs=1e-7)
        assert kl[2] > 1e-5

    def test_without_a_coefficient_there_is_none(self, run):
        assert run().trainers[-1].ref_model is None
        assert "kl" not in run().log("1-rl")[0]

    @pytest.mark.nightly
    def test_a_greater_penalty_keeps_the_policy_nearer(self, run):
        loose, tight = run("stages.1.kl.coef=0.5"), run("stages.1.kl.coef=1000")
        assert tight.log("1-rl")[2]["kl"] < loose.log("1-rl")[2]["kl"] / 2


class TestAdvantages:
    @pytest.mark.parametrize(
        "algorithm",
        [
            "grpo",
            "dr_grpo",
            *(pytest.param(name, marks=pytest.mark.nightly) for name in ("rloo", "reinforce_baseline")),
        ],
    )
    def test_what_trl_trains_on_is_the_formula_of_the_ledgers_totals(self, run, algorithm):
        import numpy as np

        made = run(f"stages.1.algorithm={algorithm}")
        for step, output in enumerate(made.trainers[-1].seen, 1):
            totals = np.array([row["total"] for row in made.ledger(step=step)]).reshape(4, 4)
            centred = totals - totals.mean(axis=1, keepdims=True)
            expected = {
                "grpo": centred / (totals.std(axis=1, ddof=1, keepdims=True) + 1e-4),
                "dr_grpo": centred,
                "rloo": centred * 4 / 3,
                "reinforce_baseline": centred / (centred.std() + 1e-4),
            }[algorithm]
            np.testing.assert_allclose(output["advantages"].numpy(), expected.ravel(), atol=1e-5)

    def test_shaped_values_reach_dr_grpo_unchanged(self, run):
        made = run("reward.normalize=[toy/halved]")
        for step, output in enumerate(made.trainers[-1].seen, 1):
            rows = made.ledger(step=step)
            assert output["advantages"].tolist() == pytest.approx([row["shaped"] for row in rows], abs=1e-6)
            assert [row["shaped"] for row in rows] != pytest.approx([row["total"] for row in rows])

    @pytest.mark.nightly
    @pytest.mark.parametrize(("algorithm", "scale"), [("grpo", "group"), ("dr_grpo", "none")])
    def test_it_trains_as_stock_trl_does_by_itself(self, run, algorithm, scale):
        """The same rewards through a GRPOTrainer as it is, which makes its own advantages and tokens."""
        made = run(
            f"stages.1.algorithm={algorithm}",
            "dataset={use: data/jsonl, with: {path: same.jsonl}}",
            "stages.1.steps=2",
        )
        stock = _stock(made, scale)
        ours = made.trainers[-1]
        for mine, theirs in zip(ours.seen, stock.seen, strict=True):
            assert mine["completion_ids"].equal(theirs["completion_ids"])
            assert mine["advantages"].tolist() == pytest.approx(theirs["advantages"].tolist(), abs=1e-5)
        weights = {name: tensor for name, tensor in stock.model.state_dict().items() if name in made.weights("1-rl")}
        assert distance(made.weights("1-rl"), weights) < 2e-5
        assert distance(made.weights("1-rl"), made.weights("0-sft")) > 1e-3


def _stock(made, scale):
    """GRPOTrainer as TRL ships it, with the arguments of a run but its own scaling of rewards."""
    from dataclasses import replace

    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer, PrinterCallback
    from trl import GRPOTrainer

    def reward(completions, **_):
        letters = [sum(map(str.isalpha, text)) / max(1, len(text)) for text in completions]
        return [a + min(1.0, 2 / max(1, len(text.split()))) for a, text in zip(letters, completions, strict=True)]

    source = made.path / "models" / "0-sft"
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(source),
        reward_funcs=reward,
        args=replace(
            made.trainers[-1].args,
            output_dir=str(made.path / "stock"),  # the run's own is relative to where it ran
            scale_rewards=scale,
            generation_batch_size=None,
            save_strategy="no",
        ),
        train_dataset=Dataset.from_list([{"prompt": "How much?\n"}] * 8),
        processing_class=AutoTokenizer.from_pretrained(source),
    )
    trainer.remove_callback(PrinterCallback)
    _watch(trainer)
    trainer.train()
    return trainer


class TestTruncated:
    def test_zero_gives_cut_completions_a_total_of_0(self, run):
        rows = run("stages.1.on_truncated=zero", "stages.1.steps=6").ledger(stage=1)
        assert {row["truncated"] for row in rows} == {True, False}
        assert all((row["total"] == 0) == row["truncated"] for row in rows)

    def test_mask_leaves_them_out_of_the_loss(self, run):
        """Where all are cut nothing is learnt."""
        made = run("stages.1.on_truncated=mask", "stages.1.max_new_tokens=1")
        cut = [row["completions/clipped_ratio"] for row in made.log("1-rl")]
        assert cut == [1, 1, 1]
        assert distance(made.weights("1-rl"), made.weights("0-sft")) == 0

    def test_cut_is_what_has_not_ended_at_max_new_tokens(self, run):
        rows = run("stages.1.on_truncated=zero", "stages.1.steps=6").ledger()
        assert {row["tokens"] for row in rows if row["truncated"]} == {10}
        assert max(row["tokens"] for row in rows) == 10

    def test_keep_scores_them_as_they_are(self, run):
        rows = run().ledger(truncated=True)
        assert rows
        assert all(row["total"] > 0 for row in rows)


CAP = 12
SAMPLED = (
    "stages.1.temperature=1.3",
    "reward.components.letters={use: toy/letters}",
    "reward.total=brevity",
    "reward.normalize=[normalize/std]",
    "curriculum={use: curriculum/balanced, with: "
    f"{{reasoning: letters, answer: brevity, threshold: 0.6, exit: positive, round: 4, cap: {CAP}}}}}",
)


class TestGroupSampler:
    """Groups of a group sampler, from rounds of TRL's own generation."""

    def test_each_prompt_is_sampled_until_the_sampler_has_enough(self, run):
        made = run(*SAMPLED)
        for kept, pool in _pools(made):
            right = [all(row["components"][name]["value"] >= 0.6 for name in ("letters", "brevity")) for row in pool]
            assert any(right) or len(pool) == CAP
            assert any(right) == any(
                all(row["components"][n]["value"] >= 0.6 for n in row["components"]) for row in kept
            )
        assert len({len(pool) for _, pool in _pools(made)}) > 1

    def test_what_is_chosen_is_trained_on_and_the_pool_gives_the_moments(self, run):
        made = run(*SAMPLED)
        trainer = made.trainers[-1]
        for step, seen in enumerate(trainer.seen, 1):
            chosen = made.ledger(stage=1, step=step, trained="yes")
            texts = trainer.processing_class.batch_decode(seen["completion_ids"], skip_special_tokens=True)
            assert texts == [row["completion"] for row in chosen]
            # less the mean of the pool, and no other
            assert seen["advantages"].tolist() == pytest.approx([row["shaped"] for row in chosen], abs=1e-5)
        assert any(abs(statistics.fmean(row["shaped"] for row in kept)) > 0.1 for kept, _ in _pools(made))
        for kept, pool in _pools(made):
            totals = [row["components"]["brevity"]["value"] for row in pool]
            mean, spread = statistics.fmean(totals), statistics.pstdev(totals)
            expected = [(row["total"] - mean) / (spread + 1e-6) if spread else 0 for row in kept]
            assert [row["shaped"] for row in kept] == pytest.approx(expected, abs=1e-6)

    def test_the_log_has_the_completions_a_prompt(self, run):
        made = run(*SAMPLED)
        pools = _pools(made)
        sizes = [sum(len(pool) for _, pool in pools[start : start + 4]) / 4 for start in range(0, len(pools), 4)]
        assert [row["group/sampled"] for row in made.log("1-rl")] == sizes


def _pools(made):
    """The (chosen rows, all rows) of each prompt of each step."""
    pools = []
    for step in sorted({row["step"] for row in made.ledger(stage=1)}):
        chosen = {}
        for row in made.ledger(stage=1, step=step, trained="yes"):
            chosen.setdefault(row["id"], []).append(row)
        for prompt, kept in chosen.items():
            pools.append((kept, [*kept, *made.ledger(stage=1, step=step, trained="no", id=prompt)]))
    return pools


class TestLengthFactor:
    """normalize/length makes TRL's loss the mean over each group's tokens; on-policy, a token's loss is -advantage."""

    @pytest.mark.parametrize("loss", ["constant", pytest.param("token_mean", marks=pytest.mark.nightly)])
    def test_the_loss_is_that_of_the_paper(self, run, loss):
        longest, prompts, size = 10, 4, 4
        length = f"{{use: normalize/length, with: {{reference_length: {longest}}}}}"
        made = run(f"reward.normalize=[normalize/std, {length}]", f"stages.1.loss={loss}", "stages.1.steps=6")
        assert len({row["tokens"] for row in made.ledger(stage=1)}) > 2
        for step, told in enumerate(made.log("1-rl"), 1):
            rows = made.ledger(stage=1, step=step)
            means = [_mean_over_tokens(rows[start : start + size]) for start in range(0, len(rows), size)]
            factor = 1 if loss == "constant" else prompts * size * longest / sum(row["tokens"] for row in rows)
            assert told["loss"] == pytest.approx(-factor * statistics.fmean(means), abs=2e-5)
        assert max(abs(told["loss"]) for told in made.log("1-rl")) > 0.01


def _mean_over_tokens(group):
    """The mean of a group's standardized totals over its tokens: appendix G of SGCM where the ratio is 1."""
    totals = [row["total"] for row in group]
    mean, spread = statistics.fmean(totals), statistics.pstdev(totals)
    advantages = [(total - mean) / (spread + 1e-6) if spread else 0 for total in totals]
    return sum(a * row["tokens"] for a, row in zip(advantages, group, strict=True)) / sum(r["tokens"] for r in group)


class TestFlatGroups:
    """Answers whose brevity counts up to a point: groups that all get there do not teach, though totals differ."""

    flat = (
        "reward.components.brevity={use: toy/brevity, with: {words: 3}}",
        "reward.components.letters={use: toy/letters}",
        "reward.total=brevity + 0.1 * letters",
        "stages.1.loss=token_mean",
        "stages.1.kl={coef: 0.1, in: loss, estimator: k3}",
        "stages.1.steps=6",
        "stages.1.learning_rate=0.01",
    )
    dropped = "reward.teach={flat: drop, by: brevity}"

    def test_they_are_left_out_of_the_loss_and_its_mean(self, run):
        made = run(*self.flat, self.dropped)
        shares = [row["group/dropped"] for row in made.log("1-rl")]
        assert min(shares) < 1
        assert max(shares) > 0
        for step, (seen, share) in enumerate(zip(made.trainers[-1].seen, shares, strict=True), 1):
            tokens = seen["completion_mask"].sum(1).tolist()
            groups = [tokens[start : start + 4] for start in range(0, len(tokens), 4)]
            assert sum(not any(group) for group in groups) == share * len(groups)
            assert seen["num_items_in_batch"] == sum(tokens)
            trained, dropped = (made.ledger(stage=1, step=step, trained=word) for word in ("yes", "no"))
            assert sum(tokens) == sum(row["tokens"] for row in trained)
            assert len(dropped) == share * len(tokens)
            assert {row["left_out"] for row in dropped} <= {"flat in brevity"}
            assert not any("left_out" in row for row in trained)
            assert not any(adv for adv, count in zip(seen["advantages"].tolist(), tokens, strict=True) if not count)

    def test_kept_they_count(self, run):
        made = run(*self.flat, "reward.total=min(brevity, 0.3)")
        assert any(row["reward/groups_without_variance"] > 0 for row in made.log("1-rl"))
        assert "group/dropped" not in made.log("1-rl")[0]
        for step, seen in enumerate(made.trainers[-1].seen, 1):
            assert seen["num_items_in_batch"] == sum(row["tokens"] for row in made.ledger(stage=1, step=step))

    def test_a_step_without_any_other_learns_nothing(self, run):
        made = run(*self.flat, "reward.components.same={use: math/accuracy}", "reward.teach={flat: drop, by: same}")
        assert distance(made.weights("1-rl"), made.weights("0-sft")) == 0


class TestDropout:
    def test_the_policy_that_learns_is_the_one_that_was_sampled(self, run, model_folder):
        """GPT-2 comes with dropout."""
        made = run(f"model={model_folder('gpt2')}", "stages.1.updates_per_batch=2", "stages.1.learning_rate=1e-12")
        modules = made.trainers[-1].model.modules()
        assert {module.p for module in modules if type(module).__name__ == "Dropout"} == {0}

    def test_it_stays_in_the_model(self, run, model_folder):
        made = run(f"model={model_folder('gpt2')}", "stages.1.updates_per_batch=2", "stages.1.learning_rate=1e-12")
        assert json.loads((made.path / "models" / "1-rl" / "config.json").read_text())["resid_pdrop"] == 0.1
