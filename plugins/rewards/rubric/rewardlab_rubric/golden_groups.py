"""The goldens of a reward's rubric as groups to be scored, with the interval in which each value must lie."""

from collections.abc import Sequence
from itertools import count

from rewardlab import Completion, Group, Sample
from rewardlab_training import Golden

from rewardlab_rubric.goldens import RubricGolden
from rewardlab_rubric.levels import Levels
from rewardlab_rubric.rubrics import Rubric, chosen
from rewardlab_rubric.strategies.questions import QuestionOptions, rubrics_by_language, stand_in_fields


def golden_groups(options: QuestionOptions) -> list[Golden]:
    """Return the goldens of the rubric that the recipe names, and of its translations; rows' own have none here.

    Raises ValueError for one of a pair where single responses are judged, and the reverse.
    """
    made: list[Golden] = []
    for language, variants in rubrics_by_language(options).items():
        for number, variant in enumerate(variants):
            for golden in variant.goldens:
                if values := _values(options, variant.levels, golden):
                    name = _named(f"golden {len(made) + 1}", number, variants)
                    made.append(
                        Golden(place=golden.place, group=_group(options, name, golden, language), values=values)
                    )
    return made


def _values(options: QuestionOptions, levels: Levels, golden: RubricGolden) -> list[tuple[float, float]]:
    """Return the interval of each response's value; none if the level is dropped."""
    pair = len(golden.texts) == 2
    if pair != (options.sort == "pair"):
        wanted = "response_1 and response_2" if options.sort == "pair" else "one response"
        raise ValueError(f"{golden.place} needs {wanted} for rubric/{options.asks}")
    return _of_pair(options, levels, golden) if pair else _of_one(levels, golden)


def _group(options: QuestionOptions, name: str, golden: RubricGolden, language: str) -> Group:
    fields = {**stand_in_fields(options), options.language: golden.language or language}
    prompt = ({"role": "user", "content": golden.input},)
    sample = Sample(id=name, prompt=prompt, fields=fields, source=golden.place)
    return Group(sample=sample, completions=[Completion(text=text) for text in golden.texts])


def _named(name: str, number: int, variants: Sequence[Rubric]) -> str:
    """Return an id by which a row gets the variant with this number."""
    ids = (name if attempt == 0 else f"{name}.{attempt}" for attempt in count())
    return next(wanted for wanted in ids if chosen(Sample(id=wanted), variants)[0] == number)


def _of_one(levels: Levels, golden: RubricGolden) -> list[tuple[float, float]]:
    """Return the interval that is nearer to the level's worth than to any other's."""
    return [_around(levels.worth(golden.level), 0.5 / (len(levels.texts) - 1))]


def _of_pair(options: QuestionOptions, levels: Levels, golden: RubricGolden) -> list[tuple[float, float]]:
    """Return the intervals of both responses; none if the level is dropped."""
    both_bad = getattr(options, "both_bad", "zero")
    if golden.level == "Both Bad" and both_bad == "drop":
        return []
    first, lost = levels.shares(golden.level, both_bad)
    half = 0.5 / (len(levels.texts) - 1) if levels.kind == "scale" else 0.25
    return [_around(first, half), _around(1.0 - first - lost, half)]


def _around(value: float, half: float) -> tuple[float, float]:
    return max(0.0, value - half), min(1.0, value + half)
