"""The demo: a run of the quickstart that comes with the viewer, so that a report can be looked at without a run.

`python plugins/studies/viewer/make_demo.py` makes it anew; its manifest says what it was made with.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

PACKED = Path(__file__).with_name("demo.zip")


@contextmanager
def demo_run() -> Iterator[Path]:
    """Yield the folder of the demo's run, which is there until the block ends."""
    with TemporaryDirectory(prefix="rewardlab-demo-") as folder, ZipFile(PACKED) as packed:
        packed.extractall(folder)
        yield Path(folder) / "quickstart"
