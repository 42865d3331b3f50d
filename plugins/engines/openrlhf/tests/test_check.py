"""What the openrlhf backend says of a recipe before anything is loaded."""

from importlib.util import find_spec

import pytest
from helpers.each_case import each_case
from rewardlab_openrlhf.check.recipe_findings import MAX_PROMPTS
from rewardlab_openrlhf.engine_arguments import WHEEL
from rewardlab_ray.job.engine import installed_version

RECIPE = """
    version: 1
    model: org/model
    dataset: {use: toy/counting, with: {rows: 32}, holdout: 0.2}
    reward:
      components: {brevity: {use: toy/brevity}}
      total: brevity
    stages:
      - {use: sft, steps: 2, batch_size: 8}
      - {use: rl, algorithm: dr_grpo, group_size: 4, batch_size: 6, steps: 4, max_new_tokens: 12}
    backend: {use: openrlhf, gpus_per_node: 4}
"""

JUDGE = '{use: openai/chat, concurrency: 2, with: {model: m, base_url: "http://localhost:1/v1", max_tokens: 9}}'
JUDGED = "{use: pairwise/win_rate, with: {judge: main}}"


def test_the_recipe_itself_is_fine(problems):
    assert problems() == {}


REFUSED = [
    # what OpenRLHF has nothing for
    (["stages.1.loss=constant"], "stages.1.loss", "the nearest is token_mean, by the update's tokens"),
    (["stages.1.on_truncated=mask"], "stages.1.on_truncated", "zero is the nearest"),
    (
        ["backend.engine.dynamic_filtering=[0, 0.9]"],
        "backend.engine.dynamic_filtering",
        "write reward.teach: {flat: replace} in its place, and in it the outcome as `by`, bounds of its mean",
    ),
    (
        ["reward.teach={flat: drop, by: brevity}"],
        "reward.teach.flat",
        "cannot drop flat groups; the nearest is replace",
    ),
    (["stages.0={use: eval}"], "stages.0", "use `eval:` in an rl stage"),
    (["backend.precision=fp32"], "backend.precision", "'fp32' is not allowed; there is 'bf16'"),
    (["backend.device=cuda"], "backend.device", "is for trl"),
    (["backend.engine.lora={rank: 8}"], "backend.engine.lora", "under names that vLLM does not know"),
    # what leads nowhere
    (["stages.1.group_size=1", "stages.1.batch_size=8"], "stages.1.group_size", "every advantage would be 0"),
    (["stages.1.critic={gamma: 0.9}"], "stages.1.critic", "is for ppo; dr_grpo has none"),
    (["stages.1.eval_every=1"], "stages.1.eval_every", "needs `eval:`"),
    (["stages.1.eval={benchmark: ../x}"], "stages.1.eval.benchmark", "cannot be part of a file's name"),
    (["stages.0.chat.template='{% if %}'"], "stages.0.chat.template", "line 1: TemplateSyntaxError"),
    (["model=./nowhere"], "model", "there is no such folder"),
    (["name='a,b'"], "name", "',' in a path has a meaning of its own"),
    (["backend.engine.storage=/shared/a@b"], "backend.engine.storage", "'@' in a path has a meaning of its own"),
    # GPUs
    (["backend.gpus_per_node=null"], "backend.gpus_per_node", "say how many GPUs each node has"),
    (["backend.engine.engines=5"], "backend.engine.engines", "5 engines of 1 take 5 GPUs, and there are 4"),
    (["backend.scorers.num_gpus=4"], "backend.scorers.num_gpus", "leave none to train on"),
    # judges
    (
        [f"judges.main={JUDGE}", f"reward.components.judged={JUDGED}", "backend.scorers.replicas=3"],
        "judges.main",
        "concurrency 2 cannot be divided between 3 processes; let at most 2 ask it, or raise the limit",
    ),
    # batches
    (["stages.0.batch_size=6"], "stages.0.batch_size", "6 rows do not divide over 4 ranks; 6 divides by 1, 2, 3, 6"),
    (["stages.1.batch_size=5", "stages.1.group_size=2"], "stages.1.batch_size", "10 completions do not divide over 4"),
    (["stages.1.updates_per_batch=5"], "stages.1.updates_per_batch", "6 prompts x 4 = 24 completions do not divide"),
    (["stages.1.updates_per_batch=4"], "stages.1.batch_size", "6 completions an update do not divide over 4 ranks"),
    (["stages.0.micro_batch_size=4"], "stages.0.micro_batch_size", "8 rows are 2 on each of 4 ranks"),
    (["stages.1.micro_batch_size=4"], "stages.1.micro_batch_size", "24 completions are 6 on each of 4 ranks"),
    (
        ["backend.engine.rollout_micro_batch_size=4"],
        "stages.1.batch_size",
        "backend.engine.rollout_micro_batch_size, 4",
    ),
    # the engine's settings among themselves
    (["backend.engine.attention=eager"], "backend.engine.packing", "needs flash attention, not eager"),
    (["backend.engine={packing: false, ring_attention: 2}"], "backend.engine.ring_attention", "needs packing"),
    (["backend.engine.asynchronous={}"], "backend.engine.asynchronous", "GPUs of their own; set colocate: false"),
    (["backend.engine.generate_batch=9"], "backend.engine.generate_batch", "needs `asynchronous`, whose queue"),
    (["backend.engine.zero_stage=0"], "backend.engine.zero_stage", "use 1 or more, sleep: false"),
    (["backend.engine.context=12"], "backend.engine.context", "leaves no room for a prompt besides 12 new tokens"),
    (["backend.engine.offload_reference=true"], "backend.engine.offload_reference", "no stage has a reference"),
    (
        ["backend.engine.offload_reference=true", "stages.1.kl.coef=0.1"],
        "backend.engine.offload_reference",
        "needs zero_stage: 3",
    ),
    (
        ["backend.engine.context=99", "model={use: tiny, context: 98}"],
        "backend.engine.context",
        "99 is more than the model's, 98 tokens",
    ),
    (
        ["backend.engine={colocate: false, asynchronous: {}, generate_batch: 5}"],
        "backend.engine.generate_batch",
        "less than a step of 6",
    ),
    (
        ["backend.engine.correction={level: seq, mode: clip}"],
        "backend.engine.correction.mode",
        "clip goes with level: token and gating: ratio only",
    ),
    (
        ["backend.engine.correction={gating: binary_kl}"],
        "backend.engine.correction.bounds",
        "an upper bound only, such as [0.05]",
    ),
    (["backend.engine.correction={bounds: [5, 1]}"], "backend.engine.correction.bounds", "lower must be less"),
    (
        ["backend.engine={rollout_micro_batch_size: 6}", "reward.teach={flat: replace, by: brevity}"],
        "reward.teach",
        "its 4 completions must divide into 24",
    ),
    (
        [
            "backend.nodes=2",
            "backend.engine={tokens_per_gpu: 99}",
            "reward.teach={flat: replace, by: brevity}",
            "stages.0.batch_size=8",
        ],
        "reward.teach",
        "must divide into 8: a micro-batch",
    ),
    (
        ["stages.1.importance_sampling_level=sequence"],
        "stages.1.importance_sampling_level",
        "averages a loss with ratios of whole completions by completion: set loss: seq_mean",
    ),
    (
        [
            "stages.1={use: rl, preset: gspo, batch_size: 8, steps: 4}",
            "backend.engine.arguments={actor.policy_loss_type: gspo}",
        ],
        "stages.1.importance_sampling_level",
        "backend.engine.arguments has actor.policy_loss_type, too",
    ),
    (
        ["stages.1.entropy_coef=0.1", "backend.engine.arguments={actor.entropy_coef: 0.1}"],
        "stages.1.entropy_coef",
        "backend.engine.arguments has actor.entropy_coef, too",
    ),
    (["stages.1.loss=cispo"], "stages.1.loss", "the backend openrlhf has no cispo; trl and verl have it"),
    (["stages.1.arguments={a: 1}"], "stages.1.arguments", "has no arguments; its own settings stand under `backend`"),
    # further arguments
    (
        ["backend.engine.arguments={actor.adam.lr: 1}"],
        "backend.engine.arguments.actor.adam.lr",
        "the recipe says it, `stages.N.learning_rate`",
    ),
    (
        ["backend.engine.arguments={actor.entropy_coeff: 1}"],
        "backend.engine.arguments.actor.entropy_coeff",
        "did you mean 'actor.entropy_coef'?",
    ),
    (["backend.engine.arguments={--use_ms: true}"], "backend.engine.arguments.--use_ms", "without dashes, use_ms"),
    (
        ["backend.engine.arguments={ds.overlap_comm: 1}"],
        "backend.engine.arguments.ds.overlap_comm",
        "takes true (or leave it out), not 1",
    ),
    (["backend.engine.arguments={ds.zpg: true}"], "backend.engine.arguments.ds.zpg", "takes a whole number, not true"),
    *(
        ([f"backend.engine.arguments={{{name}: {value}}}"], f"backend.engine.arguments.{name}", told)
        for name, value, told in (
            (
                "actor.policy_loss_type",
                "cispo",
                "takes ppo or gspo, not 'cispo'; trl and verl have it, as `loss: cispo`",
            ),
            ("actor.policy_loss_type", "gspoo", "did you mean 'gspo'?"),
            ("actor.policy_loss_type", "1", "takes ppo or gspo, not '1'"),
            ("actor.optim", "adamw", "takes adam or muon, not 'adamw'; did you mean 'adam'?"),
            ("ds.experts_implementation", "fast", "takes eager or batched_mm or grouped_mm or deepgemm, not 'fast'"),
            ("actor.entropy_coef", "much", 'takes a number, not "much"'),
            ("actor.entropy_coef", "true", "takes a number, not true"),
            ("actor.entropy_coef", "[0.1]", "takes a number, not [0.1]"),
            ("critic.freezing_steps", "2.5", "takes a whole number, not 2.5"),
            ("train.enable_ema", "false", "takes true (or leave it out), not false"),
            ("vllm.max_num_seqs", "256", "has none of that name; verl has actor_rollout_ref.rollout.max_num_seqs"),
            ("vllm.max_num_batched_tokens", "8192", "verl has actor_rollout_ref.rollout.max_num_batched_tokens"),
            ("vllm.quantization", "fp8", "verl has actor_rollout_ref.rollout.quantization"),
            ("algo.advantage.estimator", "rloo", "the recipe says it, `stages.N.algorithm`"),
            ("train.num_episodes", "2", "rewardlab sets 1: the rows of all `epochs` stand in the stage's file"),
            ("data.apply_chat_template", "true", "prompts are whole texts already"),
            ("data.image_key", "images", "cannot be added: rows hold texts"),
            ("reward.remote_url", "http://a", "OpenRLHF puts `agent` there itself"),
            ("ds.lora.rank", "8", "in rl; `backend.engine.lora` is for sft and dpo"),
            ("model.beta", "0.2", "it is for another kind of stage"),
        )
    ),
]


