"""The site that `nox -s docs` has built, opened from the disk in a real browser: nothing is asked of a network."""

import pytest
from helpers.paths import ROOT

sync_api = pytest.importorskip("playwright.sync_api")
SITE = (ROOT / "build" / "site").as_uri()


@pytest.fixture
def tab():
    """A page of the browser; in the end, nothing was asked beyond the disk and no script failed."""
    wrong = []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()
        page.on("request", lambda asked: None if asked.url.startswith(("file:", "data:")) else wrong.append(asked.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        yield page
        browser.close()
    assert wrong == []


def test_it_begins_with_the_index_and_has_the_demo(tab):
    tab.goto(f"{SITE}/index.html")
    tab.get_by_role("heading", name="Documentation").wait_for()
    tab.get_by_role("link", name="gallery", exact=True).click()
    tab.get_by_role("link", name="demo report").click()
    tab.get_by_role("heading", name="Overview").wait_for()


def test_every_diagram_is_drawn(tab):
    tab.goto(f"{SITE}/docs/architecture.html")
    drawn = tab.locator("pre.mermaid svg")
    drawn.nth(tab.locator("pre.mermaid").count() - 1).wait_for()
    assert drawn.count() == 5


def test_it_is_searched_without_a_network(tab):
    tab.goto(f"{SITE}/search.html?q=gdpo")
    tab.locator("#search-results li a", has_text="Recipes").wait_for()


def test_links_to_the_reference_lead_to_the_made_pages(tab):
    tab.goto(f"{SITE}/docs/recipes.html")
    tab.locator("article").get_by_role("link", name="settings", exact=True).first.click()
    tab.get_by_role("heading", name="stage rl").wait_for()
    tab.goto(f"{SITE}/docs/reference/README.html")
    tab.locator("article").get_by_role("link", name="components", exact=True).click()
    tab.get_by_role("heading", name="math/accuracy").wait_for()
