"""Similarity to a reference by sentence embeddings: rewards in any language, and rows by their topics."""

from rewardlab import DatasetSpec, RewardSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_embed.options import CosineOptions, DistinctOptions, DiverseOptions, TranslatedCosineOptions

LONGEST = 32_768
"""characters of a response, for plans of cost: 8,192 tokens of 4 characters each"""
LIKENESS = dict.fromkeys(
    ("prompt_copy", "repetition"),
    "it measures likeness to a reference, which the prompt has, too; `probe` judges the total",
)
"""the laws that do not apply, and why"""
CHOICE = {
    "streaming": "clusters are made of all rows, so none is chosen before the last is read",
    "going_on": "which rows are chosen depends on all of them; a stage that goes on reads them all again",
}
"""the laws that do not apply to a choice among all rows, and why"""
TIMEOUT = 120.0
"""seconds, enough for one text of the model's whole length on a CPU"""


def _diverse_needs(options: DiverseOptions) -> list[str]:
    return list(options.quotas)


def _diverse_makes(options: DiverseOptions, rows: int) -> int:
    return min(options.rows, rows)


def _calls(options: TranslatedCosineOptions, size: int) -> int:
    """Return the most questions that a group takes whose responses have at most LONGEST characters."""
    from rewardlab_answers import piecewise

    return size * piecewise.most_pieces(LONGEST, options.piece)


def _range(options: CosineOptions) -> tuple[float, float]:
    return (0.0, 1.0) if options.clamp else (-1.0, 1.0)


def _required(options: CosineOptions) -> list[str]:
    return [options.against]


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="cosine",
            summary="cosine of the embeddings of a part of the response and of a reference (PB-RLSVR, R_Embed)",
            config=CosineOptions,
            scope="batch",
            range=(-1.0, 1.0),
            range_of=_range,
            requires=_required,
            runs="async",
            opens_workers=True,
            timeout=TIMEOUT,
            counted_info=("cut", "empty"),
            build="rewardlab_embed.cosine:Cosine",
            laws=Laws(examples="rewardlab_embed.examples:cosine", off=LIKENESS, rounding=1e-4),
        ),
        RewardSpec(
            name="translated_cosine",
            summary="cosine of the embeddings of a part, put into English, and of a reference (PB-RLSVR, R_TransEmb)",
            config=TranslatedCosineOptions,
            scope="batch",
            range=(-1.0, 1.0),
            range_of=_range,
            requires=_required,
            judges=("translator",),
            calls=_calls,
            question="rewardlab_embed.translated_cosine:first_question",
            runs="async",
            opens_workers=True,
            timeout=TIMEOUT,
            counted_info=("cut", "empty", "skipped", "untranslated"),
            build="rewardlab_embed.translated_cosine:TranslatedCosine",
            laws=Laws(
                examples="rewardlab_embed.examples:translated_cosine",
                off=LIKENESS | {"unreadable": "any text may be a translation"},
                rounding=1e-4,
            ),
        ),
    ]


@hookimpl
def rewardlab_datasets() -> list[DatasetSpec]:
    return [
        DatasetSpec(
            name="distinct",
            summary="rows that are not too near to those of evaluation sets (a data step)",
            config=DistinctOptions,
            step=True,
            build="rewardlab_embed.distinct:DistinctRows",
            laws=Laws(examples="rewardlab_embed.distinct_examples:examples_of_distinct"),
        ),
        DatasetSpec(
            name="diverse",
            summary="some rows of each topic: the most typical ones, and others unlike them (R3; a data step)",
            config=DiverseOptions,
            step=True,
            requires=_diverse_needs,
            makes=_diverse_makes,
            build="rewardlab_embed.diverse:DiverseRows",
            laws=Laws(examples="rewardlab_embed.diverse_examples:examples_of_diverse", off=CHOICE),
        ),
    ]
