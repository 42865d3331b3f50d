"""What a stage's settings do in a real job: the loss is the formula's, and the trainer has what the recipe says."""

import json
import re

import pytest

pytestmark = pytest.mark.slow

RECIPE = """
version: 1
model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
dataset: {use: toy/counting, with: {rows: 24}}
reward:
  components: {letters: {use: toy/letters}, brevity: {use: toy/brevity, with: {words: 2}}}
  total: letters + brevity
stages:
  - use: rl
    algorithm: dr_grpo
    group_size: 4
    batch_size: 4
    steps: 2
    epochs_per_batch: 2
    micro_batch_size: 8
    max_new_tokens: 10
    learning_rate: 1.0e-2
"""
GSPO = ("loss=seq_mean", "importance_sampling_level=sequence", "clip=[0.003, 0.004]")
CISPO = ("loss=cispo", "clip=[1, 0.01]")
DUAL_CLIP = ("loss=token_mean", "clip=[0.003, 0.004]", "dual_clip=1.01")


@pytest.fixture(scope="module")
def job(command, tmp_path_factory):
    """Run the recipe with settings of its stage, once each: the trainer, its losses, and the folder of the run."""
    folder = tmp_path_factory.mktemp("losses")
    (folder / "r.yaml").write_text(RECIPE)
    made = {}

    def run(*settings, resumes=None):
        if (settings, resumes) not in made:
            kept, overrides = [], [one if one[0] == "-" else f"stages.0.{one}" for one in settings]
            recipe = ["r.yaml"] if resumes is None else ["--resume", str(resumes)]
            with pytest.MonkeyPatch.context() as patch:
                _watch(patch, kept)
                code, out, err = command(folder, "run", *recipe, *overrides)
            assert code == 0, out + err
            path = folder / out.split("run directory: ")[1].splitlines()[0]
            made[settings, resumes] = kept[0], kept[1:], path
        return made[settings, resumes]

    return run


def _watch(patch, kept):
    """Keep the trainer, then (what it gave the loss, the loss, the log-probabilities and entropies) of each call."""
    from rewardlab_trl import rl

    compute, make = rl._Trainer._compute_loss, rl.make_trainer

    def computed(trainer, model, inputs):
        tokens = _tokens(trainer, model, inputs)
        loss = compute(trainer, model, inputs)
        given = {name: value.clone() for name, value in inputs.items() if hasattr(value, "clone")}
        kept.append((given, loss.item(), *tokens))
        return loss

    def making(*arguments, **named):
        trainer = make(*arguments, **named)
        kept.append(trainer)
        return trainer

    patch.setattr(rl._Trainer, "_compute_loss", computed)
    patch.setattr(rl, "make_trainer", making)


def _tokens(trainer, model, inputs):
    """The log-probability of each token of the completions and the entropy there, by the model alone."""
    import torch

    ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], 1)
    mask = torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], 1)
    with torch.no_grad():
        hidden = model.model(input_ids=ids, attention_mask=mask, position_ids=(mask.cumsum(-1) - 1).clamp(min=0))
        logits = model.lm_head(hidden.last_hidden_state) / trainer.args.temperature
    logs = logits[:, inputs["prompt_ids"].shape[1] - 1 : -1].log_softmax(-1)
    entropies = -(logs.exp() * logs).sum(-1)
    return logs.gather(-1, inputs["completion_ids"].unsqueeze(-1)).squeeze(-1), entropies


def gspo(given, logs, mask, accumulated):
    ratio = ((logs - given["old_per_token_logps"]) * mask).sum(1) / mask.sum(1)
    ratio, advantages = ratio.exp(), given["advantages"]
    smaller = (ratio * advantages).minimum(ratio.clamp(0.997, 1.004) * advantages)
    return -smaller.mean() / accumulated, ratio


def cispo(given, logs, mask, accumulated):
    ratio = (logs - given["old_per_token_logps"]).exp()
    weighted = ratio.clamp(max=1.01) * given["advantages"].unsqueeze(1) * logs
    return -(weighted * mask).sum() / given["num_items_in_batch"], ratio[mask.bool()]


def dual_clip(given, logs, mask, accumulated):
    """Ye et al. 2019: max(min(r A, clip(r) A), c A) where A < 0, as verl and OpenRLHF write it; TRL's delta is c."""
    ratio, advantages = (logs - given["old_per_token_logps"]).exp(), given["advantages"].unsqueeze(1)
    smaller = (ratio * advantages).minimum(ratio.clamp(0.997, 1.004) * advantages)
    bounded = smaller.maximum(1.01 * advantages).where(advantages < 0, smaller)
    return -(bounded * mask).sum() / given["num_items_in_batch"], ratio[mask.bool() & (advantages < 0)]


