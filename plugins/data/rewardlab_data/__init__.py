"""Datasets: JSONL files, the Hugging Face hub, and generated multilingual word problems."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from rewardlab import Config, DatasetSpec, hookimpl

Language = Literal["en", "es", "id", "sw", "de", "fr", "it", "pt", "tr", "vi"]
Share = Annotated[float, Field(ge=0, le=1)]


def _json_lines(path: str) -> str:
    if not path.lower().endswith((".jsonl", ".jsonl.gz")):
        raise ValueError(f"{path!r} is no .jsonl or .jsonl.gz file; one JSON object a line is needed")
    return path


def _distinct(languages: tuple[Language, ...]) -> tuple[Language, ...]:
    if len(set(languages)) < len(languages):
        raise ValueError("a language is named twice")
    return languages


JsonlPath = Annotated[str, AfterValidator(_json_lines)]


class JsonlOptions(Config):
    path: JsonlPath
    """a .jsonl or .jsonl.gz file, one object a line; relative to the current directory, `~` is your home"""
    skip_bad: bool = False
    """leave out lines that cannot be read, with a warning that counts and lists them, instead of stopping"""


class HubOptions(Config):
    path: Annotated[str, Field(min_length=1)]
    """a dataset's name on the hub, or a folder with its files"""
    name: str | None = None
    """of its configuration, where it has several"""
    split: str = "train"
    """such as train, or train[:1000] without streaming"""
    revision: str | None = None
    """a commit, tag or branch; name one to read the same rows tomorrow"""
    streaming: bool = True
    """read rows as they are needed; false downloads all of them first"""
    rows: Annotated[int, Field(ge=1)] | None = None
    """most rows, from the first on"""


class ArithmeticOptions(Config):
    kind: Literal["prompts", "responses"] = "prompts"
    """prompts (for rl and eval), or prompts with a noisy `response` (for sft)"""
    languages: Annotated[tuple[Language, ...], Field(min_length=1), AfterValidator(_distinct)] = (
        "en",
        "es",
        "id",
        "sw",
        "de",
        "fr",
    )
    """languages of the problems, in equal shares"""
    rows: Annotated[int, Field(ge=1)] | None = None
    """training rows; null means 1500 prompts or 8000 responses"""
    heldout: Annotated[int, Field(ge=0)] = 240
    """held-out rows after the training prompts, half of them over number pairs that no training row has"""
    largest: Annotated[int, Field(ge=2, le=99)] = 9
    """the largest operand"""
    english: Share = 0.45
    """share of non-English responses that are in English from start to end"""
    switched: Share = 0.2
    """share of non-English responses that mix their language and English, sentence by sentence"""
    unboxed: Share = 0.5
    """share of responses whose result is not in a box"""
    slipped: Share = 0.5
    """share of responses that end in a wrong number after the right calculation"""
    path: JsonlPath | None = None
    """rows of your own to use instead, read as data/jsonl reads them; the options above then do nothing"""

    @model_validator(mode="after")
    def _shares_fit(self) -> Self:
        if self.english + self.switched > 1:
            raise ValueError("english and switched are shares of the same responses: their sum is above 1")
        return self


def _arithmetic_fields(options: ArithmeticOptions) -> tuple[str, ...] | None:
    if options.path is not None:
        return None
    fields = ("answer", "reference", "language", "difficulty", "split", "pair")
    return (*fields, "response") if options.kind == "responses" else fields


def _build_jsonl(options: JsonlOptions, context):
    from rewardlab_data.jsonl import JsonlRows

    return JsonlRows(options.path, skip_bad=options.skip_bad)


def _build_hub(options: HubOptions, context):
    from rewardlab_data.hub import HubRows

    return HubRows(options)


def _build_arithmetic(options: ArithmeticOptions, context):
    if options.path is not None:
        from rewardlab_data.jsonl import JsonlRows

        return JsonlRows(options.path)
    from rewardlab_data.arithmetic import Arithmetic

    return Arithmetic(options, context.seed)


@hookimpl
def rewardlab_datasets():
    return [
        DatasetSpec(name="jsonl", summary="rows of a JSON lines file", config=JsonlOptions, build=_build_jsonl),
        DatasetSpec(
            name="hub", summary="a dataset on the Hugging Face hub", config=HubOptions, remote=True, build=_build_hub
        ),
        DatasetSpec(
            name="arithmetic",
            summary="generated word problems in up to ten languages, no network",
            config=ArithmeticOptions,
            build=_build_arithmetic,
            provides=_arithmetic_fields,
        ),
    ]
