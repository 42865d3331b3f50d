"""What axe finds in an open page."""

from helpers.paths import ROOT

AXE = ROOT / "plugins" / "studies" / "viewer" / "tests" / "axe" / "axe.min.js"
OPEN_ALL = "for (const one of document.querySelectorAll('details')) one.open = true"
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}


def violations(tab):
    """(rule, elements) of each violation of WCAG AA; the page's policy must be bypassed."""
    tab.evaluate(AXE.read_text(encoding="utf-8"))
    found = tab.evaluate("async (rules) => (await axe.run(document, rules)).violations", RULES)
    return [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]
