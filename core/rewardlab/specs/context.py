"""The parts that all specs share: their base and that of options, what `build` receives and what it returns."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from rewardlab.files import cache_dir
from rewardlab.group_stream import GroupStream
from rewardlab.laws import Laws
from rewardlab.references import Function
from rewardlab.types import Ask, Candidates, Completion, Reply, Sample, Score


class Config(BaseModel):
    """The base of every options class. Unknown keys, NaN and infinity are refused; instances are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, protected_namespaces=())


class NoOptions(Config):
    """The options of a component that has none."""


Asks = Ask | Sequence[Ask] | None
Questions = Asks | Mapping[str, Asks]
"""The type that `question` of a spec returns."""


class OwnPython(Config):
    """An environment of the user's."""

    python: Annotated[str, Field(min_length=1)]
    """the path of its interpreter"""


EnvironmentChoice = Literal["managed"] | OwnPython
"""The option `environment` of a component whose spec has one: built when it is first needed, or {python: path}."""


class Reward(Protocol):
    """A reward of completion or batch scope: the object that `build` of its RewardSpec returns."""

    def score(self, items: Sequence[tuple[Sample, Completion]], /) -> list[Score] | Awaitable[list[Score]]:
        """Return one score for each item, in the same order; a coroutine function if the spec runs "async"."""


class GroupReward(Protocol):
    """A reward of group scope: the object that `build` of its RewardSpec returns."""

    def score(self, stream: GroupStream, /) -> Awaitable[list[Score]]:
        """Return one score for each of the group's G completions, by index; a coroutine function."""


class Judge(Protocol):
    """A judge: the object that `build` of a JudgeSpec returns. It may have `async aclose()`, which ends its use."""

    async def ask(self, ask: Ask, /) -> Reply:
        """Return the answer. An exception is a failure that another try may mend; a Reply with `error` is final."""


class JudgeClient(Protocol):
    """A judge of the recipe as rewards and data steps ask it: with limits, retries, budget and cassette."""

    most_tokens: int | None
    """the most tokens of an answer; None if nothing bounds it"""

    async def ask(self, ask: Ask, /) -> Reply:
        """Return the judge's answer, or a Reply with `error` if there is none. May be called from any event loop."""

    def report_parsed(self, reply: Reply, ok: bool, /) -> None:
        """Say whether the reply could be read, so that a judge that fits badly is noticed."""


class Curriculum(Protocol):
    """An order of samples: the object that `build` of a CurriculumSpec returns."""

    def order(self, samples: Sequence[Sample], seed: int, /) -> Sequence[int]:
        """Return each index of the N samples once, in the order in which they are trained on."""


class GroupSampler(Protocol):
    """A sampler of groups: the object that `build` of a CurriculumSpec with `most` returns."""

    def more(self, pool: Candidates, /) -> int:
        """Return how many more completions of the prompt to sample; 0 if the pool is complete."""

    def select(self, pool: Candidates, n: int, /) -> Sequence[int]:
        """Return the n different indices of the pool that are trained on."""


class Normalizer(Protocol):
    """A normalizer: the object that `build` of a NormalizerSpec returns."""

    def shape(
        self, totals: Sequence[float], tokens: Sequence[int] | None, kept: Sequence[int], seed: int, /
    ) -> Sequence[float]:
        """Return G shaped values, of the totals that `kept` (G,) names. totals, tokens: (P,), the whole pool."""


class Worker(Protocol):
    """A model in a separate process, which other components may share."""

    async def ask(self, questions: Sequence[Any], /) -> list[Any]:
        """Return an answer (JSON) to each question (JSON), in order; from any event loop."""


class WorkerOpener(Protocol):
    """Opens models in separate processes (`Context.workers`)."""

    def open(self, file: Path | str, settings: Mapping[str, Any], /) -> Worker:
        """Return the worker of a Python file with these settings (JSON); it starts at its first question."""


class _NoWorkers:
    """The workers of a context without any: such as a judge's, or a test's."""

    def __repr__(self) -> str:
        return "none"

    def open(self, file: Path | str, settings: Mapping[str, Any], /) -> Worker:
        raise RuntimeError(f"{Path(file).name}: this context opens no workers; rewards and data steps have some")


@dataclass(frozen=True, kw_only=True)
class Context:
    """The context that the host passes to `build` besides the options.

    `judges` maps the names declared in the recipe to judges. `cache_dir` is a folder that several processes share.
    `device` is a torch device string. `policy` is the model being trained, if the backend offers it. `source` has,
    for a data step, the samples that it starts `from`; for others none. `sources` has them by name, for a dataset of
    several. `workers` opens models in separate processes, for rewards and data steps: `workers.open(file, settings)`.
    """

    seed: int = 0
    judges: Mapping[str, JudgeClient] = field(default_factory=dict)
    cache_dir: Path = field(default_factory=cache_dir)
    device: str = "cpu"
    policy: Any = None
    source: Iterable[Sample] = ()
    sources: Mapping[str, Iterable[Sample]] = field(default_factory=dict)
    workers: WorkerOpener = field(default_factory=_NoWorkers)


COMPONENT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
Build = Callable[..., Any]
"""build(options, context) -> the component; of a backend, build(settings). Heavy imports belong inside."""


@dataclass(frozen=True, kw_only=True)
class Spec:
    """The base of all specs: a component that a plugin offers."""

    kind: ClassVar[str]
    name: str
    summary: str
    config: type[Config] = NoOptions
    build: Function[Build] = Function()
    """build(options, context) -> the component (a backend's: build(settings)), or its place, "package.module:name\""""
    laws: Laws = field(default_factory=Laws)
    """which laws of its kind do not apply and why, and examples to try them with; see docs/plugins.md"""
    packaged: Function[Callable[[], Mapping[str, str]] | None] = Function(None)
    """the files that come with it and that options can name: name -> what it is, for `rewardlab plugins NAME`"""

    def __post_init__(self) -> None:
        if not isinstance(self.laws, Laws):
            raise TypeError(f"{self.name}: laws must be a rewardlab.laws.Laws, not {self.laws!r}")
        if not isinstance(self.name, str) or not COMPONENT_NAME.match(self.name):
            raise ValueError(f"name {self.name!r}: use letters, digits and _ . -")
        if not (isinstance(self.config, type) and issubclass(self.config, Config)):
            raise TypeError(f"{self.name}: config must be a subclass of rewardlab.Config, not {self.config!r}")
        if not callable(self.build):
            raise TypeError(f"{self.name}: build must be callable, or 'package.module:name', not {self.build!r}")
