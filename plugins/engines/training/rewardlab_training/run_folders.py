"""The folders of runs on the disk: made, named, told from others, and the models in them."""

from contextlib import suppress
from itertools import count
from pathlib import Path

from rewardlab.errors import UserError
from rewardlab.plan import Plan
from rewardlab.recipe import RESOLVED, Document


def refuse_no_run(path: Path, file: str) -> None:
    """Raise a UserError if a folder that is to be resumed lacks a file that every run has."""
    if not (path / file).is_file():
        if path.is_dir() and (path / "lock").is_file() and is_unbegun(path):
            raise UserError(f"the run in {path} had not begun; start it: rewardlab run RECIPE --run-dir {path}")
        raise not_a_run(path, f"it has no {file}" if path.is_dir() else "there is no such folder")


def not_a_run(path: Path, why: str) -> UserError:
    how = "name the folder that `rewardlab run` printed, or write RECIPE --resume latest"
    return UserError(f"{path} is not the folder of a run: {why}; {how}")


def is_unbegun(path: Path) -> bool:
    """Return whether a folder is empty, or has nothing but what a run writes before it has begun."""
    names = {file.name for file in path.iterdir()}
    before_begin = {name for name in names if name in ("lock", "manifest.json", RESOLVED) or name.endswith(".writing")}
    return not names or ("lock" in names and names == before_begin)


def not_empty(folder: Path) -> UserError:
    return UserError("this folder is not empty; name a new one, or continue its run with --resume", str(folder))


def made_empty(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not is_unbegun(folder):
            raise not_empty(folder)
    except OSError as error:
        raise UserError(f"no run directory can be made here: {error.strerror}", where=str(folder)) from error
    return folder


def new_folder(root: Path, name: str) -> Path:
    """Make and return a new folder: <name>, or <name>-2, ... for runs that start in the same second."""
    for number in count(1):
        path = root / (name if number == 1 else f"{name}-{number}")
        with suppress(FileExistsError):
            path.mkdir()
            return path
    raise AssertionError


def run_name(plan: Plan) -> str:
    """Return the recipe's name, or that of its file without the suffix."""
    return document_name(plan.document)


def document_name(document: Document) -> str:
    """Return the name that a recipe's runs have; the recipe may have mistakes."""
    name = document.tree.get("name")
    return name if isinstance(name, str) and name else document.path.stem


def written_models(directory: Path) -> list[Path]:
    """Return the folders of the models that the training stages of the run in `directory` wrote, first to last."""
    folders = [path for path in (directory / "models").glob("[0-9]*-*") if path.is_dir()]
    return sorted(folders, key=lambda path: int(path.name.partition("-")[0]))
