"""The audit: installs public graders side by side, and probes each as a function.

    python evidence/audit [--only PREFIX ...] [--jobs 2] [--results DIR] [--again] [--limit 6] [--thorough 2]
    python evidence/audit --draw 40      lists findings to check by hand, the same each time
    python evidence/audit --paste        runs the recorded lines again, and says which print something else
    python evidence/audit --page         writes audit.jsonl, the table of docs/audit.md from it, and reproductions.md

What is probed is kept and not probed again, unless the entry, its rows or its adapter have changed. Ctrl-C ends it; the
next call goes on, also with what could not be probed.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from rewardlab.errors import JobError, RewardlabError

from audit.checked import drawn
from audit.entries import HERE, entries
from audit.grader import Grader
from audit.installation import Environments
from audit.page import records, write_page
from audit.probing import probed, reproduced, written_rows
from audit.results import Results


def main() -> None:
    """Probe what is not probed yet, or say what is known."""
    options = _options()
    results = Results(options.results)
    graders = entries(tuple(options.only))
    if options.draw:
        for name, finding in drawn(results.every(graders), options.draw):
            print(
                f"{name} {finding['check']}: {finding['what']}\n  {finding['line']}\n  {finding.get('reproduced', '')}"
            )
    elif options.page:
        every = entries()
        write_page(every, results.every(every))
    elif options.paste:
        paste(graders, options)
    else:
        audit(graders, results, options)


def audit(graders: Sequence[Grader], results: Results, options: argparse.Namespace) -> None:
    """Probe the graders of which nothing is kept, several at a time."""
    done = {grader.name for grader, result in results.every(graders) if result["report"] and not options.again}
    waiting = [grader for grader in graders if grader.name not in done]
    print(f"{len(graders)} graders, {len(waiting)} to probe", flush=True)
    environments = Environments(options.results / "packages", print)
    with ThreadPoolExecutor(options.jobs) as pool:
        begun = []
        for grader in waiting:
            try:
                python = environments.python_of(grader)  # one after the other: each may be built first
            except JobError as error:
                _keep(results, grader, error=error)
            else:
                limits = ["--limit", options.limit, "--thorough", options.thorough]
                begun.append(pool.submit(_probe, results, grader, python, limits))
        for probe in begun:
            probe.result()  # raises what it raised


def _probe(results: Results, grader: Grader, python: str, limits: Sequence[str]) -> None:
    try:
        report = probed(grader, python, written_rows(grader, python, results.folder / "rows"), limits)
    except JobError as error:
        _keep(results, grader, error=error)
    else:
        results.keep(grader, report=report)
        failing = [finding["check"] for finding in report["findings"] if finding["level"] == "error"]
        print(f"{grader.name}: {', '.join(failing) or 'nothing'}", flush=True)


def _keep(results: Results, grader: Grader, error: JobError) -> None:
    results.keep(grader, error=str(error))
    print(f"{grader.name}: not probed: {error}", flush=True)


def paste(graders: Sequence[Grader], options: argparse.Namespace) -> None:
    """Run the recorded lines of graders in their environments; ends with an error if one prints something else."""
    environments = Environments(options.results / "packages", print)
    shown = {record["name"]: record["findings"] for record in records()}
    different = 0
    for grader in graders:
        if findings := shown.get(grader.name):
            try:
                python = environments.python_of(grader)
            except JobError as error:
                print(f"{grader.name}: not pasted: {error}", flush=True)
                continue
            print(f"{grader.name}: {python}", flush=True)
            for finding in findings:
                printed = reproduced(finding, python)
                same = printed == finding["reproduced"]
                different += not same
                said = "as recorded" if same else f"it prints {printed!r}, and not {finding['reproduced']!r}"
                print(f"  {finding['check']}: {said}", flush=True)
    if different:
        sys.exit(f"{different} lines print something else")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=(), metavar="PREFIX", help="graders whose names begin so")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="graders at a time")
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR", help="where they are kept")
    parser.add_argument("--again", action="store_true", help="probe what is kept, too")
    parser.add_argument("--limit", default="6", metavar="N", help="rows of each grader")
    parser.add_argument("--thorough", default="2", metavar="N", help="rows that all completions are tried on")
    parser.add_argument("--draw", type=int, metavar="N", help="list findings to check by hand")
    parser.add_argument("--paste", action="store_true", help="run the recorded lines again")
    parser.add_argument("--page", action="store_true", help="write the page")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except RewardlabError as error:
        sys.exit(str(error))
