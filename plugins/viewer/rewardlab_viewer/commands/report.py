"""`rewardlab report`: one self-contained page about runs or scored files."""

from pathlib import Path
from typing import Annotated

from rewardlab import CommandResult, Config, Flag, Positional
from rewardlab.errors import UserError

from rewardlab_viewer.page.page import write_report


class Options(Config):
    """Write one self-contained page about a run: results, reward curves, judges, every completion with its scores."""

    run: Annotated[list[Path], Positional("RUN")]
    """a run directory, or a file that `score` wrote; several stand side by side"""
    output: Annotated[Path | None, Flag("-o", metavar="PAGE")] = None
    """the page to write (report.html in the run)"""
    bundle: Annotated[Path | None, Flag(metavar="DIR")] = None
    """write a folder instead, of a page with the texts beside it, for a ledger that is too large for one page"""


def run(options: Options) -> CommandResult:
    """Write the page; data: its path, and what is wrong with the run."""
    target = options.bundle or options.output or _target(options.run)
    written = write_report(options.run, target, bundle=options.bundle is not None)
    data = {"ok": True, "output": str(target), "findings": list(written.findings)}
    return CommandResult(text=f"wrote {target}", data=data, warnings=list(written.notes))


def _target(sources: list[Path]) -> Path:
    if len(sources) == 1:
        return sources[0] / "report.html" if sources[0].is_dir() else sources[0].with_suffix(".html")
    raise UserError("several runs make one page, which belongs to none of them; name it: -o PAGE")
