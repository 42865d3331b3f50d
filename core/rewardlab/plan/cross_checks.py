"""Checks of a component against the rest of its recipe, beyond names and options; stages are training's."""

from collections.abc import Iterator, Mapping, Sequence

from rewardlab.files import expanded
from rewardlab.plan.component import Component
from rewardlab.plan.plan import Plan
from rewardlab.plan.policy_judge import POLICY
from rewardlab.recipe.annotations import RecipePath, lookup
from rewardlab.recipe.loading import Document
from rewardlab.recipe.models import DataStage, Recipe
from rewardlab.recipe.terms import mixed_parts
from rewardlab.recipe.validation import Finding
from rewardlab.specs import RewardSpec

OF_WORKERS = ("workers", "timeout", "memory", "threads")
"""keys of a component that say how its worker processes run"""
OF_JUDGED = ("repeats", "combine", "escalate", "on_unstable", "commit_first")  # how a component asks its judges
WAYS_WITHOUT_WORKERS = {"thread": "runs in a thread of this process", "async": "is a coroutine of this process"}


def cross_findings(plan: Plan, components: Mapping[RecipePath, Component]) -> Iterator[Finding]:
    """Yield what is wrong with components beside the rest of their recipe; `components` has all, by their places."""
    for name, judge in plan.judges.items():
        yield from (_policy if judge.use.use == POLICY else _budget)(("judges", name), judge)
    for place, dataset in plan.datasets.items():
        yield from missing_file_findings(plan.recipe, place, dataset)
        yield from _question_findings(place, dataset, plan.judges)
    yield from _sampler_findings(plan, components.get(("sampler",)))
    for name, component in plan.components.items():
        place = ("reward", "components", name)
        yield from missing_file_findings(plan.recipe, place, component)
        yield from _unused_keys(place, component)
        yield from _repeat_findings(plan, name)
        yield from _question_findings(place, component, plan.judges)
    yield from _normalizer_findings(plan, components)


def cross_warnings(plan: Plan) -> Iterator[Finding]:
    """Yield what is doubtful about the components."""
    for name, component in plan.components.items():
        yield from _doubtful_keys(("reward", "components", name), component)
        yield from _equal_answers(plan, name)


def _equal_answers(plan: Plan, name: str) -> Iterator[Finding]:
    """Yield a finding for each judge that a component asks again and that most likely answers as before."""
    for judge, times in plan.draws(name).items():
        options, asks = (
            plan.judges[judge].options,
            plan.components[name].questions().get(judge, ()) if times > 1 else (),
        )
        own = getattr(options, "temperature", None)
        asked = [ask.params.get("temperature", own) for ask in asks] or [own]
        if times > 1 and getattr(options, "seed", None) is None and not any(asked) and None not in asked:
            problem = f"judges.{judge} has temperature 0 and no seed: {times} repeats will most likely be one answer"
            advice = f"paid {times} times; set its temperature, or leave `repeats` out"
            yield ("reward", "components", name), f"{problem}, {advice}"


def declared(document: Document, *path: str) -> Sequence[str]:
    """Return the names that a recipe's file defines at `path`, also those whose definition is wrong."""
    mapping = lookup(document.tree, path)
    return list(mapping) if isinstance(mapping, dict) else []


def _normalizer_findings(plan: Plan, components: Mapping[RecipePath, Component]) -> Iterator[Finding]:
    """Yield findings for normalizers at a place where they cannot be, and for a total that one of them cannot shape."""
    last = len(plan.recipe.reward.normalize) - 1 if plan.recipe.reward is not None else 0
    for place, planned in components.items():
        if place[:2] != ("reward", "normalize"):
            continue
        use = planned.use.use
        if planned.spec.scales_loss and place[2] != last:
            yield (
                place,
                f"{use} must be the last of `normalize`: its factor stands for the loss's division by tokens, and what "
                "follows would change it",
            )
        if not planned.spec.by_component:
            continue
        if place[2] != 0:
            yield place, f"{use} shapes the components, before there is a total; it must be the first of `normalize`"
        if plan.expression is not None and (mixed := mixed_parts(plan.expression.tree)):
            yield (
                ("reward", "total"),
                f"{use} shapes each component by itself, so this must be a sum of components, each times a number, as "
                f"a + 0.5 * b, and {', '.join(mixed)} is not; take normalize/std, which shapes the total, or a reward "
                "that does in one component what these do together",
            )


