"""What `run --dry-run` prints for the openrlhf backend."""

import shlex

import pytest

RECIPE = """
    version: 1
    name: made
    model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64, context: 256}
    dataset: {use: toy/counting, with: {rows: 32}, holdout: 0.2}
    reward:
      components: {brevity: {use: toy/brevity}}
      total: brevity
    stages:
      - {use: sft, steps: 2, batch_size: 8}
      - {use: rl, algorithm: dr_grpo, group_size: 4, batch_size: 8, steps: 4, max_new_tokens: 12}
    backend: {use: openrlhf, gpus_per_node: 4}
"""


@pytest.fixture
def dry_run(main, write):
    """The plan as text, of the recipe with some overrides."""
    write("r.yaml", RECIPE)

    def run(*overrides):
        code, out, err = main("run", "r.yaml", "--dry-run", *overrides)
        assert code == 0, err
        return out

    return run


def commands(text):
    """The commands in it, as a shell splits them."""
    lines = [line.strip() for line in text.splitlines() if line.startswith(("  python -m", "    --"))]
    return [shlex.split(f"python {part}") for part in " ".join(lines).replace("\\ ", "").split("python ")[1:]]


def test_it_starts_nothing(dry_run, tmp_path):
    dry_run()
    assert not (tmp_path / "runs").exists()


def test_every_stage_shows_its_exact_command(dry_run):
    sft, rl = commands(dry_run())
    assert sft[1:7] == ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "4", "-m"]
    assert sft[7] == "openrlhf.cli.train_sft"
    assert sft[-2:] == ["--data.input_template", ""]
    assert rl[1:3] == ["-m", "openrlhf.cli.train_ppo_ray"]
    assert rl[rl.index("--data.prompt_dataset") + 1] == "runs/made-TIME/engine/1-rl/rows.jsonl"
    assert rl[rl.index("--rollout.batch_size") + 1] == "8"


def test_a_stage_starts_from_the_one_before(dry_run):
    sft, rl = commands(dry_run())
    assert sft[sft.index("--model.model_name_or_path") + 1] == "runs/made-TIME/models/tiny"
    assert rl[rl.index("--actor.model_name_or_path") + 1] == "runs/made-TIME/models/0-sft"


def test_of_several_stages_before_it_is_the_last(dry_run):
    two = "stages=[{use: sft, steps: 1, batch_size: 4}, {use: sft, steps: 1, batch_size: 4}]"
    assert "--model.model_name_or_path runs/made-TIME/models/0-sft" in dry_run(two)
    three = two.replace("]", ", {use: sft, steps: 1, batch_size: 4}]")
    assert "--model.model_name_or_path runs/made-TIME/models/1-sft" in dry_run(three)


def test_a_folder_that_every_node_sees_is_where_the_run_will_be(dry_run):
    assert "--ckpt.path /shared/made-TIME/checkpoints/1-rl" in dry_run("backend.engine.storage=/shared")


def test_what_only_the_prompts_tell_is_a_word(dry_run):
    assert "--data.max_len MAX_PROMPT_LENGTH+12" in dry_run()
    assert "--data.max_len 112" in dry_run("stages.1.max_prompt_tokens=100")


def test_steps_follow_from_the_rows_where_these_can_be_counted(dry_run):
    out = dry_run("stages.1.steps=null", "stages.1.epochs=2", "dataset.holdout=0", "dataset.with.rows=32")
    assert "8 steps, if every row's prompt fits" in out
    assert "--data.max_samples 64" in out


