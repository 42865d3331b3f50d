"""What a component and the rest of its recipe must agree on, beyond names and options."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path as File

from rewardlab.errors import UserError
from rewardlab.planned import Planned
from rewardlab.recipe import DataStage, Recipe, RlStage
from rewardlab.specs import JudgeSpec
from rewardlab.validation import Path

Finding = tuple[Path, str]
"""a place in the recipe, and what is wrong there"""

POLICY = "policy/self"
"""the judge that is the model in training; no plugin offers it, but a backend that can ask the policy"""
OUTSIDE = f"{POLICY} answers only inside of a training job with the openrlhf backend"


OWN_SCALING = {
    "grpo": "divides by the group's standard deviation",
    "rloo": "multiplies by G / (G - 1)",
    "reinforce_baseline": "whitens over the batch",
    "ppo": "whitens over the batch",
}


def normalize_findings(recipe: Recipe) -> Iterator[Finding]:
    """Normalizers go with a trainer that leaves their scale alone."""
    for index, stage in enumerate(recipe.stages):
        if isinstance(stage, RlStage) and stage.algorithm != "dr_grpo":
            yield (
                ("reward", "normalize"),
                f"goes only with dr_grpo, which centres and does nothing else; {stage.algorithm} "
                f"(stages.{index}) {OWN_SCALING[stage.algorithm]} itself",
            )


def judge_findings(place: Path, planned: Planned) -> Iterator[Finding]:
    """What a judge's own settings must agree on."""
    return (_policy if planned.use.use == POLICY else _budget)(place, planned)


def _policy(place: Path, planned: Planned) -> Iterator[Finding]:
    """The policy's answers are neither worth keeping nor paid for."""
    if planned.use.cassette is not None:
        yield (*place, "cassette"), f"{POLICY} changes with every step, so its answers cannot be kept for another run"
    if planned.use.budget is not None and planned.use.budget.usd is not None:
        yield (*place, "budget", "usd"), f"{POLICY} costs no money; limit its tokens, or nothing"


def _budget(place: Path, planned: Planned) -> Iterator[Finding]:
    """A judge's budget can only be kept where the cost of an answer is bounded beforehand."""
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


def step_findings(recipe: Recipe, place: Path, planned: Planned) -> Iterator[Finding]:
    """A data step has a source, and stands where its rows are kept."""
    use = planned.use
    for option in planned.spec.judges:
        judge = recipe.judges.get(str(getattr(planned.options, option, None)))
        if judge is not None and judge.use == POLICY:
            yield (*place, "with", option), f"{OUTSIDE}; a dataset is made before it"
    if not planned.spec.step:
        if use.source is not None:
            yield (*place, "from"), f"{use.use} starts from nothing; only a data step takes `from`"
        return
    if use.source is None:
        yield place, f"{use.use} is a data step; say what it starts `from`: {{use: data/jsonl, with: ...}}"
    if place[0] != "stages" or recipe.stages[int(place[1])].use != "data":
        yield place, f"{use.use} is a data step; write its rows to a file in a stage `data`, and read that file here"


def target_findings(recipe: Recipe, datasets: Mapping[Path, Planned]) -> Iterator[Finding]:
    """A data stage writes a file, and none that it reads."""
    for index, stage in enumerate(recipe.stages):
        if not isinstance(stage, DataStage):
            continue
        target = File(stage.to).expanduser()
        if target.is_dir():
            yield ("stages", index, "to"), f"{stage.to} is a folder; name a .jsonl file"
        place: Path = ("stages", index, "dataset")
        while (planned := datasets.get(place)) is not None:
            path = getattr(planned.options, "path", None)
            if isinstance(path, str) and File(path).expanduser().resolve() == target.resolve():
                yield (
                    ("stages", index, "to"),
                    f"{stage.to} is what this stage reads; its rows would be added to their source",
                )
            place = (*place, "from")


def policy_judge(kind: str, recipe: Recipe, purpose: str) -> JudgeSpec:
    """The spec of POLICY; a UserError anywhere but for a judge of an openrlhf training job."""
    told = f"{POLICY} is put in by a backend that can ask the policy"
    if kind != "judge":
        raise UserError(f"{told}, as a judge; declare it under `judges`")
    if recipe.backend.use != "openrlhf":
        raise UserError(f"{told}, and {recipe.backend.use} cannot; use `backend: {{use: openrlhf}}`")
    if purpose == "score" and not recipe.stages:
        raise UserError(OUTSIDE)
    from rewardlab.backends.openrlhf.scoring.policy_judge import SPEC

    return SPEC


def refuse_policy(judges: Mapping[str, Planned], where: Callable[[Path], str]) -> None:
    """A UserError where one of the judges is POLICY; for whoever asks judges outside of a training job."""
    for name, planned in judges.items():
        if planned.use.use == POLICY:
            raise UserError(OUTSIDE, where=where(("judges", name, "use")))


def sampler_findings(recipe: Recipe, planned: Planned | None) -> Iterator[Finding]:
    """A group sampler collects at least as many completions as the stage trains on."""
    if planned is None or planned.spec.most is None:
        return
    for index, stage in enumerate(recipe.stages):
        if not isinstance(stage, RlStage):
            continue
        most = planned.ask("how many it may collect", planned.spec.most, planned.options, stage.group_size)
        if most < stage.group_size:
            what = f"{stage.group_size} is more than {planned.use.use} collects ({most}); raise what it may collect"
            yield ("stages", index, "group_size"), what
