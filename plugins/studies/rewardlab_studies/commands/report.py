"""`rewardlab report`: one self-contained page about a run."""

from pathlib import Path
from typing import Annotated

from rewardlab import CommandResult, Config, Flag, Positional

from rewardlab_studies.report.page import write_report


class Options(Config):
    """Write one self-contained page about a run: results, reward curves, completions with their scores."""

    run: Annotated[Path, Positional("RUN")]
    """a run directory"""
    output: Annotated[Path | None, Flag("-o", metavar="PAGE")] = None
    """the page to write (report.html in the run)"""


def run(options: Options) -> CommandResult:
    """Write the page; data: its path, and what is wrong with the run."""
    target = options.output or options.run / "report.html"
    findings = list(write_report(options.run, target))
    return CommandResult(text=f"wrote {target}", data={"ok": True, "output": str(target), "findings": findings})
