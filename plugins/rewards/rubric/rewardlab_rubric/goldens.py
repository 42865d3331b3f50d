"""The goldens of a rubric: responses whose level is known, by which a judge, and a change of the rubric, is tested."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rewardlab_rubric.levels import Levels, label_of_key

SINGLE, PAIR = ("response",), ("response_1", "response_2")
INPUT = "input"


@dataclass(frozen=True)
class RubricGolden:
    """An example of a level: `texts` are one response to `input`, or two for a rubric of pairs.

    Args:
        place: for messages.
        language: of its texts, as a row would have it; None if it does not say.
    """

    place: str
    level: str
    input: str
    texts: tuple[str, ...]
    language: str | None = None


def goldens_by_level(
    data: Any, levels: Levels, place: tuple[Any, ...], where: Callable[[tuple[Any, ...]], str]
) -> tuple[RubricGolden, ...]:
    """Return the goldens of a rubric, which map levels to lists of examples.

    Args:
        place: of the goldens in the rubric.
        where: how a message about a place begins.

    Raises ValueError that says what is wrong with them.
    """
    if data is None:
        return ()
    if not isinstance(data, Mapping):
        raise ValueError(f"{where(place)}goldens map levels to lists of examples, each {{input: .., response: ..}}")
    made: list[RubricGolden] = []
    for key, examples in data.items():
        level, at = levels.label_of(label_of_key(key) or ""), (*place, key)
        if level is None:
            raise ValueError(f"{where(at)}goldens of {key!r}, and the rubric has the levels {', '.join(levels.texts)}")
        if not isinstance(examples, list) or not examples:
            raise ValueError(f"{where(at)}the goldens of level {level} are no list of examples")
        for number, example in enumerate(examples):
            words = f"{where((*at, number))}golden {number + 1} of level {level}"
            texts = golden_texts(example, words, levels.kind == "pair", others=("language",))
            made.append(RubricGolden(words, level, *texts, language=_language(example.get("language"), words)))
    return tuple(made)


def _language(value: Any, words: str) -> str | None:
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise ValueError(f"{words}: its language is no code, such as de")
    return value


def golden_texts(
    example: Any, words: str, pair: bool = False, others: tuple[str, ...] = ()
) -> tuple[str, tuple[str, ...]]:
    """Return the input and the response, or two, of an example.

    Args:
        pair: whether there must be two.
        others: keys that it may have besides.

    Raises ValueError, which begins with `words`, if it has none.
    """
    mapping = example if isinstance(example, Mapping) else {}
    sides = PAIR if pair or PAIR[0] in mapping else SINGLE
    wanted = (INPUT, *sides)
    texts = [mapping.get(name) for name in wanted]
    if {*mapping} - {*others} != {*wanted} or not all(isinstance(text, str) for text in texts):
        further = f" besides {', '.join(others)}" if others else ""
        raise ValueError(f"{words}: it should have the texts {', '.join(wanted)} and nothing else{further}")
    return str(texts[0]), tuple(map(str, texts[1:]))
