"""The groups of a script of verl's own, which names `reward.reward_manager.name=rewardlab` and a recipe's file.

+reward.reward_kwargs.recipe=FILE            a recipe with `reward:`, as `rewardlab score` takes it
+reward.reward_kwargs.ledger=FOLDER          for ledger.jsonl and the judges' files (absent: rewardlab/ beside the
                                             script's checkpoints)
+reward.reward_kwargs.completion_timeout=S   how long the members of a group wait for each other (absent: 3600)
+reward.reward_kwargs.on_partial=score       score those that are there then, instead of giving the group up
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rewardlab import Completion, Sample
from rewardlab.data import read_lines, without_media
from rewardlab.errors import Problem, UserError
from rewardlab.plan import Plan, make_plan
from rewardlab.recipe import load
from rewardlab_ray.job_options import Barrier
from rewardlab_ray.messages import OUTCOME, MemberReward
from rewardlab_ray.ray_actors import CALLS_AT_ONCE, NAMESPACE, JobActor
from rewardlab_ray.scoring.script_scorer import ScriptScorer, ScriptSettings

from rewardlab_verl.validation import validation

ACTOR = "verl/scorer"
OURS = ("recipe", "ledger", "completion_timeout", "scoring_timeout", "on_partial")
SIZE = "rollout_n"
"""the field of `extra_info` that repeats a row's own `__rollout_n__`, which verl does not pass on"""


class ScriptGroups:
    """The groups of a script, scored by one named actor for the whole job; `config` is verl's configuration.

    Raises UserError if there is no recipe, or the rows lack a field that its rewards need.
    """

    def __init__(self, config: Any) -> None:
        settings = script_settings(config)
        plan = script_plan(settings.recipe)
        _check_replaced(plan, config)
        self._named = plan.recipe.columns
        _check_rows(plan, config.data.train_files, config.data.prompt_key)
        import ray

        rollout = config.actor_rollout_ref.rollout
        self._sizes = int(rollout.n), int(rollout.val_kwargs.n)
        options = {"name": ACTOR, "namespace": NAMESPACE, "num_cpus": 0, "max_concurrency": CALLS_AT_ONCE}
        self._handle = ray.remote(ScriptScorer).options(**options, get_if_exists=True).remote(settings, validation)
        self._scorer = JobActor(ACTOR)

    async def reward(self, columns: Mapping[str, Any], completion: Completion) -> MemberReward:
        """Return the shaped reward of a completion; JobError if it has none, so that verl leaves it out."""
        uid, step = str(columns["uid"]), int(columns["global_steps"])
        sample = script_sample(columns, uid, self._named)
        own = sample.fields.get(SIZE)
        sizes = self._sizes if own is None else (int(own), int(own))
        arguments = (uid, int(columns["session_id"]), step, sizes, sample, completion)
        reward: MemberReward = await self._scorer.call("member", *arguments)
        return reward


def script_settings(config: Any) -> ScriptSettings:
    """Return what a script says of its rewards. UserError if that is no recipe, or something else."""
    given = dict(config.reward.get("reward_kwargs") or {})
    if strange := sorted(given.keys() - set(OURS)):
        raise UserError(f"unknown: {', '.join(strange)}; it takes {', '.join(OURS)}", where="reward.reward_kwargs")
    if not given.get("recipe"):
        raise UserError("names no recipe; +reward.reward_kwargs.recipe=FILE", where="reward.reward_manager.name")
    barrier = Barrier.model_validate({name: value for name, value in given.items() if name in Barrier.model_fields})
    folder = given.get("ledger") or Path(config.trainer.default_local_dir) / "rewardlab"
    return ScriptSettings(
        recipe=Path(given["recipe"]).absolute(), folder=Path(folder).absolute(), **barrier.model_dump()
    )


def script_plan(recipe: Path) -> Plan:
    """Return the plan of a recipe that only scores. UserError with every mistake in it."""
    return make_plan(load(recipe, []), purpose="score")


def script_sample(columns: Mapping[str, Any], name: str, named: Mapping[str, str] | None = None) -> Sample:
    """Return a row of verl's dataset as rewards see it, its prompt without pictures.

    fields: its columns, what `extra_info` holds, and `reward_model.ground_truth` as `answer` and `reference`.

    Args:
        named: what columns are called, our field -> theirs.
    """
    truth = (columns.get("reward_model") or {}).get("ground_truth")
    fields = {**{"answer": truth, "reference": truth}, **dict(columns.get("extra_info") or {})}
    fields |= {key: value for key, value in columns.items() if isinstance(value, str | int | float | bool)}
    fields |= {field: fields[column] for field, column in (named or {}).items() if column in fields}
    prompt = [{"role": str(turn["role"]), "content": _text(turn["content"])} for turn in columns["raw_prompt"]]
    return Sample(id=name, prompt=prompt, fields=fields)


def _text(content: Any) -> str:
    read = without_media(content)
    parts = read if isinstance(read, list) else [{"text": read}]
    return "".join(str(part.get("text") or "") for part in parts)


def _check_replaced(plan: Plan, config: Any) -> None:
    """Raise UserError if the recipe has other prompts in the place of groups, and verl is not told to generate them."""
    filters = (config.algorithm.get("filter_groups") or {}) if plan.replaces_groups else {}
    if plan.replaces_groups and not (filters.get("enable") and filters.get("metric") == OUTCOME):
        problem = f"verl needs algorithm.filter_groups.enable=True algorithm.filter_groups.metric={OUTCOME}, too"
        raise UserError(f"{problem}, by which it generates the others", where="reward.teach.flat")


def _check_rows(plan: Plan, files: Any, prompt: str) -> None:
    """Raise UserError with every field that the first row of the training lacks."""
    path = Path(files if isinstance(files, str) else files[0])
    _, row = next(iter(read_lines(path)))
    if isinstance(row, Problem):
        raise UserError([row])
    columns = {**row, "raw_prompt": row.get(prompt) or []}
    first = script_sample(columns, "first", plan.recipe.columns)
    if lacks := [*plan.row_needs.lacks(first, plan.recipe.columns)]:
        raise UserError([Problem(where=str(path), what=problem) for problem in lacks])