class TestRowsThatCannotBeCountedYet:
    """The command is there all the same, with words in place of the numbers that follow from the rows."""

    WRITTEN = "{use: data, dataset: {use: toy/counting}, to: later.jsonl}"
    LATER = "{use: data/jsonl, with: {path: later.jsonl}}"

    def test_of_a_file_that_a_stage_before_will_write(self, dry_run):
        stage = f"{{use: sft, batch_size: 8, epochs: 2, dataset: {self.LATER}}}"
        out = dry_run(f"stages=[{self.WRITTEN}, {stage}]")
        (sft,) = commands(out)
        assert sft[sft.index("--data.max_samples") + 1] == "ROWS"
        assert sft[sft.index("--lr_warmup_ratio") + 1] == "0.0", "no warm-up, whatever the number of steps"
        assert (
            "  the rows of data/jsonl cannot be counted yet: STEPS stands for the rows that fit x 2 / 8, rounded up; "
            "ROWS for STEPS x 8\n"
        ) in out
        assert "steps, if every row's prompt fits" not in out

    def test_a_share_of_steps_that_are_not_known_yet_stands_as_it_is(self, dry_run):
        hub = "{use: data/hub, with: {path: a/b, rows: 500}, fields: {prompt: question}}"
        out = dry_run(f"stages=[{{use: sft, batch_size: 8, warmup_ratio: 0.1, dataset: {hub}}}]")
        (sft,) = commands(out)
        assert sft[sft.index("--lr_warmup_ratio") + 1] == "0.1"
        assert sft[sft.index("--lr_scheduler") + 1] == "constant_with_warmup"
        assert "warm-up over 0.1 of the steps" in out

    def test_of_a_dataset_that_is_not_on_this_machine(self, dry_run):
        hub = "{use: data/hub, with: {path: a/b, rows: 500}, fields: {prompt: question}}"
        stage = f"{{use: sft, batch_size: 8, warmup_steps: 5, dataset: {hub}}}"
        out = dry_run(f"stages=[{stage}]")
        (sft,) = commands(out)
        assert sft[sft.index("--data.max_samples") + 1] == "ROWS"
        assert sft[sft.index("--lr_warmup_ratio") + 1] == "5/UPDATES"
        assert (
            "the rows of data/hub cannot be counted yet: STEPS stands for the rows that fit x 1 / 8, rounded up" in out
        )
        assert "; UPDATES for STEPS x 1\n" in out

    def test_in_rl_also_what_is_said_in_steps_and_updates(self, dry_run):
        stage = "{use: rl, algorithm: ppo, group_size: 4, batch_size: 8, max_new_tokens: 12, updates_per_batch: 2"
        stage += f", warmup_steps: 3, critic: {{warmup_steps: 7}}, eval: {{}}, dataset: {self.LATER}}}"
        (rl,) = commands(out := dry_run(f"stages=[{self.WRITTEN}, {stage}]"))
        assert rl[rl.index("--data.max_samples") + 1] == "ROWS"
        assert rl[rl.index("--eval.steps") + 1] == "STEPS"
        assert rl[rl.index("--actor.lr_warmup_ratio") + 1] == "6/UPDATES"
        assert rl[rl.index("--critic.lr_warmup_ratio") + 1] == "7/UPDATES"
        assert "ROWS for STEPS x 8, or the prompts to evaluate on if these are more; UPDATES for STEPS x 2\n" in out

    def test_changes_nothing_where_the_recipe_gives_the_steps(self, dry_run):
        stage = f"{{use: sft, batch_size: 8, steps: 3, dataset: {self.LATER}}}"
        out = dry_run(f"stages=[{self.WRITTEN}, {stage}]")
        (sft,) = commands(out)
        assert sft[sft.index("--data.max_samples") + 1] == "24"
        assert "cannot be counted" not in out


def test_of_one_stage_alone(dry_run):
    whole, second = dry_run(), dry_run("--stage", "1")
    head, _, rest = whole.partition("stage 0: sft\n")
    assert second == head + rest[rest.index("stage 1: rl\n") :]
    (rl,) = commands(second)
    assert rl[rl.index("--actor.model_name_or_path") + 1] == "runs/made-TIME/models/0-sft", "it starts where it would"


