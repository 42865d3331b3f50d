"""Examples for the laws of rubric/translated_texts: rows in a few languages, and a translator that marks texts."""

import json
from importlib.resources import files
from typing import Any

from rewardlab import Ask, Reply, Sample
from rewardlab.laws import DatasetExample

ROWS = [
    Sample(
        id=f"row-{number}",
        prompt=({"role": "user", "content": "?"},),
        fields={"language": language, "rubric": {"1": "bad", "2": f"good, {number % 2}"}},
    )
    for number, language in enumerate(("eu", "de", "sr-Latn", "en", "kk_Cyrl", "xh"))
]


class MarkingTranslator:
    """A translator whose translation of every text is the text behind a mark for the language."""

    async def ask(self, ask: Ask) -> Reply:
        marked = _marked(json.loads(ask.parts["texts"]), f"[{ask.parts['language'][-2:]}] ")
        return Reply(text=f"```json\n{json.dumps(marked)}\n```", finish_reason="stop")


def translated_texts() -> list[DatasetExample]:
    """Return examples without a rubric, with one in a file, and with rows' own."""
    rubric = str(files("rewardlab_rubric") / "rubrics" / "pairwise.yaml")
    ways: dict[str, dict[str, Any]] = {
        "texts": {},
        "rubric": {"rubric": rubric, "names": {"eu": "Basque"}},
        "rows' rubrics": {"rubric": {"field": "rubric"}},
    }
    return [
        DatasetExample(
            title=title,
            options={"translator": "translator", "least_share": 0, **options},
            source=ROWS,
            judges=lambda: {"translator": MarkingTranslator()},
            off={"streaming": "the source is read whole before a question, so that no wrong row is named after one"},
        )
        for title, options in ways.items()
    ]


def _marked(value: Any, mark: str) -> Any:
    if isinstance(value, dict):
        return {key: _marked(inner, mark) for key, inner in value.items()}
    if isinstance(value, list):
        return [_marked(inner, mark) for inner in value]
    return f"{mark}{value}"
