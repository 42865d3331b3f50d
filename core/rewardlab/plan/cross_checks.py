"""Checks of a component against the rest of its recipe, beyond names and options."""

from collections.abc import Iterator, Mapping, Sequence

from rewardlab.errors import nearest
from rewardlab.files import expanded
from rewardlab.plan.component import Component
from rewardlab.plan.dataset_places import with_sources
from rewardlab.plan.policy_judge import OUTSIDE, POLICY
from rewardlab.recipe.models import DataStage, Recipe, RlStage
from rewardlab.recipe.use import ComponentUse, DatasetUse
from rewardlab.recipe.validation import Finding, RecipePath
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


def normalize_findings(recipe: Recipe, normalizers: Sequence[Component | None]) -> Iterator[Finding]:
    """Yield findings for stages whose trainer rescales rewards itself, and for factors that do not fit the loss.

    normalizers: those of `reward.normalize`, None if one is not known.
    """
    for index, stage in enumerate(recipe.stages):
        if isinstance(stage, RlStage) and stage.algorithm != "dr_grpo":
            yield (
                ("reward", "normalize"),
                "needs dr_grpo, which takes the group's mean off if no normalizer does, and does "
                f"nothing else; {stage.algorithm} "
                f"(stages.{index}) {OWN_SCALING[stage.algorithm]} itself",
            )

    for index, planned in enumerate(normalizers):
        if planned is not None and planned.spec.scales_loss:
            yield from _loss_findings(recipe, index, planned, last=index == len(normalizers) - 1)


