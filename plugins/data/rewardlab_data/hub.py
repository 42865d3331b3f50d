"""data/hub: the rows of a dataset on the Hugging Face hub, or of a dataset folder, as samples."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from rewardlab import Sample
from rewardlab.errors import JobError, UserError, one_line
from rewardlab.rows import raw_sample

from rewardlab_data import HubOptions


class HubRows:
    """An iterable of raw samples, streaming by default; each iteration starts anew.

    Raises UserError while it is read: no library `datasets`, no such dataset, split or revision, or a column
    that JSON cannot hold (images, audio). A JobError where the hub cannot be reached.
    """

    def __init__(self, options: HubOptions):
        self._options = options

    def __iter__(self) -> Iterator[Sample]:
        options = self._options
        rows = self._open()
        try:
            for number, row in enumerate(islice(rows, options.rows), 1):
                yield raw_sample(row, f"{options.path} row {number}")
        except (UserError, JobError, GeneratorExit):
            raise
        except Exception as error:  # of the library, while it streams
            raise JobError(f"{options.path} cannot be read on: {one_line(error)}") from error

    def _open(self) -> Iterable[dict[str, Any]]:
        options = self._options
        try:
            import datasets
        except ImportError as error:
            raise UserError("data/hub needs the library datasets; pip install 'rewardlab-data[hub]'") from error
        datasets.disable_progress_bars()
        try:
            rows = datasets.load_dataset(
                options.path,
                options.name,
                split=options.split,
                revision=options.revision,
                streaming=options.streaming,
                token=None,  # what `huggingface-cli login` or HF_TOKEN gives
            )
        except (ValueError, FileNotFoundError, datasets.exceptions.DatasetNotFoundError) as error:
            raise UserError(one_line(error, 500), where=options.path) from error
        except Exception as error:
            raise JobError(f"{options.path} cannot be loaded: {one_line(error)}") from error
        odd = [
            name for name, kind in (rows.features or {}).items() if type(kind).__name__ in ("Image", "Audio", "Video")
        ]
        if odd:
            raise UserError(f"the columns {', '.join(odd)} hold no text or numbers", where=options.path)
        return rows
