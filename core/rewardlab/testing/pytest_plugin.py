"""What pytest tells at the end of a session: of the components whose laws held, which of these were off or untried.

A test that fails tells its own. Loaded in every pytest session of an environment that has rewardlab: imports nothing
of it until laws have been tried.
"""

import sys
from collections.abc import Generator
from typing import Any

import pytest

ATTRIBUTE = "rewardlab_laws"
TITLE = "laws of rewardlab"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[Any]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a test found goes with its report: under xdist to another process."""
    report = yield
    outcome = sys.modules.get("rewardlab.testing.outcome")
    if outcome is not None and call.when != "setup" and outcome.CHECKED:
        if report.passed:
            from rewardlab.testing.told import remarks

            setattr(report, ATTRIBUTE, remarks(outcome.CHECKED))
        outcome.CHECKED.clear()
    return report


class _Collected:
    """The remarks of all reports, without repeats."""

    def __init__(self) -> None:
        self.lines: dict[str, None] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.lines |= dict.fromkeys(getattr(report, ATTRIBUTE, ()))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.lines:
            terminalreporter.section(TITLE)
            for line in self.lines:
                terminalreporter.write_line(line)


def pytest_configure(config: pytest.Config) -> None:
    """Listen to the reports of this session."""
    config.pluginmanager.register(_Collected(), "rewardlab-laws")
