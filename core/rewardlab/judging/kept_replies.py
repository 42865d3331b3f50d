"""The replies of a judge that are in files: the recipe's cassette, and the files of the job."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rewardlab.files import expanded
from rewardlab.judging.cassette import Cassette
from rewardlab.recipe.use import CassetteUse
from rewardlab.types import Reply


class KeptReplies:
    """The files of one judge's replies. A recipe's cassette is searched first.

    New replies go into it in mode record; without a cassette, or in mode replay, they go into the file `kept` of the
    job, if there is one. earlier: files of the job that are only searched. keeps: which keys of the job's files are
    looked for here; the others take no memory.
    """

    def __init__(
        self,
        name: str,
        use: CassetteUse | None,
        kept: Path | None,
        earlier: Sequence[Path] = (),
        keeps: Callable[[bytes], bool] | None = None,
    ):
        """Open the files. Raises UserError if the recipe's cassette cannot be used."""
        self._name = name
        self.use = use
        self._cassettes: list[Cassette] = []
        self._writable: Cassette | None = None
        if use is not None:
            self._cassettes.append(Cassette(expanded(use.path), write=use.mode == "record"))
            self._writable = self._cassettes[0] if use.mode == "record" else None
        if kept is not None and (use is None or use.mode == "replay"):
            self._writable = Cassette(kept, keeps=keeps)
            self._cassettes += [self._writable, *(Cassette(path, keeps=keeps) for path in earlier)]
        self._own = [
            one for one in self._cassettes if use is None or use.mode == "record" or one is not self._cassettes[0]
        ]

    @property
    def kept_in(self) -> Path | None:
        """The file that new replies are written to; None if they are not kept."""
        return self._writable.path if self._writable is not None else None

    def find(self, key: str) -> Reply | None:
        """Return the reply with this key; one with an error where the cassette alone may answer, and has none."""
        for cassette in self._cassettes:
            if (reply := cassette.find(key)) is not None:
                return reply
        if self.use is not None and self.use.mode == "strict":
            return Reply(error=f"judge {self._name!r}: the cassette {self.use.path} has no answer to this question")
        return None

    def add(self, key: str, model: str, draw: int, reply: Reply) -> Reply:
        """Keep a reply and return the one that is kept now. Raises JobError if it cannot be kept."""
        return reply if self._writable is None else self._writable.add(key, model, draw, reply)

    def forget(self, keys: Iterable[str]) -> int:
        """Forget kept replies, and return how many there were. The recipe's cassette only forgets what it records."""
        keys = list(keys)
        return sum(cassette.forget(keys) for cassette in self._own)

    def close(self) -> None:
        """Close the files; calling it again does nothing."""
        for cassette in self._cassettes:
            cassette.close()
        self._cassettes, self._own, self._writable = [], [], None

    async def claim(self, key: str) -> Reply | None:
        """Return the kept reply; None where the question is to be asked."""
        return self.find(key)

    async def keep(self, key: str, model: str, draw: int, reply: Reply) -> Reply:
        """Keep a reply and return the one that is kept now."""
        return self.add(key, model, draw, reply)

    def release(self, key: str) -> None:
        """Note that a question got no reply."""
