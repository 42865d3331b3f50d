"""A recipe and a site as one job, or every reason why they are none: nothing is submitted before all of it is right."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from rewardlab.errors import Problem, UserError
from rewardlab.plan import Plan, draft_plan, secret_variables
from rewardlab.recipe import DataStage, Document, Finding, RecipeSource, dump, needs_engine
from rewardlab_ray.job_options import RayOptions
from rewardlab_training import open_backend, run_name

from rewardlab_launch.launch import Launch, LaunchCommand
from rewardlab_launch.pools import pool_findings
from rewardlab_launch.services import SERVED_NAME, placed_services, service_findings
from rewardlab_launch.site import NodePool, Site
from rewardlab_launch.site_file import SiteFile
from rewardlab_launch.variables import as_in_job, given_variables, read_variables, refuse_absent, variable_findings


def make_launch(
    recipe: RecipeSource,
    overrides: Sequence[str],
    file: SiteFile,
    scheduler: str,
    work: LaunchCommand,
    name: str | None,
) -> Launch:
    """Return the job; UserError with everything that is wrong with the recipe, the site, and the two together."""
    if twice := [Problem(where=file.where(path), what=what) for path, what in variable_findings(file.site)]:
        raise UserError(twice)
    with as_in_job(recipe, overrides, file.site) as document:
        refuse_absent(document, file.site)
        return _make_launch(document, file, scheduler, work, name)


def _make_launch(document: Document, file: SiteFile, scheduler: str, work: LaunchCommand, name: str | None) -> Launch:
    draft = draft_plan(document, None, "run" if work.command == "run" else "score")
    plan = draft.plan
    if draft.problems or plan is None:
        raise draft.error()
    site = file.site
    pools: Mapping[str, NodePool] = site.compute.pools
    main = site.job.pool or next(iter(pools))
    findings = [*pool_findings(pools, site.job.pool), *service_findings(site.services, pools, main)]
    if findings:
        raise UserError([Problem(where=file.where(path), what=what) for path, what in findings])
    trains = work.command == "run" and any(map(needs_engine, plan.recipe.stages))
    options = plan.backend.options if trains and plan.backend is not None else None
    on_ray = isinstance(options, RayOptions)
    nodes = options.nodes if isinstance(options, RayOptions) else 1
    services, groups = placed_services(site.services, pools, main, nodes)
    launch = Launch(
        name=name or _usable(run_name(plan)),
        scheduler=scheduler,
        site=site,
        work=work,
        recipe=dump(document.raw),
        nodes=nodes,
        gpus=_gpus(options, pools[main]) if trains else 0,
        on_ray=on_ray,
        ray=_ray(plan, site) if on_ray else None,
        groups=groups,
        services=services,
        inputs=_inputs(plan, work),
    )
    problems = [Problem(where=file.where(path), what=what) for path, what in _site_findings(launch, plan)]
    of_engine = open_backend(plan).findings(plan) if trains else ()
    refused = [*_recipe_findings(launch, plan), *of_engine]
    problems += [Problem(where=document.where(path), what=what) for path, what in refused]
    if problems:
        raise UserError(problems)
    return launch


def _usable(name: str) -> str:
    """Return a recipe's name as schedulers take it. UserError if nothing is left of it."""
    usable = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:28].strip("-")
    if not usable or usable[0].isdigit():
        raise UserError(f"schedulers take no name like {name!r}; give the job one: --name NAME")
    return usable


def _gpus(options: Any, pool: NodePool) -> int:
    given = getattr(options, "gpus_per_node", None)
    if given is None:  # processes of a node train on one each
        return max(pool.gpus, getattr(options, "ranks", 0)) if pool.gpus else 0
    return int(given)


def _ray(plan: Plan, site: Site) -> str | None:
    return site.compute.ray or (pins[0] if (pins := engine_pins(plan)) else None)


def engine_pins(plan: Plan) -> list[str]:
    """Return the versions of Ray that the plan's engine is made for, as its environments have it."""
    pins = []
    for define in plan.backend.spec.environments.values() if plan.backend is not None else ():
        for step in define().steps:
            text = step.requirements.read_text(encoding="utf-8")
            pins += re.findall(r"(?m)^ray(?:\[[\w,]+\])?==([\w.]+)", text)
    return list(dict.fromkeys(pins))


