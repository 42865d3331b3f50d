"""The licences of a plan's judges, as they stand: without a call, from the files that were kept."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rewardlab import JudgeSpec
from rewardlab.errors import Problem
from rewardlab.files import expanded, sha256_of
from rewardlab.judging import judge_identity
from rewardlab.plan import POLICY, Component, Plan, differences
from rewardlab.recipe import Finding, JudgeUse

from rewardlab_training.first_call import judges_asked
from rewardlab_training.licences.bounds import EVERY, MAX_LABELS, MEASURES, BoundState, bound_states, limits
from rewardlab_training.licences.licence_file import Licence, licence_path, newest, read_licences
from rewardlab_training.stage_datasets import scores

SHOWN = 3
"""differences of what is asked, and bounds, in a message"""
OF_COMPONENT = ("reads", "combine", "escalate", "on_unstable", "commit_first")
"""keys of a component that decide what its judges see, or what their answers become"""
MEASURE = "`rewardlab judge RECIPE --licence` measures it"
State = Literal["licensed", "refused", "undecided", "expired", "unmeasured"]


@dataclass(frozen=True, kw_only=True)
class JudgeLicence:
    """The licence of a judge, for one component that asks it.

    Args:
        why: the reason for its state, in words.
        more: by value of `by`, how many further labels would decide; empty unless it is undecided.
    """

    judge: str
    component: str
    state: State
    why: str
    bounds: Sequence[BoundState] = ()

    @property
    def more(self) -> dict[str, int | None]:
        """By value of `by`, how many further labels decide its open bounds; None if more than anybody should make."""
        open_bounds = [bound for bound in self.bounds if bound.state == "undecided"]
        return {of: _most(bound for bound in open_bounds if bound.of == of) for of in {b.of: 0 for b in open_bounds}}

    def __str__(self) -> str:
        state = "has a licence" if self.state == "licensed" else f"has no licence, {self.state}"
        return f"judge {self.judge} {state} (asked by {self.component}): {self.why}"


def judge_licences(plan: Plan, only: int | None = None) -> list[JudgeLicence]:
    """Return the licence of each judge with `require`, for each component that asks it in the plan, or stage `only`."""
    stages = plan.recipe.stages
    if only is not None and not scores(stages[only]):
        return []
    asked = judges_asked(plan, only)
    return [
        licence_of(plan, judge, name)
        for judge, planned in asked.items()
        if planned.use.require is not None
        for name in components_asking(plan, judge)
    ]


def components_asking(plan: Plan, judge: str) -> list[str]:
    """Return the components that ask a judge."""
    return [name for name, component in plan.components.items() if judge in component.judges()]


def licence_of(plan: Plan, judge: str, component: str) -> JudgeLicence:
    """Return the licence of a judge for one component, as it stands."""
    use = plan.judges[judge].use
    assert use.require is not None
    path = licence_path(judge, use)
    asked = asked_by(plan, component)
    kept, other = newest(read_licences(path, judge), component, asked)
    state: State = "expired"
    bounds: list[BoundState] = []
    if kept is None and other is None:
        state, why = "unmeasured", f"there is none in {path}; {MEASURE}"
    elif kept is None:
        assert other is not None
        changes = [f"{'.'.join(map(str, d.path))} was {d.then}, is {d.now}" for d in differences(other.asked, asked)]
        more = f" and {len(changes) - SHOWN} more" if len(changes) > SHOWN else ""
        why = f"it was measured otherwise: {', '.join(changes[:SHOWN])}{more}; {MEASURE}"
    elif kept.by != use.require.by:
        why = f"it was measured by {kept.by or 'nothing'}, and `require.by` is {use.require.by or 'absent'}; {MEASURE}"
    elif _other_labels(kept, use.require.labels):
        why = f"{use.require.labels} has changed since; {MEASURE}"
    else:
        bounds = bound_states(use, kept.measures)
        state, why = _decided(bounds)
    return JudgeLicence(judge=judge, component=component, state=state, why=why, bounds=bounds)


def _other_labels(kept: Licence, labels: str) -> bool:
    """Return whether the file of labels is another one now; one that is not on this machine is believed."""
    try:
        return sha256_of(expanded(labels)) != kept.labels.sha256
    except OSError:
        return False


def _decided(bounds: Sequence[BoundState]) -> tuple[State, str]:
    """Return the state that bounds make together, and why."""
    states = {bound.state for bound in bounds}
    state: State = "refused" if "broken" in states else "undecided" if states != {"kept"} else "licensed"
    if not bounds:
        return state, "nothing measures what it requires"
    shown = [bound for bound in bounds if bound.state == {"refused": "broken", "licensed": "kept"}.get(state, state)]
    why = ", ".join(map(str, shown[:SHOWN])) + (f", and {len(shown) - SHOWN} more" if len(shown) > SHOWN else "")
    return state, f"{why}; {_labels_wanted(shown)}" if state == "undecided" else why


def _labels_wanted(bounds: Sequence[BoundState]) -> str:
    """Return how many further labels would decide, in words."""
    by_value = {bound.of: 0 for bound in bounds}
    parts = []
    for of in by_value:
        of_value = [bound for bound in bounds if bound.of == of]
        more, have = _most(of_value), max((b.measured.labels for b in of_value if b.measured), default=0)
        about = "" if of == EVERY else f" of {of}"
        if not have:
            parts.append(f"no label{about} measures it")
        elif not all(bound.is_measured for bound in of_value):
            parts.append(f"labels{about}: {have}, too few to say anything")
        elif more is None or more + have > MAX_LABELS:
            parts.append(f"more than {MAX_LABELS} labels{about}: it is too near to its bound to tell")
        else:
            parts.append(f"about {more} more labels{about} would decide")
    return ", ".join(parts)


def _most(bounds: Iterator[BoundState] | Sequence[BoundState]) -> int | None:
    """Return how many further labels all of these bounds need; None if that is not known of one."""
    needed = [bound.more for bound in bounds]
    return None if None in needed else max(n for n in needed if n is not None)


def asked_by(plan: Plan, component: str) -> dict[str, Any]:
    """Return all that decides the answers of a component's judges besides the rows: models, parameters, the prompt.

    In JSON values. Files that options name stand there by their content, and the prompt by small questions as they
    are asked.
    """
    planned = plan.components[component]
    judges = {name: _who(plan.judges[name]) for name in planned.judges() if name in plan.judges}
    questions = [[list(ask.messages), dict(ask.params)] for asks in planned.questions().values() for ask in asks]
    asked = {
        "judges": judges,
        "draws": plan.draws(component),
        "component": {
            "use": planned.use.use,
            "with": _options(planned),
            **{key: getattr(planned.use, key) for key in OF_COMPONENT},
        },
        "prompt": hashlib.sha256(json.dumps(questions, sort_keys=True, default=str).encode()).hexdigest(),
    }
    asked_values: dict[str, Any] = json.loads(json.dumps(asked, default=_plain))
    return asked_values


def _who(judge: Component[JudgeUse, JudgeSpec]) -> dict[str, Any]:
    """Return what decides a judge's answers, wherever it is reached."""
    identity = judge_identity(judge.spec, judge.use, judge.options)
    params = {name: value for name, value in identity.get("params", {}).items() if name not in judge.spec.address}
    return {**identity, "params": params}