def missing_file_findings(recipe: Recipe, place: RecipePath, planned: Component) -> Iterator[Finding]:
    """Yield a finding for each file that a component needs, is not there, and that no earlier stage writes."""
    if planned.spec.needs_files is None:
        return
    before = int(place[1]) if place[0] == "stages" else len(recipe.stages)
    written = {expanded(stage.to) for stage in recipe.stages[:before] if isinstance(stage, DataStage)}
    for name in planned.ask("which files it needs", planned.spec.needs_files, planned.options):
        if expanded(name) not in written and not expanded(name).exists():
            yield (*place, "with"), f"there is no file {name}, and no earlier stage `data` writes it"


def _unused_keys(place: RecipePath, planned: Component) -> Iterator[Finding]:
    """Yield a finding for each key that the reward has no use for: one of workers or models, or what it reads."""
    if planned.spec.scope == "trajectory" and "reads" in planned.use.model_fields_set:
        yield (*place, "reads"), f"{planned.use.use} reads all messages of a conversation; leave `reads` out"
    if planned.spec.runs == "inline" and not _has_workers(planned.spec):
        for key in _given(planned, (*OF_WORKERS, "device")):
            problem = (
                f"{planned.use.use} runs inline, in this process: nothing uses `{key}`; leave it out{_deadline(key)}"
            )
            yield (*place, key), problem


def _doubtful_keys(place: RecipePath, planned: Component) -> Iterator[Finding]:
    """Yield a finding for each key that does nothing unless the reward opens worker files without declaring it."""
    spec, use = planned.spec, planned.use.use
    if spec.runs not in WAYS_WITHOUT_WORKERS or _has_workers(spec):
        return
    for key in _given(planned, OF_WORKERS):
        own = " (a judge has its own, under `judges`)" if key == "timeout" and spec.judges else ""
        problem = f"{use} {WAYS_WITHOUT_WORKERS[spec.runs]}, so nothing uses `{key}`{own}; leave it out{_deadline(key)}"
        yield (*place, key), f"{problem} (a reward that opens worker files declares opens_workers=True)"


def _has_workers(spec: RewardSpec) -> bool:
    return spec.runs == "worker" or spec.opens_workers or spec.environment is not None


def _given(planned: Component, keys: Sequence[str]) -> list[str]:
    return [key for key in keys if key in planned.use.model_fields_set and getattr(planned.use, key) is not None]


def _deadline(key: str) -> str:
    return ", or use a reward that declares runs='worker', which can be ended" if key in ("timeout", "memory") else ""


