"""`rewardlab report` of a run that nobody trained, in ten scripts: the time, the memory, the page, and its first view.

    python benchmarks/report.py [--completions 20000] [--bundle]

The page is opened from the disk in headless Chromium (playwright's Python package, and /usr/bin/chromium). Seen: the
first paint, and the moment when the samples can be used, each the best of three.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from helpers.synthetic_run import write_run

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--completions", type=int, default=20_000)
    parser.add_argument("--bundle", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = write_run(Path(folder) / "run", options.completions)
        target = Path(folder) / ("bundle" if options.bundle else "page.html")
        begun = time.perf_counter()
        where = ["--bundle", target] if options.bundle else ["-o", target]
        subprocess.run([Path(sys.executable).with_name("rewardlab"), "report", run, *where], check=True)
        took = time.perf_counter() - begun
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        page = target / "index.html" if options.bundle else target
        whole = sum(file.stat().st_size for file in target.iterdir()) if options.bundle else page.stat().st_size
        ledger = (run / "ledger.jsonl").stat().st_size
        print(f"{options.completions:,} completions, a ledger of {ledger / 1e6:.1f} MB, load {os.getloadavg()[0]:.1f}")
        print(f"written in {took:.1f} s, at most {memory:.0f} MiB; {page.name} {page.stat().st_size / 1e6:.2f} MB")
        print(f"everything {whole / 1e6:.2f} MB")
        paint, ready = min(first_view(page) for _ in range(3))
        print(f"first paint after {paint / 1000:.2f} s, samples after {ready:.2f} s")


def first_view(page):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        tab = browser.new_page()
        begun = time.perf_counter()
        tab.goto(page.as_uri())
        tab.wait_for_selector("html[data-ready]", timeout=60_000)
        ready = time.perf_counter() - begun
        found = tab.evaluate(PAINT), ready
        browser.close()
        return found


if __name__ == "__main__":
    main()
