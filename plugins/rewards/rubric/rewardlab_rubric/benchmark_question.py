"""The question of a published benchmark, as a reward by rubric asks it."""

from collections.abc import Sequence

from rewardlab_rubric.levels import Levels, levels_of
from rewardlab_rubric.options import RubricOptions
from rewardlab_rubric.published.layout import PublishedLayout
from rewardlab_rubric.rubrics import field_of, is_in_rows_language
from rewardlab_rubric.strategies.questions import known_rubrics

USE = {("binary", False): "rubric/binary", ("scale", False): "rubric/pointwise"}


def for_benchmark(options: RubricOptions, levels: Sequence[str], compares: bool, field: str | None) -> RubricOptions:
    """Return the options under which a reward asks a benchmark's question; see `RewardSpec.for_benchmark`.

    A rubric of the recipe stays. Raises ValueError if its levels are not those of the benchmark.
    """
    if field is not None and is_in_rows_language(options.rubric):
        raise ValueError("has its question in English, which `texts` translates; leave `language: row` out")
    wanted = levels_of(dict.fromkeys(levels, "a level"), ("scale", "binary", "pair"))
    if compares != (options.sort == "pair"):
        if field is not None and field_of(options.rubric) == field:
            problem = "pairs" if compares else "single answers"
            raise ValueError(f"has a rubric for {problem}; give `rubric` one of your own")
        return options  # answers that are scored one by one, and compared by their scores
    if wanted.kind not in options.kinds:
        if field is None:
            return options  # above the middle of its own scale is right
        problem = f"asks for {wanted.describe()}, by a rubric of its own"
        raise ValueError(f"{problem}; take {USE.get((wanted.kind, compares), 'rubric/pairwise')}, without `rubric`")
    published = isinstance(options.layout, PublishedLayout) and options.layout.of_mr3
    if options.rubric is None and not published:
        _refuse_ties(options, wanted)
        if field is not None:
            return options.model_copy(update={"rubric": {"field": field}})
    for variant in known_rubrics(options):
        if not _fit(variant.levels, wanted):
            owner = "the published rubric has" if published else "`rubric` has"
            problem = f"asks for {wanted.describe()}, and {owner} the levels {', '.join(variant.levels.texts)}"
            other = "take the texts of this benchmark" if published else "leave `rubric` out, or give it those levels"
            raise ValueError(f"{problem}; {other}")
    return options


def _refuse_ties(options: RubricOptions, wanted: Levels) -> None:
    if options.with_ties and wanted.kind == "pair":
        raise ValueError("has two levels, and no Tie or Both Bad; leave `ties` out")


def _fit(levels: Levels, wanted: Levels) -> bool:
    if wanted.kind == "pair":  # by any names, and by any scale between the two
        return levels.kind == "scale" or len(levels.texts) == len(wanted.texts)
    return set(levels.texts) == set(wanted.texts)
