"""The scorer of one of several servers that ask the same judges, each with a share of their limits and budgets."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

from rewardlab.errors import UserError
from rewardlab.files import FileLock, is_held
from rewardlab.judging import JudgingSettings, Share
from rewardlab.plan import Plan
from rewardlab.scoring import Scorer

LOCK = re.compile(r"lock(?:\.(\d+)-of-(\d+))?")
"""the name of a server's lock, as `Share.file_mark` ends it"""


@contextmanager
def shared_scorer(
    plan: Plan, share: Share, folder: Path | None = None, say: Callable[[str], None] = lambda text: None
) -> Iterator[Scorer]:
    """Yield the scorer of a server that has `share` of the judges.

    Args:
        folder: keeps judges' answers and what was spent; None: nothing is kept.

    UserError if another server has this share of what is kept there, or one of another number of shares, or if it
    cannot be a folder.
    """
    judging = JudgingSettings(folder=folder, say=say, share=share)
    with (
        nullcontext() if folder is None else closing(_lock(folder, share)),
        Scorer(plan, judging=judging) as scorer,
    ):
        yield scorer


def _lock(folder: Path, share: Share) -> FileLock:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with closing(FileLock(folder / "beginning", wait=True)):  # of two at the same time the first has it
            lock = FileLock(folder / f"lock{share.file_mark}")
            try:
                _refuse_beside_others(folder, share)
            except Exception:
                lock.close()
                raise
            return lock
    except BlockingIOError:
        problem = f"another server has share {share} of the judges here: give each a --share or a --state of its own"
        raise UserError(problem, where=str(folder)) from None
    except OSError as error:
        raise UserError(f"cannot keep what is spent: {error.strerror}", where=str(folder)) from error


def _refuse_beside_others(folder: Path, share: Share) -> None:
    """Raise a UserError if a server runs that divides the judges into another number of parts."""
    for path in folder.glob("lock*"):
        match = LOCK.fullmatch(path.name)  # a judge called "lock" has files here, too
        other = share if match is None else Share(int(match[1] or 1), int(match[2] or 1))
        if other.parts != share.parts and is_held(path):
            problem = f"a server with share {other} of the judges here runs: end all of its kind before one with share"
            raise UserError(f"{problem} {share} begins, or give this one a --state of its own", where=str(folder))
