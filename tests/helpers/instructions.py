"""Score one text by one instruction, as the tests of constraints/following do."""

from typing import Any

from rewardlab import Completion, Sample, Score
from rewardlab_constraints.following import Following
from rewardlab_constraints.options import FollowingOptions

PROMPT = "Write about the river, please, and do as you are told."


def scored(text: str, names: list[str], arguments: list[Any], language: str | None = None, **options: Any) -> Score:
    """Return the score of a text under instructions."""
    fields = {"instruction_id_list": names, "kwargs": arguments} | ({"language": language} if language else {})
    sample = Sample(id="s", prompt=({"role": "user", "content": PROMPT},), fields=fields)
    [score] = Following(FollowingOptions(**options)).score([(sample, Completion(text=text))])
    return score


def followed(text: str, name: str, language: str | None = None, mode: str = "strict", **arguments: Any) -> bool | None:
    """Return whether a text follows an instruction; None if it has no meaning in the language."""
    score = scored(text, [name], [arguments], language, mode=mode)
    assert score.error is None, score.error
    return score.info["instructions"][0]["followed"]
