"""Trying all laws of a component, one after the other, whatever the others say."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from rewardlab.errors import RewardlabError, UserError, one_line
from rewardlab.laws import EXAMPLE_OF, OF_KIND, Example, check_names
from rewardlab.registry import Plugin
from rewardlab.specs import _Spec
from rewardlab.testing.found_again import refuse_while_loading
from rewardlab.testing.outcome import Broken, NothingToTry, Outcome, Tried, Untried
from rewardlab.testing.stand_in import examples_without
from rewardlab.testing.trial import Trial, trial, use_of

TRIES = 25
Law = Callable[[Trial], int]
"""Tries a law; how many cases it looked at. Raises Broken, Untried or NothingToTry."""
WHERE = {
    "reward": "rewardlab.testing.reward_laws",
    "judge": "rewardlab.testing.judge_laws",
    "dataset": "rewardlab.testing.dataset_laws",
    "curriculum": "rewardlab.testing.curriculum_laws",
    "normalizer": "rewardlab.testing.normalizer_laws",
}
"""kind -> the module that has its LAWS, by name"""


def laws_of(kind: str) -> Mapping[str, Law]:
    """Name -> law, in the order in which they are told. A UserError where hypothesis is not installed."""
    try:
        laws = import_module(WHERE[kind]).LAWS
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise UserError("trying laws needs hypothesis: pip install 'rewardlab[testing]'") from None
    return {name: laws[name] for name in OF_KIND[kind]}


def try_laws(
    spec: _Spec,
    *,
    plugin: Plugin | None = None,
    examples: Sequence[Example] | None = None,
    given: Mapping[str, Any] | None = None,
    tries: int = TRIES,
    only: Sequence[str] | None = None,
) -> list[Tried]:
    """The laws of a spec, under each of its examples.

    plugin: the installed one that offers it, if any. examples: instead of the spec's own. given: options that replace
    those of every example. tries: generated cases a law, 1 at the least. only: these laws.

    A ValueError where `only` names no law of this kind; a UserError where options are wrong, or the spec's function
    of examples fails. Nothing else is raised: a law that raises is broken.
    """
    refuse_while_loading()
    if tries < 1:
        raise ValueError(f"tries is a whole number from 1 on, not {tries!r}")
    check_names(only or (), spec.kind)
    use = use_of(spec, plugin)
    own = examples is None and spec.laws.examples is not None
    if examples is None:
        try:
            examples = declared(spec, plugin)
        except Untried as why:
            outcomes = [_untried(spec, None, name, why) for name in OF_KIND[spec.kind] if only is None or name in only]
            return [Tried(use=use, kind=spec.kind, example="", outcomes=outcomes)]
    return [
        _tried(spec, use, example, plugin, given or {}, tries, only, place if own else None)
        for place, example in enumerate(examples)
    ]


def declared(spec: _Spec, plugin: Plugin | None = None) -> Sequence[Example]:
    """The examples that a spec declares, or what can be said without; an Untried where that is nothing."""
    if spec.laws.examples is None:
        return examples_without(spec)
    try:
        examples = list(spec.laws.examples())
        for example in examples:
            _check(example, spec)
    except Exception as error:
        raise UserError(f"{use_of(spec, plugin)}: its examples cannot be made: {one_line(error)}") from error
    return examples


def _check(example: Any, spec: _Spec) -> None:
    if not isinstance(example, wanted := EXAMPLE_OF[spec.kind]):
        raise TypeError(f"Laws(examples=...) gives {wanted.__name__}s, not {example!r:.80}")
    check_names(example.off, spec.kind)


def _tried(
    spec: _Spec,
    use: str,
    example: Example,
    plugin: Plugin | None,
    given: Mapping[str, Any],
    tries: int,
    only: Sequence[str] | None,
    place: int | None,
) -> Tried:
    laws = {name: law for name, law in laws_of(spec.kind).items() if only is None or name in only}
    try:
        with trial(spec, example, tries=tries, plugin=plugin, given=given, place=place) as tested:
            outcomes = [_outcome(name, law, tested) for name, law in laws.items()]
    except Untried as why:
        outcomes = [_untried(spec, example, name, why) for name in laws]
    return Tried(use=use, kind=spec.kind, example=example.title, outcomes=outcomes)


def _why_off(spec: _Spec, example: Example | None, name: str) -> str | None:
    return spec.laws.off.get(name) or (example.off.get(name) if example else None)


def _untried(spec: _Spec, example: Example | None, name: str, why: Untried) -> Outcome:
    if reason := _why_off(spec, example, name):
        return Outcome(law=name, state="off", why=reason)
    return Outcome(law=name, state="untried", why=str(why))


def _outcome(name: str, law: Law, tested: Trial) -> Outcome:
    if reason := _why_off(tested.spec, tested.example, name):
        return Outcome(law=name, state="off", why=reason)
    try:
        if seen := law(tested):
            return Outcome(law=name, state="held", tries=seen)
        return Outcome(law=name, state="nothing", why="no case of it was found")  # silence is no good news
    except NothingToTry as why:
        return Outcome(law=name, state="nothing", why=str(why))
    except Untried as why:
        return Outcome(law=name, state="untried", why=str(why))
    except Broken as example:
        return Outcome(law=name, state="broken", why=str(example))
    except RewardlabError as error:
        return Outcome(law=name, state="broken", why=str(error))
    except (Exception, SystemExit) as error:  # a plugin may raise anything anywhere
        return Outcome(law=name, state="broken", why=one_line(error))
