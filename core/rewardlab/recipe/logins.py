"""Logins in URLs (`http://user:password@host`): the recipe that is written has a variable in the place of each."""

import os
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from rewardlab.recipe.yaml12 import Keys, Tree
from rewardlab.text.redaction import note_secrets, note_variables

PREFIX = "REWARDLAB_LOGIN_"
_LOGIN = re.compile(r"(?<=[A-Za-z0-9+.-]://)([^\s/?#]+)@")
_PASSWORD_BESIDE_VARIABLE = re.compile(r"((?:\$\{[^{}]*\}|[^:$])*:)([^$]+)")


def keep_logins(tree: Tree) -> None:
    """Put ${oc.env:REWARDLAB_LOGIN_...} in the place of each user and password in the URLs of a recipe.

    The variables are set in this process, so that whatever reads the written recipe finds them, in a child, too. A
    password that is a variable already stays as it is.
    """
    names: dict[str, str] = {}  # by login
    for holder, key, path in _texts(tree, ()):
        literal, *others = _LOGIN.split(holder[key])
        pairs = zip(others[::2], others[1::2], strict=True)
        holder[key] = "".join([literal, *(f"{_named(login, path, names)}@{after}" for login, after in pairs)])
    if names:
        variables = {name: login for login, name in names.items()}
        os.environ.update(variables)
        note_variables(variables)
        passwords = [login.partition(":")[2] for login in names]
        note_secrets([*passwords, *map(unquote, passwords)])


def describe_login(name: str) -> str | None:
    """Return what a missing variable holds, if it stands for a login in a written recipe, and what to do."""
    if not name.startswith(PREFIX):
        return None
    return "a URL had its user and password here, which are never written: export it as USER:PASSWORD"


def _named(login: str, path: Keys, names: dict[str, str]) -> str:
    """Return a login with a variable in the place of what is secret in it."""
    before, secret = "", login
    if "${" in login:
        literal = _PASSWORD_BESIDE_VARIABLE.fullmatch(login)
        if literal is None:
            return login
        before, secret = literal.groups()
    if secret not in names:
        stem = PREFIX + re.sub("[^A-Z0-9]+", "_", "_".join(str(key) for key in path if key != "with").upper())
        taken = set(names.values())
        numbered = (stem if number == 1 else f"{stem}_{number}" for number in range(1, len(names) + 2))
        names[secret] = next(name for name in numbered if name not in taken)
    return f"{before}${{oc.env:{names[secret]}}}"


def _texts(node: Any, path: Keys) -> Iterator[tuple[Any, str | int, Keys]]:
    """Yield (mapping or list, key, path) for each text in a tree that may be a URL with a login."""
    items = list(node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ())
    for key, value in items:
        if isinstance(value, str) and "://" in value and "@" in value:
            yield node, key, (*path, key)
        elif isinstance(value, dict | list):
            yield from _texts(value, (*path, key))
