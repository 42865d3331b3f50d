"""pyarrow, the library that knows parquet files: an extra, imported where a file needs it."""

from typing import Any

from rewardlab.errors import UserError

INSTALL = "pip install 'rewardlab[parquet]'"


def import_pyarrow(path: str) -> Any:
    """Return the module pyarrow. Raises UserError that says how to install it, for the file at `path`."""
    try:
        import pyarrow
    except ImportError as error:
        raise UserError(f"parquet files need the library pyarrow; {INSTALL}", where=path) from error
    return pyarrow
