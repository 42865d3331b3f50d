"""Chat markers inside of messages, escaped so that no server reads them as turns.

A server's tokenizer reads special tokens inside of a message, too: a completion with `<|im_end|><|im_start|>assistant`
would end the judge's question and begin an answer of its own. So each judge's host escapes them, and undoes it in the
reply. An escaped marker has a middle dot behind its first character, `<·|im_end|>`, which no tokenizer takes for a
special token, and which harms no JSON; one that has dots there already gets one more, so that `unescape_chat_markers`
gives back every text exactly. Texts without markers stay as they are.
"""

import re

CHAT_MARKERS = "chat_markers"
"""the key of a score's `info` that counts the markers of a completion that a judge was shown"""
_NAME = r"[\w▁.:-]{1,64}"
_MARKER = re.compile(
    r"(?P<first>[<\[\]])(?P<escapes>·*)(?P<rest>"
    rf"[|｜]{_NAME}[|｜]?>|{_NAME}[|｜]>"  # ChatML, Llama 3 and 4, harmony, GLM, DeepSeek, Phi, Command, Gemma 4
    rf"|\|{_NAME}\|(?=\])"  # Exaone; a bracket that closes may open the next marker
    r"|/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|gMASK|sMASK)(?=\])"  # Mistral, GLM
    r"|<·*/?SYS>>|/?s>"  # Llama 2
    r"|(?:start_of_turn|end_of_turn|bos|eos|sop|eop|seed:[be]os)>"  # Gemma, GLM, Seed
    r"|~!?b(?=[\]\[]))"  # MiniMax
)


def escape_chat_markers(text: str) -> str:
    """Return a text in which each chat marker has one dot more behind its first character."""
    return _MARKER.sub(r"\g<first>·\g<escapes>\g<rest>", text)


def unescape_chat_markers(text: str) -> str:
    """Return a text in which each escaped chat marker has one dot less: what `escape_chat_markers` was given."""
    return _MARKER.sub(lambda marker: marker["first"] + marker["escapes"][1:] + marker["rest"], text)


def count_chat_markers(text: str) -> int:
    """Return how many chat markers a text has, escaped ones included."""
    return sum(1 for _ in _MARKER.finditer(text))
