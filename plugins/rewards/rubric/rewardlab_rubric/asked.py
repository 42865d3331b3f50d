"""The questions of a trained judge's rows: what rubric/distilled notes in each row, and what rewards read again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError
from rewardlab import Config

from rewardlab_rubric.prompts import template_text
from rewardlab_rubric.rubrics import TIES, Rubric, field_of, known_variants

FIELD = "asked"
"""the field of a row that says how it was asked, which engines keep beside the model"""
ALIKE = ("layout", "strategy")
"""what all questions to one judge have in common"""


class Asked(Config):
    """The way in which a row of rubric/distilled was asked, its field `asked`."""

    use: str
    """the reward that asks so"""
    layout: Literal["r3", "mr3"]
    strategy: Literal["eng-eng", "tgt-eng", "tgt-tgt"]
    levels: list[str]
    rubric: list[dict[str, Any]] | dict[str, str] | None
    """the variants of the rubric; {field: NAME} of each row's own, null for the packaged one of each language"""
    template: str | None
    """the text of the template; null for those of languages"""
    max_tokens: int | None
    """the most tokens of the teacher's reply"""


@dataclass(frozen=True)
class Trained:
    """The questions of a trained judge's rows.

    Args:
        ways: those of one reward.
        others: of any other.
    """

    folder: str
    ways: Sequence[Asked]
    others: Sequence[Asked]

    @property
    def max_tokens(self) -> int | None:
        """The most tokens that any reply had room for."""
        return max((way.max_tokens for way in self._any if way.max_tokens is not None), default=None)

    @property
    def template(self) -> str | None:
        """The text of the template; None for that of a language. Raises ValueError if there were several."""
        return self.value("template") if self.ways else None

    @property
    def rubric(self) -> Any:
        """The rubric, without Tie and Both Bad, which evaluations lack; None for the packaged one.

        {field: NAME} if every row had its own. Raises ValueError if there were several.
        """
        rubrics = [way.rubric for way in self.ways]
        of_recipes = [rubric for rubric in rubrics if field_of(rubric) is None]
        rubric = _only("rubric", of_recipes or rubrics, self.folder) if rubrics else None
        if rubric is None or field_of(rubric) is not None:
            return rubric
        return written(
            [known_variant.without_ties() for known_variant in known_variants(rubric, ("scale", "binary", "pair"))]
        )

    def values(self, name: str) -> list[Any]:
        """Return every value that all rows share, such as their layout."""
        return [getattr(way, name) for way in self._any]

    def value(self, name: str) -> Any:
        """Return the value that all rows have. Raises ValueError if they differ."""
        return _only(name, self.values(name), self.folder)

    def check_levels(self, levels: Sequence[str]) -> None:
        """Raise ValueError for levels that no row of the reward had."""
        known = [[label for label in way.levels if label not in TIES] for way in self.ways]
        if known and [label for label in levels if label not in TIES] not in known:
            seen = "; ".join(dict.fromkeys(", ".join(labels) for labels in known))
            raise ValueError(f"rubric has the levels {', '.join(levels)}, and {self.folder} was trained on {seen}")

    @property
    def _any(self) -> Sequence[Asked]:
        return self.ways or self.others


def _only(name: str, values: Sequence[Any], folder: str) -> Any:
    if any(value != values[0] for value in values):
        raise ValueError(f"{folder} was trained on rows that differ in {name}; say which")
    return values[0]


def trained(folder: str, asks: str) -> Trained:
    """Return how the rows were asked on which the judge in a folder was trained.

    Raises ValueError that says what is wrong.
    """
    from rewardlab_training import read_asked

    try:
        ways_asked = [Asked.model_validate(way) for way in read_asked(folder) if way["use"].startswith("rubric/")]
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise ValueError(f"asked.json of {folder}: {place}: {error.errors()[0]['msg']}") from None
    if not ways_asked:
        raise ValueError(f"asked.json of {folder} is of no judge by rubric; leave `trained` out")
    ways = [way for way in ways_asked if way.use == f"rubric/{asks}"]
    return Trained(folder, ways, [way for way in ways_asked if way not in ways])


def as_trained(options: dict[str, Any], asks: str) -> dict[str, Any]:
    """Return options completed from a trained judge's question. Raises ValueError if they contradict it."""
    training = trained(str(options["trained"]), asks)
    filled = {**options}
    for name in ALIKE:
        given, values = options.get(name), training.values(name)
        if given is None:
            filled[name] = training.value(name)
        elif given not in values:
            raise ValueError(f"{name} is {given}, and {training.folder} was trained on {values[0]}; leave it out")
    limit = options.get("max_tokens")
    if limit is None:
        filled["max_tokens"] = training.max_tokens
    elif training.max_tokens not in (None, limit):
        raise ValueError(
            f"max_tokens is {limit}, and {training.folder} was trained on {training.max_tokens}; leave it out"
        )
    return filled


def way_of(options: Any, known: Sequence[Rubric], max_tokens: int | None) -> dict[str, Any]:
    """Return how a reward's options ask, but for the levels of a row.

    Args:
        known: the rubrics that are known before any row is.
        max_tokens: what the judge's reply may have.
    """
    english = options.strategy == "eng-eng"
    in_recipe = field_of(options.rubric) is None and (english or options.rubric is not None)
    return {
        "use": f"rubric/{options.asks}",
        "layout": options.sections,
        "strategy": options.strategy,
        "rubric": written(known) if in_recipe else options.rubric,
        "template": template_text(options.template, options.sections, options.sort) if english else None,
        "max_tokens": max_tokens,
    }


def written(variants: Sequence[Rubric]) -> list[dict[str, Any]]:
    """Return variants of a rubric as a recipe has them."""
    return [
        {"scoring": dict(variant.levels.texts)}
        | ({} if variant.description is None else {"description": variant.description})
        for variant in variants
    ]
