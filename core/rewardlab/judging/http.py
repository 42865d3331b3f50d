"""What a judge behind another HTTP API needs (docs/http_judges.md): the names of the distribution rewardlab-http."""

from rewardlab.lazy import names_of_plugin

__getattr__, __dir__ = names_of_plugin(__name__, "http")
