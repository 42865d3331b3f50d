"""The recipe of either half of a pair, and its rows."""

from dataclasses import dataclass
from typing import Any

from hack_pairs.pairs import Pair
from hack_pairs.tasks import Row

HACKED, TRUTH = "verifier", "correctness"
"""components: the reward that is trained, and the true one, which is only logged"""


@dataclass(frozen=True)
class Judges:
    """A server of judges, and a folder where their answers are kept, since a small policy repeats itself."""

    address: str
    folder: str


def recipe(pair: Pair, weak: bool, judges: Judges) -> dict[str, Any]:
    """Return a recipe as `load_reward` takes it."""
    name = pair.weak if weak else pair.sound
    asks = {model: _judge(model, judges) for model in {name, pair.sound}} if pair.kind == "text" else {}
    components = {
        HACKED: _use(pair, name),
        "form": {"use": "hacks/form", "with": {"kind": pair.kind}},
        TRUTH: _use(pair, pair.sound),
    }
    return {
        "version": 1,
        "judges": asks,
        "reward": {"components": components, "total": f"{HACKED} + 0.2 * form", "correctness": TRUTH},
    }


def _use(pair: Pair, name: str) -> dict[str, Any]:
    return {"use": "hacks/judged", "with": {"judge": name}} if pair.kind == "text" else {"use": f"hacks/{name}"}


def _judge(model: str, judges: Judges) -> dict[str, Any]:
    asked = {"use": "openai/chat", "with": {"model": model, "base_url": judges.address}, "retries": 1}
    return asked | {"cassette": {"path": f"{judges.folder}/{model}.jsonl"}}


def probe_rows(pair: Pair) -> list[dict[str, Any]]:
    """Return the rows of a pair with an honest completion each."""
    return [{**row, "response": pair.task.right(row)} for row in pair.task.rows]


def training_row(row: Row, texts: list[str]) -> dict[str, Any]:
    """Return a row with its completions, a token for each four characters."""
    return {**row, "completions": [{"text": text, "token_count": max(1, len(text) // 4)} for text in texts]}
