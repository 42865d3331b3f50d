"""Another option than the right one, in the notation that the right answer has."""

import re
from collections.abc import Mapping
from typing import Any

from rewardlab_rubric.data_steps.asking import UnusableRow

_LABEL = re.compile(r"\(?([A-Za-z])[).:]?")


def right_and_wrong(answer: Any, options: Any, draw: Any) -> tuple[str, str]:
    """Return the right option and another one, as the answer writes them: as a text, or as a label such as (B).

    Args:
        options: a list of texts, a mapping of labels to texts, or {text: [...], label: [...]}, as ARC has them.
        answer: a text or a label, or a place in the list, from 0, which stands for the text there.

    Raises ValueError if the answer is not one of the options, and UnusableRow if there is no other option.
    """
    texts = _texts(options)
    if isinstance(answer, int) and not isinstance(answer, bool) and str(answer) not in texts.values():
        return _by_place(answer, texts, draw)
    written = str(answer).strip()
    if written in texts.values():
        return written, _other(written, list(texts.values()), draw)
    label = _label(written)
    if label not in texts:
        raise ValueError(f"the answer {written[:40]!r} is not one of the options {', '.join(texts.values())[:80]!r}")
    others = [other_label for other_label, text in texts.items() if text != texts[label]]
    wrong = _other(label, others, draw)
    return written, _as_written(written, wrong)


def _by_place(place: int, texts: Mapping[str, str], draw: Any) -> tuple[str, str]:
    if not 0 <= place < len(texts):
        raise ValueError(f"the answer is option {place}, and they go from 0 to {len(texts) - 1}")
    right = list(texts.values())[place]
    return right, _other(right, list(texts.values()), draw)


def _texts(options: Any) -> dict[str, str]:
    """Return the options by their labels, in capitals."""
    if isinstance(options, Mapping) and set(options) == {"text", "label"}:
        options = _paired(options["label"], options["text"])
    if isinstance(options, Mapping):
        named = {_label(str(label)): text for label, text in options.items()}
        if len(named) < len(options):
            raise ValueError("two options have one label")
    elif isinstance(options, list):
        named = {_letter(number): text for number, text in enumerate(options)}
    else:
        raise ValueError(f"options are a list of texts or a mapping of labels to texts, not {str(options)[:40]!r}")
    if not named or any(isinstance(text, (dict, list, type(None))) for text in named.values()):
        raise ValueError("options are texts, one or more")
    return {label: str(text).strip() for label, text in named.items()}


def _paired(labels: Any, texts: Any) -> Mapping[Any, Any]:
    if not isinstance(labels, list) or not isinstance(texts, list) or len({*map(str, labels)}) != len(texts):
        raise ValueError("options with text and label need as many different labels as texts")
    return dict(zip(map(str, labels), texts, strict=True))


def _other(right: str, options: list[str], draw: Any) -> str:
    others = sorted({option for option in options if option != right})
    if not others:
        raise UnusableRow("no other option")
    return str(draw.choice(others))


def _letter(number: int) -> str:
    return chr(ord("A") + number) if number < 26 else str(number)


def _label(text: str) -> str:
    match = _LABEL.fullmatch(text.strip())
    return match[1].upper() if match else text.strip()


def _as_written(written: str, label: str) -> str:
    """Return a label with the brackets and the case of another one."""
    match = _LABEL.fullmatch(written)
    if match is None:
        return label
    letter = label.lower() if match[1].islower() else label
    return written[: match.start(1)] + letter + written[match.end(1) :]
