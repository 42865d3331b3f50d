"""What a print of the page has, and tables that are wider than the screen or the paper."""

import pytest
from helpers.synthetic_run import GROUP, write_run
from rewardlab_viewer.page.page import write_report

pytestmark = pytest.mark.nightly

PAPER = {"width": 700, "height": 1000}  # an A4 page between its margins, in pixels of the style
CUT = """() => [...document.querySelectorAll("table, pre, .say, .chart")].filter((node) => node.checkVisibility()
    && node.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map((node) => node.innerText)"""
OPEN_TABLES = "for (const one of document.querySelectorAll('details:has(table)')) one.open = true"


def many_components(lines):
    for line in lines:
        line["components"] |= {f"a_component_{at}": line["components"]["fluency"] for at in range(20)}
    return lines


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    write_report([write_run(folder / "run", 20 * GROUP, lines_of=many_components)], folder / "page.html")
    return folder / "page.html"


def test_a_wide_table_fades_where_it_goes_on_and_is_whole_on_paper(visit, page):
    tab = visit(page, viewport={"width": 900, "height": 900})
    table = tab.locator("#fields .scroll").first
    assert table.get_attribute("data-more") == "after"
    assert "gradient" in table.evaluate("node => getComputedStyle(node).maskImage")
    table.evaluate("node => { node.scrollLeft = 200 }")
    tab.wait_for_function("() => document.querySelector('#fields .scroll').dataset.more === 'before after'")
    table.evaluate("node => { node.scrollLeft = 1e6 }")
    tab.wait_for_function("() => document.querySelector('#fields .scroll').dataset.more === 'before'")
    assert tab.locator("#causes .scroll").first.get_attribute("data-more") == "", "this one is whole"
    assert tab.evaluate(CUT) != []
    tab.emulate_media(media="print")
    tab.set_viewport_size(PAPER)
    tab.evaluate(OPEN_TABLES)
    assert tab.evaluate(CUT) == []
    faded = "node => { node.dataset.more = 'after'; return getComputedStyle(node).maskImage }"
    assert table.evaluate(faded) == "none", "whatever the screen's width was"


def test_a_print_has_no_samples_or_all_that_are_listed(visit, page):
    tab = visit(page)
    tab.emulate_media(media="print")
    assert tab.is_visible("text=The samples are not in this print")
    assert not tab.is_visible(".completion >> nth=0")
    tab.emulate_media(media="screen")
    assert not tab.is_visible("text=The samples are not in this print")
    tab.evaluate("window.print = () => { window.asked = true }")
    tab.click("text=print with these groups")
    tab.wait_for_function("() => window.asked")
    assert not tab.is_visible("#printed"), "on the screen all is as it was"
    tab.emulate_media(media="print")
    tab.set_viewport_size(PAPER)
    assert tab.locator("#printed .completion:visible").count() == 20 * GROUP
    assert not tab.is_visible("text=The samples are not in this print")
    assert tab.evaluate(CUT) == []
    tab.emulate_media(media="screen")
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    tab.select_option("#filters label:has-text('language') select", "am")
    tab.evaluate("window.asked = false")
    tab.click("text=print with these groups")
    tab.wait_for_function("() => window.asked")
    assert tab.locator("#printed .completion").count() == 2 * GROUP, "a filter chooses what is printed"
