"""Trying all laws of a component, one after the other, whatever the others say."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from rewardlab.errors import RewardlabError, one_line
from rewardlab.laws import OF_KIND, Example
from rewardlab.registry import Plugin
from rewardlab.specs import _Spec
from rewardlab.testing.outcome import Broken, Outcome, Tried, Untried
from rewardlab.testing.trial import Trial, trial

TRIES = 25
Law = Callable[[Trial], int]
"""Tries a law; how many cases it looked at. Raises Broken or Untried."""
WHERE = {
    "reward": "rewardlab.testing.reward_laws",
    "judge": "rewardlab.testing.judge_laws",
    "dataset": "rewardlab.testing.dataset_laws",
    "curriculum": "rewardlab.testing.curriculum_laws",
    "normalizer": "rewardlab.testing.normalizer_laws",
}
"""kind -> the module that has its LAWS, by name"""


def laws_of(kind: str) -> Mapping[str, Law]:
    """Name -> law, in the order in which they are told."""
    laws = import_module(WHERE[kind]).LAWS
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
    those of every example. tries: generated cases a law. only: these laws. A UserError where options are wrong, or
    the spec's function of examples fails.
    """
    use = f"{plugin.name if plugin else 'test'}/{spec.name}"
    if examples is None:
        examples = _declared(spec, use)
    return [_tried(spec, use, example, plugin, given or {}, tries, only) for example in examples]


def _declared(spec: _Spec, use: str) -> Sequence[Example]:
    from rewardlab.testing.stand_in import examples_without

    if spec.laws.examples is None:
        return examples_without(spec)
    try:
        return list(spec.laws.examples())
    except Exception as error:
        from rewardlab.errors import UserError

        raise UserError(f"{use}: its examples cannot be made: {one_line(error)}") from error


def _tried(
    spec: _Spec,
    use: str,
    example: Example,
    plugin: Plugin | None,
    given: Mapping[str, Any],
    tries: int,
    only: Sequence[str] | None,
) -> Tried:
    laws = {name: law for name, law in laws_of(spec.kind).items() if only is None or name in only}
    try:
        with trial(spec, example, tries=tries, plugin=plugin, given=given) as tested:
            outcomes = [_outcome(name, law, tested) for name, law in laws.items()]
    except Untried as why:
        outcomes = [Outcome(law=name, state="untried", why=str(why)) for name in laws]
    return Tried(use=use, kind=spec.kind, example=example.title, outcomes=outcomes)


def _outcome(name: str, law: Law, tested: Trial) -> Outcome:
    if reason := tested.spec.laws.off.get(name):
        return Outcome(law=name, state="off", why=reason)
    try:
        return Outcome(law=name, state="held", tries=law(tested))
    except Untried as why:
        return Outcome(law=name, state="untried", why=str(why))
    except Broken as example:
        return Outcome(law=name, state="broken", why=str(example))
    except RewardlabError as error:
        return Outcome(law=name, state="broken", why=str(error))
    except (Exception, SystemExit) as error:  # a plugin may raise anything anywhere
        return Outcome(law=name, state="broken", why=one_line(error))