def _options(planned: Component) -> dict[str, Any]:
    options = {} if planned.options is None else planned.options.model_dump(mode="json", by_alias=True)
    return {name: _content(value) for name, value in options.items() if name not in planned.spec.judges}


def _content(value: Any) -> Any:
    """Return an option's value; of a file, its hash, wherever it stands."""
    if isinstance(value, str) and "\n" not in value and len(value) < 4096 and expanded(value).is_file():
        return f"sha256:{sha256_of(expanded(value))}"
    return value


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else str(value)


def require_findings(plan: Plan) -> Iterator[Finding]:
    """Yield what is wrong with what judges must keep: nothing that can be measured."""
    for name, planned in plan.judges.items():
        if planned.use.require is None:
            continue
        place = ("judges", name, "require")
        if not any(limits(planned.use)):
            yield place, f"bounds nothing; give one of {', '.join(MEASURES)}"
        if planned.use.use == POLICY:
            yield place, f"{POLICY} is another judge with every step, so that no licence of it holds; leave this out"
        elif plan.components and not components_asking(plan, name):
            yield place, "no component of the reward asks this judge, so that nothing measures it; leave this out"


def lacking_licences(plan: Plan, stages: Sequence[int]) -> list[JudgeLicence]:
    """Return the licences that judges of these stages require and do not have, each once."""
    every = {(licence.judge, licence.component): licence for i in stages for licence in judge_licences(plan, i)}
    return [licence for licence in every.values() if licence.state != "licensed"]


def licence_problems(plan: Plan, lacking: Sequence[JudgeLicence]) -> list[Problem]:
    """Return a problem for each licence that is required and not there."""
    places = [("judges", licence.judge, "require") for licence in lacking]
    listed = [
        Problem(where=plan.document.where(p), what=str(of), path=p) for p, of in zip(places, lacking, strict=True)
    ]
    return [*listed, Problem(where="", what="--unlicensed runs nevertheless, and says so in the run's records")]
