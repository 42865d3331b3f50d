"""What pytest tells at the end of a session: the components whose laws were tried, and which were off or untried.

Loaded in every pytest session of an environment that has rewardlab: imports nothing until laws have been tried.
"""

import sys
from typing import Any


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """A section, where a test has called `check_reward` or its like."""
    told = sys.modules.get("rewardlab.testing.outcome")
    if told is None or not told.CHECKED:
        return
    from rewardlab.testing.told import summary

    terminalreporter.section("laws of rewardlab")
    for line in summary(told.CHECKED):
        terminalreporter.write_line(line)
