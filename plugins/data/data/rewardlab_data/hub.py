"""data/hub: the rows of a dataset on the Hugging Face hub, or of a dataset folder, as samples."""

import random
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from rewardlab import Context, Sample
from rewardlab.data import raw_sample
from rewardlab.errors import JobError, UserError, one_line

from rewardlab_data.options import HubOptions


class HubRows:
    """An iterable of raw samples, streaming by default; each iteration starts again. seed: of the rows drawn.

    Iterating raises UserError if the library `datasets`, the dataset, its split or revision is missing, and for a
    column that JSON cannot hold (images, audio); JobError if the hub cannot be reached.
    """

    def __init__(self, options: HubOptions, context: Context | None = None) -> None:
        self._options = options
        self._seed = options.seed if options.seed is not None else 0 if context is None else context.seed

    def __iter__(self) -> Iterator[Sample]:
        options = self._options
        rows = self._open()
        try:
            numbered: Iterable[tuple[int, dict[str, Any]]] = enumerate(rows, 1)
            if options.drawn and options.rows is not None:
                numbered = drawn_of(numbered, options.rows, random.Random(f"rows of a dataset:{self._seed}"))
            for number, row in islice(numbered, options.rows):
                yield raw_sample(row, f"{options.path} row {number}")
        except (UserError, JobError, GeneratorExit):
            raise
        except Exception as error:  # whatever the library raises while it streams
            raise JobError(f"reading {options.path} failed: {one_line(error)}") from error

    def _open(self) -> Iterable[dict[str, Any]]:
        options = self._options
        try:
            import datasets
        except ImportError as error:
            raise UserError("data/hub needs the library datasets; pip install datasets") from error
        datasets.disable_progress_bars()
        try:
            rows = datasets.load_dataset(
                options.path,
                options.name,
                split=options.split,
                revision=options.revision,
                streaming=options.streaming,
                token=None,  # the one of `huggingface-cli login` or HF_TOKEN
            )
        except (ValueError, FileNotFoundError, datasets.exceptions.DatasetNotFoundError) as error:
            raise UserError(one_line(error, 500), where=options.path) from error
        except Exception as error:
            raise JobError(f"{options.path} cannot be loaded: {one_line(error)}") from error
        media = [
            name for name, kind in (rows.features or {}).items() if type(kind).__name__ in ("Image", "Audio", "Video")
        ]
        if media:
            raise UserError(f"the columns {', '.join(media)} hold no text or numbers", where=options.path)
        return rows


def drawn_of(items: Iterable[Any], count: int, draw: random.Random) -> list[Any]:
    """Return `count` random items in their order, each equally likely; all if there are fewer. Reads them once."""
    kept: list[tuple[int, Any]] = []
    for number, item in enumerate(items):
        if number < count:
            kept.append((number, item))
        elif (place := draw.randrange(number + 1)) < count:
            kept[place] = (number, item)
    return [item for _, item in sorted(kept, key=lambda numbered: numbered[0])]
