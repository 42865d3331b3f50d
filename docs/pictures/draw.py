"""Draw the pictures of docs/report.md anew, of a run that nobody trained, in ten scripts.

python docs/pictures/draw.py    # needs playwright's Python package and /usr/bin/chromium
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from helpers.synthetic_run import write_run
from rewardlab_viewer.page.page import write_report

PICTURES = {  # name: (section, group that is chosen, colors, width)
    "curves": ("#curves", "", "light", 1180),
    "samples": ("#samples", "#group=2", "light", 1180),
}


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "report.html"
        write_report([write_run(Path(folder) / "many-languages", 8_000)], page)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for name, (section, group, colors, width) in PICTURES.items():
            tab = browser.new_page(viewport={"width": width, "height": 740}, color_scheme=colors)
            tab.goto(page.as_uri() + group)
            tab.wait_for_selector("#group .completion")
            tab.evaluate("section => document.querySelector(section).scrollIntoView()", section)
            tab.wait_for_timeout(300)
            tab.screenshot(path=Path(__file__).with_name(f"{name}.png"))
        browser.close()


if __name__ == "__main__":
    main()