def _repeat_findings(plan: Plan, name: str) -> Iterator[Finding]:
    """Yield a finding for each of these keys that a component has no use for, or cannot do what it says."""
    planned, place = plan.components[name], ("reward", "components", name)
    use = planned.use
    if not planned.judges():
        for key in OF_JUDGED:
            if key in use.model_fields_set:
                yield (*place, key), f"{use.use} asks no judge, so that nothing uses `{key}`; leave it out"
        return
    if use.escalate is not None and not planned.panel:
        yield (*place, "escalate"), "asks one judge after another, and there is one; list several under `with`"
    if use.escalate is not None and (ends := use.escalate.unsure) is not None and ends[0] > ends[1]:
        yield (*place, "escalate", "unsure"), "the lower end comes first"
    if use.on_unstable is not None and sum(plan.draws(name).values()) == 1:
        yield (*place, "on_unstable"), "one value has no spread; set `repeats: 3` or more, or a panel of judges"
    if use.on_unstable is not None and use.on_unstable.then == "missing" and use.on_missing == "fail":
        problem = "`then: missing` would end the job at the first unstable value, since `on_missing` is fail"
        yield (*place, "on_unstable"), f"{problem}; set on_missing: group_mean, or take then: zero_advantage"
    if use.commit_first and not (asks := [ask for asks in planned.questions().values() for ask in asks]):
        yield (*place, "commit_first"), f"{use.use} does not say what it asks: its spec has no `question`"
    elif use.commit_first and any("query" not in ask.parts for ask in asks):
        yield (*place, "commit_first"), f"the questions of {use.use} have no part `query`, the task to solve first"
    if use.commit_first and any(plan.judges[judge].spec.reads == "parts" for judge in plan.draws(name)):
        yield (*place, "commit_first"), "one of its judges is no chat model and solves no task; leave this out"


def _policy(place: RecipePath, planned: Component) -> Iterator[Finding]:
    """Yield findings for a policy's cassette or dollar budget: its answers change with each step and cost nothing."""
    if planned.use.cassette is not None:
        yield (*place, "cassette"), f"{POLICY} changes with every step, so its answers cannot be kept for another run"
    if planned.use.budget is not None and planned.use.budget.usd is not None:
        yield (*place, "budget", "usd"), f"{POLICY} costs no money; limit its tokens, or nothing"


def _budget(place: RecipePath, planned: Component) -> Iterator[Finding]:
    """Yield findings for a price that lacks what the server bills, and for a budget that has no bound on an answer."""
    use, spec = planned.use, planned.spec
    if use.price is not None and use.price.cache_write is None and planned.writes_cache():
        yield (*place, "price"), f"{use.use} puts questions into a cache, which the server bills; add cache_write: ..."
    if use.budget is None or spec.local:
        return
    if use.budget.usd is not None and use.price is None:
        yield (
            (*place, "budget", "usd"),
            f"needs a price; add {'.'.join(map(str, place))}.price: {{prompt: ..., completion: ...}}",
        )
    if planned.most_tokens() is None:
        problem = f"{use.use} has no bound on an answer's length; set `max_tokens` (or the like) in `with`"
        yield (*place, "budget"), problem


def _question_findings(place: RecipePath, planned: Component, judges: Mapping[str, Component]) -> Iterator[Finding]:
    """Yield a finding for each judge that lacks what questions ask for: tokens' probabilities, replies that go on."""
    if not any(name in judges for name in planned.judges()):
        return
    for name, asks in planned.questions().items():
        if name not in judges:
            continue
        use, asked = judges[name].use.use, {key for ask in asks for key, value in ask.params.items() if value}
        if "logprobs" in asked and not judges[name].spec.logprobs:
            problem = f"asks judges.{name} for the probabilities of its tokens, which {use} does not give"
            yield (*place, "with"), f"{problem}; take a judge that does, such as openai/chat, or do without them"
        if "continue_final_message" in asked and not judges[name].supports_prefill():
            problem = f"begins the reply of judges.{name}, which {use} does not continue under its options"
            advice = "for a server that does (vLLM, SGLang), openai/chat has `continues: true`"
            yield (*place, "with"), f"{problem}; {advice}"


def _sampler_findings(plan: Plan, named: Component | None) -> Iterator[Finding]:
    """Yield findings for a `sampler` that does not sample, or is a second one.

    named: what stands under `sampler`; the plan's may be the curriculum.
    """
    if named is not None and named.spec.most is None:
        yield ("sampler", "use"), f"{named.use.use} orders rows and collects no groups; name it under `curriculum`"
    elif named is not None and plan.curriculum is not None and plan.curriculum.spec.most is not None:
        use = plan.curriculum.use.use
        yield ("curriculum", "use"), f"{use} is a group sampler, too; there can be one, under `sampler`"
