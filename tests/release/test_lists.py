"""release/lists.py: what follows from the folder plugins/ is as it would write it."""

import subprocess
import sys

from helpers.paths import ROOT


def test_all_lists_of_plugins_are_up_to_date():
    command = [sys.executable, str(ROOT / "release/lists.py"), "--check"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stdout) == (0, ""), "run python release/lists.py\n" + done.stderr