@each_case("overrides, path, what", REFUSED)
def test_what_openrlhf_cannot_do_is_found_by_check(problems, overrides, path, what):
    found = problems(*overrides)
    assert list(found) == [path], found
    assert what in found[path]


FINE = [
    ["stages.1={use: rl, preset: gspo, batch_size: 8, steps: 4, max_new_tokens: 12}"],
    ["stages.1={use: rl, preset: dapo, batch_size: 32, steps: 4, max_new_tokens: 12}"],
    ["stages.1={use: rl, preset: dr_grpo, loss: token_mean, steps: 4, max_new_tokens: 12}"],
    ["stages.1.entropy_coef=0.001"],
    ["stages.1.algorithm=ppo", "stages.1.group_size=1", "stages.1.batch_size=8", "stages.1.critic={gamma: 0.9}"],
    ["stages.1.eval={}"],
    ["stages.1.eval={}", "backend.engine={colocate: false, asynchronous: {}}"],
    ["stages.1.eval={}", "stages.1.eval_every=4"],
    ["stages.1.on_truncated=zero", "stages.1.loss=seq_mean"],
    ["stages.1.kl={coef: 0.1, in: reward, estimator: k1}"],
    ["stages.1.micro_batch_size=3", "stages.1.updates_per_batch=2"],
    ["backend.engine={attention: sdpa, packing: false}"],
    ["backend.engine={zero_stage: 0, offload_optimizer: true}"],
    ["backend.engine={zero_stage: 0, sleep: false}"],
    ["backend.engine={zero_stage: 3, offload_reference: true}", "stages.1.kl.coef=0.1"],
    ["backend.engine.context=98", "model={use: tiny, context: 98}"],
    ["backend.engine={colocate: false, asynchronous: {}, generate_batch: 9}"],
    ["backend.engine={correction: {gating: tv, bounds: [0.1]}}"],
    ["backend.engine.rollout_micro_batch_size=1", "reward.teach={flat: replace, by: brevity}"],
    ["reward.teach={flat: replace, between: [0, 0.9]}", "reward.correctness=brevity"],
    ["backend.engine={arguments: {actor.entropy_coef: 0.001, adam.eps: 1.0e-6, ds.overlap_comm: true}}"],
]