def test_every_data_step_is_named_in_the_order_of_its_work_also_one_that_asks_nobody(dry_run):
    source = "{use: data/hub, with: {path: a/b, rows: 500}, fields: {prompt: question}}"
    near = f"{{use: embed/distinct, with: {{model: m, against: [e.jsonl], threshold: 0.9}}, from: {source}}}"
    asked = f"{{use: language/translated, with: {{translator: t, kind: question, candidates: 1}}, from: {near}}}"
    stages = f"stages=[{{use: data, to: made.jsonl, dataset: {asked}}}]"
    lines = dry_run("judges.t={use: pairwise/overlap}", stages).splitlines()
    at = lines.index("stage 0: data")
    assert lines[at + 1 :] == [
        "  language/translated to made.jsonl",
        "  embed/distinct from data/hub",
        "  language/translated from embed/distinct",
        "    asks t up to 500 questions for 500 rows that it starts from",
    ]
    alone = dry_run(f"stages=[{{use: data, to: made.jsonl, dataset: {near}}}]")
    assert alone.endswith("  embed/distinct to made.jsonl\n  embed/distinct from data/hub\n")


class TestResources:
    def test_shared_in_turn(self, dry_run):
        out = dry_run("stages.1.algorithm=ppo", "stages.1.kl.coef=0.1", "backend.nodes=2")
        shared = "8 trainer rank(s) that share theirs with the reference and the critic and 8 rollout engine(s) of 1"
        assert f"GPUs: 8 on 2 node(s): {shared}" in out
        assert "GPUs: 8 on 2 node(s): 8 trainer rank(s)\n" in out
        assert "GPUs: 4 on 1 of 2 node(s): 4 trainer rank(s)\n" in dry_run("backend.nodes=2", "stages.0.batch_size=4")

    def test_apart(self, dry_run):
        scorers = "backend.scorers={replicas: 2, num_gpus: 0.5}"
        engine = "backend.engine={colocate: false, engines: 2, tensor_parallel: 2}"
        out = dry_run("stages.1.kl.coef=0.1", "backend.gpus_per_node=8", scorers, engine, "stages.1.batch_size=6")
        apart = "3 trainer rank(s) that share theirs with the reference, 4 for 2 rollout engine(s) of 2"
        assert f"GPUs: 8 on 1 node(s): {apart}, 1 for 2 scorer(s)\n" in out

    def test_idle_ones_are_said(self, dry_run):
        assert "2 idle" in dry_run("backend.engine.engines=2")


