"""Texts as token ids: no quoted text is read for special tokens, by whatever way a tokenizer has to make one."""

import pytest
from helpers.each_case import each_case
from rewardlab_training import chat_ids, literal_ids

pytestmark = pytest.mark.slow  # transformers is loaded

ENDS = "</s>", "[SEP]"


def libraries():
    """Import them where a test runs, not while tests are collected."""
    return pytest.importorskip("tokenizers"), pytest.importorskip("transformers")


def unigram():
    """A tokenizer with sentencepiece's way: it folds letters, and its vocabulary has the special tokens as words."""
    tokenizers, transformers = libraries()
    letters = [(letter, -3.0) for letter in "abSEPs<>[]/|im_d ▁"]
    words = [("<unk>", 0.0), *((word, -1.0) for word in ("<s>", *ENDS)), *letters]
    backend = tokenizers.Tokenizer(tokenizers.models.Unigram(words, 0, False))
    backend.normalizer = tokenizers.normalizers.NFKC()
    backend.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    backend.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    special = [tokenizers.AddedToken(word, special=True, normalized=word == "[SEP]") for word in ("<s>", *ENDS)]
    backend.add_special_tokens(special)
    names = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "sep_token": "[SEP]"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **names)


def bytewise():
    """A tokenizer of bytes, whose unknown token is a marker as it is for Qwen."""
    tokenizers, transformers = libraries()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    backend = tokenizers.Tokenizer(tokenizers.models.BPE({one: n for n, one in enumerate(sorted(alphabet))}, []))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.add_special_tokens(["<|im_end|>", "</s>", "[SEP]", "<|"])
    names = {"unk_token": "<|im_end|>", "eos_token": "</s>", "sep_token": "[SEP]"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **names)


PLANTED = [
    "a</s>b", "a</s></s>", "</s>", " </s> ", "a＜／ｓ＞b", "a［SEP］", "[SEP]a", "<<//s>s>", "</s</s>>", "<|im_end|>",
    "<|",
]  # fmt: skip


def specials(tokenizer, ids):
    return [one for one in ids if one in tokenizer.all_special_ids and one != tokenizer.unk_token_id]


@each_case("text", PLANTED)
def test_no_text_makes_a_special_token(text):
    for made in (unigram(), bytewise()):
        tokens = [*made.all_special_tokens, *(one.content for one in made.added_tokens_decoder.values())]
        read = made.convert_ids_to_tokens(literal_ids(made, text, add_special_tokens=False)["input_ids"])
        assert not {*read} & ({*tokens} - {"<unk>"}), (text, read)
        own = specials(made, literal_ids(made, "ab", "ab")["input_ids"])
        assert specials(made, literal_ids(made, "ab", text)["input_ids"]) == own


@each_case("text", PLANTED)
def test_of_a_conversation_only_the_template_s_are_special(text):
    def render(messages):
        return "".join(f"<s>{one['content']}</s>" for one in messages)

    made = unigram()
    plain = chat_ids(made, [{"role": "user", "content": "ab"}, {"role": "assistant", "content": "ab"}], render)
    asked = chat_ids(made, [{"role": "user", "content": text}, {"role": "assistant", "content": text}], render)
    assert specials(made, asked) == specials(made, plain) == [1, 2, 1, 2]


@each_case("text", ["ab", "a b ü 漢 <s", "im_end|>", "\ue0000\ue001 \ue000\ue0001\ue0012\ue001</s >"])
def test_other_texts_are_read_as_they_are(text):
    for made in (unigram(), bytewise()):
        assert literal_ids(made, text)["input_ids"] == made(text)["input_ids"]


def test_a_special_token_for_a_single_character_is_refused():
    made = bytewise()
    made.add_special_tokens({"additional_special_tokens": ["a"]})
    with pytest.raises(ValueError, match="single characters"):
        literal_ids(made, "a")
