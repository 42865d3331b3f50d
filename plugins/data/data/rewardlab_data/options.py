"""The options of the datasets and of the data step."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PositiveFloat, model_validator
from rewardlab import Config
from rewardlab_answers import template_of

Language = Literal["en", "es", "id", "sw", "de", "fr", "it", "pt", "tr", "vi"]
Share = Annotated[float, Field(ge=0, le=1)]


ENDINGS = (".jsonl", ".json", ".csv", ".tsv")


def _check_row_file(path: str) -> str:
    if not path.lower().removesuffix(".gz").endswith(ENDINGS) and not path.lower().endswith(".parquet"):
        known = ", ".join(ENDINGS)
        raise ValueError(f"{path!r} has no known ending of rows; known are {known} (also in .gz) and .parquet")
    return path


def _check_distinct(languages: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if languages is not None and len(set(languages)) < len(languages):
        raise ValueError("a language is named twice")
    return languages


RowsPath = Annotated[str, AfterValidator(_check_row_file)]


class JsonlOptions(Config):
    """Options of data/jsonl."""

    path: RowsPath
    """a file of rows: .jsonl, .json, .csv, .tsv (also in .gz) or .parquet; relative to the current directory, `~` is
    your home"""
    skip_bad: bool = False
    """leave out rows that cannot be read, with a warning that counts and lists them, instead of stopping"""
    skip: Annotated[int, Field(ge=0, strict=True)] = 0
    """rows to leave out at the beginning of the file"""
    first: Annotated[int, Field(ge=1, strict=True)] | None = None
    """how many rows to read, the first ones behind `skip`; null: all"""
    drawn: bool = False
    """whether `skip` and `first` count rows in an order that the recipe's seed draws; those that are read come in the
    file's order, and its lines are counted first"""


class MixPart(Config):
    """One file, or one dataset, of a mix."""

    path: RowsPath | None = None
    """a file, as in data/jsonl; null: the dataset of the part's name under `from`"""
    skip_bad: bool = False
    """with `path`: leave out rows that cannot be read, with a warning, instead of stopping"""
    skip: Annotated[int, Field(ge=0, strict=True)] = 0
    """rows to leave out at its beginning"""
    first: Annotated[int, Field(ge=1, strict=True)] | None = None
    """how many rows to read, the first ones behind `skip`; null: all"""
    share: PositiveFloat | None = None
    """share of the rows, as a weight: 3 beside 1 is three in four; or give `rows`"""
    rows: Annotated[int, Field(ge=1, strict=True)] | None = None
    """a quota in place of a share, which then every part has: the part gives this many rows"""
    fields: dict[str, str] = Field(default_factory=dict)
    """of a file, our field: its column (`prompt` and `id` too)"""

    @model_validator(mode="after")
    def _is_a_file_where_it_is_read_as_one(self) -> Self:
        if self.path is None and (self.skip_bad or self.fields):
            raise ValueError("skip_bad and fields are for a file; give them to the dataset itself under `from`")
        return self


class MixOptions(Config):
    """Options of data/mix."""

    parts: Annotated[dict[Annotated[str, Field(pattern=r"^[^/#]+$")], MixPart], Field(min_length=2)]
    """a name of your choice: a file, or without `path` the dataset of that name under `from`, with its share or its
    number of rows; rows have the name as their field `dataset`"""
    until: Literal["first_exhausted", "all_exhausted", "each_read"] = "first_exhausted"
    """the mix ends when the first part has no more rows, or when each has been read to its end, the others again and
    again (all_exhausted) or no row twice (each_read: all parts as one). With quotas it ends when they are filled: a
    part with too few rows is an error, or is read again and again"""
    disjoint: bool = False
    """leave out rows with a prompt that another part has given before"""

    @property
    def sources(self) -> list[str]:
        """The names of the parts that are datasets of the recipe."""
        return [name for name, part in self.parts.items() if part.path is None]

    @property
    def quota(self) -> int | None:
        """The number of rows of the mix; None unless its parts have quotas."""
        quotas = [part.rows for part in self.parts.values() if part.rows is not None]
        return sum(quotas) if quotas else None

    @model_validator(mode="after")
    def _has_shares_or_quotas(self) -> Self:
        for name, part in self.parts.items():
            if (part.share is None) == (part.rows is None):
                raise ValueError(f"part {name!r}: give `share` or `rows`")
        if self.until == "each_read" and self.quota is not None:
            raise ValueError("until: each_read reads every part once, to its end; give shares, and no `rows`")
        if len({part.rows is None for part in self.parts.values()}) > 1:
            raise ValueError("some parts have a share and others a number of rows; give every part the same of them")
        return self


class HubOptions(Config):
    """Options of data/hub."""

    path: Annotated[str, Field(min_length=1)]
    """a dataset's name on the hub, or a folder with its files"""
    name: str | None = None
    """the dataset's configuration, if it has several"""
    split: str = "train"
    """the split to read, such as train, or train[:1000] without streaming"""
    revision: str | None = None
    """a commit, tag or branch; name one to read the same rows tomorrow"""
    streaming: bool = True
    """read rows as they are needed; false downloads all of them first"""
    rows: Annotated[int, Field(ge=1)] | None = None
    """the most rows to read, from the first on"""
    drawn: bool = False
    """whether the recipe's seed draws those `rows` among all, which are read to the end; they come in their order"""
    seed: Annotated[int, Field(ge=0, strict=True)] | None = None
    """seed of the draw, in place of the recipe's: with another one, rows are drawn independently"""

    @model_validator(mode="after")
    def _draws_some(self) -> Self:
        if self.drawn and self.rows is None:
            raise ValueError("drawn: true draws `rows` of the rows; say how many")
        if self.seed is not None and not self.drawn:
            raise ValueError("seed is for drawn: true")
        return self


