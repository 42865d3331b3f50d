"""A component under the options of one example, ready to be built as often as a law wants."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError

from rewardlab.building import build
from rewardlab.devices import AUTO, resolve
from rewardlab.errors import UserError
from rewardlab.laws import Example
from rewardlab.placement import interpreter_of
from rewardlab.planned import Planned
from rewardlab.registry import Plugin
from rewardlab.specs import Config, Context, _Spec
from rewardlab.testing.outcome import Untried
from rewardlab.types import Reply
from rewardlab.uses import Use
from rewardlab.workers import Workers

NEEDS = {"reward": "score", "judge": "ask", "dataset": "__iter__", "normalizer": "shape"}
SEED = 0


@dataclass(frozen=True, kw_only=True)
class Trial:
    """`spec` under validated `options`.

    use: "plugin/name", or "test/name" where no installed plugin offers the spec. tries: how many generated cases a
    law looks at. folder: empty at first, the trial's own. judges: by name, as the example made them. place: of the
    example among those that the spec declares, None of another; another process finds it so. shared: what laws keep
    for one another; closing: ends it with the trial.
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
    place: int | None = None
    shared: dict[str, Any] = field(default_factory=dict)
    closing: ExitStack = field(default_factory=ExitStack)

    def context(self, **more: Any) -> Context:
        """What `build` is given; `more` replaces parts of it."""
        known = {
            "seed": SEED,
            "judges": self.judges,
            "cache_dir": self.folder / "cache",
            "device": resolve(AUTO),
            "workers": self.opener,
        }
        given = known | more
        judges = {name: _as_hosted(judge) for name, judge in given["judges"].items()}
        return Context(**(given | {"judges": judges}))

    def built(self, options: Config | None = None, **more: Any) -> Any:
        """The component, built anew. A UserError or JobError says why it cannot be."""
        planned = Planned(use=Use(use=self.use), spec=self.spec, options=self.options if options is None else options)
        context = self.context(**more)
        if self.spec.kind not in NEEDS:  # a curriculum has either or both of two parts
            return self.spec.build(planned.options, context)
        return build(planned, context, self.use, NEEDS[self.spec.kind])


class _Hosted:
    """A judge that only has `ask`, with `understood` beside it as a host gives it."""

    def __init__(self, judge: Any):
        self.ask = judge.ask

    def understood(self, reply: Reply, ok: bool) -> None:
        """What a host would count."""


def _as_hosted(judge: Any) -> Any:
    return judge if hasattr(judge, "understood") or not hasattr(judge, "ask") else _Hosted(judge)


def use_of(spec: _Spec, plugin: Plugin | None) -> str:
    """As a recipe names it; "test/name" where no installed plugin offers it."""
    return f"{plugin.name if plugin else 'test'}/{spec.name}"


@contextmanager
def trial(
    spec: _Spec,
    example: Example,
    *,
    tries: int,
    plugin: Plugin | None = None,
    given: Mapping[str, Any] | None = None,
    place: int | None = None,
) -> Iterator[Trial]:
    """A trial in a folder of its own; its worker processes end with it.

    given: options that replace the example's. Untried where the example needs options that nobody gave; a UserError
    where options are wrong.
    """
    given = given or {}
    if lacking := [name for name in example.needs if name not in given]:
        raise Untried(f"needs {', '.join(f'{name}=...' for name in lacking)}")
    use = use_of(spec, plugin)
    with ExitStack() as closing:
        folder = Path(closing.enter_context(TemporaryDirectory(prefix="rewardlab-laws-")))
        chosen = example.options(folder) if callable(example.options) else example.options
        named = f"{use} ({example.title})" if example.title else use
        options = _validated(spec, named, {**chosen, **given})
        workers = closing.enter_context(Workers(cache=folder / "cache", seed=SEED))
        judges = getattr(example, "judges", None)
        yield Trial(
            spec=spec,
            use=use,
            example=example,
            options=options,
            folder=folder,
            tries=tries,
            judges=judges() if judges else {},
            plugin=plugin,
            place=place,
            closing=closing,
            opener=workers.of(
                use=use,
                python=_python(spec, options, plugin),
                device=resolve(AUTO),
                threads=1,
                size=1,
                timeout=getattr(spec, "timeout", 60.0),
            ),
        )


def _validated(spec: _Spec, named: str, values: Mapping[str, Any]) -> Config:
    try:
        return spec.config.model_validate(dict(values))
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'options'}: {e['msg']}" for e in error.errors())
        raise UserError(f"{named}: {wrong}") from None


def _python(spec: Any, options: Config, plugin: Plugin | None) -> str | None:
    try:
        return interpreter_of(spec, options, plugin)
    except LookupError:
        raise Untried("needs environment={python: ...}, or to be offered by an installed plugin") from None