FORMULAS = {"gspo": (GSPO, gspo), "cispo": (CISPO, cispo), "dual clip": (DUAL_CLIP, dual_clip)}


@pytest.mark.parametrize(("settings", "formula"), FORMULAS.values(), ids=[*FORMULAS])
def test_the_loss_is_the_formulas(job, settings, formula):
    _, calls, _ = job(*settings)
    assert len(calls) == 8  # two steps of two passes over two micro-batches
    beyond = 0
    for given, loss, logs, _ in calls:
        wanted, ratio = formula(given, logs, given["completion_mask"], 2)
        assert loss == pytest.approx(wanted.item(), abs=2e-6)
        beyond += (ratio > 1.01).sum().item()
    assert beyond, "no ratio was so far from 1 that the clip did anything"


def test_the_entropy_bonus_is_taken_off_the_loss(job):
    _, calls, _ = job(*GSPO, "entropy_coef=0.5")
    for given, loss, logs, entropies in calls:
        mask = given["completion_mask"]
        without, _ = gspo(given, logs, mask, 2)
        mean = (entropies * mask).sum() / mask.sum()
        assert loss == pytest.approx((without - 0.5 * mean / 2).item(), abs=2e-6)


def test_the_trainer_has_what_the_stage_and_its_arguments_say(job):
    trainer, _, _ = job(
        "min_p=0.05",
        "repetition_penalty=1.2",
        "dual_clip=4",
        "arguments={adam_epsilon: 1.0e-6, optim: adamw_torch, top_entropy_quantile: 0.5}",
    )
    assert (trainer.min_p, trainer.repetition_penalty) == (0.05, 1.2)
    assert (trainer.generation_config.min_p, trainer.generation_config.repetition_penalty) == (0.05, 1.2)
    assert (trainer.args.delta, trainer.top_entropy_quantile) == (4, 0.5)
    assert {group["eps"] for group in trainer.optimizer.param_groups} == {1e-6}


class TestReference:
    MOVES = ("kl={coef: 0.1, sync_every: 1, mixup_alpha: 0.25}", "save_every=1", "keep=last")

    def test_it_takes_on_a_share_of_the_policy(self, job):
        import torch
        from safetensors.torch import load_file

        trainer, calls, path = job(*self.MOVES, "steps=1")
        start, end = (load_file(path / "models" / name / "model.safetensors") for name in ("tiny", "0-rl"))
        moved = trainer.ref_model.state_dict()
        for name, weight in end.items():
            assert torch.allclose(moved[name], 0.75 * start[name] + 0.25 * weight, atol=1e-6), name
        assert all("ref_per_token_logps" in given for given, *_ in calls)

    def test_a_resume_goes_on_with_it(self, job):
        from safetensors.torch import load_file

        _, _, straight = job(*self.MOVES, "steps=3")
        _, _, begun = job(*self.MOVES, "steps=2")
        job("steps=3", resumes=begun)
        weights = [load_file(path / "models" / "0-rl" / "model.safetensors") for path in (straight, begun)]
        assert all((weights[0][name] == weights[1][name]).all() for name in weights[0])


class TestStopTexts:
    def test_a_completion_ends_with_one_and_what_follows_is_not_learnt(self, job):
        trainer, calls, path = job("stop=['mu', 'Q', 'p']", "max_new_tokens=24", "on_truncated=mask", "steps=1")
        rows = [json.loads(line) for line in (path / "ledger.jsonl").read_text().splitlines()]
        stopped = [row for row in rows if re.search("mu|Q|p", row["completion"])]
        assert 0 < len(stopped) < len(rows)
        for row in stopped:
            assert re.fullmatch("((?!mu|Q|p).)*(mu|Q|p)", row["completion"], re.S), row["completion"]
            assert not row["truncated"]
        learnt = sum(int(given["completion_mask"].sum()) for given, *_ in calls[:2])
        assert learnt == sum(row["tokens"] for row in rows if not row["truncated"])
        learnt_ids = [
            ids[mask.bool()].tolist()
            for given, *_ in calls[:2]
            for ids, mask in zip(given["completion_ids"], given["completion_mask"], strict=True)
        ]
        before_the_last = trainer.prompt_format.decode([ids[:-1] for ids in learnt_ids if ids])
        assert not [text for text in before_the_last if re.search("mu|Q|p", text)]