class InstructionFile(Config):
    """A file that says how to answer in each language."""

    file: Annotated[str, Field(min_length=1)]
    """a YAML or JSON file of yours, a mapping of language code -> text; relative to the current directory, `~` is your
    home"""


class BenchmarkOptions(Config):
    """Options of data/benchmark."""

    benchmark: Annotated[str, Field(min_length=1)]
    """one that comes with this plugin (belebele, flores_101, global_mmlu_lite, include, indommlu, mgsm, mlogiqa,
    mmlu_prox, mt_aime2024, mt_math100), or a YAML file of your own in the same form"""
    languages: Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_check_distinct)] | None = None
    """the languages to read, by their codes; null: all that the benchmark has"""
    path: str | None = None
    """local files in the published form; {language} in it stands for the benchmark's own name of a language. null: the
    hub"""
    shots: Annotated[int, Field(ge=0, le=64)] = 0
    """examples before each question, as earlier turns, in the same language"""
    shots_path: str | None = None
    """local files with the examples; null: the hub's split for them. If they are the first rows of those that are
    evaluated, these begin behind them"""
    rows: Annotated[int, Field(ge=1)] | None = None
    """the most rows of each language, from the first on"""
    revision: str | None = None
    """a commit, tag or branch on the hub, in place of the benchmark's"""
    instruction: Annotated[str, Field(min_length=1)] | InstructionFile | None = None
    r"""how to answer, in place of the benchmark's words; rewards read the answer in \boxed{}. {file: PATH}: in each
    language the words of that file"""
    native_instruction: bool = False
    """say how to answer in the row's own language, in the words of the rows that language/translated writes"""
    instruction_in: Literal["user", "system"] = "user"
    """where the instruction stands: at the end of each question, or in a system message before all turns"""

    @model_validator(mode="after")
    def _has_one_instruction(self) -> Self:
        if self.instruction is not None and self.native_instruction:
            raise ValueError("instruction and native_instruction exclude each other")
        return self


class ArithmeticOptions(Config):
    """Options of data/arithmetic."""

    kind: Literal["prompts", "responses", "judged"] = "prompts"
    """prompts (for rl and eval), prompts with a noisy `response` (for sft), or with a right one and its `score` from 1
    to 4: whether it keeps to the question's language (3 and 4) and has the form (2 and 4)"""
    form: Literal["boxed", "tagged"] = "boxed"
    """form of references and responses: sentences that end in a box, or `<think>` sentences `</think><answer>` the
    result `</answer>`"""
    languages: Annotated[tuple[Language, ...], Field(min_length=1), AfterValidator(_check_distinct)] = (
        "en",
        "es",
        "id",
        "sw",
        "de",
        "fr",
    )
    """languages of the problems, in equal shares"""
    rows: Annotated[int, Field(ge=1)] | None = None
    """training rows; null means 1500 prompts, 8000 responses or 4000 judged ones"""
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
    path: RowsPath | None = None
    """a file with your own rows to use instead, read as by data/jsonl; the options above then do nothing"""

    @model_validator(mode="after")
    def _shares_fit(self) -> Self:
        if self.english + self.switched > 1:
            raise ValueError("english and switched are shares of the same responses: their sum is above 1")
        if self.kind == "judged" and len(self.languages) == 1:
            raise ValueError("kind judged mixes languages; name two at least")
        return self


class SplitOptions(Config):
    """Options of data/split."""

    parts: Annotated[dict[Annotated[str, Field(min_length=1)], PositiveFloat], Field(min_length=2)]
    """the parts, each with a weight: {sft: 30, rl: 70}"""
    keep: Annotated[str, Field(min_length=1)]
    """the part whose rows are given; another stage with the same other options gives the next one"""
    by: Annotated[str, Field(min_length=1)] = "id"
    """how rows are assigned: `id`, `prompt`, or a field. Rows with the same value are in the same part, so that a field
    which all translations of a problem share keeps these together"""
    seed: int = 0
    """another one splits otherwise; it does not follow the recipe's, so that recipes agree on the parts"""

    @model_validator(mode="after")
    def _check_keep(self) -> Self:
        if self.keep not in self.parts:
            raise ValueError(f"keep: no part {self.keep!r}; there are {', '.join(self.parts)}")
        return self


class OverlapOptions(Config):
    """Options of data/overlap."""

    against: Annotated[tuple[RowsPath, ...], Field(min_length=1)]
    """files of the evaluation sets with which no row may share a text: .jsonl, .json, .csv, .tsv or .parquet"""
    fields: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)] = ("prompt",)
    """the texts that are compared, of a row and of an evaluation row: fields, and `prompt` for all that the user says
    in it. A row needs one of them"""
    n: Annotated[int, Field(ge=2, le=100, strict=True)] = 13
    """length, in words, of a common run that is an overlap; a shorter text overlaps only if it is equal as a whole"""


class ExpertOptions(Config):
    """Options of data/expert."""

    expert: Annotated[str, Field(min_length=1)]
    """the name of the judge that answers, as declared under `judges`"""
    field: Annotated[str, Field(min_length=1)] | None = "problem"
    """if a row has the English question; null: the prompt's last user message"""
    attempts: Annotated[int, Field(ge=1, le=8, strict=True)] = 1
    """the most draws for a row, one after the other, until one is well-formed; several need a temperature above 0"""
    bare: bool = False
    """take a text without `<answer>` tags after the reasoning as the answer"""
    max_dropped: Share = 0.2
    """a larger share of dropped rows than this, once there are 50 rows, stops the job"""
    template: Annotated[str | None, template_of("rewardlab_data.expert_prompt")] = None
    """a file with your own prompt for the expert; null takes the packaged one. See the README for its form"""
