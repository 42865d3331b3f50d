"""A component under the options of one example, ready to be built as often as a law wants."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError
from rewardlab import Config, Context, Reply, Spec
from rewardlab.errors import RewardlabError, UserError, one_line_at
from rewardlab.laws import Example
from rewardlab.plan import Component, awaits_nothing, build, unawaited
from rewardlab.recipe import Use
from rewardlab.registry import Plugin
from rewardlab.workers import AUTO_DEVICE, Workers, interpreter_of, resolve_device

from rewardlab_testing.harness.hang import HangRecord
from rewardlab_testing.harness.reward_in_environment import RewardInEnvironment, runs_in_environment
from rewardlab_testing.outcomes.outcome import BuildFailure, UnmetNeed

METHODS = {"reward": "score", "judge": "ask", "dataset": "__iter__", "normalizer": "shape"}
"""kind -> the method that a component of this kind must have"""
SEED = 0


@dataclass(frozen=True, kw_only=True)
class ComponentUnderTest:
    """A component on trial: its `spec`, one example and validated `options`.

    Args:
        use: "plugin/name", or "test/name" if no installed plugin offers the spec.
        tries: how many generated cases a law looks at.
        folder: the trial's own, empty at first.
        judges: by name, as the example made them.
        example_index: the example's place among those that the spec declares, by which another process finds it;
            None for another example.
        shared: what laws keep for one another.
        hang: the first hang, under any example.
        closing: closes that at the end of the trial.
    """

    spec: Any
    use: str
    example: Any
    options: Config
    folder: Path
    tries: int
    judges: Mapping[str, Any] = field(default_factory=dict)
    opener: Any = None
    plugin: Plugin | None = None
    example_index: int | None = None
    shared: dict[str, Any] = field(default_factory=dict)
    hang: HangRecord = field(default_factory=HangRecord)
    closing: ExitStack = field(default_factory=ExitStack)

    def context(self, **more: Any) -> Context:
        """Return the Context for the spec's `build`; `more` replaces fields of it."""
        fields = {
            "seed": SEED,
            "judges": self.judges,
            "cache_dir": self.folder / "cache",
            "device": resolve_device(AUTO_DEVICE),
            "workers": self.opener,
            "sources": {name: list(rows) for name, rows in getattr(self.example, "sources", {}).items()},
        }
        given = fields | more
        judges = {name: _reporting(judge) for name, judge in given["judges"].items()}
        return Context(**(given | {"judges": judges}))

    def build(self, options: Config | None = None, **more: Any) -> Any:
        """Build the component anew and return it; a reward of another environment is built there, in a worker.

        Args:
            options: absent: the trial's.
            more: fields of the Context.

        Raises BuildFailure if it was never built; it is not tried twice. Where it was built before, a law is broken:
        what the build raises is raised.
        """
        if "failed" in self.shared:
            raise BuildFailure(self.shared["failed"])
        try:
            built = self._build(self.options if options is None else options, self.context(**more))
        except (Exception, SystemExit) as error:
            if "built" in self.shared:
                raise
            named = isinstance(error, RewardlabError)
            self.shared["failed"] = str(error) if named else f"{self.use} could not be built: {one_line_at(error)}"
            raise BuildFailure(self.shared["failed"]) from error
        if "built" not in self.shared and (idle := awaits_nothing(self.spec, built)):
            warnings.warn(f"{self.use}: {idle}", stacklevel=2)
        self.shared["built"] = True
        return built

    def _build(self, options: Config, context: Context) -> Any:
        python = None if self.opener is None else self.opener.place.python
        if runs_in_environment(self.spec, python):
            return RewardInEnvironment(self.spec, self.use, python, options, context)
        planned = Component(use=Use(use=self.use), spec=self.spec, options=options)
        if self.spec.kind not in METHODS:  # a curriculum has either or both of two parts
            built = self.spec.build(options, context)
            if wrong := unawaited(self.spec, built):
                raise TypeError(wrong)
            return built
        return build(planned, context, self.use, METHODS[self.spec.kind])


class _ReportingJudge:
    """A judge that only has `ask`, with the `report_parsed` that a host puts beside it."""

    def __init__(self, judge: Any) -> None:
        self.ask = judge.ask

    def report_parsed(self, reply: Reply, ok: bool) -> None:
        """Do nothing, where a host would count."""


def _reporting(judge: Any) -> Any:
    return judge if hasattr(judge, "report_parsed") or not hasattr(judge, "ask") else _ReportingJudge(judge)


def use_of(spec: Spec, plugin: Plugin | None) -> str:
    """Return a spec's name as a recipe has it; "test/name" if no installed plugin offers the spec."""
    return f"{plugin.name if plugin else 'test'}/{spec.name}"


@contextmanager
def open_trial(
    spec: Spec,
    example: Example,
    *,
    tries: int,
    plugin: Plugin | None = None,
    given: Mapping[str, Any] | None = None,
    example_index: int | None = None,
    hang: HangRecord | None = None,
) -> Iterator[ComponentUnderTest]:
    """Yield a trial in a folder of its own; its worker processes end with it.

    Args:
        given: options that replace the example's.
        hang: what the trials of other examples found.

    Raises UnmetNeed if the example needs options that are not given, and UserError if options are wrong.
    """
    given = given or {}
    if missing := [name for name in example.needs if name not in given]:
        raise UnmetNeed(f"needs {', '.join(f'{name}=...' for name in missing)}")
    use = use_of(spec, plugin)
    with ExitStack() as closing:
        folder = Path(closing.enter_context(TemporaryDirectory(prefix="rewardlab-laws-")))
        chosen = example.options(folder) if callable(example.options) else example.options
        title = f"{use} ({example.title})" if example.title else use
        options = _validated(spec, title, {**chosen, **given})
        workers = closing.enter_context(Workers(cache=folder / "cache", seed=SEED))
        judges = getattr(example, "judges", None)
        yield ComponentUnderTest(
            spec=spec,
            use=use,
            example=example,
            options=options,
            folder=folder,
            tries=tries,
            judges=judges() if judges else {},
            plugin=plugin,
            example_index=example_index,
            closing=closing,
            hang=hang or HangRecord(),
            opener=workers.of(
                use=use,
                python=_interpreter(spec, options, plugin),
                device=resolve_device(AUTO_DEVICE),
                threads=1,
                size=1,
                timeout=getattr(spec, "timeout", 60.0),
            ),
        )


def _validated(spec: Spec, title: str, values: Mapping[str, Any]) -> Config:
    try:
        return spec.config.model_validate(dict(values))
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'options'}: {e['msg']}" for e in error.errors())
        raise UserError(f"{title}: {wrong}") from None


def _interpreter(spec: Any, options: Config, plugin: Plugin | None) -> str | None:
    try:
        python = interpreter_of(spec, options, plugin)
    except LookupError:
        raise UnmetNeed("needs environment={python: ...}, or to be offered by an installed plugin") from None
    if plugin is None and runs_in_environment(spec, python):
        raise UnmetNeed("needs to be offered by an installed plugin: its environment finds it by its name")
    return python
