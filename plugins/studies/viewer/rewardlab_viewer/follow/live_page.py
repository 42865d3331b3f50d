"""The page of runs that go on: each question for it reads what is new, and is answered with what the asker lacks."""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

from rewardlab.errors import RewardlabError
from rewardlab_training import ReplacedFile

from rewardlab_viewer.page.page import DATA_HERE, KeptParts, block_of, note_other_rewards, page_of
from rewardlab_viewer.page.questions import asking_components, questions_of
from rewardlab_viewer.page.run_view import SourceSums
from rewardlab_viewer.read.followed_run import FollowedRun, signature
from rewardlab_viewer.read.labels import LabelFinder

MIN_PAUSE_S = 1.0
MAX_SHARE = 0.1
"""of the time in which reading and summing up may keep a core busy, however large the ledger and however many ask"""

BEFORE = "; what was there before is shown"


class LivePage:
    """The page of some runs as they are at each question. Close it; threads may ask at the same time."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Read the runs as they are now. A UserError if one is not the folder of a run."""
        self._lock, self._asking = threading.Lock(), threading.Lock()
        self._closing, self._closed = ExitStack(), False
        self._runs = [self._closing.enter_context(closing(_LiveRun(path))) for path in paths]
        self._session, self._version, self._next = token_hex(4), 0, 0.0

    def close(self) -> None:
        """Remove the texts that were kept; who still asks gets a ConnectionAbortedError."""
        with self._lock:
            self._closed = True
            self._closing.close()

    def document(self, have: Sequence[str] = (), tag: str | None = None) -> tuple[str, str | None]:
        """Return (a tag of the state, the page as HTML); None in place of the page if the state has this tag still.

        Args:
            have: of each run its edition and how many groups the asker has, as "EDITION.GROUPS"; the document has
                the figures of all groups, the numbers of the others, and no scripts then.
        """
        with self._open():
            self._update()
            now = f"{self._session}-{self._version}"
            if tag == now:
                return now, None
            known = [*have, *[""] * len(self._runs)]
            kept = [run.parts(has) for run, has in zip(self._runs, known, strict=False)]
            note_other_rewards([parts.view for parts in kept])
            before, after = page_of(kept, "followed", assets=not have, tag=now).split(DATA_HERE)
        blocks = [block_of(f"numbers-{number}", parts.numbers.packed) for number, parts in enumerate(kept)]
        return now, "".join([before, *blocks, after])

    def texts(self, run: int, edition: str, number: int) -> str | None:
        """Return a chunk of texts in base64; None if there is none, or the run was read anew since that edition."""
        with self._open():
            return self._runs[run].texts(edition, number) if run < len(self._runs) else None

    def questions(self, run: int, edition: str, group: int) -> str | None:
        """Return what judges were asked about a group, and replied, in base64; None as `texts`."""
        with self._open():
            group_questions = self._runs[run].group(edition, group) if run < len(self._runs) else None
        with self._asking:
            return None if group_questions is None else questions_of(*group_questions)

    @contextmanager
    def _open(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise ConnectionAbortedError
            yield

    def _update(self) -> None:
        began = time.monotonic()
        if began < self._next:
            return
        self._version += any([*map(_LiveRun.update, self._runs)])  # each of them
        now = time.monotonic()
        self._next = now + max(MIN_PAUSE_S, (now - began) / MAX_SHARE)


class _LiveRun:
    """One run as it was at the last update. edition: of its groups; another one makes what a browser has void."""

    def __init__(self, path: Path) -> None:
        self._path, self._trouble = path, ""
        self._state: Any = None
        self._sign = 0.0
        self._is_other()
        self._begin()

    def _is_other(self) -> bool:
        """Return whether anything was written or happened since the last call."""
        before, self._state = self._state, signature(self._path)
        self._sign = self._state[0] or self._sign  # of a folder that is gone, when it was seen last
        return self._state != before

    def _begin(self) -> None:
        run = FollowedRun(self._path)
        sums = SourceSums(run, LabelFinder(()))
        self._questions = asking_components(run)
        self._names: Sequence[str | None] = ()
        try:
            for _ in range(2):  # the second reading tells whether the last group is whole
                _add_groups(sums, run)
            self._show(sums, run)
        except BaseException:
            sums.chunks.close()
            raise

    def _show(self, sums: SourceSums, run: FollowedRun) -> None:
        run.note_lines()
        view = sums.view()
        names = (*view.columns.components, None, *view.columns.fields)
        if names != self._names:  # the arrays of earlier groups are others, too
            self.edition = token_hex(4)
        self._sums, self._run, self._names, self._view = sums, run, names, view
        self._trouble = ""

    def close(self) -> None:
        self._sums.chunks.close()

    def update(self) -> bool:
        """Read what is new; return whether anything is."""
        if not self._is_other() and (self._trouble or not self._run.incomplete):
            return False
        try:
            if self._trouble:  # which may have ended a reading in its middle
                raise ReplacedFile
            self._run.read_records()
            _add_groups(self._sums, self._run)
            self._show(self._sums, self._run)
        except ReplacedFile:
            self._read_anew()
        except (RewardlabError, OSError) as error:
            self._trouble = f"{error}{BEFORE}"
        return True

    def _read_anew(self) -> None:
        before = self._sums
        try:
            self._begin()
            before.chunks.close()
        except ReplacedFile:
            self._state, self._trouble = None, f"its ledger was replaced{BEFORE}"  # the next update tries again
        except (RewardlabError, OSError) as error:
            self._trouble = f"{error}{BEFORE}"

    def parts(self, has: str) -> KeptParts:
        """Return what the asker lacks who has so many groups of an edition, as "EDITION.GROUPS"."""
        chunks, groups = self._view.chunks.chunks, self._view.columns.groups
        starts = {f"{self.edition}.{at}": at for at in (groups, *(chunk.first for chunk in chunks))}
        first = starts.get(has, 0)
        numbers = [number for number, chunk in enumerate(chunks) if chunk.first >= first]
        state = "gone" if self._trouble else self._run.state
        header = {"edition": self.edition, "from": first, "state": state, "trouble": self._trouble}
        return KeptParts.of_chunks(self._view, numbers, self._questions, at=int(self._sign * 1000), **header)

    def texts(self, edition: str, number: int) -> str | None:
        chunks = self._view.chunks
        return chunks.read(number) if edition == self.edition and number < len(chunks.chunks) else None

    def group(self, edition: str, number: int) -> tuple[FollowedRun, Mapping[str, Any]] | None:
        is_there = edition == self.edition and number < self._view.columns.groups
        return (self._run, self._view.chunks.texts_of(number)) if is_there else None


def _add_groups(sums: SourceSums, run: FollowedRun) -> None:
    for lines in run.new_groups():
        sums.add(lines)
