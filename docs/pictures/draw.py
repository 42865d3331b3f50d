"""Draw the pictures of docs/report.md anew: of the demo, and of a run that nobody trained, in ten scripts.

python docs/pictures/draw.py    # needs playwright's Python package and /usr/bin/chromium
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from helpers.synthetic_run import write_run
from rewardlab_viewer.demo import demo_run
from rewardlab_viewer.page.page import write_report

PICTURES = {  # name: (run, section, group that is chosen, colors)
    "quickstart": ("demo", "#curves", "", "light"),
    "overview": ("demo", "#overview", "", "light"),
    "curves": ("scripts", "#curves", "", "light"),
    "fields": ("scripts", "#fields", "", "light"),
    "judges": ("scripts", "#judges", "", "dark"),
    "samples": ("scripts", "#samples", "#group=2", "light"),
}
SIZE = {"width": 1180, "height": 740}


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, demo_run() as demo:
        runs = {"demo": demo, "scripts": write_run(Path(folder) / "many-languages", 8_000)}
        for name, run in runs.items():
            write_report([run], Path(folder) / f"{name}.html")
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for name, (run, section, group, colors) in PICTURES.items():
            tab = browser.new_page(viewport=SIZE, color_scheme=colors)
            tab.goto((Path(folder) / f"{run}.html").as_uri() + group)
            tab.wait_for_selector("#group .completion")
            tab.evaluate("section => document.querySelector(section).scrollIntoView()", section)
            tab.wait_for_timeout(300)
            tab.screenshot(path=Path(__file__).with_name(f"{name}.png"))
        browser.close()


if __name__ == "__main__":
    main()
