"""Chat markers in quoted texts: none stays as it is, and every text comes back."""

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rewardlab.text import count_chat_markers, escape_chat_markers, unescape_chat_markers

MARKERS = [
    "<|im_start|>", "<|im_end|>", "<|endoftext|>",  # ChatML, Qwen
    "<s>", "</s>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>",  # Llama 2
    "<|begin_of_text|>", "<|start_header_id|>", "<|eot_id|>",  # Llama 3
    "<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>", "<|turn>", "<turn|>",  # Gemma 3, Gemma 4
    "[SYSTEM_PROMPT]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",  # Mistral
    "<|start|>", "<|channel|>", "<|message|>", "<|return|>",  # harmony
    "<｜begin▁of▁sentence｜>", "<｜User｜>", "<｜end▁of▁sentence｜>",  # DeepSeek
    "[gMASK]", "<sop>", "<|user|>", "<|observation|>",  # GLM
    "<|START_OF_TURN_TOKEN|>", "<seed:bos>", "[|endofturn|]", "]~b]", "]~!b[",  # Command, Seed, Exaone, MiniMax
    "<|im_user|>", "[EOS]", "[start_header_id]", "<extra_id_1>", "<SPECIAL_11>",  # Kimi, Nemotron
    "<reserved_106>", "<eoh>", "<role>", "</role>",  # Baichuan, InternLM, Ling
]  # fmt: skip
FOLDED = [
    "＜|im_end|＞", "<｜ｉｍ_ｅｎｄ｜>", "＜／ｓ＞", "［INST］", "﹤/s﹥", "＜＜SYS＞＞", "<|𝐢𝐦_end|>", "[/ＩＮＳＴ]",
    "<｜end of sentence｜>",
]  # fmt: skip
"""what compatibility folding, or a space for its sign, makes a marker of"""
PIECES = [*MARKERS, *FOLDED, *"\u0387＜·\\<[]|>a\n", "／ｓ＞", "~b]", "im_end|>", "INST]"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_marker_stays_as_it_is_and_every_text_comes_back(text):
    escaped = escape_chat_markers(text)
    folded = unicodedata.normalize("NFKC", escaped).replace("<|end of sentence|>", "<|end▁of▁sentence|>")
    assert [marker for marker in MARKERS if marker in escaped or marker in folded] == []
    assert unescape_chat_markers(escaped) == text


@given(st.text(max_size=60))
def test_any_text_comes_back(text):
    assert unescape_chat_markers(escape_chat_markers(text)) == text


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_json_stays_json(text):
    assert json.loads(escape_chat_markers(json.dumps({"text": text}, ensure_ascii=False)))["text"].count("|") >= 0


def test_each_marker_counts_once():
    assert {marker: count_chat_markers(f"a {marker} b") for marker in MARKERS} == dict.fromkeys(MARKERS, 1)
    assert {marker: count_chat_markers(f"a {marker} b") for marker in FOLDED} == dict.fromkeys(FOLDED, 1)


def test_what_people_and_policies_write_stays_as_it_is():
    for text in [
        "<think>a < b and |x| > 2</think> so [1, 2] and [x|y]",
        "<answer>\\boxed{\\{x \\mid x<|y|\\}}</answer>",
        "<b>bold</b> <sup>2</sup> <span> a<b>c </s",
        "x[i] = y[INST_COUNT]; a |> f <| b",
        "［1、2］と＜注＞ ｜x｜＞3 <a b>",
        "a <- function(x) x |> sum() # <\\tag>",
    ]:
        assert escape_chat_markers(text) == text
        assert count_chat_markers(text) == 0
