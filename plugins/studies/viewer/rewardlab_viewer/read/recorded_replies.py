"""The replies of a judge that a job's files keep, for who reads what was said."""

from pathlib import Path

from rewardlab import Reply
from rewardlab.files import expanded
from rewardlab.judging import Cassette, files_of_judge


class RecordedReplies:
    """The replies of one judge to a job, for who reads what was said; also those that no further job replays.

    files: where they stand; there are none if a job keeps no replies.
    """

    def __init__(self, folder: Path, name: str, cassette: str | None) -> None:
        """Open the files. Raises UserError if one is not a cassette, or the recipe's is not there."""
        self.files = files_of_judge(folder, name)
        if cassette is not None:
            self.files.append(expanded(cassette))
        self._open: list[Cassette] = []
        try:
            self._open += (Cassette(path, write=False, forgets=False) for path in self.files)
        except BaseException:
            self.close()
            raise

    def find(self, key: str) -> Reply | None:
        """Return the reply to the question with this key (`question_key`); None if none is kept."""
        return next((reply for kept in self._open if (reply := kept.find(key)) is not None), None)

    def close(self) -> None:
        """Close the files; calling it again does nothing."""
        for cassette in self._open:
            cassette.close()
        self._open = []
