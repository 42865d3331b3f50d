"""A pytest plugin: at the end of a session it lists the laws that were off or untried, and why.

It does so for components whose laws held; a test that fails shows its own failing examples. The plugin is loaded in
every pytest session of an environment that has rewardlab, and imports nothing of it until laws have been tried.
"""

import sys
from collections.abc import Generator
from typing import Any

import pytest

ATTRIBUTE = "rewardlab_laws"
TITLE = "laws of rewardlab"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[Any]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach the laws that a test did not try to its report, which under xdist goes to another process."""
    report = yield
    outcome = sys.modules.get("rewardlab_testing.outcomes.outcome")
    if outcome is not None and call.when != "setup" and outcome.CHECKED:
        if report.passed:
            from rewardlab_testing.outcomes.messages import untried_laws

            setattr(report, ATTRIBUTE, untried_laws(outcome.CHECKED))
        outcome.CHECKED.clear()
    return report


class _UntriedLaws:
    """The lines of all reports, without repeats, printed at the end."""

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
    """Register a collector of this session's reports."""
    config.pluginmanager.register(_UntriedLaws(), "rewardlab-laws")
