"""Similarity to a reference by sentence embeddings: rewards in any language, and rows unlike an evaluation set."""

from typing import Any

from rewardlab import Ask, Context, DatasetSpec, RewardSpec, hookimpl
from rewardlab.laws import Laws, RewardExample

from rewardlab_embed.options import CosineOptions, DistinctOptions, TranslatedCosineOptions

LONGEST = 32_768
"""characters of a response, for plans of cost: 8,192 tokens of 4 characters each"""
LIKENESS = dict.fromkeys(
    ("prompt_copy", "repetition"),
    "it measures likeness to a reference, which the prompt has, too; `probe` judges the total",
)
"""the laws that do not apply, and why"""
TIMEOUT = 120.0
"""seconds, enough for one text of the model's whole length on a CPU"""


def _cosine(options: CosineOptions, context: Context) -> Any:
    from rewardlab_embed.cosine import Cosine

    return Cosine(options, context)


def _translated_cosine(options: TranslatedCosineOptions, context: Context) -> Any:
    from rewardlab_embed.translated_cosine import TranslatedCosine

    return TranslatedCosine(options, context)


def _distinct(options: DistinctOptions, context: Context) -> Any:
    from rewardlab_embed.distinct import DistinctRows

    return DistinctRows(options, context)


def _distinct_examples() -> Any:
    from rewardlab_embed.distinct_examples import examples_of_distinct

    return examples_of_distinct()


def _calls(options: TranslatedCosineOptions, size: int) -> int:
    """Return the most questions that a group takes whose responses have at most LONGEST characters."""
    from rewardlab_embed.pieces import most_pieces

    return size * most_pieces(LONGEST, options.piece)


def _question(options: TranslatedCosineOptions) -> Ask:
    from rewardlab_embed.translated_cosine import first_question

    return first_question(options)


def _required(options: CosineOptions) -> list[str]:
    return [options.against]


def _cosine_examples() -> list[RewardExample]:
    from rewardlab_embed.examples import cosine

    return cosine()


def _translated_cosine_examples() -> list[RewardExample]:
    from rewardlab_embed.examples import translated_cosine

    return translated_cosine()


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="cosine",
            summary="cosine of the embeddings of a part of the response and of a reference (PB-RLSVR, R_Embed)",
            config=CosineOptions,
            scope="batch",
            range=(-1.0, 1.0),
            requires=_required,
            runs="async",
            opens_workers=True,
            timeout=TIMEOUT,
            remarks=("cut", "empty"),
            build=_cosine,
            laws=Laws(examples=_cosine_examples, off=LIKENESS, rounding=1e-4),
        ),
        RewardSpec(
            name="translated_cosine",
            summary="cosine of the embeddings of a part, put into English, and of a reference (PB-RLSVR, R_TransEmb)",
            config=TranslatedCosineOptions,
            scope="batch",
            range=(-1.0, 1.0),
            requires=_required,
            judges=("translator",),
            calls=_calls,
            question=_question,
            runs="async",
            opens_workers=True,
            timeout=TIMEOUT,
            remarks=("cut", "empty", "skipped", "untranslated"),
            build=_translated_cosine,
            laws=Laws(examples=_translated_cosine_examples, off=LIKENESS, rounding=1e-4),
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
            build=_distinct,
            laws=Laws(examples=_distinct_examples),
        )
    ]
