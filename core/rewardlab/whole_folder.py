"""Folders that are whole or not there."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A scratch folder that becomes `target` when the block ends well, in place of what was there.

    A kill or a full disk leaves no half-written `target`: who finds one finds all of it.
    """
    scratch = target.with_name(f".{target.name}.writing")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    yield scratch
    if target.exists():
        shutil.rmtree(target)
    scratch.rename(target)
