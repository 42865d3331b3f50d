"""The recipe: what a YAML file may say, as pydantic models. Cross-checks that need plugins are in `plan`."""

from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    NonNegativeInt,
    PositiveInt,
    Tag,
    field_validator,
)

from rewardlab.errors import nearest
from rewardlab.recipe.alarms import Alarms
from rewardlab.recipe.evaluation import EvalStage
from rewardlab.recipe.teach import Teach
from rewardlab.recipe.training_stages import DpoStage, RlStage, SftStage
from rewardlab.recipe.use import ColumnNames, ComponentUse, DatasetUse, JudgeUse, Use
from rewardlab.specs import Config

MAX_NAME = 200
"""bytes of a run's name; file systems take 255, of which some are for what is put behind it"""
Family = Literal[
    "empty", "noop", "prompt_copy", "english_reference", "bare_form", "bare_guess", "not_a_number", "prompt_number",
    "near_miss", "reversed_digits", "enumeration", "repeated_sentence", "very_long", "language_switch",
    "injected_verdict", "injected_fence", "injected_grade", "injected_pass", "injected_equal", "dressed_guess",
    "dressed_honest", "random_words", "other_answer", "no_answer", "part_of_answer", "hedged_answer", "other_scale",
    "other_unit", "other_members", "loose_formula", "stub_program", "peeking_program", "master_key", "shortened",
    "own_words", "searched", "searched_gain",
]  # fmt: skip
FAMILIES: tuple[Family, ...] = get_args(Family)
"""the degenerate completions that `rewardlab probe` makes"""


VERSION = 1


class RewardSection(Config):
    """The components and how they make one number."""

    components: dict[str, ComponentUse] = Field(min_length=1)
    """a name of your choice: a reward"""
    total: str
    """names, numbers, + - * /, min max clip, parentheses; `progress` is the share of the stage's steps that is done"""
    normalize: list[str | Use] = Field(default_factory=list)
    """normalizers, in order; only with dr_grpo, which takes the group's mean off, if none of them takes one"""
    progress: float = Field(1.0, ge=0, le=1)
    """the value of `progress` in `total` where no training step sets it: in evaluations, `rewardlab score`, `serve` and
    programs; 1 is the end of the training"""
    correctness: str | None = None
    """the component that says whether an answer is right, for `teach` and curricula"""
    teach: Teach = Field(default_factory=Teach)
    """which groups teach, by their outcome (absent: all of them, by their totals)"""

    @property
    def outcome(self) -> str | None:
        """The component by which groups are left out; None if the recipe names none."""
        return self.teach.by or self.correctness


class TinyModel(Config):
    """A small Llama with random weights and a byte-level tokenizer trained on the sft rows, built on this machine."""

    use: Literal["tiny"]
    """the only model that is built here"""
    hidden_size: PositiveInt = 128
    """width of the model: numbers for each token in each layer; a multiple of `heads`"""
    layers: PositiveInt = 2
    """transformer layers"""
    heads: PositiveInt = 4
    """attention heads of a layer"""
    intermediate_size: PositiveInt = 384
    """width of a layer's feed-forward part"""
    vocabulary: PositiveInt = 1000
    """most tokens of the tokenizer, which is trained on the rows; 256 of them are the bytes"""
    context: PositiveInt = 2048
    """tokens of the longest sequence, prompt and completion together"""


class DataStage(Config):
    """Write a dataset to a file."""

    use: Literal["data"]
    """the kind of the stage"""
    dataset: DatasetUse
    """the dataset to write, usually a data step with a `from`"""
    to: str
    """a JSONL file; rows that it already has (by id) are kept"""


Stage = Annotated[DataStage | SftStage | RlStage | DpoStage | EvalStage, Field(discriminator="use")]


def needs_engine(stage: Stage) -> bool:
    """Return whether a stage is the engine's; data stages and evaluations of a served policy run without one."""
    return not (isinstance(stage, DataStage) or (isinstance(stage, EvalStage) and stage.served is not None))


