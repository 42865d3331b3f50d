"""The policy: what is loaded, how it is sampled, what is written."""

import json
import shutil

import pytest
from rewardlab import Sample
from rewardlab.errors import UserError
from rewardlab.recipe.evaluation import Chat
from rewardlab_training import PromptFormat, Sampling
from rewardlab_trl.models import load_model

pytestmark = pytest.mark.slow  # imports torch and transformers

SAMPLES = [
    Sample(id=str(n), prompt=({"role": "user", "content": text},))
    for n, text in enumerate(["How much is 3 + 1?", "4 ?", "How much is 13 + 11, and how much is it not?"])
]


@pytest.fixture
def folder(model_folder, tmp_path):
    """A copy of a model's folder, to be changed."""
    return lambda kind: shutil.copytree(model_folder(kind), tmp_path / "model")


def sampled(policy, count=4, temperature=1.0, seed=0, max_new_tokens=8, top_p=1.0, top_k=None):
    from rewardlab_trl.sampling import sample_groups

    return sample_groups(
        policy,
        PromptFormat(policy.tokenizer, Chat(), policy.ends),
        SAMPLES,
        Sampling(
            count=count,
            temperature=temperature,
            top_p=top_p,
            top_k=top_k,
            max_new_tokens=max_new_tokens,
            seed=seed,
        ),
        bf16=False,
        title="test",
    )


class TestTokenSampling:
    def test_each_setting_reaches_generate_and_greedy_takes_none_that_draws(self, model_folder):
        from rewardlab_trl.sampling import _config

        model = load_model(str(model_folder("qwen2")), "cpu")
        drawn = {"top_p": 0.9, "top_k": 20, "min_p": 0.1, "repetition_penalty": 1.2}
        made = _config(model, Sampling(count=1, temperature=0.7, max_new_tokens=8, **drawn))
        assert {name: getattr(made, name) for name in drawn} == drawn
        greedy = _config(model, Sampling(count=1, temperature=0, max_new_tokens=8, **drawn))
        assert (greedy.do_sample, greedy.top_p, greedy.min_p, greedy.repetition_penalty) == (False, None, None, 1.2)

    def test_a_stop_text_ends_a_completion_and_is_kept(self, model_folder):
        from rewardlab_trl.sampling import sample_groups

        model = load_model(str(model_folder("llama")), "cpu")
        free = [one for group in sampled(model, max_new_tokens=16) for one in group.completions]
        stop = sorted({one.text[5:7] for one in free if len(one.text) > 7})[:2]
        stage = Sampling(count=4, temperature=1.0, max_new_tokens=16, stop=stop)
        made = sample_groups(model, PromptFormat(model.tokenizer, Chat(), model.ends, stop), SAMPLES, stage, False, "t")
        bounded = [one for group in made for one in group.completions]
        over = [one for one in bounded if any(text in one.text for text in stop)]
        assert over
        for one in over:
            assert one.text.endswith(tuple(stop))
            assert not one.truncated


def texts(groups):
    return [completion.text for group in groups for completion in group.completions]


