"""`rewardlab launch`: a recipe as a job of a cluster."""

from contextlib import closing
from pathlib import Path
from typing import Annotated, Literal

from pydantic import model_validator
from rewardlab import CommandResult, Config, Flag, Overrides, Positional, PythonOnly, note
from rewardlab.commands import AnyRecipe, Count, Say
from rewardlab.errors import JobError, StoppedError, UserError
from rewardlab.files import FileLock, write_text
from rewardlab.recipe import dump
from rewardlab.text import shell_command

from rewardlab_launch.agreement import make_launch
from rewardlab_launch.launch import Launch, LaunchCommand
from rewardlab_launch.record import FILE, UNSURE, LaunchRecord, read_launch
from rewardlab_launch.schedulers import SCHEDULERS
from rewardlab_launch.site_file import SiteFile
from rewardlab_launch.site_values import Name

SUMMARY = "run a recipe on Slurm, KubeRay or SkyPilot"
ACTIONS = ("status", "logs", "stop")


class Options(Config):
    """Write the scripts or manifests of a job; with --submit, submit it.

      rewardlab launch RECIPE --on slurm --site site.yaml            writes launches/NAME/
      rewardlab launch RECIPE --on slurm --site site.yaml --submit   and submits it, here or by ssh
      rewardlab launch status|logs|stop NAME                         of a job that was submitted from here

    The site file says where jobs run and with which servers; the recipe stays as it is. --dry-run prints the files and
    writes none, --resolve-only prints the site file with its defaults. `--command score ROWS.jsonl --shards 64` is an
    array of Slurm, whose parts `rewardlab merge` joins.
    """

    recipe: Annotated[AnyRecipe, Positional("RECIPE|status|logs|stop")]
    """a recipe; or what to do with a job that was launched"""
    which: Annotated[str | None, Positional("ROWS|NAME")] = None
    """the rows of --command; or the job's name"""
    overrides: Annotated[tuple[str, ...], Overrides()] = ()
    """changes of the recipe"""
    on: Literal["slurm", "kuberay", "skypilot"] | None = None
    """the scheduler"""
    site: Annotated[Path | None, Flag(metavar="SITE.yaml")] = None
    """where jobs run"""
    name: Annotated[Name | None, Flag(metavar="NAME")] = None
    """the job's name: small letters, digits and hyphens, a letter first (the recipe's)"""
    command: Literal["run", "score", "judge", "probe"] = "run"
    """what is done with the recipe"""
    shards: Annotated[Count | None, Flag(metavar="N")] = None
    """divide the rows between N tasks of an array"""
    submit: bool = False
    """submit the job"""
    dry_run: bool = False
    """print the files; write nothing"""
    resolve_only: bool = False
    """print the site file with its defaults"""
    root: Annotated[Path, PythonOnly()] = Path("launches")
    """the folder in which a job's local folder is made"""
    say: Say = note
    """called with each note"""

    @property
    def action(self) -> str | None:
        """What to do with a job that was launched; None for a recipe."""
        return self.recipe if isinstance(self.recipe, str) and self.recipe in ACTIONS else None

    @model_validator(mode="after")
    def _go_together(self) -> "Options":
        if self.action is not None:
            given = {
                "on",
                "site",
                "name",
                "submit",
                "dry_run",
                "resolve_only",
                "shards",
                "overrides",
            } & self.model_fields_set
            if self.which is None:
                raise ValueError(f"which job? rewardlab launch {self.action} NAME")
            if given:
                raise ValueError(f"{self.action} takes a job's name and nothing else")
            return self
        if self.on is None or self.site is None:
            raise ValueError("a recipe needs --on slurm, kuberay or skypilot, and --site SITE.yaml")
        if self.command == "run" and (self.which is not None or self.shards is not None):
            raise ValueError("rows and --shards go with --command score, judge or probe")
        if self.command != "run" and self.which in (None, "-"):
            raise ValueError(f"--command {self.command} needs a file of rows: rewardlab launch RECIPE ROWS.jsonl ...")
        if self.shards is not None and self.on != "slurm":
            raise ValueError("arrays of shards are Slurm's; leave out --shards, or take --on slurm")
        if self.submit and (self.dry_run or self.resolve_only):
            raise ValueError("--submit goes neither with --dry-run nor with --resolve-only")
        return self


