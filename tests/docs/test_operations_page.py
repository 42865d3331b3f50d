"""docs/operations.md and its dashboard name the metrics that are counted, all of them and no others."""

import json
import re

from helpers.paths import ROOT
from rewardlab.judging import Usage
from rewardlab_serve.command import Options
from rewardlab_serve.metrics import Metrics

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
DASHBOARD = json.loads((ROOT / "docs" / "operations" / "grafana.json").read_text(encoding="utf-8"))
ACTORS = ROOT / "plugins" / "engines" / "ray" / "rewardlab_ray" / "scoring" / "metrics.py"


def served():
    """The names that `rewardlab serve` has, without `rewardlab_`."""
    metrics = Metrics()
    metrics.watch(lambda: 0.0, lambda: {"main": Usage()})
    found = re.findall(r"(?m)^# TYPE rewardlab_(\w+) (\w+)$", metrics.text().decode())
    return {name for name, _ in found if not name.endswith("_created")}


def counted_by_actors():
    """The same of the actors on Ray, which adds `_total` to counters; read from the source, as it needs no Ray."""
    found = re.findall(r'\((Counter|Gauge), f?"([\w{}]+)"', ACTORS.read_text(encoding="utf-8"))
    names = {name + "_total" * (kind == "Counter") for kind, name in found}
    judged = {name for name in names if "{name}" in name}
    return names - judged | {name.replace("{name}", count) for name in judged for count in vars(Usage())}


def in_table():
    """name -> who has it, by the page's table."""
    rows = re.findall(r"(?m)^\| (`[a-z_]+`.*?) \|.*?\| (serve|Ray|both) \|", PAGE)
    return {name: who for names, who in rows for name in re.findall(r"`(\w+)`", names)}


def test_the_table_has_who_counts_what():
    serve, actors = served(), counted_by_actors()
    both, only_served = dict.fromkeys(serve & actors, "both"), dict.fromkeys(serve - actors, "serve")
    expected = both | only_served | dict.fromkeys(actors - serve, "Ray")
    assert in_table() == expected


def test_the_dashboard_asks_for_what_there_is_and_leaves_nothing_out():
    asked = " ".join(target["expr"] for panel in DASHBOARD["panels"] for target in panel.get("targets", ()))
    names = {name.removesuffix("_bucket") for name in re.findall(r"rewardlab_(\w+)", asked)}
    assert names == set(in_table())


def test_the_server_that_is_scraped_answers_to_its_name_and_port():
    name, port = re.search(r'targets: \["([\w.]+):(\d+)"', PAGE).groups()
    assert f"`--allow-host {name}`" in PAGE
    assert int(port) == Options.model_fields["port"].default


def test_panels_do_not_overlap():
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in DASHBOARD["panels"])
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells))
    assert all(x < 24 for x, _ in cells)
