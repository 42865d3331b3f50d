"""The run directory: the folder of one run, with its recipe, its state and every scored completion.

    recipe.resolved.yaml   the recipe with overrides; values from the environment stay ${oc.env:...}
    manifest.json          versions, seed, hashes, the command of each attempt, judges without their licence
    lock                   held by the process that runs
    state.json             which stages are done; written last: without it, the run has not begun
    ledger.jsonl           a line for each scored completion: the score and contribution of each component
    alarms.jsonl           alarms that went off, if there are any
    usage.jsonl            what each judge was asked and cost at each step
    judges/                answers of judges, so that a resumed run pays for none twice
    logs/  checkpoints/  models/  evaluation/

Each resume is a new attempt at the same folder.
"""

import hashlib
import platform
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import rewardlab
from rewardlab.errors import UserError, one_line
from rewardlab.files import FileLock, read_json, write_json, write_text
from rewardlab.plan import Difference, Plan, decisive, differences
from rewardlab.recipe import RESOLVED, dump, load
from rewardlab.text import redactor, shell_command
from rewardlab_shards.run_shards import Spread

from rewardlab_training.ledger_format import UNLICENSED, ledger_path
from rewardlab_training.longer_training import (
    LongerStage,
    describe_longer,
    longer_stages,
    refuse_unfit,
    to_do_again,
)
from rewardlab_training.run_folders import (
    is_unbegun,
    made_empty,
    new_folder,
    not_a_run,
    not_empty,
    refuse_no_run,
    run_name,
)

WHOLE_RUN = Spread()
SHOWN = 5
"""keys in which a recipe differs, in a message"""


@dataclass
class RunDirectory:
    """The folder of one run, held by one process at a time.

    Raises UserError if another process holds the folder.

    Args:
        attempt: counts from 0 and grows by one with every resume.
        done: the indices of the stages that are done.
        notes: what a user should know of this attempt, a line each.
        held: False in a process that works for the one that holds the folder.
        spread: the part of the rows that this run asks about.
        stop: an event that ends the run early when it is set, from any thread; a backend checks it at least once a
            step, saves a checkpoint and raises KeyboardInterrupt, as after Ctrl-C.
    """

    path: Path
    attempt: int = 0
    done: list[int] = field(default_factory=list)
    notes: Sequence[str] = ()
    stop: threading.Event = field(default_factory=threading.Event, repr=False, compare=False)
    held: bool = True
    spread: Spread = WHOLE_RUN

    def __post_init__(self) -> None:
        if not self.held:
            return
        try:
            self._lock = FileLock(self.path / "lock")  # held until `close` or the end of the process
        except BlockingIOError:
            raise UserError("another process is running in this folder", where=str(self.path)) from None

    def close(self) -> None:
        """Release the folder, so that another process can resume the run; calling it again does nothing."""
        if self.held:
            self._lock.close()

    @classmethod
    def create(
        cls, plan: Plan, command: Sequence[str], root: Path = Path("runs"), folder: Path | None = None
    ) -> "RunDirectory":
        """Make the folder of a new run, with its recipe, manifest and state: `folder`, else <root>/<name>-<time>.

        Raises UserError if `folder` is there already and not empty; what a run left that had not begun counts as empty.
        """
        if folder is not None:
            path = made_empty(folder)
        else:
            root.mkdir(parents=True, exist_ok=True)
            path = new_folder(root, f"{run_name(plan)}-{time.strftime('%Y%m%d-%H%M%S')}")
        run = cls(path=path)
        with run._closed_by_failure():
            if not is_unbegun(path):  # another process was faster
                raise not_empty(path)
            write_text(path / RESOLVED, dump(plan.document.raw))
            run._write("manifest.json", _manifest(plan, command))
            run.save_state()
        return run

    @classmethod
    def resume(cls, path: Path, plan: Plan, command: Sequence[str]) -> "RunDirectory":
        """Open the existing folder of a run for one more attempt.

        A recipe that differs in nothing but more `steps` or `epochs` of the last stage that was trained becomes the
        run's. Raises UserError if it is not a run directory, or was made with another recipe or another version of
        rewardlab or of a plugin. What a kill left before the run had begun, begins now.
        """
        if (path / "lock").is_file() and is_unbegun(path):
            run = cls.create(plan, command, folder=path)
            run.notes = ["this run was stopped before it started; it starts now"]
            return run
        refuse_no_run(path, "state.json")
        ledger_path(path)  # one of an earlier version is refused
        run = cls(path=path)
        with run._closed_by_failure():
            run._go_on(plan, command)
        return run

    def _go_on(self, plan: Plan, command: Sequence[str]) -> None:
        """Read where the run was left, and note one more attempt."""
        path, fresh = self.path, _manifest(plan, command)
        try:
            state = read_json(path / "state.json")
            manifest = read_json(path / "manifest.json")
            self.attempt, self.done = int(state["attempt"]) + 1, _stages(state["done"])
            changes = _changes(path, plan, fresh["recipe_sha256"], manifest)
            longer = longer_stages(changes or [])
            different = [] if longer or changes is None else [_describe_changes(changes)]
            different += _different_versions(manifest, fresh)
            commands = [*manifest["commands"], *fresh["commands"]]
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise not_a_run(path, one_line(error)) from error
        if different:
            again = shell_command(["rewardlab", "run", "--resume", str(path)])
            made = f"{path} was made with {'; '.join(different)}"
            raise UserError(f"{made}; resume with what it was made with ({again}), or start a new run")
        refuse_unfit(longer, plan, path, self.done)
        if longer:
            self._train_longer(longer, plan, manifest, fresh["recipe_sha256"])
        self._take_alarms(plan)
        self._write("manifest.json", manifest | {"commands": commands})
        self.save_state()

    @contextmanager
    def _closed_by_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _train_longer(
        self, longer: Sequence[LongerStage], plan: Plan, manifest: dict[str, Any], recipe_sha256: str
    ) -> None:
        """Take the stages that train longer as not done, and the plan's recipe as this run's.

        The order of writing leaves a folder that can be resumed with either recipe, wherever a kill comes.
        """
        self.notes = [describe_longer(stage, plan) for stage in longer]
        self.done = sorted({*self.done} - to_do_again(longer, plan))
        self.save_state()
        earlier = [*manifest.get("earlier_recipes", []), manifest["recipe_sha256"]]
        manifest |= {"recipe_sha256": recipe_sha256, "earlier_recipes": list(dict.fromkeys(earlier))}
        self._write("manifest.json", manifest)
        write_text(self.path / RESOLVED, dump(plan.document.raw))

    def _take_alarms(self, plan: Plan) -> None:
        """Take the plan's alarms as this run's: what reads its alarms afterwards goes by its recipe."""
        earlier, now = load(self.path / RESOLVED, strict=False).raw, plan.document.raw.get("alarms")
        if earlier.get("alarms") != now:
            rest = {key: value for key, value in earlier.items() if key != "alarms"}
            write_text(self.path / RESOLVED, dump(rest if now is None else {**rest, "alarms": now}))

    def folder(self, *parts: str) -> Path:
        """Return a folder inside of the run directory, after making it if it is missing."""
        folder = self.path.joinpath(*parts)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def finish_stage(self, index: int) -> None:
        """Note that stage `index` is done, so that a resume passes over it."""
        self.done = sorted({*self.done, index})
        self.save_state()

    def begin_attempt(self) -> None:
        """Note that a backend starts what failed once more by itself: the next attempt at this folder."""
        self.attempt += 1
        self.save_state()

    def save_state(self) -> None:
        """Write the attempt and the finished stages to state.json."""
        self._write("state.json", {"attempt": self.attempt, "done": self.done})

    def note_unlicensed(self, judges: Mapping[str, str]) -> None:
        """Note in the manifest which judges are asked from this attempt on without their licence: name -> why."""
        manifest = read_json(self.path / "manifest.json")
        if judges or UNLICENSED in manifest:
            by_attempt = {**manifest.get(UNLICENSED, {}), str(self.attempt): judges}
            self._write("manifest.json", manifest | {UNLICENSED: by_attempt})

    def _write(self, name: str, content: Mapping[str, Any]) -> None:
        write_json(self.path / name, content)


