"""Differences between two trees, such as a recipe then and now, as people read them."""

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from rewardlab.recipe.validation import RecipePath

MAX_VALUE_LENGTH = 100
_ABSENT = object()


class Difference(NamedTuple):
    """A place in a tree, with what stood there and what stands there now, as JSON or "absent"."""

    path: RecipePath
    then: str
    now: str


def differences(then: Any, now: Any, path: RecipePath = ()) -> Iterator[Difference]:
    """Yield the innermost places where two trees differ."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*then, *now]):
            yield from differences(then.get(key, _ABSENT), now.get(key, _ABSENT), (*path, key))
    elif isinstance(then, list) and isinstance(now, list):
        for index, (one, other) in enumerate(zip_longest(then, now, fillvalue=_ABSENT)):
            yield from differences(one, other, (*path, index))
    elif then != now or type(then) is not type(now):
        yield Difference(path, _text(then), _text(now))


def _text(value: Any) -> str:
    text = "absent" if value is _ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_VALUE_LENGTH else text[: MAX_VALUE_LENGTH - 3] + "..."
