"""Build the wheel and the source archive of every distribution, and check them as their users will meet them.

    python release/build.py                        into dist/, checked in a fresh environment with packages of the index
    python release/build.py --dependencies here    the same without a network: other packages are those of this Python
    python release/build.py --draft                without what a release needs (release/project.toml)

Each distribution is built from a copy of the files that git knows, into which the project's URLs are written: first
the source archive, then the wheel from that. wheel_checks.py has what is looked at in each; installed.py installs all
of them together. The exit code is 0 where nothing is wrong. Nothing is uploaded.
"""

import argparse
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from installed import installed_problems
from rewardlab_training import columns
from wheel_checks import URLS, wheel_problems

ROOT = Path(__file__).parents[1]
PROJECT = Path(__file__).with_name("project.toml")


@dataclass(frozen=True)
class Release:
    """A distribution as built, and what is wrong with it."""

    name: str
    wheel: Path
    archive: Path
    problems: list[str]


def main() -> int:
    options = _options()
    project = tomllib.loads(options.project.read_text(encoding="utf-8"))
    urls = project.get("urls", {})
    missing = [name for name in URLS if not urls.get(name)]
    if missing or not project.get("published"):
        if not options.draft:
            lacking = f"no {', '.join(missing)}" if missing else "published is not true"
            print(f"{options.project}: {lacking}; a release needs that, `--draft` does without")
            return 2
        urls = {}
    options.out.mkdir(parents=True, exist_ok=True)
    if any(options.out.iterdir()):
        print(f"{options.out} is not empty: delete it, or name another folder with --out")
        return 2
    with tempfile.TemporaryDirectory(prefix="release_") as folder:
        sources = _copy_of_tracked_files(Path(folder) / "sources")
        releases = [_release(source, urls, options.out, Path(folder)) for source in _distributions(sources)]
    problems = [problem for release in releases for problem in release.problems]
    problems += installed_problems([release.wheel for release in releases], options.dependencies)
    print("\n".join(columns([["distribution", "wheel", "source", ""], *map(_row, releases)])))
    print("\n".join(["", *problems]) if problems else f"\n{len(releases)} distributions, nothing wrong: {options.out}")
    return 1 if problems else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="an empty folder, or one to make (dist)")
    parser.add_argument("--dependencies", choices=["index", "here"], default="index")
    parser.add_argument("--draft", action="store_true")
    parser.add_argument("--project", type=Path, default=PROJECT, help="the file with the project's URLs")
    return parser.parse_args()


def _copy_of_tracked_files(folder: Path) -> Path:
    """Copy what git knows, as it is in the working tree: nothing else gets into a release."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, encoding="utf-8")
    for name in filter(None, listed.stdout.split("\0")):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target, follow_symlinks=False)
    return folder


def _distributions(sources: Path) -> list[Path]:
    return [sources, sources / "core", *sorted(path.parent for path in sources.glob("plugins/*/*/pyproject.toml"))]


def _release(source: Path, urls: Mapping[str, str], out: Path, scratch: Path) -> Release:
    """Build one distribution: its archive, then the wheel from that, so that the archive is known to be whole."""
    _write_urls(source / "pyproject.toml", urls)
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    archive = _built(source, "sdist", out)
    unpacked = scratch / f"{project['name']}-unpacked"
    with tarfile.open(archive) as packed:
        packed.extractall(unpacked, filter="data")
    (inside,) = unpacked.iterdir()
    wheel = _built(inside, "wheel", out)
    problems = [f"{wheel.name}: {problem}" for problem in wheel_problems(wheel, project, urls, ROOT / "LICENSE")]
    return Release(project["name"], wheel, archive, problems)


def _write_urls(pyproject: Path, urls: Mapping[str, str]) -> None:
    text = pyproject.read_text(encoding="utf-8")
    if "[project.urls]" in text:
        raise SystemExit(f"{pyproject}: project URLs belong into release/project.toml alone")
    table = "".join(f'{name} = "{url}"\n' for name, url in urls.items())
    pyproject.write_text(f"{text}\n[project.urls]\n{table}" if urls else text, encoding="utf-8")


def _built(source: Path, target: str, out: Path) -> Path:
    before = {*out.iterdir()}
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(out.resolve())]
    done = subprocess.run(command, cwd=source, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise SystemExit(f"{source.name}: no {target}\n{done.stdout}{done.stderr}")
    (built,) = {*out.iterdir()} - before - {out / ".gitignore"}
    return built


def _row(release: Release) -> list[str]:
    sizes = [f"{path.stat().st_size / 1000:.0f} kB" for path in (release.wheel, release.archive)]
    return [release.name, *sizes, f"{len(release.problems)} problems" if release.problems else "fine"]


if __name__ == "__main__":
    sys.exit(main())