class BackendUse(Config):
    """The engine that trains, by name; beside `use` stand the engine's own settings."""

    model_config = ConfigDict(extra="allow")

    use: Annotated[str, Field(min_length=1)] | None = None
    """a plugin that is a backend; `rewardlab plugins` lists the installed ones (absent: the default one)"""

    @property
    def settings(self) -> dict[str, Any]:
        """Return what the recipe says beside `use`, for the backend's own config to validate."""
        return dict(self.model_extra or {})


class Probe(Config):
    """Settings of `rewardlab probe`."""

    known: dict[Family, str] = Field(default_factory=dict)
    """a degenerate completion that may win by this reward: why"""

    @field_validator("known", mode="before")
    @classmethod
    def _are_families(cls, known: Any) -> Any:
        for name in known if isinstance(known, dict) else ():
            if name not in FAMILIES:
                raise ValueError(f"no degenerate completion {name!r}{nearest(name, FAMILIES)}")
        return known


def _model_tag(value: Any) -> str:
    return "tiny" if isinstance(value, dict | TinyModel) else "name"


def _dataset_tag(value: Any) -> str:
    alone = isinstance(value, ColumnNames) or (isinstance(value, dict) and value.keys() == {"fields"})
    return "columns" if alone else "dataset"


def _whole_number(version: Any) -> Any:
    if isinstance(version, bool):  # which Python takes for 0 and 1
        raise ValueError(f"expected 1, found {str(version).lower()}")
    return version


class Recipe(Config):
    """A whole recipe. `score` needs only version, judges and reward."""

    version: Annotated[Literal[1], BeforeValidator(_whole_number)]
    """version of the recipe format"""
    name: str | None = Field(None, pattern=r"^[^/\s][^/\n]*$")
    """name of the run directory (absent: the file's name)"""
    seed: NonNegativeInt = 0
    """decides everything that is drawn: weights, orders, samples, held-out rows of steps"""
    model: (
        Annotated[Annotated[str, Tag("name")] | Annotated[TinyModel, Tag("tiny")], Discriminator(_model_tag)] | None
    ) = None
    """a folder or hub name of a causal language model, or {use: tiny}"""
    dataset: (
        Annotated[
            Annotated[DatasetUse, Tag("dataset")] | Annotated[ColumnNames, Tag("columns")], Discriminator(_dataset_tag)
        ]
        | None
    ) = None
    """the rows for stages without a dataset of their own; `fields` alone is enough where rows are handed over, as for
    `rewardlab score`"""
    curriculum: Use | None = None
    """the order in which stages read their rows (absent: a shuffle by `seed`, another one for each pass)"""
    sampler: Use | None = None
    """a group sampler: how many completions of a prompt an `rl` stage collects, and which of them it trains on (absent:
    `group_size`, all of them)"""
    judges: dict[str, JudgeUse] = Field(default_factory=dict)
    """a name of your choice: a judge"""
    reward: RewardSection | None = None
    """how a completion is scored; `rl`, `eval` and `rewardlab score` need it"""
    stages: list[Stage] = Field(default_factory=list)
    """the stages, in order: each starts from the model that the last one wrote"""
    backend: BackendUse = Field(default_factory=BackendUse)
    """the engine that trains, with its settings beside `use`; `rewardlab plugins trl` lists those of trl"""
    alarms: Alarms = Field(default_factory=Alarms)
    """the response when a training's numbers show that something is wrong; a resume does not compare it"""
    probe: Probe = Field(default_factory=Probe)
    """for `rewardlab probe`: degenerate completions that are known to win; a resume does not compare it"""

    @field_validator("name")
    @classmethod
    def _can_be_a_folder(cls, name: str | None) -> str | None:
        if name in (".", ".."):
            raise ValueError("a folder of this name exists already; give the run another name")
        if name is not None and not name.isprintable():
            raise ValueError("it contains invisible characters")
        if name is not None and (size := len(name.encode("utf-8", "surrogatepass"))) > MAX_NAME:
            raise ValueError(f"it has {size} bytes, and the name of a folder at most {MAX_NAME}")
        return name

    @property
    def columns(self) -> dict[str, str]:
        """Return what the columns of rows are called: our field -> theirs."""
        return {} if self.dataset is None else self.dataset.fields
