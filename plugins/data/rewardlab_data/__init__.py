"""Datasets: JSONL files, the Hugging Face hub, generated word problems; references from an expert model."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from rewardlab import Config, Context, DatasetSpec, hookimpl
from rewardlab.laws import DatasetExample, Laws
from rewardlab.quoting import template_of

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
    form: Literal["boxed", "tagged"] = "boxed"
    """of references and responses: sentences that end in a box, or `<think>` sentences `</think><answer>` the result
    `</answer>`"""
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
    """share of responses whose result is not in a box (form tagged: share without the tags)"""
    slipped: Share = 0.5
    """share of responses that end in a wrong number after the right calculation"""
    path: JsonlPath | None = None
    """rows of your own to use instead, read as data/jsonl reads them; the options above then do nothing"""

    @model_validator(mode="after")
    def _shares_fit(self) -> Self:
        if self.english + self.switched > 1:
            raise ValueError("english and switched are shares of the same responses: their sum is above 1")
        return self


class ExpertOptions(Config):
    expert: Annotated[str, Field(min_length=1)]
    """the name of the judge that answers, as declared under `judges`"""
    field: Annotated[str, Field(min_length=1)] | None = "problem"
    """where a row has the English question; null: the prompt's last user message"""
    attempts: Annotated[int, Field(ge=1, le=8, strict=True)] = 1
    """draws for a row, one after the other, until one is well-formed; more than one needs a temperature above 0"""
    bare: bool = False
    """take a text without `<answer>` tags after the reasoning as the answer"""
    max_dropped: Share = 0.2
    """once there are 50 rows, more dropped ones than this share of them stop the job"""
    template: Annotated[str | None, template_of("rewardlab_data.expert_prompt")] = None
    """a file with your own prompt for the expert; null takes the packaged one. See the README for its form"""


def _arithmetic_fields(options: ArithmeticOptions) -> tuple[str, ...] | None:
    if options.path is not None:
        return None
    fields = ("answer", "reference", "language", "difficulty", "split", "pair")
    return (*fields, "response") if options.kind == "responses" else fields


def _build_jsonl(options: JsonlOptions, context: Context) -> Any:
    from rewardlab_data.jsonl import JsonlRows

    return JsonlRows(options.path, skip_bad=options.skip_bad)


def _build_hub(options: HubOptions, context: Context) -> Any:
    from rewardlab_data.hub import HubRows

    return HubRows(options)


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
            summary="rows of a JSON lines file",
            config=JsonlOptions,
            build=_build_jsonl,
            laws=_laws("jsonl"),
        ),
        DatasetSpec(
            name="hub",
            summary="a dataset on the Hugging Face hub",
            config=HubOptions,
            remote=True,
            build=_build_hub,
            laws=_laws("hub"),
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
    ]