@each_case("overrides", FINE)
def test_what_it_can_do_is_fine(problems, overrides):
    assert problems(*overrides) == {}


KL = "stages.1.kl.coef=0.1"
DOUBTFUL = [
    (
        ["backend.engine={colocate: false, asynchronous: {}}"],
        "backend.engine.asynchronous: without `correction` nothing accounts for completions that come from older "
        "weights",
    ),
    ([KL, "stages.1.kl.in=reward", "stages.1.kl.estimator=k3"], "stages.1.kl.estimator: in the reward only k1 has the"),
    ([KL, "stages.1.kl.estimator=k1"], "stages.1.kl.estimator: in the loss k1 has no effect on average; use k2 or k3"),
    ([KL, "stages.1.loss=seq_mean"], "stages.1.kl.coef: with loss seq_mean OpenRLHF still averages the KL over the"),
    ([KL, "stages.1.algorithm=grpo"], "stages.1.kl.coef: with loss seq_mean OpenRLHF still averages the KL over the"),
]


@pytest.mark.parametrize(("overrides", "what"), DOUBTFUL, ids=lambda given: " ".join(given) if given else "")
@pytest.mark.parametrize("command", [["check"], ["run", "--dry-run"]], ids=" ".join)
def test_what_its_author_may_not_mean_is_warned_of(main, write, command, overrides, what):
    write("r.yaml", RECIPE)
    code, _, err = main(*command, "r.yaml", *overrides)
    assert code == 0, err
    (warning,) = [line for line in err.splitlines() if "is not installed here" not in line]
    assert warning.startswith("warning: ")
    assert what in warning


