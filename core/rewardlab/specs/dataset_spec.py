"""The spec of a dataset or a data step: how it is built, and what its rows have and cost."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rewardlab.references import Function
from rewardlab.specs.context import Config, Context, Questions, Spec
from rewardlab.types import Sample


@dataclass(frozen=True, kw_only=True)
class DatasetSpec(Spec):
    """A dataset. `build` returns an iterable of Sample, streaming; iterating it again starts from the beginning.

    Args:
        provides: the fields that every sample has, or a function of the options; None if this is known only after
            reading.
        step: true for a data step: it makes its samples from those of another dataset, `from` in the recipe, which
            `build` finds in `context.source`. A sample's id follows from its source's, so that a step can go on.
        sources: for a dataset that is made of several others: a function of the options that returns their names under
            `from`, by which `build` finds them in `context.sources`.
        requires: for a step, the fields that each row of its source must have, or a function of the options.
        abstains: for a step, says why it can make nothing of a sample of its source, or None; `check` names such rows
            before anything is paid for.
        needs_files: as RewardSpec has it.
        remote: true if reading rows needs a network, or a function of the options; `check` then looks at none.
        judges: names of the options that hold a judge's name (translators and teachers are judges, too).
        calls: a function of the options and the number of source rows: most questions that they take.
        question: as RewardSpec has it.
        makes: a function of the options and the number of rows that it reads: most rows made of them; absent: as many.
        environment: as RewardSpec has it, for the files that `build` opens through `context.workers`.
    """

    kind: ClassVar[str] = "dataset"
    build: Function[Callable[[Any, Context], Iterable[Sample]]] = Function()
    provides: Function[Sequence[str] | Callable[[Any], Sequence[str] | None] | None] = Function(None)
    step: bool = False
    sources: Function[Callable[[Any], Sequence[str]] | None] = Function(None)
    requires: Function[Sequence[str] | Callable[[Any], Sequence[str]]] = Function(())
    abstains: Function[Callable[[Any, Sample], str | None] | None] = Function(None)
    needs_files: Function[Callable[[Any], Sequence[str]] | None] = Function(None)
    remote: Function[bool | Callable[[Any], bool]] = Function(False)
    judges: Sequence[str] = ()
    calls: Function[Callable[[Any, int], int] | None] = Function(None)
    question: Function[Callable[[Any], Questions] | None] = Function(None)
    makes: Function[Callable[[Any, int], int] | None] = Function(None)
    environment: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(isinstance(names, str) for names in (self.provides, self.requires, self.judges)):
            raise TypeError(f"{self.name}: provides, requires and judges are lists of names, not one text")

    def provided_fields(self, options: Config) -> tuple[str, ...] | None:
        """Return the fields that every sample has under these options; None if only reading the rows shows them."""
        fields = self.provides(options) if callable(self.provides) else self.provides
        return None if fields is None else tuple(fields)

    def is_remote(self, options: Config) -> bool:
        """Return whether reading rows under these options needs a network."""
        return self.remote(options) if callable(self.remote) else self.remote

    def required_fields(self, options: Config) -> tuple[str, ...]:
        """Return the fields that each row of a step's source must have under these options."""
        return tuple(self.requires(options) if callable(self.requires) else self.requires)
