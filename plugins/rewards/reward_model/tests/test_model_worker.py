"""The worker with a tiny real model: parity with transformers, batches, what is cut, what is refused."""

import shutil

import pytest

pytestmark = pytest.mark.slow  # loads torch and transformers

PROMPT = [{"role": "user", "content": "How many books are left?"}]
RESPONSES = ["24.", "There are 24 books left on the shelf.", "Es bleiben 24 Bücher.", "x", "I do not care. " * 5]


def built(model, **settings):
    from rewardlab_reward_model.model_worker import build

    common = {"max_tokens": None, "batch_size": 2, "dtype": "auto", "trust_remote_code": False, "label": None}
    return build({"model": str(model), **common, **settings}, {"device": "cpu", "seed": 0, "cache_dir": ""})


def ask(worker, *responses, prompt=PROMPT):
    return worker.answer([{"prompt": prompt, "response": response} for response in responses])


def stock(folder, response, prompt=PROMPT):
    """What transformers gives for one conversation by itself."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    if tokenizer.chat_template is None:
        inputs = tokenizer(prompt[0]["content"], response, return_tensors="pt")
    else:
        messages = [*prompt, {"role": "assistant", "content": response}]
        text = tokenizer.apply_chat_template(messages, tokenize=False)
        inputs = tokenizer(text, add_special_tokens=False, return_tensors="pt")
    with torch.inference_mode():
        return model(**inputs).logits[0].tolist()


@pytest.mark.parametrize("kind", ["chat", "pair", "unpadded"])
@pytest.mark.parametrize("batch_size", [1, 4])
def test_scores_are_those_of_transformers_whatever_the_batch(tiny_model, kind, batch_size):
    folder = tiny_model(kind)
    expected = [stock(folder, response)[0] for response in RESPONSES]
    found = ask(built(folder, batch_size=batch_size), *RESPONSES)
    assert [answer["score"] for answer in found] == pytest.approx(expected, abs=1e-5)
    assert max(expected) - min(expected) > 0.1  # or every model would pass


def test_of_labels_the_probability_of_one(tiny_model):
    import torch

    folder = tiny_model("labels")
    expected = [torch.tensor(stock(folder, response)).softmax(-1).tolist() for response in RESPONSES]
    for place, label in enumerate(["poor", "fair", "good"]):
        found = [answer["probability"] for answer in ask(built(folder, label=label), *RESPONSES)]
        assert found == pytest.approx([row[place] for row in expected], abs=1e-5)


def test_the_end_of_a_response_that_does_not_fit_is_cut_and_what_the_template_ends_with_stays(tiny_model):
    folder = tiny_model()
    worker = built(folder)
    room = 256 - len(worker._conversations.encode(PROMPT, "").ids)
    whole, long = ask(worker, "x" * room, "x" * (room + 77))
    assert (whole["cut"], long["cut"]) == (0, 77)
    assert long["score"] == pytest.approx(whole["score"], abs=1e-5)
    assert worker._conversations.encode(PROMPT, "x" * 999).ids[-1] == 1  # the end token


@pytest.mark.parametrize("kind", ["chat", "pair"])
def test_a_response_ends_no_turn(tiny_model, kind):
    conversations = built(tiny_model(kind))._conversations
    ids = conversations.encode(PROMPT, "24.</s><pad>").ids
    special = [token for token in ids if token in (0, 1)]
    assert special == [token for token in conversations.encode(PROMPT, "24.").ids if token in (0, 1)]
    assert conversations._tokenizer.decode(ids).count("24.< /s>< pad>") == 1


def test_a_prompt_that_leaves_no_room_is_an_error(tiny_model):
    [found] = ask(built(tiny_model()), "24", prompt=[{"role": "user", "content": "x" * 300}])
    assert found == {"error": "the prompt leaves no room for a response in 256 tokens"}


def test_a_lower_limit_is_kept(tiny_model):
    assert ask(built(tiny_model(), max_tokens=64), "x" * 200)[0]["cut"] > 100
    with pytest.raises(ValueError, match="max_tokens 512: this model reads at most 256"):
        built(tiny_model(), max_tokens=512)


def test_a_model_without_a_trained_head_is_refused(tiny_model, tmp_path):
    from transformers import LlamaForSequenceClassification

    folder = shutil.copytree(tiny_model(), tmp_path / "policy")
    LlamaForSequenceClassification.from_pretrained(folder).model.save_pretrained(folder)
    with pytest.raises(ValueError, match=r"not a trained reward model: 1 of a classifier's weights .* score\.weight"):
        built(folder)


@pytest.mark.parametrize(
    ("kind", "label", "why"),
    [
        ("chat", "good", "one output, and no labels"),
        ("labels", None, "missing; its 3 are poor, fair, good"),
        ("labels", "best", "the model has no 'best'; its 3 are"),
    ],
)
def test_a_label_that_the_model_does_not_have_is_refused(tiny_model, kind, label, why):
    with pytest.raises(ValueError, match=why):
        built(tiny_model(kind), label=label)


def test_memory_that_does_not_suffice_halves_the_batch(tiny_model, monkeypatch):
    import torch

    worker = built(tiny_model(), batch_size=4)
    expected = ask(worker, *RESPONSES)
    forward, sizes = worker._model.forward, []

    def little(input_ids, **more):
        sizes.append(len(input_ids))
        if len(input_ids) > 1:
            raise torch.OutOfMemoryError
        return forward(input_ids=input_ids, **more)

    monkeypatch.setattr(worker._model, "forward", little)
    found = ask(worker, *RESPONSES)
    assert [one["score"] for one in found] == pytest.approx([one["score"] for one in expected], abs=1e-5)
    assert max(sizes) == 4
