"""Datasets: files and mixes of them, the Hugging Face hub, benchmarks, word problems, and references from an expert."""

from typing import Any

from rewardlab import Context, DatasetSpec, hookimpl
from rewardlab.laws import DatasetExample, Laws

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


def _build_mix(options: MixOptions, context: Context) -> Any:
    from rewardlab_data.mix import MixedRows

    return MixedRows(options, context.sources)


def _build_hub(options: HubOptions, context: Context) -> Any:
    from rewardlab_data.hub import HubRows

    return HubRows(options, context.seed)


def _build_benchmark(options: BenchmarkOptions, context: Context) -> Any:
    from rewardlab_data.benchmark import BenchmarkRows

    return BenchmarkRows(options)


def _build_arithmetic(options: ArithmeticOptions, context: Context) -> Any:
    if options.path is not None:
        from rewardlab_data.jsonl import JsonlRows

        return JsonlRows(options.path)
    from rewardlab_data.arithmetic import Arithmetic

    return Arithmetic(options, context.seed)


def _expert_needs(options: ExpertOptions) -> tuple[str, ...]:
    return () if options.field is None else (options.field,)


def _expert_calls(options: ExpertOptions, rows: int) -> int:
    from rewardlab_data.expert import calls

    return calls(options, rows)


def _build_expert(options: ExpertOptions, context: Context) -> Any:
    from rewardlab_data.expert import ExpertRows

    return ExpertRows(options, context)


def _split_key(options: SplitOptions) -> tuple[str, ...]:
    return () if options.by in ("id", "prompt") else (options.by,)


def _build_split(options: SplitOptions, context: Context) -> Any:
    from rewardlab_data.split import SplitRows

    return SplitRows(options, context)


def _build_overlap(options: OverlapOptions, context: Context) -> Any:
    from rewardlab_data.overlap import OverlapRows

    return OverlapRows(options, context)


def _examples_of(name: str) -> list[DatasetExample]:
    from rewardlab_data import examples

    return getattr(examples, f"examples_of_{name}")()


def _laws(name: str) -> Laws:
    return Laws(examples=lambda: _examples_of(name))


@hookimpl
def rewardlab_datasets() -> list[DatasetSpec]:
    return [
        DatasetSpec(
            name="jsonl",
            summary="rows of a file: JSON lines, a JSON array, CSV or parquet",
            config=JsonlOptions,
            makes=lambda options, rows: min(rows, options.first or rows),
            build=_build_jsonl,
            laws=_laws("jsonl"),
        ),
        DatasetSpec(
            name="mix",
            summary="rows of several files and datasets, interleaved by their shares or up to their quotas",
            config=MixOptions,
            sources=lambda options: options.sources,
            makes=lambda options, rows: options.quota or rows,
            build=_build_mix,
            laws=_laws("mix"),
        ),
        DatasetSpec(
            name="hub",
            summary="a dataset on the Hugging Face hub",
            config=HubOptions,
            remote=True,
            makes=lambda options, rows: min(rows, options.rows or rows),
            build=_build_hub,
            laws=_laws("hub"),
        ),
        DatasetSpec(
            name="benchmark",
            summary="a published benchmark (MGSM, Belebele, MMLU-ProX ...) in its languages, from files or the hub",
            config=BenchmarkOptions,
            remote=lambda options: options.path is None,
            build=_build_benchmark,
            provides=("answer", "language", "task", "problem"),
            laws=_laws("benchmark"),
        ),
        DatasetSpec(
            name="arithmetic",
            summary="generated word problems in up to ten languages, no network",
            config=ArithmeticOptions,
            build=_build_arithmetic,
            provides=_arithmetic_fields,
            laws=_laws("arithmetic"),
        ),
        DatasetSpec(
            name="expert",
            summary="rows with references from an expert model that answers their English questions (a data step)",
            config=ExpertOptions,
            provides=("reference", "reference_reasoning", "reference_answer"),
            step=True,
            requires=_expert_needs,
            judges=("expert",),
            calls=_expert_calls,
            build=_build_expert,
            laws=_laws("expert"),
        ),
        DatasetSpec(
            name="split",
            summary="one of several disjoint parts of a dataset, by a hash of the row's id (a data step)",
            config=SplitOptions,
            step=True,
            requires=_split_key,
            build=_build_split,
            laws=_laws("split"),
        ),
        DatasetSpec(
            name="overlap",
            summary="rows that share no run of 13 words with evaluation sets (a data step)",
            config=OverlapOptions,
            step=True,
            build=_build_overlap,
            laws=_laws("overlap"),
        ),
    ]