class TestLoading:
    def test_what_ends_a_completion_is_the_tokenizers_token_and_the_models(self, model_folder):
        assert load_model(str(model_folder("qwen2")), "cpu").ends == (2, 0)
        assert load_model(str(model_folder("gpt2")), "cpu").ends == (0,)

    def test_the_context_is_the_models(self, model_folder):
        assert load_model(str(model_folder("gpt2")), "cpu").context == 64
        assert load_model(str(model_folder("qwen2")), "cpu").context == 128

    def test_a_tokenizer_without_padding_pads_with_its_end(self, model_folder):
        tokenizer = load_model(str(model_folder("gpt2")), "cpu").tokenizer
        assert tokenizer.pad_token == tokenizer.eos_token

    def test_weights_that_are_not_there_are_not_made_up(self, folder):
        from safetensors.torch import load_file, save_file

        weights = folder("llama") / "model.safetensors"
        kept = {name: tensor for name, tensor in load_file(weights).items() if "layers.1.mlp.up" not in name}
        save_file(kept, weights, metadata={"format": "pt"})
        with pytest.raises(UserError, match=r"1 of its weights are not there, such as .*layers\.1\.mlp\.up_proj"):
            load_model(str(weights.parent), "cpu")

    def test_a_tokenizer_of_another_model_is_refused(self, folder, model_folder):
        path = folder("qwen2")
        names = [f"<{n}>" for n in range(50)]
        tokenizer = load_model(str(path), "cpu").tokenizer
        tokenizer.add_tokens(names)
        tokenizer.save_pretrained(path)
        with pytest.raises(UserError, match=r"more tokens than the model has embeddings"):
            load_model(str(path), "cpu")

    def test_a_tokenizer_without_an_end_is_refused(self, folder):
        path = folder("llama")
        settings = path / "tokenizer_config.json"
        content = json.loads(settings.read_text())
        del content["eos_token"]
        settings.write_text(json.dumps(content))
        with pytest.raises(UserError, match=r"no completion could end"):
            load_model(str(path), "cpu")

    @pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
    def test_what_transformers_cannot_read_is_one_error(self, folder, name):
        path = folder("llama")
        (path / name).write_text("{}")
        with pytest.raises(UserError, match=r"^model "):
            load_model(str(path), "cpu")


class TestSampling:
    @pytest.mark.parametrize("cut", [{"top_k": 1}, {"top_p": 1e-6}])
    def test_of_the_likeliest_tokens_only(self, model_folder, cut):
        policy = load_model(str(model_folder("qwen2")), "cpu")
        assert texts(sampled(policy, **cut)) == texts(sampled(policy, temperature=0.0)) != texts(sampled(policy))

    def test_the_models_own_sampling_defaults_have_no_part(self, folder):
        """Its top_k, top_p, temperature and repetition penalties would bite in every completion."""
        path = folder("qwen2")
        with_defaults = texts(sampled(load_model(str(path), "cpu")))
        clean = {"eos_token_id": [2, 0], "pad_token_id": 0}
        (path / "generation_config.json").write_text(json.dumps(clean))
        assert with_defaults == texts(sampled(load_model(str(path), "cpu")))
        assert len(set(with_defaults)) > 3  # top_k 1 would make one of a group

    def test_greedy_is_the_most_likely_token_each_time(self, model_folder):
        import torch

        policy = load_model(str(model_folder("gpt2")), "cpu")
        groups = sampled(policy, count=2, temperature=0, max_new_tokens=4)
        shape = PromptFormat(policy.tokenizer, Chat(), policy.ends)
        for sample, group in zip(SAMPLES, groups, strict=True):
            ids = shape.tokens(shape.text(sample))
            for _ in range(4):
                ids.append(policy.model(torch.tensor([ids])).logits[0, -1].argmax().item())
                if ids[-1] in policy.ends:
                    break
            expected = shape.decode([ids[len(shape.tokens(shape.text(sample))) :]])[0]
            assert [completion.text for completion in group.completions] == [expected] * 2

    def test_the_same_seed_gives_the_same_completions_and_another_others(self, model_folder):
        policy = load_model(str(model_folder("llama")), "cpu")
        assert texts(sampled(policy, seed=1)) == texts(sampled(policy, seed=1)) != texts(sampled(policy, seed=2))

    def test_it_leaves_the_random_state_and_the_training_mode(self, model_folder):
        import torch

        policy = load_model(str(model_folder("gpt2")), "cpu")
        policy.model.train()
        torch.manual_seed(5)
        expected = torch.rand(3)
        torch.manual_seed(5)
        sampled(policy)
        assert torch.equal(torch.rand(3), expected)
        assert policy.model.training

    def test_dropout_has_no_part(self, model_folder):
        policy = load_model(str(model_folder("gpt2")), "cpu")
        policy.model.train()
        in_training = texts(sampled(policy))
        policy.model.eval()
        assert in_training == texts(sampled(policy))

    def test_cut_is_what_has_not_ended_by_the_limit(self, model_folder):
        policy = load_model(str(model_folder("qwen2")), "cpu")
        completions = [c for group in sampled(policy, count=16, max_new_tokens=16) for c in group.completions]
        assert all(completion.token_count == 16 for completion in completions if completion.truncated)
        assert all(1 <= completion.token_count <= 16 for completion in completions)
        assert {completion.truncated for completion in completions} == {True, False}

    def test_the_text_holds_the_thought_that_the_template_opened(self, model_folder):
        policy = load_model(str(model_folder("qwen2")), "cpu")
        assert all(text.startswith("<think>\n") for text in texts(sampled(policy)))


