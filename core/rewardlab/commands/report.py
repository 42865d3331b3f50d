"""Write one self-contained page about a run: results, reward curves, completions with their scores."""

from argparse import ArgumentParser, Namespace
from pathlib import Path


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", type=Path, help="a run directory")
    parser.add_argument("-o", "--output", type=Path, help="the page to write (default: report.html in the run)")


def run(options: Namespace) -> int:
    from rewardlab.analysis.report.page import write_report

    target = options.output or options.run / "report.html"
    write_report(options.run, target)
    print(f"wrote {target}")
    return 0
