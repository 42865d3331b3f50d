"""The files that describe judge benchmarks: those in formats/, by name, and the user's."""

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from rewardlab.errors import UserError, nearest
from rewardlab.recipe import Place, RecipePath, compose, validate

from rewardlab_studies.judge_benchmarks.benchmark_format import JudgeBenchmark


def packaged() -> list[str]:
    """Return the names of the judge benchmarks that come with rewardlab."""
    return sorted(path.name.removesuffix(".yaml") for path in _folder().iterdir() if path.name.endswith(".yaml"))


def load_benchmark(name: str) -> JudgeBenchmark:
    """Return a packaged benchmark by its name, or the one of a file. A UserError says what is wrong, with its line."""
    if name in packaged():
        return _packaged(name)
    path = Path(name).expanduser()
    if not name.endswith((".yaml", ".yml")):
        raise UserError(f"no judge benchmark {name!r}{nearest(name, packaged())}; one of your own is a file, NAME.yaml")
    try:
        return _parse(path.read_text(encoding="utf-8"), name)
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=name) from None
    except UnicodeDecodeError:
        raise UserError("is no text in UTF-8", where=name) from None


@cache
def _packaged(name: str) -> JudgeBenchmark:
    return _parse(_folder().joinpath(f"{name}.yaml").read_text(encoding="utf-8"), f"{name}.yaml")


def _parse(text: str, place: str) -> JudgeBenchmark:
    tree, root = compose(text, lambda line, path: f"{place}:{line}")
    if not isinstance(tree, dict):
        raise UserError("is no benchmark: its keys are version, measure, forms ...", where=place)
    found, problems = validate(JudgeBenchmark, tree, lambda path: f"{place}:{_line(root, path)}{_keys(path)}")
    if problems:
        raise UserError(problems)
    return found


def _line(place: Place, path: RecipePath) -> int:
    for key in path:
        try:
            place = place.children[key]
        except (KeyError, IndexError, TypeError):
            break
    return place.line


def _keys(path: RecipePath) -> str:
    return f": {'.'.join(map(str, path))}" if path else ""


def _folder() -> Any:
    return files("rewardlab_studies.judge_benchmarks") / "formats"
