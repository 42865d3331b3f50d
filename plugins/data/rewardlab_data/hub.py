"""data/hub: the rows of a dataset on the Hugging Face hub, or of a dataset folder, as samples."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from rewardlab import Context, Sample
from rewardlab.data import raw_sample
from rewardlab.errors import JobError, UserError, one_line

from rewardlab_data.options import HubOptions


class HubRows:
    """An iterable of raw samples, streaming by default; each iteration starts anew.

    Iterating raises UserError where the library `datasets`, the dataset, its split or revision is missing, and for a
    column that JSON cannot hold (images, audio); JobError where the hub cannot be reached.
    """

    def __init__(self, options: HubOptions, _context: Context | None = None):
        self._options = options

    def __iter__(self) -> Iterator[Sample]:
        options = self._options
        rows = self._open()
        try:
            for number, row in enumerate(islice(rows, options.rows), 1):
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
            raise UserError("data/hub needs the library datasets; pip install 'rewardlab-data[hub]'") from error
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
