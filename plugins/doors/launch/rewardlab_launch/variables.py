"""The variables that a recipe reads: on the nodes of a job the site says what they are, not this shell."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rewardlab.errors import Problem, UserError
from rewardlab.recipe import Document, Finding, RecipeSource, load

from rewardlab_launch.script_files import own_variables
from rewardlab_launch.site import Site

_READ = re.compile(r"\$\{\s*oc\.env\s*:\s*([A-Za-z_]\w*)\s*(,)?")


def given_variables(site: Site) -> dict[str, str]:
    """Return the variables that processes of a job have, secrets and addresses with a value that stands for theirs."""
    of_services = {service.variable: f"http://{name}:{service.port}/v1" for name, service in site.services.items()}
    return dict.fromkeys(site.compute.secrets, "a secret of the site") | of_services | site.compute.environment


def read_variables(document: Document) -> dict[str, bool]:
    """Return the variables that a recipe reads, each with whether it always has a default."""
    read: dict[str, bool] = {}
    for name, comma in _READ.findall(json.dumps(document.raw)):
        read[name] = bool(comma) and read.get(name, True)
    return read


@contextmanager
def as_in_job(recipe: RecipeSource, overrides: Sequence[str], site: Site) -> Iterator[Document]:
    """Give this process the job's variables in this block, and yield the recipe as it will be read there.

    What this shell has besides, and the recipe reads, is not there.
    """
    before, given = dict(os.environ), given_variables(site)
    os.environ.update(given)
    document = load(recipe, overrides, strict=False)
    only_here = {*read_variables(document)} - {*given}
    try:
        for name in only_here:
            os.environ.pop(name, None)
        yield load(recipe, overrides, strict=False) if only_here & {*before} else document
    finally:
        for name in only_here | {*given}:
            os.environ.pop(name, None)
            if name in before:
                os.environ[name] = before[name]


def variable_findings(site: Site) -> Iterator[Finding]:
    """Yield that a variable is given twice, where one value would hide the other, or is one of the scripts' own."""
    compute = site.compute
    named = {("compute", key, name): name for key in ("environment", "secrets") for name in getattr(compute, key)}
    named |= {("services", name, "variable"): service.variable for name, service in site.services.items()}
    for path, name in named.items():
        if name in own_variables() or name.startswith("container_"):  # container_SERVICE
            yield path, f"{name} is a variable of the job's own scripts; take another name"
    owners = dict.fromkeys(compute.environment, "compute.environment")
    for name in compute.secrets:
        if name in owners:
            yield ("compute", "secrets", name), f"{owners[name]} has it, too"
        owners[name] = "compute.secrets"
    for name, service in site.services.items():
        if service.variable in owners:
            yield ("services", name, "variable"), f"{owners[service.variable]} has {service.variable}, too"
        owners[service.variable] = f"services.{name}"


def refuse_absent(document: Document, site: Site) -> None:
    """Raise a UserError for the variables that the recipe reads and no node has."""
    absent = [name for name, has_default in read_variables(document).items() if not has_default]
    problems = [
        Problem(
            where=str(document.path),
            what=f"it reads {name}, which no node has; name it in compute.environment, compute.secrets or a service",
        )
        for name in absent
        if name not in given_variables(site)
    ]
    if problems:
        raise UserError(problems)
