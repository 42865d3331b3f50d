"""What rows must have to be scored: fields that components require, and components that would abstain."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from rewardlab.errors import JobError, one_line
from rewardlab.types import Sample


@dataclass(frozen=True, kw_only=True)
class RowNeeds:
    """The needs of a recipe's rewards, asked of one row at a time.

    fields: field -> who needs it, in words. abstains: component -> a function that says why the component will give a
    sample no value, or None. uses: component -> what it is, for messages. fatal: those whose abstention ends a job.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    abstains: Mapping[str, Callable[[Sample], str | None]] = field(default_factory=dict)
    uses: Mapping[str, str] = field(default_factory=dict)
    fatal: frozenset[str] = frozenset()

    def lacking(self, sample: Sample) -> Iterator[tuple[str, str]]:
        """Yield (field, who needs it) for each field that a row does not have, or has as null."""
        for name, readers in self.fields.items():
            if sample.fields.get(name) is None:
                yield name, readers

    def abstentions(self, sample: Sample, fatal_only: bool = True) -> Iterator[tuple[str, str]]:
        """Yield (component, why) for each component that will give a row no value.

        A JobError names a component whose function fails, and the row.
        """
        for component, abstains in self.abstains.items():
            if fatal_only and component not in self.fatal:
                continue
            try:
                reason = abstains(sample)
            except Exception as error:  # the one place where an exception in `abstains` gets its name
                what = f"component {component!r} ({self.uses[component]}) on {sample.source or sample.place()}"
                raise JobError(f"{what}: abstains: {one_line(error)}") from error
            if reason:
                yield component, reason
