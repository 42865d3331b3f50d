"""The scorer of one of several servers that ask the same judges, each with a share of their limits and budgets."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

from rewardlab.errors import UserError
from rewardlab.files import FileLock
from rewardlab.judging import JudgingSettings, Share
from rewardlab.plan import Plan
from rewardlab.scoring import Scorer


@contextmanager
def shared_scorer(
    plan: Plan, share: Share, folder: Path | None = None, say: Callable[[str], None] = lambda text: None
) -> Iterator[Scorer]:
    """Yield the scorer of a server that has `share` of the judges.

    folder: keeps judges' answers and what was spent; None: nothing is kept. UserError if another server has this share
    of what is kept there, or if it cannot be a folder.
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
        return FileLock(folder / f"lock{share.file_mark}")
    except BlockingIOError:
        what = f"another server has share {share} of the judges here: give each a --share or a --state of its own"
        raise UserError(what, where=str(folder)) from None
    except OSError as error:
        raise UserError(f"cannot keep what is spent: {error.strerror}", where=str(folder)) from error