def has_trained_longer(path: Path, plan: Plan) -> bool:
    """Return whether the run in a folder began with this recipe and was resumed with a longer one since."""
    try:
        manifest = read_json(path / "manifest.json")
        return _recipe_sha256(plan) in manifest.get("earlier_recipes", ())
    except (OSError, ValueError, AttributeError, TypeError):
        return False  # to open the run says why


def _recipe_sha256(plan: Plan) -> str:
    return hashlib.sha256(dump(decisive(plan)).encode()).hexdigest()


def _stages(done: Any) -> list[int]:
    if not isinstance(done, list) or not all(type(index) is int for index in done):
        raise ValueError("its state.json has no list of stages under `done`")
    return done


def _manifest(plan: Plan, command: Sequence[str]) -> dict[str, Any]:
    return {
        "rewardlab": rewardlab.__version__,
        "python": platform.python_version(),
        "packages": {name: version for name in _packages(plan) if (version := _installed(name))},
        "plugins": versions_of(plan),
        "seed": redactor().tree(plan.recipe.seed),
        "recipe_sha256": _recipe_sha256(plan),
        # kept for reports, which are made without the plugins
        "counted_info": plan.counted_info,
        "commands": [shell_command(command)],
    }


def versions_of(plan: Plan) -> dict[str, str]:
    """Return the distribution and version of each plugin of a plan, by the plugin's name."""
    return {p.name: f"{p.distribution} {p.version}" for p in plan.plugins.values()}


def _packages(plan: Plan) -> Sequence[str]:
    """Return the names of the distributions that the plan's backend wants in the manifest."""
    return plan.backend.spec.packages if plan.backend is not None else ()


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _changes(path: Path, plan: Plan, recipe_sha256: str, manifest: Mapping[str, Any]) -> list[Difference] | None:
    """Return in what the recipe differs from that of the run in `path`; None if it is the same.

    An empty list means that they differ in the order of their keys alone, or that somebody has edited the folder's.
    """
    earlier = load(path / RESOLVED, strict=False).raw
    then, now = decisive(plan, earlier), decisive(plan)
    known = (manifest["recipe_sha256"], *manifest.get("earlier_recipes", ()))
    if recipe_sha256 in known and dump(then) == dump(now):
        return None
    return [*differences(then, now)]


def _describe_changes(differences: Sequence[Difference]) -> str:
    """Return in which keys a recipe differs from the one of a run."""
    shown = [f"{'.'.join(map(str, d.path))} was {d.then}, is {d.now}" for d in differences[:SHOWN]]
    more = f", and {len(differences) - SHOWN} more" if len(differences) > SHOWN else ""
    return f"another recipe ({', '.join(shown) or 'the order of its keys'}{more})"


def _different_versions(manifest: Mapping[str, Any], fresh: Mapping[str, Any]) -> list[str]:
    """Return in which versions of rewardlab and of plugins a run's manifest differs from that of now."""
    then, now = ({"rewardlab": one["rewardlab"], **one["plugins"]} for one in (manifest, fresh))
    changed = sorted(name for name in {*then, *now} if then.get(name) != now.get(name))
    return [f"{name}: {then.get(name)}, now {now.get(name)}" for name in changed]
