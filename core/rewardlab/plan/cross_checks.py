"""Checks of a component against the rest of its recipe, beyond names and options."""

from collections.abc import Iterator, Mapping, Sequence

from rewardlab.errors import nearest
from rewardlab.plan.component import Component
from rewardlab.plan.dataset_checks import missing_file_findings, step_findings, target_findings
from rewardlab.plan.plan import Plan
from rewardlab.plan.policy_judge import POLICY, served_findings
from rewardlab.recipe.annotations import RecipePath, lookup
from rewardlab.recipe.loading import Document
from rewardlab.recipe.models import Recipe
from rewardlab.recipe.terms import mixed_parts
from rewardlab.recipe.training_stages import RlStage
from rewardlab.recipe.validation import Finding
from rewardlab.specs import RewardSpec

OF_WORKERS = ("workers", "timeout", "memory", "threads")
"""keys of a component that say how its worker processes run"""
WAYS_WITHOUT_WORKERS = {"thread": "runs in a thread of this process", "async": "is a coroutine of this process"}
OWN_SCALING = {
    "grpo": "divides by the group's standard deviation",
    "rloo": "multiplies by G / (G - 1)",
    "reinforce_baseline": "whitens over the batch",
    "ppo": "whitens over the batch",
}


def cross_findings(plan: Plan, components: Mapping[RecipePath, Component]) -> Iterator[Finding]:
    """Yield what is wrong with components beside the rest of their recipe; `found` are all of them, by their places."""
    for name, judge in plan.judges.items():
        yield from _judge_findings(("judges", name), judge)
    for place, dataset in plan.datasets.items():
        yield from step_findings(plan.recipe, place, dataset)
        yield from missing_file_findings(plan.recipe, place, dataset)
        yield from _continuation_findings(place, dataset, plan.judges)
    yield from target_findings(plan)
    yield from served_findings(plan.recipe, plan.judges, declared(plan.document, "judges"))
    yield from _validation_findings(plan)
    yield from _sampler_findings(plan, components.get(("sampler",)))
    for name, component in plan.components.items():
        place = ("reward", "components", name)
        yield from missing_file_findings(plan.recipe, place, component)
        yield from _unused_keys(place, component)
        yield from _logprob_findings(place, component, plan.judges)
        yield from _continuation_findings(place, component, plan.judges)
    yield from _normalize_findings(plan.recipe, components)
    yield from _by_component_findings(plan, components)
    yield from _critic_findings(plan)


def cross_warnings(plan: Plan, components: Mapping[RecipePath, Component]) -> Iterator[Finding]:
    """Yield what is doubtful about them."""
    for name, component in plan.components.items():
        yield from _doubtful_keys(("reward", "components", name), component)
    yield from _subset_warnings(plan, components)


def declared(document: Document, *path: str) -> Sequence[str]:
    """Return the names that a recipe's file defines at `path`, also those whose definition is wrong."""
    mapping = lookup(document.tree, path)
    return list(mapping) if isinstance(mapping, dict) else []


def _normalize_findings(recipe: Recipe, components: Mapping[RecipePath, Component]) -> Iterator[Finding]:
    """Yield findings for stages whose trainer rescales rewards itself, and for factors that do not fit the loss."""
    normalizers = recipe.reward.normalize if recipe.reward is not None else []
    for index, stage in enumerate(recipe.stages):
        if normalizers and isinstance(stage, RlStage) and stage.algorithm != "dr_grpo":
            yield (
                ("reward", "normalize"),
                "needs dr_grpo, which subtracts the group's mean unless a normalizer does, and does nothing else; "
                f"{stage.algorithm} "
                f"(stages.{index}) {OWN_SCALING[stage.algorithm]} itself",
            )

    for index in range(len(normalizers)):
        planned = components.get(("reward", "normalize", index))
        if planned is not None and planned.spec.scales_loss:
            yield from _loss_findings(recipe, index, planned, last=index == len(normalizers) - 1)


def _by_component_findings(plan: Plan, components: Mapping[RecipePath, Component]) -> Iterator[Finding]:
    """Yield findings for a normalizer that shapes each component by itself, if it or the total leaves no components."""
    for place, planned in components.items():
        if place[:2] != ("reward", "normalize") or not planned.spec.by_component:
            continue
        use = planned.use.use
        if place[2] != 0:
            yield place, f"{use} shapes the components, before there is a total; it must be the first of `normalize`"
        if plan.expression is not None and (mixed := mixed_parts(plan.expression.tree)):
            yield (
                ("reward", "total"),
                f"{use} shapes each component by itself, so this must be a sum of components, each times a number, as "
                f"a + 0.5 * b, and {', '.join(mixed)} is not; take normalize/std, which shapes the total, or a reward "
                "that does in one component what these do together",
            )


def _critic_findings(plan: Plan) -> Iterator[Finding]:
    """Yield a finding for each component of the total that leaves completions out, which a critic cannot do."""
    stages, reward = plan.recipe.stages, plan.recipe.reward
    if plan.expression is None or reward is None:
        return
    ppo = [index for index, stage in enumerate(stages) if isinstance(stage, RlStage) and stage.algorithm == "ppo"]
    for name in plan.expression.names:
        if ppo and name in reward.components and reward.components[name].on_missing == "zero_advantage":
            yield (
                ("reward", "components", name, "on_missing"),
                f"zero_advantage does not work with ppo (stages.{ppo[0]}): the advantages of a critic come from "
                "every reward, "
                "and no completion can be left out; use fail, group_mean or a number, or dr_grpo, grpo, rloo or "
                "reinforce_baseline, which need no critic",
            )