class TestDifferences:
    def test_a_loss_left_open_is_the_nearest_to_the_paper(self, dry_run):
        assert "the paper divides by a constant length, this by the update's tokens" in dry_run()
        assert "loss seq_mean (OpenRLHF's seq-mean-token-mean), the nearest" in dry_run("stages.1.algorithm=grpo")
        assert "loss seq_mean (OpenRLHF's seq-mean-token-mean)\n" in dry_run("stages.1.loss=seq_mean")

    def test_a_clip_without_effect(self, dry_run):
        assert "without effect: one update a batch" in dry_run()
        assert "without effect" not in dry_run("stages.1.updates_per_batch=2")

    def test_what_the_kl_refers_to(self, dry_run):
        out = dry_run("stages.1.kl={coef: 0.1, in: reward, estimator: k1}")
        assert "KL 0.1 in the reward (k1), against the model as this stage finds it" in out
        out = dry_run("stages.1.kl={coef: 0.1, in: loss, estimator: k1}")
        assert "KL 0.1 in the loss (k1, which has no effect on average: use k2 or k3)" in out

    def test_gpus_that_scorers_hold_beside_theirs(self, dry_run):
        scorers, engine = "backend.scorers={num_gpus: 1}", "backend.engine={tensor_parallel: 2, engines: 3}"
        out = dry_run(scorers, engine, "backend.nodes=2", "stages.1.batch_size=6")
        assert "1 for 1 scorer(s) (and 1 beside them idle: less than an engine of one node needs)\n" in out

    def test_that_it_is_averaged_over_tokens_with_any_loss(self, dry_run):
        assert "KL 0.1 in the loss (k3), against the model" in dry_run("stages.1.kl.coef=0.1")
        out = dry_run("stages.1.kl.coef=0.1", "stages.1.loss=seq_mean")
        assert "KL 0.1 in the loss (k3), averaged over the update's tokens though the loss is not, against" in out

    def test_openrlhfs_clip_of_rewards_never_acts(self, dry_run):
        assert "clip of rewards is set to [-1.01, 1.01], beyond every value that they can have" in dry_run()

    @pytest.mark.parametrize(
        ("overrides", "when"),
        [
            (["stages.1.eval={}"], "before the first step and after the last step: 8 completions a prompt of "),
            (["stages.1.eval={}", "stages.1.eval_before=false"], "after the last step: 8"),
            (
                ["stages.1.eval={}", "stages.1.eval_every=3"],
                "before the first step, every 3 steps and after the last step: 8",
            ),
        ],
    )
    def test_when_it_is_evaluated(self, dry_run, overrides, when):
        assert f"evaluated {when}" in dry_run(*overrides)

    def test_asynchronous_training(self, dry_run):
        out = dry_run("backend.engine={colocate: false, asynchronous: {queue: 2, partial_rollouts: true}}")
        assert "completions are from weights up to 2 step(s) older, and change in the middle of completions" in out
        out = dry_run("backend.engine={colocate: false, asynchronous: {}, generate_batch: 24}")
        assert "up to 3 step(s) older\n" in out

    def test_groups_in_whose_place_others_are_generated(self, dry_run):
        teach = "reward.teach={flat: replace, by: brevity, between: [0.1, 0.9]}"
        out = dry_run(teach, "backend.engine.rollout_micro_batch_size=1")
        assert (
            "groups whose brevity is equal for all, or has a mean that is not between 0.1 and 0.9, are left out" in out
        )
        assert "its steps become fewer" in out


def test_from_where_an_interrupted_stage_goes_on(dry_run):
    out = dry_run("stages.1.save_every=2")
    assert out.count("no checkpoint before its end: an interrupted stage begins anew (save_every)") == 1
    assert out.count("a checkpoint every 2 steps, from which an interrupted stage goes on") == 1


def test_where_it_will_run(dry_run, monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert "on the Ray cluster at http://head:8265" in dry_run("backend.address=http://head:8265")
    assert "on this machine (backend.address or RAY_ADDRESS would name a Ray cluster)" in dry_run()
    assert "on a Ray cluster, which backend.address or RAY_ADDRESS must name" in dry_run("backend.nodes=2")
    monkeypatch.setenv("RAY_ADDRESS", "http://other:8265")
    assert "on the Ray cluster at http://other:8265" in dry_run()


def test_the_key_of_a_tracker_is_not_printed(dry_run, monkeypatch):
    monkeypatch.setenv("WANDB_API_KEY", "s3cret")
    out = dry_run("backend.engine.wandb=project")
    assert "Weights & Biases: project project, key from WANDB_API_KEY on the nodes" in out
    assert "s3cret" not in out


def test_supervised_stages_have_one_tracker(dry_run):
    out = dry_run("backend.engine.wandb=project", "backend.tensorboard=true")
    assert out.count("no TensorBoard in this stage") == 1


def test_ways_to_say_a_micro_batch(dry_run):
    assert "micro-batches of up to 8192 tokens" in dry_run()
    assert "micro-batches of 4 completions" in dry_run("backend.engine={packing: false, attention: sdpa}")
    assert "micro-batches of up to 4096 tokens" in dry_run("backend.engine.tokens_per_gpu=4096")


def test_what_is_passed_on_is_said_with_what_it_does(dry_run):
    out = dry_run("backend.engine.arguments={actor.entropy_coef: 0.001, ds.load_in_4bit: true}")
    assert "passed to OpenRLHF: actor.entropy_coef: 0.001 (a term of the loss for the entropy, as with" in out
    assert out.count("passed to OpenRLHF: ds.load_in_4bit: true") == 1, "of sft alone"
    assert "passed to OpenRLHF" not in dry_run()
