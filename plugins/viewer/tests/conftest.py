"""A real browser, in which tests open pages."""

import os
import shutil

import pytest

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    found = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if found is None:
        pytest.fail("these tests need Chromium (apt-get install chromium, or its path in CHROMIUM)")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser):
    """Open a page; it must ask for nothing but its own files, and no script may fail or open a dialog."""
    wrong, contexts = [], []

    def visit(page, hash="", **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(30_000)  # a loaded machine
        beside = page.parent.as_uri() if page.name == "index.html" else page.as_uri()
        tab.on("request", lambda one: wrong.append(one.url) if not one.url.startswith((beside, "data:,")) else None)
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        tab.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        tab.goto(page.as_uri() + hash)
        tab.wait_for_selector("html[data-ready]")
        return tab

    yield visit
    for context in contexts:
        context.close()
    assert wrong == []
