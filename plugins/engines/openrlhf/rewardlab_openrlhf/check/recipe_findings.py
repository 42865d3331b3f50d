"""The reasons why OpenRLHF cannot do what a recipe says."""

import math
import os
from collections.abc import Iterator

from rewardlab.plan import Plan
from rewardlab.recipe import DataStage, EvalStage, Finding, RlStage
from rewardlab_training import context_of, judges_itself, run_name

from rewardlab_openrlhf.check.engine_findings import engine_findings
from rewardlab_openrlhf.compile.batches import batch_findings, batches
from rewardlab_openrlhf.compile.clipping import clip_range
from rewardlab_openrlhf.compile.engine import SPLITS_PATHS
from rewardlab_openrlhf.compile.rl import PAPER_LOSS
from rewardlab_openrlhf.layout import LayoutError, StageLayout, layout_of
from rewardlab_openrlhf.options import options_of
from rewardlab_openrlhf.stage_files import TrainingStage

MAX_PROMPTS = 900
"""prompts of one engine at once if the policy judges itself: a rollout actor takes 1000 calls, questions included"""


UNSERVED = (
    "OpenRLHF samples while it trains only; serve the model (vllm serve FOLDER), declare it under `judges`, and name "
    "that in `policy: {judge: NAME}`; or use `eval:` in an rl stage"
)


def findings(plan: Plan) -> Iterator[Finding]:
    """Yield every reason why this backend cannot do what the recipe says, beyond its capabilities."""
    yield from _backend(plan, context_of(plan.recipe.model))
    for index, stage in enumerate(plan.recipe.stages):
        if isinstance(stage, EvalStage):
            yield ("stages", index), UNSERVED
        elif not isinstance(stage, DataStage):
            yield from _stage(plan, index, stage)


def _stage(plan: Plan, index: int, stage: TrainingStage) -> Iterator[Finding]:
    try:
        layout = layout_of(options_of(plan), stage)
    except LayoutError as error:
        yield error.path, str(error)
        layout = None
    within = [*_training(plan, stage, layout), *_best(plan, stage)]
    for path, problem in within:
        yield (path if path[:1] in (("backend",), ("reward",)) else ("stages", index, *path)), problem


def _best(plan: Plan, stage: TrainingStage) -> Iterator[Finding]:
    if stage.keep == "last":
        return
    advice = "keep several with `save_every`, measure each with `rewardlab eval` and name the best one as `model`"
    if isinstance(stage, RlStage):
        yield ("keep",), f"is for sft and dpo; of an rl stage {advice}"
    elif options_of(plan).address or os.environ.get("RAY_ADDRESS"):
        yield ("keep",), f"the checkpoints are on the cluster, where this machine does not see them: {advice}"


def _backend(plan: Plan, context: int | None) -> Iterator[Finding]:
    backend = options_of(plan)
    if context is not None and backend.engine.context is not None and backend.engine.context > context:
        yield ("backend", "engine", "context"), f"{backend.engine.context} is more than the model's, {context} tokens"
    for path, text in ((("name",), run_name(plan)), (("backend", "engine", "storage"), backend.engine.storage or "")):
        if wrong := [mark for mark in (*SPLITS_PATHS, "::") if mark in text]:
            yield path, f"{wrong[0]!r} in a path has a meaning of its own to OpenRLHF's datasets; leave it out"
    stages = [stage for stage in plan.recipe.stages if not isinstance(stage, DataStage | EvalStage)]
    if stages:
        yield from (
            (("backend", "engine", *path), problem) for path, problem in engine_findings(backend.engine, stages)
        )


def _training(plan: Plan, stage: TrainingStage, layout: StageLayout | None) -> Iterator[Finding]:
    engine = options_of(plan).engine
    batch_problems = list(batch_findings(stage, engine, layout)) if layout is not None else []
    yield from batch_problems
    if isinstance(stage, RlStage):
        yield from _learning(plan, stage)
        yield from _generation(plan, stage, layout)
        if layout is not None and not batch_problems:
            yield from _replaced(plan, stage, layout)


def _learning(plan: Plan, stage: RlStage) -> Iterator[Finding]:
    if stage.importance_sampling_level == "sequence" and (stage.loss or PAPER_LOSS[stage.algorithm]) != "seq_mean":
        yield (
            ("importance_sampling_level",),
            "OpenRLHF averages a loss with ratios of whole completions by completion: set loss: seq_mean",
        )
    for key, name in (("importance_sampling_level", "actor.policy_loss_type"), ("entropy_coef", "actor.entropy_coef")):
        is_said = getattr(stage, key) != type(stage).model_fields[key].default
        if is_said and name in options_of(plan).engine.arguments:
            yield (key,), f"backend.engine.arguments has {name}, too; leave one of the two out"
    if stage.loss == "constant":
        yield (
            ("loss",),
            "OpenRLHF cannot divide by a constant length; the nearest is token_mean, by the update's tokens"
            f" (left out, `loss` is the nearest to {stage.algorithm}'s paper: {PAPER_LOSS[stage.algorithm]})",
        )
    if stage.on_truncated == "mask":
        yield ("on_truncated",), "OpenRLHF cannot leave a completion out of the loss; zero is the nearest"
    if plan.total_range is not None and clip_range(plan, stage) is None:
        yield (
            ("algorithm",),
            "OpenRLHF clips rewards, and these have no known range: a normalizer knows none; take another normalizer",
        )


def _generation(plan: Plan, stage: RlStage, layout: StageLayout | None) -> Iterator[Finding]:
    engine = options_of(plan).engine
    at_once = engine.generate_batch or stage.batch_size
    if at_once < stage.batch_size:
        yield (
            ("backend", "engine", "generate_batch"),
            f"{at_once} prompts at once are less than a step of {stage.batch_size} needs",
        )
    if engine.context is not None and engine.context <= stage.max_new_tokens:
        yield ("backend", "engine", "context"), f"leaves no room for a prompt besides {stage.max_new_tokens} new tokens"
    if not judges_itself(plan):
        return
    if engine.context is None:
        yield (
            ("backend", "engine", "context"),
            "missing; policy/self reads longer texts than the policy's own: say how many tokens its instructions, "
            "the responses that it is shown and its answer can have",
        )
    if layout is not None and math.ceil(at_once / layout.engines) > MAX_PROMPTS:
        yield (
            ("batch_size",),
            f"{at_once} prompts on {layout.engines} engine(s) leave policy/self no calls: at most {MAX_PROMPTS} an "
            "engine at once",
        )


def _replaced(plan: Plan, stage: RlStage, layout: StageLayout) -> Iterator[Finding]:
    if not plan.replaces_groups:
        return
    each = layout.shards * batches(plan, stage, layout).rollout_micro
    if stage.group_size % each:
        yield (
            ("reward", "teach"),
            f"when the prompts run out, the last batch may be one group; its {stage.group_size} completions must "
            f"divide into {each}: a micro-batch (rollout_micro_batch_size) for each of {layout.shards} ranks, or "
            "OpenRLHF fails at the end of the stage",
        )
