"""A site file is read: strict YAML, and every mistake in it with its line."""

from pathlib import Path
from typing import Any

from rewardlab.errors import Problem, UserError
from rewardlab.recipe import RecipePath, compose, validate

from rewardlab_launch.site import KubeRaySite, Site, SkyPilotSite, SlurmSite

SITES: dict[str, type[Site]] = {"slurm": SlurmSite, "kuberay": KubeRaySite, "skypilot": SkyPilotSite}
"""what a site file may say, by the scheduler of --on"""


class SiteFile:
    """A site file that is right. `where` says where a key of it stands, for messages."""

    def __init__(self, path: Path, scheduler: str) -> None:
        """Read it; UserError with every mistake. A key that another scheduler has says so."""
        self._path = path
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not UTF-8"
            raise UserError(f"the site file cannot be read: {why}", where=str(path)) from error
        tree, self._root = compose(text, lambda line, keys: _place(f"{path}:{line}", keys))
        if not isinstance(tree, dict):
            raise UserError("a site file is a mapping with version, compute, job and services", where=str(path))
        self.site, problems = validate(SITES[scheduler], tree, self.where)
        if problems:
            raise UserError([_with_owner(problem, scheduler) for problem in problems])

    def where(self, keys: RecipePath) -> str:
        """Return the file and line of a key, or of the nearest one above it."""
        place = self._root
        for key in keys:
            try:
                place = place.children[key]
            except (KeyError, IndexError, TypeError):
                break
        return _place(f"{self._path}:{place.line}", keys)


def _place(line: str, keys: RecipePath) -> str:
    return f"{line}: {'.'.join(map(str, keys))}" if keys else line


def _with_owner(problem: Problem, scheduler: str) -> Problem:
    """Return the problem of an unknown key of `compute` with the schedulers that have one of this name."""
    keys = problem.path
    if keys[:1] != ("compute",) or len(keys) != 2 or not problem.what.startswith("no such option"):
        return problem
    computes: dict[str, Any] = {name: site.model_fields["compute"].annotation for name, site in SITES.items()}
    owners = [name for name, compute in computes.items() if keys[1] in compute.model_fields]
    what = f"{', '.join(owners)} has it, and --on {scheduler} has not" if owners else problem.what
    return Problem(where=problem.where, what=what, path=keys)
