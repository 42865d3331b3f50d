"""The names of a recipe's parts: `use`, `with`, and the keys beside them."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Discriminator,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    Tag,
    model_validator,
)

from rewardlab.specs import Config
from rewardlab.types import Reply

MILLION = 1_000_000

Share = Annotated[float, Field(ge=0, le=1)]
WorkerTimeout = Annotated[float, Field(gt=0, le=86_400)]
Device = Annotated[str, Field(min_length=1)]
MAX_REPEATS = 100  # of one question to one judge, unless its answers differ too much
Repeats = Annotated[int, Field(ge=1, le=MAX_REPEATS)]


class Use(Config):
    """A component by name, `use: <plugin>/<name>`, with its options."""

    use: str
    """<plugin>/<name>; `rewardlab plugins` lists the installed ones"""
    options: dict[str, Any] = Field(default_factory=dict, alias="with")
    """the component's options"""


class ColumnNames(Config):
    """The columns of rows that somebody hands over, where no dataset is read."""

    fields: dict[str, str]
    """our field: their column (`prompt` and `id` too); `a.b` is what an object in column `a` has"""


ONE, SEVERAL = "one dataset", "several datasets"
SourceName = Annotated[str, Field(pattern=r"^[^/#.]+$")]


def _one_or_several(value: Any) -> str:
    """Return what stands under `from`: a dataset, or a mapping of names to datasets."""
    named = isinstance(value, Mapping) and "use" not in value and value
    return SEVERAL if named and all(isinstance(dataset, Mapping | DatasetUse) for dataset in value.values()) else ONE


class DatasetUse(Use):
    """A dataset and how its columns are called."""

    source: (
        Annotated[
            Annotated["DatasetUse", Tag(ONE)] | Annotated[dict[SourceName, "DatasetUse"], Tag(SEVERAL)],
            Discriminator(_one_or_several),
        ]
        | None
    ) = Field(None, alias="from")
    """for a data step: the dataset that it makes its rows from; for data/mix several, each by a name"""
    fields: dict[str, str] = Field(default_factory=dict)
    """our field: their column (`prompt` and `id` too); `a.b` is what an object in column `a` has"""
    holdout: Share = 0.0
    """share of the rows kept out of training, by a hash of their id; a column `split` decides if there is one"""
    timeout: WorkerTimeout | None = None
    """for a data step that holds a model: seconds that one question to it may take"""
    memory: PositiveFloat | None = None
    """likewise: GB that one call may add to its process's memory, without child processes (absent: no limit)"""
    threads: PositiveInt = 1
    """likewise: its math threads"""
    device: Device | None = None
    """likewise: its torch device (absent: the machine's GPU if it has one)"""


class BudgetUse(Config):
    """The most that a judge may cost in one run, over all attempts; the run stops before it is exceeded."""

    tokens: PositiveInt | None = None
    """tokens of questions and answers together"""
    usd: PositiveFloat | None = None
    """needs `price`"""

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.tokens is None and self.usd is None:
            raise ValueError("limits nothing; give tokens or usd")
        return self


class Price(Config):
    """US dollars a million tokens."""

    prompt: NonNegativeFloat
    """US dollars for a million tokens of questions"""
    completion: NonNegativeFloat
    """US dollars for a million tokens of answers"""
    cache_read: NonNegativeFloat | None = None
    """price of a million tokens of questions that the server had in its cache (absent: as `prompt`)"""
    cache_write: NonNegativeFloat | None = None
    """price of a million tokens of questions that the server put into its cache (absent: as `prompt`)"""

    def cost(self, prompt: float, completion: float) -> float:
        """Return the most that this many tokens can cost, in US dollars: questions at their highest price."""
        highest = max(self.prompt, self.cache_read or 0.0, self.cache_write or 0.0)
        return (highest * prompt + self.completion * completion) / MILLION

    def of(self, reply: Reply) -> float:
        """Return what a reply cost, in US dollars, by the tokens that its server counted."""
        read, written = reply.cache_read_tokens or 0, reply.cache_write_tokens or 0
        prompt = (reply.prompt_tokens or 0) - read - written
        usd = self.prompt * prompt + self.completion * (reply.completion_tokens or 0)
        usd += read * (self.prompt if self.cache_read is None else self.cache_read)
        usd += written * (self.prompt if self.cache_write is None else self.cache_write)
        return usd / MILLION


class CassetteUse(Config):
    """A file of a judge's answers, found by model, messages, parameters and draw."""

    path: Annotated[str, Field(min_length=1)]
    """a JSONL file, created if it is missing"""
    mode: Literal["record", "replay", "strict"] = "record"
    """record: reuse and append; replay: reuse, call on a miss, write nothing; strict: a miss is an error"""