CERTAIN = [
    ["backend.engine={colocate: false, asynchronous: {}, correction: {}}"],
    [KL],
    [KL, "stages.1.kl.in=reward"],
    [KL, "stages.1.kl.in=reward", "stages.1.loss=seq_mean"],
    ["stages.1.loss=seq_mean"],
]


@each_case("overrides", CERTAIN)
def test_what_is_meant_is_not(main, write, overrides):
    write("r.yaml", RECIPE)
    code, _, err = main("check", "r.yaml", *overrides)
    assert code == 0, err
    assert [line for line in err.splitlines() if "is not installed here" not in line] == []


def test_a_recipe_that_is_refused_is_not_warned_of(main, write):
    write("r.yaml", RECIPE)
    code, _, err = main("check", "r.yaml", KL, "stages.1.kl.estimator=k1", "stages.1.loss=constant")
    assert code == 2
    assert "has no effect on average" not in err


def test_a_recipe_of_data_stages_needs_no_gpus(problems):
    stages = "stages=[{use: data, dataset: {use: toy/counting}, to: out.jsonl}]"
    assert problems(stages, "backend={use: openrlhf, gpus_per_node: null}") == {}


def test_all_of_it_is_found_at_once(problems):
    found = problems("stages.1.loss=constant", "stages.0.batch_size=6", "backend.device=cpu", "model=./nowhere")
    assert set(found) == {"stages.1.loss", "stages.0.batch_size", "backend.device", "model"}