def critic_findings(recipe: Recipe, used: Mapping[str, ComponentUse]) -> Iterator[Finding]:
    """Yield a finding for each component whose failures would leave completions out of a training that cannot do it.

    used: the components that the total names, by name.
    """
    ppo = [
        index for index, stage in enumerate(recipe.stages) if isinstance(stage, RlStage) and stage.algorithm == "ppo"
    ]
    for name, use in used.items():
        if ppo and use.on_missing == "zero_advantage":
            yield (
                ("reward", "components", name, "on_missing"),
                f"zero_advantage is not for ppo (stages.{ppo[0]}): the advantages of a critic come from every reward, "
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


def subset_warnings(
    recipe: Recipe, sampler: Component | None, normalizers: Sequence[Component | None]
) -> Iterator[Finding]:
    """Yield a finding for each normalizer whose subset is not smaller than the pool that the group sampler collects."""
    if sampler is None:
        return
    for index, planned in enumerate(normalizers):
        if planned is None or planned.spec.subset is None:
            continue
        subset = planned.ask("how many totals it looks at", planned.spec.subset, planned.options)
        for number, stage in enumerate(recipe.stages):
            if not isinstance(stage, RlStage):
                continue
            asked = "how many it may collect"
            most = max(stage.group_size, sampler.ask(asked, sampler.spec.most, sampler.options, stage.group_size))
            if most <= subset:
                yield (
                    ("reward", "normalize", index),
                    f"the subset of {subset} of {planned.use.use} never acts in stages.{number}: "
                    f"{sampler.use.use} collects {most} completions at most; let it collect more, or lower the subset",
                )


def unused_keys(place: RecipePath, planned: Component) -> Iterator[Finding]:
    """Yield a finding for each key of a reward that runs inline and that only workers or models have a use for."""
    if planned.spec.runs == "inline" and not _has_workers(planned.spec):
        for key in _given(planned, (*OF_WORKERS, "device")):
            what = f"{planned.use.use} runs inline, in this process: nothing uses `{key}`; leave it out{_deadline(key)}"
            yield (*place, key), what


def doubtful_keys(place: RecipePath, planned: Component) -> Iterator[Finding]:
    """Yield a finding for each key that does nothing unless the reward opens worker files without declaring it."""
    spec, use = planned.spec, planned.use.use
    if spec.runs not in WAYS_WITHOUT_WORKERS or _has_workers(spec):
        return
    for key in _given(planned, OF_WORKERS):
        own = " (a judge has its own, under `judges`)" if key == "timeout" and spec.judges else ""
        what = f"{use} {WAYS_WITHOUT_WORKERS[spec.runs]}, so nothing uses `{key}`{own}; leave it out{_deadline(key)}"
        yield (*place, key), f"{what} (a reward that opens worker files declares opens_workers=True)"


def _has_workers(spec: RewardSpec) -> bool:
    return spec.runs == "worker" or spec.opens_workers or spec.environment is not None


def _given(planned: Component, keys: Sequence[str]) -> list[str]:
    return [key for key in keys if key in planned.use.model_fields_set and getattr(planned.use, key) is not None]


def _deadline(key: str) -> str:
    return ", or use a reward that declares runs='worker', which can be ended" if key in ("timeout", "memory") else ""


def judge_findings(place: RecipePath, planned: Component) -> Iterator[Finding]:
    """Return the findings about a judge's cassette and budget."""
    return (_policy if planned.use.use == POLICY else _budget)(place, planned)


def _policy(place: RecipePath, planned: Component) -> Iterator[Finding]:
    """Yield findings for a policy's cassette or dollar budget: its answers change with each step and cost nothing."""
    if planned.use.cassette is not None:
        yield (*place, "cassette"), f"{POLICY} changes with every step, so its answers cannot be kept for another run"
    if planned.use.budget is not None and planned.use.budget.usd is not None:
        yield (*place, "budget", "usd"), f"{POLICY} costs no money; limit its tokens, or nothing"


def _budget(place: RecipePath, planned: Component) -> Iterator[Finding]:
    """Yield findings for a budget that cannot be kept, because the cost of an answer has no known bound."""
    use, spec = planned.use, planned.spec
    if use.budget is None or spec.local:
        return
    if use.budget.usd is not None and use.price is None:
        yield (
            (*place, "budget", "usd"),
            f"needs a price; add {'.'.join(map(str, place))}.price: {{prompt: ..., completion: ...}}",
        )
    if planned.most_tokens() is None:
        what = f"{use.use} has no bound on an answer's length; set `max_tokens` (or the like) in `with`"
        yield (*place, "budget"), what


def logprob_findings(place: RecipePath, planned: Component, judges: Mapping[str, Component]) -> Iterator[Finding]:
    """Yield a finding for each judge that a component asks for log-probabilities of tokens and that gives none."""
    for name in _asked(planned, judges, "logprobs"):
        if not judges[name].spec.logprobs:
            what = f"asks judges.{name} for the probabilities of its tokens, which {judges[name].use.use} does not give"
            yield (*place, "with"), f"{what}; take a judge that does, such as openai/chat, or do without them"


def continuation_findings(place: RecipePath, planned: Component, judges: Mapping[str, Component]) -> Iterator[Finding]:
    """Yield a finding for each judge that a component gives the beginning of its reply and that does not go on."""
    for name in _asked(planned, judges, "continue_final_message"):
        if not judges[name].supports_prefill():
            use = judges[name].use.use
            what = f"begins the reply of judges.{name}, which {use} does not continue under its options"
            yield (*place, "with"), f"{what}; for a server that does (vLLM, SGLang), openai/chat has `continues: true`"


def _asked(planned: Component, judges: Mapping[str, Component], parameter: str) -> list[str]:
    """Return the judges that receive a question of the component with this parameter."""
    if not any(name in judges for name in planned.judges()):
        return []
    asked = planned.questions().items()
    return [name for name, asks in asked if name in judges and any(ask.params.get(parameter) for ask in asks)]


def step_findings(recipe: Recipe, place: RecipePath, planned: Component) -> Iterator[Finding]:
    """Yield findings for a dataset that asks the policy, a misplaced data step, and a missing or extra `from`."""
    use = planned.use
    for option in planned.spec.judges:
        judge = recipe.judges.get(str(getattr(planned.options, option, None)))
        if judge is not None and judge.use == POLICY:
            yield (*place, "with", option), f"{OUTSIDE}; a dataset is made before it"
    yield from _source_findings(place, planned)
    if not planned.spec.step and (use.source is None or planned.spec.sources is None):
        return
    if place[0] != "stages" or recipe.stages[int(place[1])].use != "data":
        yield place, f"{use.use} is a data step; write its rows to a file in a stage `data`, and read that file here"


def _source_findings(place: RecipePath, planned: Component) -> Iterator[Finding]:
    """Yield findings for what stands under `from`: nothing, one dataset, or several by their names."""
    use, spec = planned.use, planned.spec
    if spec.sources is not None:
        wanted = planned.ask("what it starts from", spec.sources, planned.options)
        yield from _named_source_findings(place, use, wanted)
    elif not spec.step:
        if use.source is not None:
            yield (*place, "from"), f"{use.use} starts from nothing; only a data step takes `from`"
    elif use.source is None:
        yield place, f"{use.use} is a data step; say what it starts `from`: {{use: data/jsonl, with: ...}}"
    elif not isinstance(use.source, DatasetUse):
        what = f"{use.use} starts from one dataset, {{use: ..., with: ...}}; data/mix makes one of several"
        yield (*place, "from"), what


def _named_source_findings(place: RecipePath, use: DatasetUse, wanted: Sequence[str]) -> Iterator[Finding]:
    if isinstance(use.source, DatasetUse):
        yield (*place, "from"), f"{use.use} takes several datasets, each by its name: {{NAME: {{use: ...}}}}"
        return
    given = use.source or {}
    lacking = [name for name in wanted if name not in given]
    if lacking:
        names = ", ".join(f"{name}: {{use: ...}}" for name in lacking)
        yield place, f"{use.use} needs {'these datasets' if given else 'datasets'} under `from`: {{{names}}}"
    for name in given:
        if name not in wanted:
            takes = f"it takes {', '.join(wanted)}" if wanted else "it takes none under these options"
            yield (*place, "from", name), f"{use.use} reads no dataset of this name; {takes}"


def validation_findings(recipe: Recipe, components: Sequence[str], backend: Component | None) -> Iterator[Finding]:
    """Yield a finding for each stage whose best checkpoint is chosen by a component or an engine that is not there."""
    for index, stage in enumerate(recipe.stages):
        validation = getattr(stage, "validation", None)
        if validation is None:
            continue
        if backend is not None and not backend.spec.chooses_checkpoints:
            what = f"{backend.use.use} hands on the last checkpoint; keep several with `save_every`, measure each"
            yield ("stages", index, "keep"), f"{what} with `rewardlab eval` and name the best one as `model`"
        if components and validation.component not in components:
            what = f"no component {validation.component!r}{nearest(validation.component, components)}"
            yield ("stages", index, "validation", "component"), what


def target_findings(recipe: Recipe, datasets: Mapping[RecipePath, Component]) -> Iterator[Finding]:
    """Yield findings for data stages that write to a folder, or to a file that they read."""
    for index, stage in enumerate(recipe.stages):
        if not isinstance(stage, DataStage):
            continue
        target = expanded(stage.to)
        if target.is_dir():
            yield ("stages", index, "to"), f"{stage.to} is a folder; name a .jsonl file"
        for _, planned in with_sources(datasets, ("stages", index, "dataset")):
            path = getattr(planned.options, "path", None)
            if isinstance(path, str) and expanded(path).resolve() == target.resolve():
                yield (
                    ("stages", index, "to"),
                    f"{stage.to} is what this stage reads; its rows would be added to their source",
                )


def sampler_findings(
    recipe: Recipe, curriculum: Component | None, named: Component | None, planned: Component | None
) -> Iterator[Finding]:
    """Yield findings for a `sampler` that does not sample, is a second one, or collects less than a stage trains on.

    named: what stands under `sampler`. planned: the group sampler that is used, this one or the curriculum.
    """
    if named is not None and named.spec.most is None:
        yield ("sampler", "use"), f"{named.use.use} orders rows and collects no groups; name it under `curriculum`"
        return
    if named is not None and curriculum is not None and curriculum.spec.most is not None:
        yield ("curriculum", "use"), f"{curriculum.use.use} is a group sampler, too; there can be one, under `sampler`"
    if planned is None:
        return
    for index, stage in enumerate(recipe.stages):
        if not isinstance(stage, RlStage):
            continue
        most = planned.ask("how many it may collect", planned.spec.most, planned.options, stage.group_size)
        if most < stage.group_size:
            what = f"{stage.group_size} is more than {planned.use.use} collects ({most}); raise what it may collect"
            yield ("stages", index, "group_size"), what