def _loss_findings(recipe: Recipe, index: int, planned: Component, last: bool) -> Iterator[Finding]:
    use = planned.use.use
    if not last:
        yield (
            ("reward", "normalize", index),
            f"{use} must be the last of `normalize`: its factor stands for the loss's division by tokens, and what "
            "follows would change it",
        )
    for number, stage in enumerate(recipe.stages):
        if isinstance(stage, RlStage) and stage.loss == "seq_mean":
            yield (
                ("stages", number, "loss"),
                f"seq_mean divides by each completion's own tokens, and {use} by the group's as well; use constant, or "
                "token_mean, which divides all groups of an update by one number",
            )


def _subset_warnings(plan: Plan, components: Mapping[RecipePath, Component]) -> Iterator[Finding]:
    """Yield a finding for each normalizer whose subset is not smaller than the pool that the group sampler collects."""
    sampler = plan.sampler
    for place, planned in components.items():
        if sampler is None or place[:2] != ("reward", "normalize") or planned.spec.subset is None:
            continue
        subset = planned.ask("how many totals it looks at", planned.spec.subset, planned.options)
        for number, size, collected in _collected(plan.recipe, sampler):
            if (most := max(size, collected)) <= subset:
                yield (
                    place,
                    f"the subset of {subset} of {planned.use.use} never acts in stages.{number}: "
                    f"{sampler.use.use} collects {most} completions at most; let it collect more, or lower the subset",
                )


def _collected(recipe: Recipe, sampler: Component) -> Iterator[tuple[int, int, int]]:
    """Yield (index, group size, the most completions that the sampler collects for a group) of each rl stage."""
    for index, stage in enumerate(recipe.stages):
        if isinstance(stage, RlStage):
            size = stage.group_size
            yield index, size, sampler.ask("how many it may collect", sampler.spec.most, sampler.options, size)


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


def _judge_findings(place: RecipePath, planned: Component) -> Iterator[Finding]:
    """Return the findings about a judge's cassette and budget."""
    return (_policy if planned.use.use == POLICY else _budget)(place, planned)


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


def _logprob_findings(place: RecipePath, planned: Component, judges: Mapping[str, Component]) -> Iterator[Finding]:
    """Yield a finding for each judge that a component asks for log-probabilities of tokens and that gives none."""
    for name in _asked(planned, judges, "logprobs"):
        if not judges[name].spec.logprobs:
            problem = (
                f"asks judges.{name} for the probabilities of its tokens, which {judges[name].use.use} does not give"
            )
            yield (*place, "with"), f"{problem}; take a judge that does, such as openai/chat, or do without them"


def _continuation_findings(place: RecipePath, planned: Component, judges: Mapping[str, Component]) -> Iterator[Finding]:
    """Yield a finding for each judge that a component gives the beginning of its reply and that does not go on."""
    for name in _asked(planned, judges, "continue_final_message"):
        if not judges[name].supports_prefill():
            use = judges[name].use.use
            problem = f"begins the reply of judges.{name}, which {use} does not continue under its options"
            yield (
                (*place, "with"),
                f"{problem}; for a server that does (vLLM, SGLang), openai/chat has `continues: true`",
            )


def _asked(planned: Component, judges: Mapping[str, Component], parameter: str) -> list[str]:
    """Return the judges that receive a question of the component with this parameter."""
    if not any(name in judges for name in planned.judges()):
        return []
    asked = planned.questions().items()
    return [name for name, asks in asked if name in judges and any(ask.params.get(parameter) for ask in asks)]


def _validation_findings(plan: Plan) -> Iterator[Finding]:
    """Yield a finding for each stage whose best checkpoint is chosen by a component or an engine that is not there."""
    components, backend = declared(plan.document, "reward", "components"), plan.backend
    for index, stage in enumerate(plan.recipe.stages):
        validation = getattr(stage, "validation", None)
        if validation is None:
            continue
        if backend is not None and not backend.spec.chooses_checkpoints:
            problem = f"{backend.use.use} hands on the last checkpoint; keep several with `save_every`, measure each"
            yield ("stages", index, "keep"), f"{problem} with `rewardlab eval` and name the best one as `model`"
        if components and validation.component not in components:
            problem = f"no component {validation.component!r}{nearest(validation.component, components)}"
            yield ("stages", index, "validation", "component"), problem


def _sampler_findings(plan: Plan, named: Component | None) -> Iterator[Finding]:
    """Yield findings for a `sampler` that does not sample, is a second one, or collects less than a stage trains on.

    named: what stands under `sampler`; the plan's may be the curriculum.
    """
    curriculum, sampler = plan.curriculum, plan.sampler
    if named is not None and named.spec.most is None:
        yield ("sampler", "use"), f"{named.use.use} orders rows and collects no groups; name it under `curriculum`"
        return
    if named is not None and curriculum is not None and curriculum.spec.most is not None:
        yield ("curriculum", "use"), f"{curriculum.use.use} is a group sampler, too; there can be one, under `sampler`"
    if sampler is None:
        return
    for index, size, most in _collected(plan.recipe, sampler):
        if most < size:
            problem = f"{size} is more than {sampler.use.use} collects ({most}); raise what it may collect"
            yield ("stages", index, "group_size"), problem
