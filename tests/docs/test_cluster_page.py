"""docs/cluster.md says of each loss what the tests of both engines hold it to."""

import re

from helpers.faults import CASES, FAULTS, ON_ONE_MACHINE
from helpers.paths import DOCS


def test_the_table_of_losses_is_that_of_the_tests_of_both_engines():
    page = (DOCS / "cluster.md").read_text(encoding="utf-8")
    _, _, table = page.partition("| lost in mid-training | what happens |\n|---|---|\n")
    rows = re.findall(r"\| (.+?) \| (.+) \|\n", table.partition("\n\n")[0] + "\n")
    assert dict(rows) == FAULTS
    _, *alone = CASES
    assert sorted([*ON_ONE_MACHINE, *alone]) == sorted(FAULTS), "each is tried"
