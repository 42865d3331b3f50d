"""Datasets: files and mixes of them, the Hugging Face hub, benchmarks, word problems, and references from an expert."""

from typing import Any

from rewardlab import Context, DatasetSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_data.options import (
    ArithmeticOptions,
    BenchmarkOptions,
    ExpertOptions,
    HubOptions,
    JsonlOptions,
    MixOptions,
    OverlapOptions,
    SplitOptions,
)


def _arithmetic_fields(options: ArithmeticOptions) -> tuple[str, ...] | None:
    if options.path is not None:
        return None
    more = {"prompts": (), "responses": ("response",), "judged": ("response", "score")}
    return ("answer", "reference", "language", "difficulty", "split", "pair", *more[options.kind])


def _build_jsonl(options: JsonlOptions, context: Context) -> Any:
    from rewardlab_data.jsonl import JsonlRows

    seed = context.seed if options.drawn else None
    return JsonlRows(options.path, options.skip_bad, options.skip, options.first, seed)


def _build_arithmetic(options: ArithmeticOptions, context: Context) -> Any:
    if options.path is not None:
        from rewardlab_data.jsonl import JsonlRows

        return JsonlRows(options.path)
    from rewardlab_data.arithmetic import Arithmetic

    return Arithmetic(options, context.seed)


def _expert_needs(options: ExpertOptions) -> tuple[str, ...]:
    return () if options.field is None else (options.field,)


def _split_key(options: SplitOptions) -> tuple[str, ...]:
    return () if options.by in ("id", "prompt") else (options.by,)


@hookimpl
def rewardlab_datasets() -> list[DatasetSpec]:
    return [
        DatasetSpec(
            name="jsonl",
            summary="rows of a file: JSON lines, a JSON array, CSV or parquet",
            config=JsonlOptions,
            makes=lambda options, rows: min(rows, options.first or rows),
            build=_build_jsonl,
            laws=Laws(examples="rewardlab_data.examples:examples_of_jsonl"),
        ),
        DatasetSpec(
            name="mix",
            summary="rows of several files and datasets, interleaved by their shares or up to their quotas",
            config=MixOptions,
            sources=lambda options: options.sources,
            makes=lambda options, rows: options.quota or rows,
            build="rewardlab_data.mix:MixedRows",
            laws=Laws(examples="rewardlab_data.examples:examples_of_mix"),
        ),
        DatasetSpec(
            name="hub",
            summary="a dataset on the Hugging Face hub",
            config=HubOptions,
            remote=True,
            makes=lambda options, rows: min(rows, options.rows or rows),
            build="rewardlab_data.hub:HubRows",
            laws=Laws(examples="rewardlab_data.examples:examples_of_hub"),
        ),
        DatasetSpec(
            name="benchmark",
            summary="a published benchmark (MGSM, Belebele, MMLU-ProX ...) in its languages, from files or the hub",
            config=BenchmarkOptions,
            remote=lambda options: options.path is None,
            build="rewardlab_data.benchmark:BenchmarkRows",
            provides=("answer", "language", "task", "problem"),
            laws=Laws(examples="rewardlab_data.examples:examples_of_benchmark"),
        ),
        DatasetSpec(
            name="arithmetic",
            summary="generated word problems in up to ten languages, no network",
            config=ArithmeticOptions,
            build=_build_arithmetic,
            provides=_arithmetic_fields,
            laws=Laws(examples="rewardlab_data.examples:examples_of_arithmetic"),
        ),
        DatasetSpec(
            name="expert",
            summary="rows with references from an expert model that answers their English questions (a data step)",
            config=ExpertOptions,
            provides=("reference", "reference_reasoning", "reference_answer"),
            step=True,
            requires=_expert_needs,
            judges=("expert",),
            calls="rewardlab_data.expert:calls",
            build="rewardlab_data.expert:ExpertRows",
            laws=Laws(examples="rewardlab_data.examples:examples_of_expert"),
        ),
        DatasetSpec(
            name="split",
            summary="one of several disjoint parts of a dataset, by a hash of the row's id (a data step)",
            config=SplitOptions,
            step=True,
            requires=_split_key,
            build="rewardlab_data.split:SplitRows",
            laws=Laws(examples="rewardlab_data.examples:examples_of_split"),
        ),
        DatasetSpec(
            name="overlap",
            summary="rows that share no run of 13 words with evaluation sets (a data step)",
            config=OverlapOptions,
            step=True,
            build="rewardlab_data.overlap:OverlapRows",
            laws=Laws(examples="rewardlab_data.examples:examples_of_overlap"),
        ),
    ]