class TestPositions:
    @pytest.mark.parametrize("kind", ["gpt2", "llama", "qwen2"])
    def test_padding_on_the_left_changes_no_prediction(self, model_folder, kind):
        """TRL pads so in training; the model was sampled without."""
        import torch

        policy = load_model(str(model_folder(kind)), "cpu")
        ids, pads = [5, 9, 7, 30, 12], [policy.tokenizer.pad_token_id] * 6
        policy.model.eval()
        with torch.no_grad():
            alone = policy.model(torch.tensor([ids])).logits[0]
            mask = torch.tensor([[0] * 6 + [1] * 5])
            padded = policy.model(input_ids=torch.tensor([pads + ids]), attention_mask=mask).logits[0, 6:]
        torch.testing.assert_close(padded, alone, atol=2e-5, rtol=1e-4)

    def test_positions_that_somebody_gives_stand(self, model_folder):
        import torch

        policy = load_model(str(model_folder("gpt2")), "cpu")
        policy.model.eval()
        ids, mask = torch.tensor([[5, 9, 7]]), torch.ones(1, 3, dtype=torch.long)
        with torch.no_grad():
            plain = policy.model(input_ids=ids, attention_mask=mask).logits
            moved = policy.model(input_ids=ids, attention_mask=mask, position_ids=torch.tensor([[7, 8, 9]])).logits
        assert not torch.allclose(plain, moved)


class TestDropout:
    @pytest.mark.parametrize("kind", ["gpt2", "llama"])
    def test_switched_off_it_drops_nothing_in_training(self, folder, kind):
        """Whether it is a module of its own (GPT-2) or a number that the attention reads (Llama)."""
        import torch
        from rewardlab_trl.dropout import switch_off_dropout

        path = folder(kind)
        config = json.loads((path / "config.json").read_text())
        (path / "config.json").write_text(
            json.dumps(config | {"attention_dropout": 0.5} if kind == "llama" else config)
        )
        model, ids = load_model(str(path), "cpu").model, torch.tensor([[5, 9, 7, 30, 12]])
        with torch.no_grad():
            still = model.eval()(ids).logits
            assert not torch.allclose(model.train()(ids).logits, still)
            switch_off_dropout(model)
            assert model.training
            torch.testing.assert_close(model(ids).logits, still)


class TestSaving:
    def test_the_models_settings_are_written_as_they_came(self, model_folder, tmp_path):
        """Trainers set another padding token and turn the cache off; neither is the model's."""
        source = model_folder("qwen2")
        policy = load_model(str(source), "cpu")
        policy.model.config.pad_token_id = 2
        policy.model.config.use_cache = False
        policy.save(tmp_path / "saved")
        for name in ("config.json", "generation_config.json"):
            before, after = (json.loads((folder / name).read_text()) for folder in (source, tmp_path / "saved"))
            assert after == before

    def test_what_is_saved_loads_again_bit_for_bit(self, model_folder, tmp_path):
        from safetensors.torch import load_file

        policy = load_model(str(model_folder("llama")), "cpu")
        policy.save(tmp_path / "saved")
        again = load_model(str(tmp_path / "saved"), "cpu")
        before, after = (load_file(f / "model.safetensors") for f in (model_folder("llama"), tmp_path / "saved"))
        assert before.keys() == after.keys()
        assert all(before[name].equal(after[name]) for name in before)
        assert texts(sampled(again)) == texts(sampled(policy))
