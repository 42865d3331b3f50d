"""The resolution of `${oc.env:NAME}` and `${oc.env:NAME,default}` in a recipe's values."""

import os
import re
from collections.abc import Callable

from rewardlab.recipe.logins import describe_login
from rewardlab.recipe.yaml12 import Keys, Tree, scalar
from rewardlab.text.redaction import environment_values

_OPENING = re.compile(r"(?<!\\)(\\*+)\$\{")
_CALL = re.compile(r"\$\{\s*oc\.env\s*:\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?=([,}]))")
_BARE_DEFAULT = re.compile(r"""(?<!\\)((?:\\\\)*\$\{\s*oc\.env\s*:\s*\w+\s*,)\s*([^'"${}\\]*?)\s*\}""")
_PLAIN_CALL = re.compile(r"""\$\{[ \t]*oc\.env[ \t]*:[ \t]*(\w+)[ \t]*(?:,([^'"${}\\\n]*))?\}""")
_INNERMOST = re.compile(r"\$\{[^{}]*\}")


def resolve(value: Tree, refuse: Callable[[Keys, str], None], variables: dict[str, str], path: Keys = ()) -> Tree:
    """Return a value with what it names of the environment; `variables` receives each by name.

    A value that cannot be resolved is unchanged, and `refuse` receives its path and the reason.
    """
    if isinstance(value, dict):
        for key in value:
            if "${" in key:
                refuse((*path, key), "a key cannot hold ${; only values resolve")
        return {key: resolve(item, refuse, variables, (*path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [resolve(item, refuse, variables, (*path, index)) for index, item in enumerate(value)]
    if isinstance(value, str) and "${" in value:
        try:
            return _interpolate(value, variables)
        except ValueError as error:
            refuse(path, str(error))
    return value


def _interpolate(text: str, variables: dict[str, str]) -> Tree:
    """Return a text with its `${oc.env:...}` resolved; a text that is one such call is read as a plain scalar.

    The variables that it names are put into `variables`. Raises ValueError for any other `${...}` and for variables
    that are not set.
    """
    calls = [_call(text, opening) for opening in _OPENING.finditer(text) if len(opening[1]) % 2 == 0]
    if missing := [name for name, needed in dict.fromkeys(calls) if needed and name not in os.environ]:
        advice = describe_login(missing[0]) or f"export it, or write ${{oc.env:{missing[0]},default}}"
        raise ValueError(f"no environment variable {' and no '.join(missing)}; {advice}")
    variables |= environment_values(name for name, _ in calls)
    resolved, plain = _PLAIN_CALL.subn(lambda call: os.environ.get(call[1], (call[2] or "").strip()), text)
    if plain != len(calls) or "\\" in text:  # nested, quoted or escaped
        resolved = _by_omegaconf(text)
    return scalar(resolved) if _is_one_call(text) else resolved


def _by_omegaconf(text: str) -> str:
    from omegaconf import OmegaConf  # 70 ms, and most recipes need it not
    from omegaconf.errors import OmegaConfBaseException

    try:
        # A quoted default comes back as it was written; OmegaConf turns a bare true into "True".
        return str(OmegaConf.create({"text": _BARE_DEFAULT.sub(r"\1'\2'}", text)}).text)
    except RecursionError:
        raise ValueError("its ${oc.env:...} are nested too deeply") from None
    except OmegaConfBaseException as error:
        hint = "a default may be quoted: ${oc.env:NAME,'default'}"
        raise ValueError(f"OmegaConf: {str(error).splitlines()[0]}; {hint}") from error


def _call(text: str, opening: re.Match[str]) -> tuple[str, bool]:
    """Return (the variable that is named at an opening, whether it must be set)."""
    if call := _CALL.match(text, opening.end(1)):
        return call[1], call[2] == "}"
    raise ValueError("only ${oc.env:NAME} and ${oc.env:NAME,default} resolve; write \\${ for a ${ that stays")


def _is_one_call(text: str) -> bool:
    before = None
    while text != before:
        before, text = text, _INNERMOST.sub("\0", text)
    return text == "\0"
