r"""Repair what programs make of LaTeX: `\frac` read as a form feed and "rac", `\\frac` written twice, `x<sup>2</sup>`.

Gold answers come through files and languages in which a backslash escapes. A control sign has no meaning in an answer,
so that what follows it tells the command.
"""

import re

_EATEN = re.compile(
    r"\t(?=(?:ext|imes|heta|an|au|frac|riangle)(?![a-z]))|\f(?=(?:rac|orall)(?![a-z]))"
    r"|\x08(?=(?:eta|inom|ar|oxed|egin|mod)(?![a-z]))|\r(?=(?:ight|ho|angle)(?![a-z]))"
)
_LETTER = {"\t": "t", "\f": "f", "\x08": "b", "\r": "r"}
_TWICE = re.compile(
    r"\\\\(?=(?:[dt]?frac|sqrt|pi|theta|alpha|beta|cdot|times|infty|cup|cap|pm|left|right|text|math[a-z]+|sin|cos|tan|log|ln"
    r"|circ|leq?|geq?|neq?|in|ldots|dots|[Bb]igg?[lr]?)(?![A-Za-z]))"
)
_RAISED = re.compile(r"<(su[bp])>([^<>]*)</su[bp]>", re.IGNORECASE)
_STYLED = re.compile(r"</?(?:b|i|em|strong|u|span|p|br)\s*/?>", re.IGNORECASE)
_ENTITY = re.compile(r"&(lt|gt|le|ge|ne|nbsp|times|minus|pi|infin|radic|deg);")
_ENTITIES = {
    **{"lt": "<", "gt": ">", "le": r"\le ", "ge": r"\ge ", "ne": r"\ne ", "nbsp": " ", "times": r"\times "},
    **{"minus": "-", "pi": r"\pi ", "infin": r"\infty ", "radic": "√", "deg": r"^\circ "},
}


def repaired(text: str) -> str:
    """Return a text with LaTeX's commands in place of what escapes left of them, and of the commonest HTML."""
    if not text.isprintable():
        text = _EATEN.sub(lambda sign: "\\" + _LETTER[sign.group()], text)
    if r"\\" in text and r"\begin" not in text:
        text = _TWICE.sub(r"\\", text)
    if "<" in text:
        text = _STYLED.sub("", _RAISED.sub(lambda part: f"{'^' if part[1][-1] in 'pP' else '_'}{{{part[2]}}}", text))
    return _ENTITY.sub(lambda entity: _ENTITIES[entity[1]], text) if "&" in text else text
