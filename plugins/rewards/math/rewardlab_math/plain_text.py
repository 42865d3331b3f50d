r"""Write formulas that are typed as on a keyboard, `1 + sqrt(3)`, `x**2`, `2*pi`, `a >= 1`, in LaTeX."""

import re

_GREEK = """
alpha|beta|gamma|delta|epsilon|zeta|theta|iota|kappa|lambda|rho|sigma|tau|phi|chi|psi|omega|eta|mu|nu|xi|pi
|Gamma|Delta|Theta|Lambda|Sigma|Phi|Psi|Omega
"""
_FUNCTIONS = "arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|sec|csc|log|ln|exp"
_NAME = re.compile(rf"(?<![\\A-Za-z{{])(?:{_FUNCTIONS}|{''.join(_GREEK.split())})(?![A-Za-z])")
_BARE_ROOT = re.compile(r"(\\sqrt\s*\[[^\[\]{}]{1,9}\])\s*(\d|[A-Za-z](?![A-Za-z]))")
_ROOT = re.compile(r"(?<![\\A-Za-z])sqrt\s*(?=[({\d])")
_BARE_RADICAND = re.compile(r"(?<=\\sqrt)(\d+)")
_INFINITY = re.compile(r"(?<![\\A-Za-z{])(?:infinity|inf|oo)(?![A-Za-z])")
_SIGNED_POWER = re.compile(r"\^\s*([-+]\s*[\d.]+)")
_RELATIONS = ((">=", r"\ge "), ("<=", r"\le "), ("!=", r"\ne "))
_TYPED = re.compile(r"[*>!<]|(?<![\\A-Za-z])[A-Za-z]{2}|\^\s*[-+(]")
MAX_NESTING = 20


def as_latex(text: str) -> str:
    """Return a plain answer (see `notation.plain`) in which signs and names of the keyboard are commands of LaTeX."""
    if r"\sqrt" in text:
        text = _BARE_ROOT.sub(r"\1{\2}", text)
    if not _TYPED.search(text):
        return text
    text = text.replace("**", "^")
    for typed, command in _RELATIONS:
        text = text.replace(typed, command)
    text = _INFINITY.sub(r"\\infty ", _NAME.sub(lambda name: f"\\{name.group()} ", text))
    text = _BARE_RADICAND.sub(r"{\1}", _ROOT.sub(r"\\sqrt", text))
    for command in (r"\sqrt", "^"):
        text = _braced(text, command)
    return _SIGNED_POWER.sub(r"^{\1}", text)


def _braced(text: str, command: str) -> str:
    """Return a text with braces in place of the round brackets right behind a command."""
    at = 0
    for _ in range(MAX_NESTING):
        at = text.find(f"{command}(", at)
        if at < 0:
            break
        at += len(command)
        end = _closing(text, at)
        if end is None:
            break
        text = f"{text[:at]}{{{text[at + 1 : end]}}}{text[end + 1 :]}"
    return text


def _closing(text: str, opening: int) -> int | None:
    depth = 0
    for place in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return None
