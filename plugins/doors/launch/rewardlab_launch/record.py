"""The record of a launched job: a file by which any later release finds it again.

Fields are only added, each with a default, and a reader leaves out what it does not know; `schema` counts changes that
an older reader would misunderstand.
"""

from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import rewardlab
from pydantic import TypeAdapter, ValidationError
from rewardlab.errors import UserError, nearest
from rewardlab.files import read_json, write_json

FILE = "launch.json"
SCHEMA = 1
UNSURE = ""


@dataclass(frozen=True, kw_only=True)
class LaunchRecord:
    """What is known of a job.

    Args:
        folder: the job's on the cluster.
        host: of the login node; None for this machine.
        context, namespace: of Kubernetes.
        job: the scheduler's name for the first attempt; None before it is submitted, and UNSURE while it is not known
            whether it was.
        shards: how many parts the rows have; 0 for a job that is whole.
        output: the file that the shards' names are made of.
        version: of the release that wrote this.
    """

    schema: int = SCHEMA
    name: str
    scheduler: str
    folder: str
    host: str | None = None
    context: str | None = None
    namespace: str | None = None
    job: str | None = None
    shards: int = 0
    output: str = ""
    version: str = rewardlab.__version__

    @property
    def place(self) -> tuple[str | None, ...]:
        """Where its job is looked for."""
        return self.scheduler, self.host, self.context, self.namespace, self.folder

    def with_job(self, job: str) -> "LaunchRecord":
        """Return the record of the job once it is submitted."""
        return replace(self, job=job)

    def write(self, folder: Path) -> None:
        """Write it into the job's local folder."""
        write_json(folder / FILE, asdict(self))


def read_launch(root: Path, name: str) -> tuple[Path, LaunchRecord]:
    """Return the local folder of a job and its record. UserError if there is none, or a later release wrote it."""
    folder = root / name
    try:
        content = read_json(folder / FILE)
        known = {field.name for field in fields(LaunchRecord)}
        schema = content["schema"]
        if schema > SCHEMA:
            by = content.get("version", "a later one")
            raise UserError(
                f"written by rewardlab {by}, which says more than this release reads; update it", where=str(folder)
            )
        kept = {key: value for key, value in content.items() if key in known}
        return folder, TypeAdapter(LaunchRecord).validate_python(kept)
    except ValidationError as error:
        first = error.errors()[0]
        what = f"this is no record of a launch: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise UserError(what, where=str(folder / FILE)) from error
    except FileNotFoundError:
        there = [file.parent.name for file in root.glob(f"*/{FILE}")]
        raise UserError(f"no job {name!r} was launched from here ({root}/){nearest(name, there)}") from None
    except (ValueError, LookupError, TypeError, AttributeError, OSError) as error:
        raise UserError(f"this is no record of a launch: {error}", where=str(folder / FILE)) from error
