"""The file or folder of an export in an object store, by fsspec: put there file by file, and whole or not there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from rewardlab.errors import JobError, UserError, one_line

from rewardlab_records.rollouts.stored_files import UNFINISHED, open_store

Written = Callable[[Path, Path], None]
"""a function that is told of a file that is whole, and of its name in the folder"""


@contextmanager
def stored_output(url: str) -> Iterator[tuple[Path, Written]]:
    """Give a path of this machine, and a function that puts a file of a folder into the store before the block ends.

    What is at the path when the block ends goes there, too. Raises UserError if the address exists already or cannot be
    reached, JobError if the store takes a file no more; what was put there is removed then.
    """
    upload = _Upload(url)
    with TemporaryDirectory(prefix="rewardlab-") as folder:
        local = Path(folder, url.rstrip("/").rpartition("/")[2])
        try:
            yield local, upload.put
            rest = [file for file in local.rglob("*") if file.is_file()] if local.is_dir() else [local]
            for file in rest:
                upload.put(file, file.relative_to(local))
            upload.publish()
        except BaseException:
            upload.remove()
            raise


class _Upload:
    """The files of an export, which are at the address with UNFINISHED behind it until the last of them is there.

    They are moved one by one then: as long as one is not, the unfinished address exists, and readers refuse both.
    """

    def __init__(self, url: str) -> None:
        self._url, self._put, self._published = url.rstrip("/"), list[str](), False
        try:
            self._files, self._path = open_store(url)
            # a bucket that is not there is an error, and not made
            self._files.info(self._path.partition("/")[0] or "/")
            there = [end for end in ("", UNFINISHED) if self._files.exists(self._path + end)]
        except UserError:
            raise
        except Exception as error:  # each store raises its own kinds
            raise UserError(f"cannot be written: {one_line(error)}", where=url) from error
        if UNFINISHED in there:
            problem = "an export that goes on, or was killed, has left this; remove it, or give -o another name"
            raise UserError(problem, where=self._url + UNFINISHED)
        if there:
            raise UserError("exists already; give -o another name", where=url)

    def put(self, file: Path, name: Path) -> None:
        """Put a file into the store and delete it here; name: below the address, or . for the address itself."""
        below = "" if name == Path() else f"/{name.as_posix()}"
        self._put.append(below)
        with self._refusal():
            self._make_folder(self._path + UNFINISHED + below)
            self._files.put_file(str(file), self._path + UNFINISHED + below)
        file.unlink()

    def publish(self) -> None:
        """Give all files their names."""
        with self._refusal():
            self._published = True
            for below in self._put:
                self._make_folder(self._path + below)
                self._files.mv(self._path + UNFINISHED + below, self._path + below)
            if self._files.exists(self._path + UNFINISHED):  # folders, in a store that has any
                self._files.rm(self._path + UNFINISHED, recursive=True)

    def remove(self) -> None:
        """Remove what is in the store; what cannot be is unfinished, and stays."""
        for end in ("", UNFINISHED) if self._published else (UNFINISHED,):
            with suppress(Exception):  # of the store, which has just refused something else
                self._files.rm(self._path + end, recursive=True)

    def _make_folder(self, path: str) -> None:
        self._files.makedirs(path.rpartition("/")[0], exist_ok=True)

    @contextmanager
    def _refusal(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise JobError(f"{self._url} cannot be written: {one_line(error)}") from error
