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
def open_tab(browser):
    """Open an address; the page must ask for nothing beside it, and no script may fail or open a dialog.

    `open_tab.gone`: set it while a server is away, whose lack a browser tells on its console.
    """
    wrong, contexts = [], []

    def open_tab(address, beside, hash="", **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(30_000)  # a loaded machine
        tab.on("request", lambda one: wrong.append(one.url) if not one.url.startswith((beside, "data:,")) else None)
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on(
            "console",
            lambda message: wrong.append(message.text) if message.type == "error" and not open_tab.gone else None,
        )
        tab.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        tab.goto(address + hash)
        tab.wait_for_selector("html[data-ready]")
        return tab

    open_tab.gone = False
    yield open_tab
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def visit(open_tab):
    """Open a page from the disk; a bundle's may ask for the files beside it."""

    def visit(page, hash="", **options):
        beside = page.parent if page.name == "index.html" else page
        return open_tab(page.as_uri(), beside.as_uri(), hash, **options)

    return visit
