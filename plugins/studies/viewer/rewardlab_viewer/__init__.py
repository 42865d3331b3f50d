"""The viewer: one page that shows what moved a reward, where it fails, for whom, and whether a judge can be trusted.

Three layers, each of which knows only the one before it:

    read      a run's folder or a scored file -> its lines, one at a time, and what is broken about it, in words;
              people's labels; what judges were asked, made again from the lines, with the replies that were kept
    figures   lines -> plain data: curves, tables with intervals, counts that add up, judges; pure functions and sums
    page      plain data -> one HTML file, or a folder of files for a ledger that is too large for one

Memory holds numbers of all completions (typed arrays) and no text: texts go to the page in packed chunks while the
ledger is read, and the browser unpacks a chunk when its group is looked at. What needs no interaction is HTML that
jinja2 escapes, so that it is read, printed and searched without a script; scripts draw curves and show samples, and
make text nodes only. The page asks for nothing: its policy names the hash of each script, and forbids all else.
"""

from collections.abc import Sequence
from pathlib import Path

from rewardlab import hookimpl


@hookimpl
def rewardlab_run_finished(directory: Path) -> Sequence[str]:
    from .page.page import write_report

    return list(write_report([directory], directory / "report.html").findings)
