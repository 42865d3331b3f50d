"""The places where a page may be written: over nothing that is not an earlier page."""

import re
from pathlib import Path

from rewardlab.errors import UserError
from rewardlab.scorefile import output_path_problem

BUNDLE_PARTS = re.compile(r"index\.html|(numbers|texts|questions)-[\d-]+\.js")


def refuse_target(target: Path, bundle: bool) -> None:
    """Raise a UserError if a page, or the folder of one, cannot be written there or would replace something else."""
    if bundle:
        if why := _not_for_a_bundle(target):
            raise UserError(f"{why}; --bundle takes a new or empty folder, or replaces an earlier bundle", str(target))
    elif problem := output_path_problem(target):
        raise UserError([problem])
    elif target.exists() and target.suffix.lower() not in (".html", ".htm"):
        raise UserError("exists already and is not a page (.html); give -o another name", where=str(target))


def _not_for_a_bundle(target: Path) -> str | None:
    if target.name in ("", ".."):
        return "is not a folder name"
    if target.is_symlink():
        return "is a link"
    if not target.exists():
        return None
    if not target.is_dir():
        return "is a file"
    names = {path.name for path in target.iterdir()}
    is_earlier = {"index.html", "numbers-0.js"} <= names and all(map(BUNDLE_PARTS.fullmatch, names))
    return None if is_earlier or not names else "holds other files than a bundle's"