class RequireUse(Config):
    """The bounds that a judge must keep on rows that people have labelled, before a run trains on what it says."""

    labels: Annotated[str, Field(min_length=1)]
    """rows with gold, as `rewardlab judge` reads them"""
    min_accuracy: Share | None = None
    """least share of pairs that it orders as people do"""
    min_kappa: Share | None = None
    """least Cohen's kappa of its verdicts and people's"""
    max_position_bias: Share | None = None
    """most habit of preferring what stands first, or what stands second: 0 is none, 1 always"""
    max_flip_rate: Share | None = None
    """most share of two draws of one question that order a pair otherwise; each is asked twice for this"""
    by: str | None = None
    """a field, such as language, each of whose values must keep the bounds by itself (absent: all rows together)"""


class JudgeUse(Use):
    """A judge, and how the host may ask it."""

    concurrency: PositiveInt = 64
    """most questions at once"""
    requests_per_minute: PositiveInt | None = None
    """most questions a minute, tries included (absent: no limit)"""
    tokens_per_minute: PositiveInt | None = None
    """most tokens a minute, of questions and answers, as estimated from the answers so far (absent: no limit)"""
    timeout: PositiveFloat = 60.0
    """seconds for one try"""
    retries: NonNegativeInt = 5
    """further tries after a failure of the connection or a busy server, and more of them until 12 seconds for each are
    over; a judge that is down is waited for as long; 0: one try"""
    group_timeout: PositiveFloat | None = None
    """seconds for all questions about a group that is complete, from when the first of them is sent"""
    budget: BudgetUse | None = None
    """the budget for it in one run (absent: any amount)"""
    price: Price | None = None
    """prices, for `budget.usd` and the cost in reports"""
    cassette: CassetteUse | None = None
    """a file of its answers, for other commands and runs to replay (absent: none)"""
    reuse: Literal["same_server", "same_model"] = "same_server"
    """whose kept answers a job that goes on uses: the server's, or the model's wherever it runs, as a cassette does"""
    repeats: Repeats | None = None
    """times that a component that does not say it asks each question, by draws of their own (absent: once)"""
    require: RequireUse | None = None
    """its licence: what it must keep on rows that people have labelled, or `run` refuses it (absent: nothing)"""


class UnstableUse(Config):
    """The fate of a value on which repeats, or the judges of a panel, do not agree."""

    spread: PositiveFloat
    """standard deviation of a completion's values (population) above which its value is unstable"""
    then: Literal["missing", "zero_advantage", "ask_more"]
    """missing: it failed, and `on_missing` applies; zero_advantage: so did it, and the completion teaches nothing;
    ask_more: as many repeats again, once, and the value of all counts"""


class EscalationUse(Config):
    """A panel whose judges are asked one after another, as long as they leave doubt."""

    unsure: tuple[float, float] | None = None
    """values of the first judge, ends included, at which the second is asked (absent: none)"""
    apart: NonNegativeFloat = 0.0
    """most difference of two judges' values, or deviation of the first one's repeats, that asks no further one"""


OnMissing = Literal["fail", "group_mean", "zero_advantage"] | float
OnAbstain = Literal["fail"] | float


class ComponentUse(Use):
    """A reward, what it reads, and the handling of missing values."""

    reads: Literal["last_answer", "all"] = "last_answer"
    """of several messages: last_answer, the assistant's last one with a text, or all: a transcript with tools' calls"""
    on_missing: OnMissing = "fail"
    """response to failures: fail | group_mean | zero_advantage | a number"""
    on_abstain: OnAbstain = "fail"
    """response if the reward does not apply to a row: fail | a number"""
    max_missing: Share = 0.05
    """share of failures above which the job stops (under `fail`: of rollouts that failed, all)"""
    repeats: Repeats | None = None
    """for a reward that asks a judge or a panel: times that each question is asked (absent: as the judge says)"""
    combine: Literal["mean", "median", "majority"] = "mean"
    """the value of repeats, and of a panel's judges; majority: the most frequent one, the mean of equally frequent"""
    escalate: EscalationUse | None = None
    """for a panel: its judges are asked one after another, as long as they leave doubt (absent: all of them)"""
    on_unstable: UnstableUse | None = None
    """response to values that differ too much (absent: the value counts, and its spread is told)"""
    appeal: dict[str, Any] | None = None
    """a judge that looks again at what this rule rejects: the options of rubric/appeal but `of`, which is this rule"""
    commit_first: bool = False
    """whether a judge first solves the prompt itself, once a draw, and sees its own answer beside each candidate"""
    workers: PositiveInt | None = None
    """most worker processes, for a reward that runs in workers (absent: the number of cores, 4 at most) or holds a
    model (absent: 1)"""
    timeout: WorkerTimeout | None = None
    """seconds that one completion may take in a worker (absent: the reward's own limit)"""
    memory: PositiveFloat | None = None
    """GB that one call may add to a worker's memory, without child processes; a completion that alone takes
    more fails (absent: the reward's own limit, 4 as a rule; none for one that holds a model)"""
    threads: PositiveInt = 1
    """math threads of each worker process"""
    device: Device | None = None
    """torch device of a model: cpu, cuda, cuda:1, ... (absent: the machine's GPU if it has one; on a cluster, what
    `backend.scorers` declares)"""
