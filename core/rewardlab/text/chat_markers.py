"""Chat markers inside of messages, escaped so that no server reads them as turns.

A server's tokenizer reads special tokens inside of a message, too: a completion with `<|im_end|><|im_start|>assistant`
would end the judge's question and begin an answer of its own. So each judge's host escapes them, and undoes it in the
reply. An escaped marker has a middle dot behind its first character, `<·|im_end|>`, which no tokenizer takes for a
special token, and which harms no JSON; one that has dots there already gets one more, so that `unescape_chat_markers`
gives back every text exactly. What some tokenizers fold to a marker is one, too. Other texts stay as they are.
"""

import re
import unicodedata
from collections.abc import Iterator

CHAT_MARKERS = "chat_markers"
"""the key of a score's `info` that counts the markers of a completion that a judge was shown"""
_NAME = r"[\w▁.:/-](?:[\w▁.:/ -]{0,62}[\w▁.:/-])?"
_MARKER = re.compile(
    r"[<\[\]](?P<escapes>·*)(?:"
    rf"\|{_NAME}\|?>|{_NAME}\|>"  # ChatML, Llama 3 and 4, harmony, GLM, DeepSeek, Phi, Command, Gemma 4, Kimi, Granite
    rf"|\|{_NAME}\|(?=\])"  # Exaone; a bracket that closes may open the next marker
    r"|/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|gMASK|sMASK"  # Mistral, GLM
    r"|BOS|EOS|EOT|start_header_id|end_header_id)(?=\])"  # Kimi
    r"|<·*/?SYS>>|/?s>"  # Llama 2
    r"|(?:start_of_turn|end_of_turn|bos|eos|sop|eop|eoh|eoa|seed:[be]os|/?role)>"  # Gemma, GLM, InternLM, Seed, Ling
    r"|(?:extra_id|reserved|SPECIAL)_\d{1,4}>"  # Nemotron, Baichuan
    r"|~!?b(?=[\]\[]))"  # MiniMax
)


class _Folding(dict[int, str]):
    """Letter -> the single letter that compatibility folding makes of it, so that each keeps its place."""

    def __missing__(self, code: int) -> str:
        letter = unicodedata.normalize("NFKC", chr(code))
        self[code] = letter if len(letter) == 1 and letter != "·" else chr(code)
        return self[code]


_FOLDING = _Folding()


def escape_chat_markers(text: str) -> str:
    """Return a text in which each chat marker has one dot more behind its first character."""
    return "·".join(_pieces(text, [(place, place) for place, _ in _markers(text)]))


def unescape_chat_markers(text: str) -> str:
    """Return a text in which each escaped chat marker has one dot less: what `escape_chat_markers` was given."""
    return "".join(_pieces(text, [(place, place + 1) for place, dots in _markers(text) if dots]))


def count_chat_markers(text: str) -> int:
    """Return how many chat markers a text has, escaped ones included."""
    return sum(1 for _ in _markers(text))


def _markers(text: str) -> Iterator[tuple[int, int]]:
    """Yield, for each marker, the place behind its first character, and how many dots stand there."""
    folded = text if text.isascii() else text.translate(_FOLDING)
    return ((match.start() + 1, len(match["escapes"])) for match in _MARKER.finditer(folded))


def _pieces(text: str, cuts: list[tuple[int, int]]) -> Iterator[str]:
    """Yield what is left of a text where it is cut from each first place to its second."""
    begin = 0
    for start, end in cuts:
        yield text[begin:start]
        begin = end
    yield text[begin:]
