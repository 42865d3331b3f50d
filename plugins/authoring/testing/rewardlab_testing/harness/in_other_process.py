"""The other process's side: it finds the spec again, builds it from its options as JSON, and asks it.

This is a worker file (rewardlab.workers); unlike those of plugins it runs in the host's environment only and imports
rewardlab.
"""

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

from rewardlab import Sample
from rewardlab.errors import UserError
from rewardlab.laws import Example
from rewardlab.workers import Workers

from rewardlab_testing.harness.component_under_test import ComponentUnderTest, use_of
from rewardlab_testing.harness.spec_location import spec_at

Json = Any


def build(settings: Mapping[str, Json], context: Mapping[str, Json]) -> "RemoteComponent":
    """Build the component, for the worker protocol.

    Args:
        settings: {location, options, example, source, workers, call}, made by rewardlab_testing.harness.other_process.
    """
    return RemoteComponent(settings, context)


class RemoteComponent:
    """The component in this process. That its spec is not found here is an answer, no failure: it breaks no law."""

    def __init__(self, settings: Mapping[str, Json], context: Mapping[str, Json]) -> None:
        self._not_found: str | None = None
        try:
            spec = spec_at(settings["location"])
        except (LookupError, UserError) as error:
            self._not_found = str(error)
            return
        self._closing = ExitStack()
        self._component = self._trial(spec, settings, context).build(**_source(settings))
        module, _, function = settings["call"].partition(":")
        self._function = getattr(import_module(module), function)

    def _trial(self, spec: Any, settings: Mapping[str, Json], context: Mapping[str, Json]) -> ComponentUnderTest:
        folder, index = Path(context["cache_dir"]), settings["example"]
        example = Example() if index is None else list(spec.laws.examples())[index]
        judges = getattr(example, "judges", None)
        workers = self._closing.enter_context(Workers(cache=folder, seed=context["seed"]))
        return ComponentUnderTest(
            spec=spec,
            use=settings["location"]["use"] or use_of(spec, None),
            example=example,
            options=spec.config.model_validate(settings["options"]),
            folder=folder.parent,
            tries=0,
            judges=judges() if judges else {},
            opener=workers.of(use=spec.name, **settings["workers"]),
        )

    def answer(self, questions: list[Json]) -> list[Json]:
        """Return {"answer": ...} for each question; {"not_found": why} if the spec is not found here."""
        if self._not_found is not None:
            return [{"not_found": self._not_found} for _ in questions]
        return [{"answer": self._function(self._component, question)} for question in questions]


class RayActor:
    """The other process's side as a Ray actor."""

    def answer(self, path: list[str], settings: Json, context: Json, question: Json) -> Json:
        """Build the component and return its answer to one question. path: the driver's sys.path."""
        sys.path[:] = path
        return RemoteComponent(settings, context).answer([question])[0]


def _source(settings: Mapping[str, Json]) -> dict[str, Any]:
    return {} if settings["source"] is None else {"source": [Sample(**sample) for sample in settings["source"]]}
