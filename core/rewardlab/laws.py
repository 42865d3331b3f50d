"""The laws of each kind of component, and what a spec declares about them: examples, and laws that do not apply.

`rewardlab.testing` tries the laws. This file holds only data and is cheap to import, so that every spec can carry a
`Laws`.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rewardlab.errors import nearest
from rewardlab.references import Function
from rewardlab.types import Ask, Completion, Sample

__all__ = [
    "BACKEND",
    "CURRICULUM",
    "DATASET",
    "JUDGE",
    "LAWS_OF_KIND",
    "NORMALIZER",
    "REWARD",
    "CurriculumExample",
    "DatasetExample",
    "Example",
    "ExampleOptions",
    "JudgeExample",
    "JudgeFactory",
    "Laws",
    "NormalizerExample",
    "RewardExample",
    "check_names",
]

REWARD = {
    "range": "every text gets a finite number within the declared range, or an abstention; never a failure",
    "order": "each good completion earns more than each bad one",
    "monotone": "along a ladder of completions, worst first, the value never falls (declared by giving a ladder)",
    "repeat": "asked again, or built again with the same options and seed, it answers the same",
    "permutation": "completions in another order get the same values, in that order",
    "batch": "a completion's value depends neither on how many are asked at once nor on other prompts' completions",
    "arrival": "of group scope: the order in which a group's completions arrive does not matter",
    "thread": "off the main thread it answers the same",
    "worker": "in a spawned process, where Python salts hashes differently, it answers the same",
    "ray": "in a Ray actor it answers the same (if Ray is installed)",
    "rebuild": "built from its options as JSON it answers the same",
    "info": "info holds JSON values under text keys",
    "required": "a row that lacks a required field gets an error, neither a value nor an abstention",
    "unanswered": "if its judges fail, a completion about which it asked them gets no value",
    "unreadable": "if its judges reply noise, a completion gets no value, or `report_parsed` says that it is noise",
    "fence": "a completion that speaks to the judge cannot end its own quotation in a question of messages",
    "empty": "the empty text does not earn the maximum",
    "prompt_copy": "the prompt, alone or added to a bad completion, earns no more than the bad ones do",
    "repetition": "a text a hundred times over earns no more than once",
    "padding": "blank space before and behind a text earns nothing",
    "antisymmetry": "of two completions, what one wins the other loses (declared by `pairwise`)",
    "hedge": "a right and a wrong answer together earn less than the right one alone (declared by `hedge`)",
}
JUDGE = {
    "reply": "every question gets a Reply of the right types, with the text that the example says; else an error",
    "repeat": "a judge that is local answers the same question the same, built again, too",
    "apart": "questions asked at once get the answers that they get alone",
    "worker": "a judge that is local answers the same in a spawned process",
    "identity": "its identity is JSON, the same at every build, and differs between options that change answers",
    "secrets": "no value of a variable that an option names is in its identity, its text form or its errors",
    "close": "aclose can be called twice, and before any question",
}
DATASET = {
    "samples": "it gives Samples: a prompt of messages, fields of JSON values, ids that are texts",
    "ids": "no id comes twice",
    "again": "iterated again it gives the same rows",
    "seed": "the same options and seed give the same rows in another process",
    "streaming": "the first rows do not wait for the last ones to be made or read",
    "provides": "every row has the fields that the spec says it provides",
    "required": "of a step: a source row without a required field is an error",
    "going_on": "of a step: rows made from a part of the source are those of the whole",
    "makes": "of a step: no more rows come out, and no more questions are asked, than the spec says",
}
CURRICULUM = {
    "order": "`order` gives each index once, also for no sample and for one",
    "repeat": "the same samples and seed give the same order",
    "worker": "in a spawned process, where Python salts hashes differently, the order is the same",
    "untouched": "the samples are as they were",
    "more": "`more` gives whole numbers, 0 in the end, and no more than `most` in all",
    "select": "`select` gives n different places of the pool",
    "arrival": "which completions are chosen does not depend on the order of the pool's entries",
}
NORMALIZER = {
    "finite": "finite numbers, one for each place kept, within the declared range",
    "order": "a higher total never gets the lower shaped value",
    "equal": "equal totals with equal token counts get equal values",
    "permutation": "totals in another order get the same values, in that order",
    "repeat": "the same totals and seed give the same values, built again, too",
    "worker": "in a spawned process it gives the same values",
    "kept": "which places are kept does not change their values",
    "factor": "one that scales the loss multiplies a group by one factor above 0, halved if all are twice as long",
    "tokens": "a normalizer that needs token counts refuses to go without",
}
BACKEND = {
    "free": "`check` and `run --dry-run` import no engine and write nothing",
    "mistakes": "an unknown option under `backend` is named with its line and the nearest option",
    "whole": "a run ends with every stage done, and its ledger has every completion of every step once",
    "scores": "`rewardlab score` gives the ledger's completions the values and totals that the run gave them",
    "masked": "a completion without a value has no advantage, and the others those that they would have without it",
    "resume": "Ctrl-C ends a run with exit code 130 and the command that completes it, from a checkpoint on",
    "stop": "so does `RunJob.stop`, if the engine trains on this machine",
    "same": "a run that was interrupted and resumed has the completions and totals of one that was not",
    "failures": "a reward that fails ends the run with our message and exit code 1, and the run can be resumed",
}
LAWS_OF_KIND: dict[str, Mapping[str, str]] = {
    "reward": REWARD,
    "judge": JUDGE,
    "dataset": DATASET,
    "curriculum": CURRICULUM,
    "normalizer": NORMALIZER,
    "backend": BACKEND,  # these take whole runs: rewardlab.testing.check_backend
}

ExampleOptions = Mapping[str, Any] | Callable[[Path], Mapping[str, Any]]
"""Options as under `with`; or a function of an empty folder that makes them and may write files there for them."""
JudgeFactory = Callable[[], Mapping[str, Any]]
"""A function that makes the judges that the options name: name -> an object with `async ask(Ask) -> Reply`."""


@dataclass(frozen=True, kw_only=True)
class Example:
    """Options with which a component is tried.

    needs: options that only the user can give, such as a model's folder. off: law -> why it does not apply under
    these options, though it does under others; what the spec switches off is off in every example.
    """

    title: str = ""
    options: ExampleOptions = field(default_factory=dict)
    needs: Sequence[str] = ()
    off: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_reasons("off", self.off)


@dataclass(frozen=True, kw_only=True)
class RewardExample(Example):
    """A sample with completions whose rank is known.

    good, bad: every good completion earns more than every bad one. ladder: worst first; none earns less than the one
    before. hedge: a right and a wrong answer as completions have them, such as two boxes: both together earn less than
    the right one. judges: makes the judges that the options name; the reward asks them directly,
    without limits or cassette.
    """

    sample: Sample
    good: Sequence[Completion | str]
    bad: Sequence[Completion | str]
    ladder: Sequence[Completion | str] = ()
    hedge: tuple[str, str] | None = None
    judges: JudgeFactory | None = None


@dataclass(frozen=True, kw_only=True)
class JudgeExample(Example):
    """Questions that a judge understands.

    other_options: options that change its answers, hence its identity. says: for each question, in order, the text
    that the judge answers, verbatim; None if nobody knows.
    """

    asks: Sequence[Ask]
    other_options: Sequence[Mapping[str, Any]] = ()
    says: Sequence[str | None] = ()


@dataclass(frozen=True, kw_only=True)
class DatasetExample(Example):
    """The input of a data step: `source`, the samples that it starts from, and the judges that its options name.

    sources: of a dataset that is made of several others, the samples of each, by its name.
    """

    source: Sequence[Sample] = ()
    sources: Mapping[str, Sequence[Sample]] = field(default_factory=dict)
    judges: JudgeFactory | None = None


@dataclass(frozen=True, kw_only=True)
class CurriculumExample(Example):
    """Samples to order; or, for a group sampler, pools (rewardlab.Candidates) to choose from."""

    samples: Sequence[Sample] = ()
    pools: Sequence[Any] = ()


@dataclass(frozen=True, kw_only=True)
class NormalizerExample(Example):
    """Options of a normalizer; totals, token counts and places are generated."""


@dataclass(frozen=True, kw_only=True)
class Laws:
    """A spec's declarations about the laws of its kind.

    examples: a function without arguments, so that they are made only when somebody tries the laws; or where it is, as
        "package.module:name", which is imported only then.
    off: law -> why it does not apply. `rewardlab plugins` shows it.
    tolerance: the excess that a reward may give to a copy of the prompt, a repetition or padding.
    rounding: values this close count as equal; for models, whose last digits depend on their batch.
    pairwise: whether a reward of group scope shares a fixed amount between two completions.
    """

    examples: Function[Callable[[], Sequence[Example]] | None] = Function(None)
    off: Mapping[str, str] = field(default_factory=dict)
    tolerance: float = 0.0
    rounding: float = 1e-9
    pairwise: bool = False

    def __post_init__(self) -> None:
        for name in ("tolerance", "rounding"):
            if not (math.isfinite(value := getattr(self, name)) and value >= 0):
                raise ValueError(f"laws.{name} must be a number of at least 0, not {value!r}")
        _check_reasons("laws.off", self.off)


def check_names(laws: Iterable[str], kind: str) -> None:
    """Raise ValueError at the first name that is not a law of this kind."""
    for law in laws:
        if law not in LAWS_OF_KIND[kind]:
            raise ValueError(f"no law {law!r} of a {kind}{nearest(law, LAWS_OF_KIND[kind])}")


def _check_reasons(where: str, off: Mapping[str, str]) -> None:
    for law, why in off.items():
        if not isinstance(why, str) or not why.strip():
            raise ValueError(f"{where}[{law!r}] needs the reason why the law does not apply")
