"""The variables that a recipe reads: on the nodes of a job the site says what they are, not this shell."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from rewardlab.errors import Problem, UserError
from rewardlab.recipe import Document

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
def as_in_job(site: Site) -> Iterator[None]:
    """Give this process the job's variables in this block, so that the recipe is read as it will be there."""
    before, given = dict(os.environ), given_variables(site)
    os.environ.update(given)
    try:
        yield
    finally:
        for name in given:
            os.environ.pop(name, None)
            if name in before:
                os.environ[name] = before[name]


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
