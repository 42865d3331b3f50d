"""Examples for the laws of rubric/translated_texts: rows in a few languages, and a translator that marks texts."""

import json
from importlib.resources import files
from typing import Any

from rewardlab import Ask, Reply, Sample
from rewardlab.laws import DatasetExample

ROWS = [
    Sample(id=f"row-{number}", prompt=({"role": "user", "content": "?"},), fields={"language": language})
    for number, language in enumerate(("eu", "de", "sr-Latn", "en", "kk_Cyrl", "xh"))
]


class MarkingTranslator:
    """A translator whose translation of every text is the text behind a mark for the language."""

    async def ask(self, ask: Ask) -> Reply:
        marked = _marked(json.loads(ask.parts["texts"]), f"[{ask.parts['language'][-2:]}] ")
        return Reply(text=f"```json\n{json.dumps(marked)}\n```", finish_reason="stop")


def translated_texts() -> list[DatasetExample]:
    """Return examples without a rubric and with one."""
    rubric = str(files("rewardlab_rubric") / "rubrics" / "pairwise.yaml")
    ways: dict[str, dict[str, Any]] = {"texts": {}, "rubric": {"rubric": rubric, "names": {"eu": "Basque"}}}
    return [
        DatasetExample(
            title=title,
            options={"translator": "translator", **options},
            source=ROWS,
            judges=lambda: {"translator": MarkingTranslator()},
        )
        for title, options in ways.items()
    ]


def _marked(value: Any, mark: str) -> Any:
    if isinstance(value, dict):
        return {key: _marked(one, mark) for key, one in value.items()}
    if isinstance(value, list):
        return [_marked(one, mark) for one in value]
    return f"{mark}{value}"
