"""The progress bars of commands that read rows."""

import sys

from tqdm import tqdm

from rewardlab.text import cursor_stream

BAR_DELAY_S = 2


def row_bar(what: str, total: int | None = None, initial: int = 0) -> tqdm:
    """Return a progress bar on stderr; it shows only on a terminal, and only after two seconds."""
    looks = {"desc": what, "unit": " rows", "delay": BAR_DELAY_S, "disable": not sys.stderr.isatty()}
    return tqdm(total=total, initial=initial, file=cursor_stream(), **looks)
