"""release/lists.py: what follows from the folder plugins/ is as it would write it."""

import runpy

import pytest
from helpers.paths import ROOT


@pytest.mark.slow
def test_all_lists_of_plugins_are_up_to_date():
    written = runpy.run_path(str(ROOT / "release/lists.py"))["written"]()
    stale = [str(path) for path, text in written.items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run python release/lists.py"
