"""The thoughts that a model left in its text, by the marks of many models.

A server that does not take thoughts out of a text leaves them there, between marks of the model's own. Whoever reads a
judge's reply asks here which part of it is thought; `sections` has the one form that a policy is trained in. Each
function takes time linear in the text.
"""

import re
from dataclasses import dataclass

_NAMES = "(?i:think|thinking|thoughts?|reasoning|seed:think)"
_ONLY_ENDS = "(?i:analysis|scratchpad|reflection|cot)"
"""tags that prompts ask for: what follows them is said, but one that nobody closes may hold all that is said"""
_BEGINS = (
    rf"<{_NAMES}>",  # Qwen, DeepSeek, EXAONE, Seed-OSS, and prompts that name such tags
    r"\[THINK\]",  # Magistral
    r"◁think▷",  # Kimi
    r"<\|begin_of_thought\|>",  # OpenThinker, Sky-T1
    r"<\|START_THINKING\|>",  # Command A
    r"<\|thinking\|>",
    r"<\|inner_prefix\|>",  # Apertus
    r"<\|im_start\|>think\b",  # s1
    r"<\|channel>thought\b",  # Gemma
    r"<unused94>|<ctrl94>",  # MedGemma, Gemini
)
_ENDS = (
    rf"</{_NAMES}>",
    rf"</{_ONLY_ENDS}>",
    r"\[/THINK\]",
    r"◁/think▷",
    r"<\|end_of_thought\|>",
    r"<\|END_THINKING\|>",
    r"<\|/thinking\|>",
    r"\.\.\.done thinking\.",  # as Ollama prints them
    r"<\|inner_suffix\|>",
    r"<\|im_start\|>answer\b",
    r"<channel\|>",
    r"<unused95>|<ctrl95>",
    r"<\|channel\|>(?:final|commentary)(?:[^\n<]{0,40}(?:<\|constrain\|>[^\n<]{0,20})?<\|message\|>)?",
)
_HARMONY = r"<\|channel\|>analysis(?:<\|message\|>)?"
"""the channel of thoughts of gpt-oss"""
_HARMONY_ENDS = (r"<\|end\|>", r"assistantfinal")
"""what ends thoughts only behind such a beginning: elsewhere the first ends a turn, and the second is a word"""
_UNMARKED, _UNMARKED_END = "analysis", "assistantfinal"
"""the same channels as servers print them that skip special tokens"""
# each alternative begins with a character of its own, not a group: so a search is as fast as one for these characters
THOUGHT_MARK = re.compile("|".join((*_BEGINS, *_ENDS, _HARMONY, *_HARMONY_ENDS)))
"""what begins or may end thoughts"""
_BEGIN, _END = re.compile("|".join((*_BEGINS, _HARMONY))), re.compile("|".join(_ENDS))
_TURN = re.compile(
    r"(?:\s|<\|(?:im_)?start\|>assistant|<\|assistant\|>|<\|start_header_id\|>assistant<\|end_header_id\|>)*+"
)
"""what may stand before the thoughts of a turn"""


@dataclass(frozen=True)
class Thoughts:
    """The thoughts in a text.

    Args:
        ends: (start, end) of the marks that end some.
        begin_it: whether the text begins with thoughts.
        unfinished: whether it begins with thoughts, or goes on with more directly behind some, and does not end
            them.
    """

    begin_it: bool = False
    ends: tuple[tuple[int, int], ...] = ()
    unfinished: bool = False

    @property
    def first_words(self) -> int | None:
        """The earliest place at which the answer can begin; None if thoughts are unfinished."""
        if self.unfinished:
            return None
        return self.ends[0][1] if self.begin_it and self.ends else 0

    @property
    def last_end(self) -> int:
        """The end of the last mark that ends thoughts; 0 without one."""
        return self.ends[-1][0] if self.ends else 0


def thoughts_of(text: str) -> Thoughts:
    """Return the thoughts of a text. A mark that ends some needs none that begins them, which a prompt may hold."""
    begin_it = harmony = text.lstrip().startswith(_UNMARKED) and _UNMARKED_END in text
    begins, ends = set[int](), list[tuple[int, int]]()
    for mark in THOUGHT_MARK.finditer(text):
        if _BEGIN.match(mark[0]):
            begins.add(mark.start())
            harmony = harmony or mark[0].startswith("<|channel|>")
        elif harmony or _END.match(mark[0]):
            ends.append(mark.span())
            harmony = False
    return Thoughts(
        begin_it=begin_it or _turn_start(text, 0) in begins,
        ends=tuple(ends),
        unfinished=_turn_start(text, ends[-1][1] if ends else 0) in begins,
    )


def without_thoughts(text: str) -> str:
    """Return what a text says behind its thoughts; "" if it does not end them."""
    thoughts = thoughts_of(text)
    return "" if thoughts.unfinished else text[thoughts.ends[-1][1] :] if thoughts.ends else text


def _turn_start(text: str, place: int) -> int:
    words = _TURN.match(text, place)
    return words.end() if words is not None else place
