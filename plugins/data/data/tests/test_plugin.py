"""The plugin as the registry sees it."""

from rewardlab import find, installed
from rewardlab.recipe import descriptions_of


def test_the_plugin_offers_its_datasets():
    plugin = installed().plugin("data")
    assert plugin.broken is None
    assert set(plugin.specs) == {
        ("dataset", name) for name in ("jsonl", "mix", "hub", "benchmark", "arithmetic", "expert", "split", "overlap")
    }


def test_only_reading_tells_what_a_file_provides():
    spec = find("dataset", "data/jsonl")
    assert spec.provided_fields(spec.config(path="rows.jsonl")) is None


def test_every_option_has_a_help_text():
    for spec in installed().plugin("data").specs.values():
        assert descriptions_of(spec.config).keys() == spec.config.model_fields.keys(), spec.name
