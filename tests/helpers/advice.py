"""What an error advises, done word by word, so that a test sees that it helps."""

import re
import tempfile
from pathlib import Path

from rewardlab.recipe import load


def as_advised(recipe, error, column):
    """The recipe with the line that an error about a missing column tells to write, for the column that has it.

    error: its text, or what `pytest.raises` gives.
    """
    advised = re.search(r"`(dataset: .*?<column>.*?)`", str(getattr(error, "value", error)))
    assert advised, f"no advice in: {error}"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "advised.yaml")
        file.write_text(f"version: 1\n{advised[1].replace('<column>', column)}\n", "utf-8")
        return recipe | {"dataset": load(file, (), strict=False).tree["dataset"]}
