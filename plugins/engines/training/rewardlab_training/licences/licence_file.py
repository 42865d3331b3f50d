"""The file of a judge's licences: what was asked, on which labels, and what was measured; JSON, beside the cassette."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from pydantic import ValidationError
from rewardlab import Config
from rewardlab.errors import UserError
from rewardlab.files import FileLock, expanded, read_json, write_json
from rewardlab.recipe import JudgeUse

from rewardlab_training.licences.bounds import Measured


class Labels(Config):
    """The file of labels that a licence was measured on."""

    path: str
    sha256: str
    rows: int


class Licence(Config):
    """One measurement of a judge, by one component that asks it.

    Args:
        asked: all that decides its answers besides the rows; a judge that is asked otherwise has no licence.
        measures: by value of `by` ("all" without it), then by name.
        unanswered: labels about which a question had no answer that could be used.
    """

    component: str
    asked: dict[str, Any]
    labels: Labels
    by: str | None = None
    level: float
    measures: dict[str, dict[str, Measured]]
    unanswered: int = 0
    at: str


class LicenceFile(Config):
    """The licences of one judge: one for each way in which it was asked."""

    version: Literal[1] = 1
    judge: str
    licences: Sequence[Licence] = ()


def licence_path(judge: str, use: JudgeUse) -> Path:
    """Return where a judge's licences stand: beside its cassette, or beside the labels if it has none."""
    assert use.require is not None
    beside = expanded(use.require.labels if use.cassette is None else use.cassette.path)
    return beside.with_name(f"{quote(judge, safe=' ')}.licence.json")


def read_licences(path: Path, judge: str) -> LicenceFile:
    """Return the licences in a file; none if there is no such file. A UserError for a damaged one."""
    try:
        return LicenceFile.model_validate(read_json(path))
    except FileNotFoundError:
        return LicenceFile(judge=judge)
    except ValidationError as error:
        first = error.errors()[0]
        why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    except (OSError, ValueError) as error:
        why = str(error)
    raise UserError(f"is no file of licences ({why}); move it away and measure again", where=str(path))


def keep_licence(path: Path, judge: str, licence: Licence) -> Licence:
    """Add a licence to a file, in the place of the one for the same component, asked in the same way; return it.

    The one that is there stays, and is returned, if it is of the same labels and more of them were answered: a judge
    that was down in the meantime is no worse.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(FileLock(path.with_name(f"{path.name}.lock"), wait=True)):  # another measurement may end just now
        file = read_licences(path, judge)
        before, _ = newest(file, licence.component, licence.asked)
        if before is not None and _says_more(before, licence):
            return before
        others = [other for other in file.licences if other is not before]
        write_json(path, LicenceFile(judge=judge, licences=(*others, licence)).model_dump(mode="json"))
    return licence


def _says_more(before: Licence, licence: Licence) -> bool:
    same = (before.labels.sha256, before.by) == (licence.labels.sha256, licence.by)
    return same and before.unanswered < licence.unanswered


def newest(licences: LicenceFile, component: str, asked: Mapping[str, Any]) -> tuple[Licence | None, Licence | None]:
    """Return (the licence of a component that is asked so, the last one of it that was asked otherwise)."""
    of_component = [licence for licence in licences.licences if licence.component == component]
    same = [licence for licence in of_component if licence.asked == asked]
    return (same[-1] if same else None), (of_component[-1] if of_component else None)
