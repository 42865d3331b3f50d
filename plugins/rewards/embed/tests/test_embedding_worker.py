"""The worker with a tiny real model, in this process: parity, what is cut, hostile texts, memory."""

import math

import pytest

pytestmark = pytest.mark.slow  # loads torch and sentence-transformers

TEXTS = [
    "At first there were 48 books on the shelf.",
    "Zuerst standen 48 Bücher im Regal, also bleiben 24 übrig.",
    "一开始书架上有48本书。",
    "x",
    "So the answer is \\boxed{7}. " * 6,
]


def settings(model, **more):
    common = {"model": str(model), "max_tokens": None, "batch_size": 2, "dtype": "auto", "trust_remote_code": False}
    return common | more


@pytest.fixture(scope="module")
def worker():
    from rewardlab_embed import embedding_worker

    return embedding_worker


@pytest.fixture
def pairs(worker, tiny_model):
    return worker.build(settings(tiny_model), {"device": "cpu", "seed": 0, "cache_dir": ""})


@pytest.fixture(scope="module")
def reference(tiny_model):
    """The same model, loaded by sentence-transformers itself."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(tiny_model), device="cpu", local_files_only=True)


def ask(pairs, *texts):
    return pairs.answer([{"a": a, "b": b} for a, b in texts])


def test_cosines_are_those_of_sentence_transformers(pairs, reference):
    from sentence_transformers.util import cos_sim

    both = [(a, b) for a in TEXTS for b in TEXTS]
    expected = [float(cos_sim(*reference.encode([a, b], prompt=""))) for a, b in both]
    assert [answer["cosine"] for answer in ask(pairs, *both)] == pytest.approx(expected, abs=1e-6)
    assert max(expected) - min(expected) > 0.01  # or every model would pass


def test_equal_texts_have_the_cosine_one_and_never_more(pairs):
    for answer in ask(pairs, *[(text, text) for text in TEXTS]):
        assert answer["cosine"] == pytest.approx(1.0, abs=1e-6)
        assert answer["cosine"] <= 1.0


def test_the_models_default_prompt_is_not_used(worker, tiny_model, tmp_path, pairs, reference):
    import shutil

    prompted = tmp_path / "prompted"
    shutil.copytree(tiny_model, prompted)
    config = prompted / "config_sentence_transformers.json"
    text = config.read_text().replace('"default_prompt_name": null', '"default_prompt_name": "query"')
    config.write_text(text.replace('"query": ""', '"query": "Instruct: find what is alike. "'))
    model = worker.build(settings(prompted), {"device": "cpu"})
    assert model._embedder.model.prompts["query"].startswith("Instruct")
    assert model._embedder.model.default_prompt_name == "query"
    assert ask(model, TEXTS[:2]) == ask(pairs, TEXTS[:2])


def test_what_is_cut_is_counted_to_the_token(worker, pairs, reference, tiny_model):
    limit = reference.max_seq_length
    for words in (1, 50, limit - 3, limit - 2, limit - 1, 3000):
        text = " ".join(["x"] * words)
        tokens = len(reference.tokenizer(text)["input_ids"])
        (answer,) = ask(pairs, (text, "x"))
        assert answer["cut"] == [max(0, tokens - limit), 0], words
    low = worker.build(settings(tiny_model, max_tokens=16), {"device": "cpu"})
    assert ask(low, (TEXTS[4], "x"))[0]["cut"] == [len(reference.tokenizer(TEXTS[4])["input_ids"]) - 16, 0]
    assert pairs._embedder.limit == limit


def test_a_text_that_is_long_only_in_the_tokenizers_eyes_is_counted(pairs, reference):
    text = "ﷺ" * 100
    assert ask(pairs, (text, "x"))[0]["cut"] == [len(reference.tokenizer(text)["input_ids"]) - 256, 0]


def test_a_model_without_a_limit_cuts_nothing(worker, reference, tmp_path):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    SentenceTransformer(modules=[StaticEmbedding(reference.tokenizer, embedding_dim=16)]).save(str(tmp_path / "static"))
    static = worker.build(settings(tmp_path / "static"), {"device": "cpu"})
    long, nothing = ask(static, ("x " * 5000, "x y"), ("", "x"))
    assert static._embedder.limit is None
    assert long["cut"] == [0, 0]
    assert nothing == {"error": "its embedding is zero, which is near to nothing", "of": "a"}
    with pytest.raises(ValueError, match="this model has no limit to lower"):
        worker.build(settings(tmp_path / "static", max_tokens=64), {"device": "cpu"})


def test_positions_that_a_model_cannot_use_do_not_count(worker, reference, tmp_path):
    """RoBERTa counts positions from that of its padding, and its tokenizer may know no limit."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import RobertaConfig, RobertaModel

    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    config = RobertaConfig(vocab_size=len(reference.tokenizer), max_position_embeddings=66, pad_token_id=1, **sizes)
    RobertaModel(config).save_pretrained(tmp_path / "bare")
    reference.tokenizer.save_pretrained(tmp_path / "bare")
    bare = tmp_path / "bare" / "tokenizer_config.json"
    bare.write_text(bare.read_text().replace('"model_max_length": 256', '"model_max_length": 1000000000000'))
    modules = [Transformer(str(tmp_path / "bare")), Pooling(32, pooling_mode="mean")]
    SentenceTransformer(modules=modules, device="cpu").save(str(tmp_path / "model"))
    model = worker.build(settings(tmp_path / "model"), {"device": "cpu"})
    assert model._embedder.limit == 64
    assert ask(model, ("x " * 500, "x"))[0]["cut"][0] > 400


