"""Try all laws of a component, one after the other, whatever comes of each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from rewardlab import Spec
from rewardlab.errors import RewardlabError, UserError, one_line
from rewardlab.laws import CurriculumExample, DatasetExample, Example, JudgeExample, NormalizerExample, RewardExample
from rewardlab.registry import Plugin

from rewardlab_testing.examples.default_examples import examples_without
from rewardlab_testing.harness.component_under_test import ComponentUnderTest, open_trial, use_of
from rewardlab_testing.harness.hang import HangRecord
from rewardlab_testing.harness.spec_location import refuse_while_loading
from rewardlab_testing.outcomes.law_words import LAWS_OF_KIND, check_laws_off, check_names
from rewardlab_testing.outcomes.outcome import (
    BuildFailure,
    LawOutcome,
    LawViolation,
    NothingToTry,
    TrialResult,
    UnmetNeed,
)

TRIES = 25
Law = Callable[[ComponentUnderTest], int]
"""A function that tries a law. It returns how many cases it saw, or raises LawViolation, UnmetNeed or NothingToTry."""


EXAMPLE_OF_KIND: dict[str, type[Example]] = {
    "reward": RewardExample,
    "judge": JudgeExample,
    "dataset": DatasetExample,
    "curriculum": CurriculumExample,
    "normalizer": NormalizerExample,
}


class TrialListener(Protocol):
    """Listener for law results, called in execution order."""

    def law_begins(self, use: str, law: str) -> None:
        """Hear that a law is tried now."""

    def laws_end(self, use: str, example: str, outcomes: Sequence[LawOutcome]) -> None:
        """Hear the outcomes of one law, or of several that were not tried for the same reason."""


MODULES = {
    "reward": "rewardlab_testing.laws.reward_laws",
    "judge": "rewardlab_testing.laws.judge_laws",
    "dataset": "rewardlab_testing.laws.dataset_laws",
    "curriculum": "rewardlab_testing.laws.curriculum_laws",
    "normalizer": "rewardlab_testing.laws.normalizer_laws",
}
"""kind -> the name of the module that has its LAWS"""


def laws_of(kind: str) -> Mapping[str, Law]:
    """Return name -> law, in the order of `law_words`; raise a UserError if hypothesis is not installed."""
    try:
        laws = import_module(MODULES[kind]).LAWS
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise UserError("trying laws needs hypothesis: pip install hypothesis pytest") from None
    return {name: laws[name] for name in LAWS_OF_KIND[kind]}


def try_laws(
    spec: Spec,
    *,
    plugin: Plugin | None = None,
    examples: Sequence[Example] | None = None,
    given: Mapping[str, Any] | None = None,
    tries: int = TRIES,
    only: Sequence[str] | None = None,
    listener: TrialListener | None = None,
) -> list[TrialResult]:
    """Try the laws of a spec and return one result for each of its examples.

    A reward that hangs breaks one law; after that nothing is asked of it, under no example. Raises ValueError if
    `only` names no law of this kind, and UserError if options are wrong or the spec's function of examples fails.
    Nothing else is raised: a law that raises is broken.

    Args:
        plugin: the installed one that offers the spec, if any.
        examples: instead of the spec's own.
        given: options that replace those of every example.
        tries: how many cases are generated for each law, at least 1.
        only: try these laws and no others.
        listener: hears of each law as it is tried.
    """
    refuse_while_loading()
    if tries < 1:
        raise ValueError(f"tries is a whole number from 1 on, not {tries!r}")
    check_names(only or (), spec.kind)
    check_laws_off(spec, use_of(spec, plugin))
    names = [name for name in LAWS_OF_KIND[spec.kind] if only is None or name in only]
    runner = _LawRunner(spec=spec, names=names, plugin=plugin, given=given or {}, tries=tries, listener=listener)
    own = examples is None and spec.laws.examples is not None
    if examples is None:
        try:
            examples = examples_of(spec, plugin)
        except UnmetNeed as why:
            return [runner.result(None, [_untried(spec, None, name, why) for name in names])]
    return [runner.try_example(example, index if own else None) for index, example in enumerate(examples)]


@dataclass(frozen=True, kw_only=True)
class _LawRunner:
    """The laws of one spec, tried under each of its examples, whose outcomes a listener hears as they are known."""

    spec: Spec
    names: Sequence[str]
    plugin: Plugin | None
    given: Mapping[str, Any]
    tries: int
    listener: TrialListener | None
    hang: HangRecord = field(default_factory=HangRecord)

    def try_example(self, example: Example, index: int | None) -> TrialResult:
        """Return the outcomes of the laws under an example, whose place in the spec is `index`."""
        outcomes: list[LawOutcome] = []
        try:
            with open_trial(
                self.spec,
                example,
                tries=self.tries,
                plugin=self.plugin,
                given=self.given,
                example_index=index,
                hang=self.hang,
            ) as tested:
                for known in self._outcomes(tested):
                    outcomes += self.result(example, known).outcomes
        except UnmetNeed as why:
            return self.result(example, [_untried(self.spec, example, name, why) for name in self.names])
        return TrialResult(use=tested.use, kind=self.spec.kind, example=example.title, outcomes=outcomes)

    def result(self, example: Example | None, outcomes: Sequence[LawOutcome]) -> TrialResult:
        """Return these outcomes as a result, and hand them to the listener."""
        use, title = use_of(self.spec, self.plugin), "" if example is None else example.title
        if self.listener is not None:
            self.listener.laws_end(use, title, outcomes)
        return TrialResult(use=use, kind=self.spec.kind, example=title, outcomes=outcomes)

    def _outcomes(self, tested: ComponentUnderTest) -> Iterator[list[LawOutcome]]:
        """Yield the outcome of each law as it is known; that of all further ones if the component is not built."""
        laws = laws_of(self.spec.kind)
        for at, name in enumerate(self.names):
            outcome = self._try_law(name, laws[name], tested)
            if outcome.state == "unbuilt":
                yield [_unbuilt(self.spec, tested.example, name, outcome.why) for name in self.names[at:]]
                return
            yield [outcome]

    def _try_law(self, name: str, law: Law, tested: ComponentUnderTest) -> LawOutcome:
        """Return the outcome of a law; nothing is asked of a reward that has hung."""
        why_off = _why_off(tested.spec, tested.example, name)
        if self.hang.hang is not None and not why_off:
            return LawOutcome(law=name, state="untried", why=f"it hangs, which `{self.hang.law}` reports")
        if self.listener is not None:
            self.listener.law_begins(tested.use, name)
        outcome = outcome_of(name, lambda: law(tested), why_off)
        if self.hang.hang is None:
            return outcome
        self.hang.law = self.hang.law or name
        return outcome if why_off else LawOutcome(law=name, state="broken", why=str(self.hang.hang))


def examples_of(spec: Spec, plugin: Plugin | None = None) -> Sequence[Example]:
    """Return the examples that a spec declares, or else a default one; raise UnmetNeed if none will do."""
    if spec.laws.examples is None:
        return examples_without(spec)
    try:
        examples = list(spec.laws.examples())
        for example in examples:
            _check(example, spec)
    except Exception as error:
        raise UserError(f"{use_of(spec, plugin)}: its examples cannot be made: {one_line(error)}") from error
    return examples


def _check(example: Any, spec: Spec) -> None:
    if not isinstance(example, wanted := EXAMPLE_OF_KIND[spec.kind]):
        raise TypeError(f"Laws(examples=...) gives {wanted.__name__}s, not {example!r:.80}")
    check_names(example.off, spec.kind)


def _why_off(spec: Spec, example: Example | None, name: str) -> str | None:
    return spec.laws.off.get(name) or (example.off.get(name) if example else None)


def _untried(spec: Spec, example: Example | None, name: str, why: UnmetNeed) -> LawOutcome:
    if reason := _why_off(spec, example, name):
        return LawOutcome(law=name, state="off", why=reason)
    return LawOutcome(law=name, state="untried", why=str(why))


def _unbuilt(spec: Spec, example: Example, name: str, why: str) -> LawOutcome:
    if reason := _why_off(spec, example, name):
        return LawOutcome(law=name, state="off", why=reason)
    return LawOutcome(law=name, state="unbuilt", why=why)


def outcome_of(name: str, law: Callable[[], int], why_off: str | None) -> LawOutcome:
    """Return the outcome of a law, which is not tried if there is a reason why it is off; raise nothing."""
    if why_off:
        return LawOutcome(law=name, state="off", why=why_off)
    try:
        if seen := law():
            return LawOutcome(law=name, state="held", tries=seen)
        return LawOutcome(law=name, state="nothing", why="no case of it was found")  # a law without a case did not hold
    except NothingToTry as why:
        return LawOutcome(law=name, state="nothing", why=str(why))
    except UnmetNeed as why:
        return LawOutcome(law=name, state="untried", why=str(why))
    except BuildFailure as why:
        return LawOutcome(law=name, state="unbuilt", why=str(why))
    except LawViolation as example:
        return LawOutcome(law=name, state="broken", why=str(example))
    except RewardlabError as error:
        return LawOutcome(law=name, state="broken", why=str(error))
    except (Exception, SystemExit) as error:  # a plugin may raise anything anywhere
        return LawOutcome(law=name, state="broken", why=one_line(error))