def test_the_same_reason_for_two_stages_is_told_once(problems, main):
    problems("backend.gpus_per_node=null")
    _, out, err = main("check", "r.yaml", "backend.gpus_per_node=null")
    assert (out + err).count("say how many GPUs") == 1


def test_a_model_folder_bounds_the_lengths(problems, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text('{"max_position_embeddings": 12}')
    assert "in the model's context of 12" in problems(f"model={folder}")["stages.1.max_new_tokens"]


def test_shaped_rewards_without_known_bounds_are_refused(problems, offer):
    code = """
        from rewardlab import NormalizerSpec, hookimpl

        @hookimpl
        def rewardlab_normalizers():
            return [NormalizerSpec(name="free", summary="bounded by nothing", build=lambda o, c: None)]
    """
    offer("mine", code)
    assert "no known range" in problems("reward.normalize=[mine/free]")["stages.1.algorithm"]


class TestPolicyAsJudge:
    SELF = "judges={self: {use: policy/self}}"

    def test_it_reads_longer_texts_than_the_policys_own(self, problems):
        assert "policy/self reads longer texts" in problems(self.SELF)["backend.engine.context"]
        assert "backend.engine.context" not in problems(self.SELF, "backend.engine.context=4096")

    def test_prompts_in_flight_leave_it_some_calls(self, problems):
        most = [self.SELF, "backend.engine.context=4096", "backend.engine.engines=1"]
        assert "stages.1.batch_size" not in problems(*most, f"stages.1.batch_size={MAX_PROMPTS}")
        found = problems(*most, f"stages.1.batch_size={MAX_PROMPTS + 1}")
        assert f"at most {MAX_PROMPTS} an engine at once" in found["stages.1.batch_size"]


@pytest.mark.parametrize("backend", ["{use: trl, engine: {sleep: false}}", "{use: trl, engine: {eager: true}}"])
def test_trl_refuses_what_is_for_openrlhf(problems, backend):
    found = problems("backend=null", f"backend={backend}")
    assert "is for openrlhf" in found["backend.engine"]


def test_trl_refuses_a_critic(problems):
    found = problems("backend=null", "backend={use: trl}", "stages.1.critic={gamma: 0.9}")
    assert found == {"stages.1.critic": "is for ppo; dr_grpo has none"}


@pytest.mark.skipif(
    installed_version("openrlhf") is not None,
    reason="plugins/engines/openrlhf/tests/test_check_local.py has what follows with OpenRLHF",
)
class TestWithoutOpenrlhf:
    """On a machine that has neither OpenRLHF nor Ray."""

    def test_a_run_does_not_begin(self, main, write, tmp_path, monkeypatch):
        monkeypatch.delenv("RAY_ADDRESS", raising=False)
        write("r.yaml", RECIPE)
        code, _, err = main("run", "r.yaml")
        assert code == 2
        assert f"backend: openrlhf {WHEEL} is not installed here; docs/cluster.md says" in err
        assert not (tmp_path / "runs").exists()

    @pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
    def test_a_job_of_a_cluster_needs_rays_client(self, main, write, tmp_path):
        write("r.yaml", RECIPE)
        code, _, err = main("run", "r.yaml", "backend.address=http://head:8265")
        assert code == 2
        assert "backend.address: jobs of a cluster need Ray's job client here" in err
        assert "pip install 'ray[default]'" in err
        assert not (tmp_path / "runs").exists()


@pytest.mark.skipif(installed_version("openrlhf") is not None, reason="OpenRLHF is installed here")
@pytest.mark.parametrize("arguments", [["check"], ["run", "--dry-run"]])
def test_an_engine_that_is_not_installed_is_told_with_what_to_do(main, monkeypatch, arguments):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    for key in ("JUDGE_API_KEY", "TEACHER_API_KEY"):  # else it says besides that they are not set
        monkeypatch.setenv(key, "k")
    code, _, err = main(*arguments, "sp3f")
    assert (code, err.count("\n")) == (0, 1)
    assert err.startswith("warning: ")
    assert "backend: openrlhf 0.11.2 is not installed here; docs/cluster.md says how to prepare its environment" in err
    assert main(*arguments, "sp3f", "backend.address=http://head:8265")[2] == ""
