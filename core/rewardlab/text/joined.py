"""The text between two answers: does it only join them, so that both together are one answer?"""

import re

MAX_LENGTH = 80
"""characters of the longest text that can only join"""

_GROUP = re.compile(r"\\(?:text\w*|math(?:rm|bf|it|sf)|mbox|hbox)\s*\{([^{}]*)\}")
_MARKUP = re.compile(r"\\[()\[\],;:!> ]|\\q?quad(?![A-Za-z])|[$&~*`]")
_NAME = re.compile(r"(?:\\?[A-Za-z]\w{0,7}(?:_\{\w{1,5}\})?\s*(?:\(\w\)\s*)?=\s*)?\Z")
_SPACED = """
and or und oder et ou y e o u dan atau na au и или та або i lub ve veya en of och eller a nebo și sau és vagy και ή
এবং ও বা অথবা আর और या तथा अथवा మరియు లేదా మరియు و أو או àti tàbí và hoặc at
"""
_UNSPACED = """
和 或者 或 与 與 以及 及 または および 및 と か 또는 혹은 그리고 와 과 이나 และ หรือ
"""
_DOUBT = r"(?:\s+(?:maybe|perhaps|possibly|else|also|alternatively|vielleicht|peut-être|quizás?|forse|talvez))?"
_WORDS = "|".join(sorted(map(re.escape, [*_SPACED.split(), *_UNSPACED.split(), "and/or"]), key=len, reverse=True))
_JOINER = re.compile(rf"(?P<mark>[,;،，、؛；/|])?\s*(?P<word>(?:{_WORDS}){_DOUBT})?[,，]?", re.IGNORECASE)


def only_joins(between: str) -> bool:
    r"""Return whether the text between two answers makes one of both: "and", ", ", `$ oder $x = $`, " 或 ", nothing.

    A comma, a word for "and" or "or" in one of some thirty languages, or only space joins; a new line needs a comma or
    a word, and any other text starts another statement. Mark-up, and a name before the second ("x ="), do not count.
    """
    if len(between) > MAX_LENGTH:
        return False
    bare = _MARKUP.sub(" ", _GROUP.sub(r" \1 ", between))
    bare = bare[: _NAME.search(bare).start()]  # type: ignore[union-attr]  # it matches the end at the latest
    joiner = _JOINER.fullmatch(bare.strip())
    return joiner is not None and bool(joiner["mark"] or joiner["word"] or "\n" not in between)
