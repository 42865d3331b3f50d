"""What runs in the other process: the spec is found again, built from its options as JSON, and asked.

A worker file (rewardlab.workers) in form; unlike others it runs in the host's environment alone, and imports rewardlab.
"""

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

from rewardlab.errors import UserError
from rewardlab.laws import Example
from rewardlab.testing.found_again import found
from rewardlab.testing.trial import Trial, use_of
from rewardlab.types import Sample
from rewardlab.workers import Workers

Json = Any


def build(settings: Mapping[str, Json], context: Mapping[str, Json]) -> "There":
    """settings: {place, options, example, source, workers, call}, of rewardlab.testing.elsewhere."""
    return There(settings, context)


class There:
    """The component in this process. What cannot be found is told in an answer: that breaks no law."""

    def __init__(self, settings: Mapping[str, Json], context: Mapping[str, Json]):
        self._unfound: str | None = None
        try:
            spec = found(settings["place"])
        except (LookupError, UserError) as error:
            self._unfound = str(error)
            return
        self._closing = ExitStack()
        self._component = self._trial(spec, settings, context).built(**_source(settings))
        module, _, function = settings["call"].partition(":")
        self._function = getattr(import_module(module), function)

    def _trial(self, spec: Any, settings: Mapping[str, Json], context: Mapping[str, Json]) -> Trial:
        place, folder = settings["place"], Path(context["cache_dir"])
        number = settings["example"]
        example = Example() if number is None else list(spec.laws.examples())[number]
        judges = getattr(example, "judges", None)
        workers = self._closing.enter_context(Workers(cache=folder, seed=context["seed"]))
        return Trial(
            spec=spec,
            use=place["use"] or use_of(spec, None),
            example=example,
            options=spec.config.model_validate(settings["options"]),
            folder=folder.parent,
            tries=0,
            judges=judges() if judges else {},
            opener=workers.of(use=spec.name, **settings["workers"]),
        )

    def answer(self, questions: list[Json]) -> list[Json]:
        """{"answer": ...} to each; {"unfound": why} where the spec is not found here."""
        if self._unfound is not None:
            return [{"unfound": self._unfound} for _ in questions]
        return [{"answer": self._function(self._component, question)} for question in questions]


class OnRay:
    """As an actor: the other process's part, in the form that Ray calls."""

    def answer(self, path: list[str], settings: Json, context: Json, question: Json) -> Json:
        """What `There` answers. path: the driver's sys.path."""
        sys.path[:] = path
        return There(settings, context).answer([question])[0]


def _source(settings: Mapping[str, Json]) -> dict[str, Any]:
    return {} if settings["source"] is None else {"source": [Sample(**sample) for sample in settings["source"]]}