def test_max_tokens_is_at_most_the_models_own(worker, tiny_model):
    with pytest.raises(ValueError, match="max_tokens 257: this model reads at most 256 tokens"):
        worker.build(settings(tiny_model, max_tokens=257), {"device": "cpu"})


@pytest.mark.parametrize(
    "text",
    [
        "\ud800",
        "a\ud83d",
        "\0",
        "a\0b",
        "😀",
        "",
        "‮",
        "https://example.org/x.png",
        "data:image/png;base64,AA",
        "a" * 100_000,
    ],
)
def test_no_text_breaks_it(pairs, text):
    hostile, good = ask(pairs, (text, "x"), ("x", "x"))
    assert math.isfinite(hostile["cosine"])
    assert good["cosine"] == pytest.approx(1.0)


def test_a_megabyte_is_cut_and_counted(pairs):
    (answer,) = ask(pairs, ("ab " * 333_334, "x"))
    assert answer["cut"][0] > 300_000


def test_a_text_is_embedded_once_and_kept(pairs, monkeypatch):
    seen = []
    encode = pairs._embedder.model.encode

    def counted(inputs, **more):
        seen.extend(inputs)
        return encode(inputs, **more)

    monkeypatch.setattr(pairs._embedder.model, "encode", counted)
    first = ask(pairs, (TEXTS[0], TEXTS[1]), (TEXTS[2], TEXTS[1]))
    again = ask(pairs, (TEXTS[0], TEXTS[1]), (TEXTS[4], TEXTS[1]))
    assert sorted(seen) == sorted([*TEXTS[:3], TEXTS[4]])
    assert again[0] == first[0]


def test_what_is_kept_has_bounds_and_forgetting_changes_nothing(worker, tiny_model, monkeypatch):
    monkeypatch.setattr(worker, "KEPT_BYTES", 3 * 64 * 4)
    small = worker.build(settings(tiny_model), {"device": "cpu"})
    both = [(a, b) for a in TEXTS for b in TEXTS]
    first, second = ask(small, *both), ask(small, *both)
    assert [a["cosine"] for a in first] == pytest.approx([b["cosine"] for b in second], abs=1e-6)
    assert len(small._embedder._cache._by_key) == 3


class Memory:
    """A memory in which forward passes of more than `most` tokens, padding included, do not fit."""

    def __init__(self, model, most):
        self.most, self.sizes = most, []
        model[0].register_forward_pre_hook(self._hook, with_kwargs=False)

    def _hook(self, module, inputs):
        import torch

        rows, width = inputs[0]["input_ids"].shape
        self.sizes.append(rows)
        if rows * width > self.most:
            raise torch.OutOfMemoryError("CUDA out of memory.")


def test_out_of_memory_halves_the_batch(worker, tiny_model, pairs):
    small = worker.build(settings(tiny_model, batch_size=8), {"device": "cpu"})
    memory = Memory(small._embedder.model, 30)
    both = [(text, TEXTS[0]) for text in TEXTS[:4]]
    found, expected = ask(small, *both), ask(pairs, *both)
    assert [a["cosine"] for a in found] == pytest.approx([a["cosine"] for a in expected], abs=1e-6)
    assert memory.sizes[:2] == [4, 2]


def test_a_text_that_fits_not_even_alone_is_its_own_error(worker, tiny_model):
    small = worker.build(settings(tiny_model, batch_size=8), {"device": "cpu"})
    Memory(small._embedder.model, 120)
    long, good = ask(small, ("x " * 200, "x"), ("x", TEXTS[0]))
    assert long == {"error": "out of memory; a lower max_tokens would let it fit", "of": "a"}
    assert 0 < good["cosine"] < 1


def test_another_error_of_the_model_is_raised(worker, tiny_model):
    broken = worker.build(settings(tiny_model), {"device": "cpu"})

    def hook(module, inputs):
        raise RuntimeError("device-side assert")

    broken._embedder.model[0].register_forward_pre_hook(hook)
    with pytest.raises(RuntimeError, match="device-side assert"):
        ask(broken, ("x", "y"))


@pytest.mark.parametrize(("value", "why"), [(math.nan, "not finite"), (math.inf, "not finite"), (0.0, "zero")])
def test_an_embedding_without_a_direction_is_an_error(worker, tiny_model, value, why):
    broken = worker.build(settings(tiny_model, batch_size=8), {"device": "cpu"})

    def hook(module, inputs, outputs):
        outputs["sentence_embedding"][0] = value  # the longest of the batch
        return outputs

    broken._embedder.model[-1].register_forward_hook(hook)
    (longest, good) = ask(broken, ("x", TEXTS[4]), ("x", TEXTS[0]))
    assert longest["of"] == "b"
    assert why in longest["error"]
    assert "cosine" in good


def test_weights_in_half_precision_are_compared_in_float32(worker, tiny_model, pairs):
    import torch

    half = worker.build(settings(tiny_model, dtype="bfloat16"), {"device": "cpu"})
    assert half._embedder.model.dtype == torch.bfloat16
    expected = ask(pairs, TEXTS[:2])[0]["cosine"]
    assert ask(half, TEXTS[:2])[0]["cosine"] == pytest.approx(expected, abs=0.01)
    assert half._embedder.embed(["x"])[0].vector.dtype == "float32"


@pytest.mark.parametrize("device", ["gpu", "cuda:99"])
def test_a_device_that_is_not_there_is_told_with_those_that_are(worker, tiny_model, device):
    from rewardlab.workers import DeviceError

    with pytest.raises(DeviceError, match=f"^PyTorch has no device '{device}' here; it has cpu"):
        worker.build(settings(tiny_model), {"device": device})
