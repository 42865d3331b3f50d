"""Train the quickstart and pack its run as the viewer's demo, without its models; two minutes on two cores.

python plugins/studies/viewer/make_demo.py    # writes rewardlab_viewer/demo.zip; look at `rewardlab report --demo`
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_LZMA, ZipFile

import rewardlab
from rewardlab_viewer.demo import PACKED

KEPT = (
    "manifest.json",
    "recipe.resolved.yaml",
    "state.json",
    "ledger.jsonl",
    "usage.jsonl",
    "logs/*.jsonl",
    "evaluation/*.json",
)


def main() -> None:
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        rewardlab.run("quickstart")
        [run] = Path("runs").iterdir()
        with ZipFile(PACKED, "w", ZIP_LZMA) as packed:
            for path in sorted(path for pattern in KEPT for path in run.glob(pattern)):
                packed.write(path, f"quickstart/{path.relative_to(run)}")
    print(f"wrote {PACKED}, {PACKED.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
