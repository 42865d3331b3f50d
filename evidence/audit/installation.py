"""The environments of the audit: one for each set of packages, managed like those of components."""

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rewardlab.errors import JobError
from rewardlab.workers import EnvironmentDefinition, InstallStep, managed

from audit.entries import HERE
from audit.grader import Grader

Say = Callable[[str], None]


class Environments:
    """The interpreters of the graders' environments; one that cannot be built is tried once.

    Args:
        folder: where the lists of packages are written.
    """

    def __init__(self, folder: Path, say: Say) -> None:
        self._folder, self._say = folder, say
        self._pythons: dict[tuple[tuple[Path, tuple[str, ...]], ...], str | JobError] = {}

    def python_of(self, grader: Grader) -> str:
        """Return the interpreter of a grader. A JobError if there is none."""
        own = f"{sys.version_info.major}.{sys.version_info.minor}"
        if grader.python not in ("", own):
            raise JobError(f"it wants Python {grader.python}, and this is {own}")
        if grader.checkout and not (HERE / grader.checkout).is_dir():
            owner, _, commit = grader.source.removeprefix("github:").partition("@")
            clone = (
                f"git clone https://github.com/{owner} {grader.checkout} && git -C {grader.checkout} checkout {commit}"
            )
            raise JobError(f"its source is not here; in evidence/audit: {clone}")
        steps = tuple(self._steps(grader))
        wanted = tuple((step.requirements, step.options) for step in steps)
        if wanted not in self._pythons:
            self._pythons[wanted] = self._built(_name(grader), steps)
        python = self._pythons[wanted]
        if isinstance(python, JobError):
            raise python
        return python

    def _steps(self, grader: Grader) -> Iterator[InstallStep]:
        yield InstallStep(requirements=self._listed(grader.packages), options=grader.pip)
        if grader.alone:
            yield InstallStep(requirements=self._listed(grader.alone), options=("--no-deps",))

    def _listed(self, packages: Sequence[str]) -> Path:
        """Return a file of requirements with these packages, named by what it says."""
        text = "".join(f"{package}\n" for package in sorted(packages))
        file = self._folder / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def _built(self, name: str, steps: tuple[InstallStep, ...]) -> str | JobError:
        try:
            return managed(EnvironmentDefinition(name=name, steps=steps)).provide(self._say)
        except JobError as error:
            return JobError(f"its packages cannot be installed: {_last_words(str(error))}")


def _name(grader: Grader) -> str:
    """Return the name of a grader's environment: that of the package it is from, or of the first."""
    first = next(iter((*grader.alone, *grader.packages)), "none")
    return f"audit-{first.partition('=')[0].partition('[')[0].strip()}"


def _last_words(text: str) -> str:
    said = [line.strip() for line in text.splitlines() if line.startswith("  ")]
    return next((line for line in reversed(said) if line.startswith("ERROR")), text.partition("\n")[0])