def _inputs(plan: Plan, work: LaunchCommand) -> list[str]:
    """Return the files of rows that the command reads, but for those that a stage of the recipe writes."""
    if work.rows is not None:
        return [] if "://" in work.rows else [work.rows]
    made = {stage.to for stage in plan.recipe.stages if isinstance(stage, DataStage)}
    paths = [
        getattr(dataset.options, "path", None) for dataset in plan.datasets.values() if dataset.use.use == "data/jsonl"
    ]
    return list(dict.fromkeys(path for path in paths if isinstance(path, str) and path not in made))


# --- What the recipe and the site have to agree on


def _site_findings(launch: Launch, plan: Plan) -> Iterator[Finding]:
    site = launch.site
    if launch.gpus > launch.pool.gpus:
        pool = ("compute", "pools", launch.groups[0], "gpus")
        yield pool, f"a node has {launch.pool.gpus} GPUs, and the recipe's backend takes {launch.gpus} of each"
    if launch.work.shards and site.services:
        yield ("services",), "each of the tasks would start servers of its own; give the address of one that runs"
    if "://" in str(launch.mount_of(site.job.output)):
        what = "is in a bucket, where files have neither locks nor appends; a run needs a volume"
        yield ("job", "output"), what
    if launch.scheduler == "slurm" and (there := launch.on_node(site.job.output)) != site.job.output:
        what = f"is {there} on the nodes, where the job's own scripts write, too; mount it at the same path"
        yield ("job", "output"), what
    if launch.on_ray and not getattr(launch.pool, "exclusive", True):
        what = f"{_engine(plan)} runs on Ray, which starts beside no other Ray and stops every one of yours on a node"
        yield ("compute", "pools", launch.groups[0], "exclusive"), what
    if site.job.resume.walltime is not None and launch.scheduler != "slurm":
        what = "only Slurm accounts for what attempts have used; leave it out, and let retries bound them"
        yield ("job", "resume", "walltime"), what
    if launch.scheduler == "kuberay" and launch.on_ray and launch.ray is None:
        yield ("compute", "ray"), "missing: the version of Ray in the image, which the engine does not say"
    pins = engine_pins(plan) if launch.on_ray else []
    if pins and launch.ray not in pins:
        yield ("compute", "ray"), f"Ray {launch.ray}, and the recipe's engine is made for Ray {' and '.join(pins)}"
    read = read_variables(plan.document)
    for placed in launch.services:
        if placed.service.variable not in read:
            what = f"the recipe reads no ${{oc.env:{placed.service.variable}}}, so nothing would ask this service"
            yield ("services", placed.name, "variable"), what
    yield from _wrong_models(launch, plan)
    for key in ("output", "workdir"):
        path = getattr(site.job, key)
        if path is not None and launch.lacks(path):
            yield ("job", key), f"{path} is below none of compute.mounts, so no node has it and it ends with the job"


def _wrong_models(launch: Launch, plan: Plan) -> Iterator[Finding]:
    for placed in launch.services:
        for name, judge in plan.judges.items():
            raw = json.dumps(plan.document.raw["judges"][name])
            asked, served = getattr(judge.options, "model", None), placed.served_names
            if f"oc.env:{placed.service.variable}" in raw and served and asked not in served:
                what = f"judge {name!r} asks for the model {asked!r}, and this serves {' and '.join(served)}"
                yield ("services", placed.name), f"{what}; add it to arguments: [{SERVED_NAME}, {asked}]"


def _recipe_findings(launch: Launch, plan: Plan) -> Iterator[Finding]:
    options = plan.backend.options if plan.backend is not None else None
    if isinstance(options, RayOptions) and options.address:
        yield ("backend", "address"), "the job brings a Ray cluster of its own; leave the address out"
    trains = launch.work.command == "run" and any(map(needs_engine, plan.recipe.stages))
    if trains and not launch.on_ray:
        engine = _engine(plan)
        if launch.scheduler == "kuberay":
            yield ("backend",), f"the engine {engine} needs no cluster, and a RayJob is one; take slurm or skypilot"
        elif (machines := getattr(options, "machines", 1)) > 1:
            what = f"{engine} on {machines} machines is started by `accelerate`; a job of launch has one node for it"
            yield ("backend",), what
    given = given_variables(launch.site)
    for name, judge in plan.judges.items():
        for option, variable in secret_variables(judge.options).items():
            if variable not in given:
                what = f"{option} is {variable}, and no node has it; name it in compute.secrets"
                yield ("judges", name, "with", option), what
    for path in launch.inputs:
        whole = str(PurePosixPath(launch.workdir) / path)
        if launch.lacks(whole):
            yield (), f"the rows {whole} are below none of compute.mounts, so the job cannot read them"


def _engine(plan: Plan) -> str:
    return plan.backend.use.use if plan.backend is not None else "none"
