"""A folder that is whole if it is there, such as a model's."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rewardlab.errors import name_target


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Yield a scratch folder that replaces `target` when the block ends without an exception.

    A kill or a full disk leaves no half-written `target`: if it is there, it is complete.
    """
    scratch = target.with_name(f".{target.name}.writing")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    try:
        yield scratch
    except BaseException as error:
        shutil.rmtree(scratch, ignore_errors=True)
        name_target(error, scratch, target)
        raise
    if target.exists():
        shutil.rmtree(target)
    scratch.rename(target)