def run(options: Options) -> CommandResult:
    """Do it; data: the record of the job, and the names of its files."""
    if options.action is not None:
        return _of_launched(options.action, options.root, str(options.which))
    assert options.on is not None
    assert options.site is not None
    file = SiteFile(options.site, options.on)
    if options.resolve_only:
        tree = file.site.model_dump(mode="json")
        return CommandResult(text=dump(tree).rstrip("\n"), data=tree)
    work = LaunchCommand(command=options.command, rows=options.which, shards=options.shards or 0)
    launch = make_launch(options.recipe, options.overrides, file, options.on, work, options.name)
    files = SCHEDULERS[options.on].files(launch)
    if options.dry_run:
        text = "\n".join(f"# --- {name}\n{content}" for name, content in files.items())
        return CommandResult(text=text.rstrip("\n"), data={"files": files})
    return _launched(launch, files, options)


def _launched(launch: Launch, files: dict[str, str], options: Options) -> CommandResult:
    folder = options.root / launch.name
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(folder / ".lock")
    except BlockingIOError:
        raise UserError(f"another command writes {folder} at this moment") from None
    with closing(lock):
        return _written(launch, files, folder, options)


def _written(launch: Launch, files: dict[str, str], folder: Path, options: Options) -> CommandResult:
    before = read_launch(options.root, launch.name)[1] if (folder / FILE).exists() else None
    compute = launch.site.compute
    record = LaunchRecord(
        name=launch.name,
        scheduler=launch.scheduler,
        folder=launch.folder,
        host=getattr(compute, "host", None),
        context=getattr(compute, "context", None),
        namespace=getattr(compute, "namespace", None),
        job=before.job if before is not None else None,
        shards=launch.work.shards,
        output=launch.output,
    )
    if record.job:
        raise UserError(f"{folder} is of a job that was submitted; give this one another --name")
    if record.job == UNSURE and before is not None and before.place != record.place:  # which nobody would find again
        raise UserError(f"{folder} is of a job that may have been submitted elsewhere; give this one another --name")
    if record.job == UNSURE and options.submit and not SCHEDULERS[launch.scheduler].finds_lost:
        problem = (
            f"{folder} is of a job that may have been submitted; give this one another --name, or remove the folder"
        )
        raise UserError(f"{problem} once {launch.scheduler} surely has no such job")
    for stale in {*folder.glob("*.sh"), *folder.glob("job.*")} - {folder / name for name in files}:
        stale.unlink()  # of what was written before, and not submitted
    resolved = {"site.resolved.yaml": dump(launch.site.model_dump(mode="json"))}
    for name, content in {**files, **resolved}.items():
        write_text(folder / name, content)
    record.write(folder)
    if options.submit:
        options.say(f"submitting {launch.name}")
        record = _submitted(launch, record, folder)
    return CommandResult(text="\n".join(_next(record, folder, files)), data={"job": record.job, "files": [*files]})


def _submitted(launch: Launch, record: LaunchRecord, folder: Path) -> LaunchRecord:
    """Submit it. Where that breaks off, the record says that it may have been, for `status` and `stop`."""
    record.with_job(UNSURE).write(folder)
    try:
        record = record.with_job(SCHEDULERS[launch.scheduler].submit(launch, folder))
    except UserError:
        record.write(folder)
        raise
    except (JobError, KeyboardInterrupt) as error:
        kind, text = (JobError, str(error)) if isinstance(error, JobError) else (StoppedError, "stopped")
        again = f"it may have been submitted: rewardlab launch status {record.name}; and stop ends it"
        raise kind(f"{text}\n{again}") from error
    record.write(folder)
    return record


def _next(record: LaunchRecord, folder: Path, files: dict[str, str]) -> list[str]:
    """Return what the command says at its end: what was made, and what to do next."""
    if not record.job:
        return [f"written: {', '.join(str(folder / name) for name in files)}", "nothing is submitted; --submit does it"]
    lines = [f"job {record.job}: rewardlab launch status {record.name}"]
    if record.shards and record.output:
        lines.append(f"once all tasks are done: {shell_command(['rewardlab', 'merge', record.output])}")
    return lines


def _of_launched(action: str, root: Path, name: str) -> CommandResult:
    _, record = read_launch(root, name)
    if record.job is None:
        raise UserError(f"{name} was written and not submitted; add --submit to the command that wrote it")
    scheduler = SCHEDULERS.get(record.scheduler)
    if scheduler is None:
        raise UserError(
            f"its scheduler is {record.scheduler!r}, which this release does not know; update it", where=name
        )
    if action == "stop":
        said = "is told to stop" if scheduler.stop(record) else "is over, as far as its scheduler knows"
        return CommandResult(text=f"{name} {said}; what was done is in {record.folder}", data={"stopped": name})
    text = (scheduler.status if action == "status" else scheduler.logs)(record)
    return CommandResult(text=text.rstrip("\n"), data={action: text})
