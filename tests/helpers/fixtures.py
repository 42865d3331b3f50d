"""What the tests share: the toy plugin, really installed, and the real command line."""

import gc
import importlib.util
import io
import json
import os
import subprocess
import sys
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from textwrap import dedent

import pytest
from rewardlab import Completion, Group, RewardSpec, Sample
from rewardlab.concurrency.threads import LoopThread
from rewardlab.plan import Plan
from rewardlab.plan.component import Component
from rewardlab.recipe.expression import parse
from rewardlab.recipe.loading import load
from rewardlab.recipe.logins import PREFIX
from rewardlab.recipe.models import Recipe
from rewardlab.recipe.use import Use
from rewardlab_training import telemetry_variables

from helpers.paths import TESTS
from helpers.secrets_of_tests import forget_secrets

TOY = TESTS / "toy_plugin"
TINY_MODELS = TESTS / "tiny_models"


@pytest.fixture(autouse=True)
def _no_secrets_of_other_tests():
    """A process keeps the secrets of every recipe that it reads; to the next test they are everyday words."""
    yield
    forget_secrets()
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        del os.environ[name]


@pytest.fixture(scope="session")
def module_of():
    """A file below tests/ as a module, `module_of("judge_server.py")`: a folder of tests is no package here."""

    def module(file):
        path = TESTS / file
        name = f"rewardlab_tests_{path.stem}"
        if name not in sys.modules:
            spec = importlib.util.spec_from_file_location(name, path)
            sys.modules[name] = importlib.util.module_from_spec(spec)  # its dataclasses ask for it
            spec.loader.exec_module(sys.modules[name])
        return sys.modules[name]

    return module


@pytest.fixture(scope="session")
def judge_server(module_of):
    """The module judge_server.py."""
    return module_of("judge_server.py")


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory, comet_python):
    """A folder with trained tiny models: comet (of answers), comet_reasoning, embedder; tiny_models/README.md."""
    folder = tmp_path_factory.mktemp("tiny_models")
    command = [sys.executable, TINY_MODELS / "build.py", folder, "--comet-python", comet_python, "--reasoning"]
    subprocess.run([*map(str, command)], check=True, timeout=600)
    return folder


@pytest.fixture(scope="session")
def translator():
    """The address of the server that translates and plays the expert: tiny_models/translator.py."""
    command = [sys.executable, str(TINY_MODELS / "translator.py"), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as server:
        yield server.stdout.readline().split()[4].rstrip(";")
        server.terminate()


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """Build a distribution's wheel and unpack it as pip does, without its start: `installed(source)` is the folder."""
    from hatchling.builders.wheel import WheelBuilder

    def unpacked(source):
        folder = tmp_path_factory.mktemp("installed")
        (wheel,) = WheelBuilder(str(source)).build(directory=str(folder / "wheel"), versions=["standard"])
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(folder / "site")
        return folder / "site"

    return unpacked


@pytest.fixture(scope="session")
def toy_path(installed):
    """A folder into which the third-party distribution `toy-rewards`, plugin `toy`, is installed."""
    return installed(TOY)


@pytest.fixture(scope="session")
def toy_environment(toy_path):
    """The environment of a subprocess in which the toy plugin is installed."""
    paths = [str(toy_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


@pytest.fixture
def toy(toy_path, monkeypatch):
    """The toy plugin installed in this process, for one test: a new `Registry()` finds it."""
    monkeypatch.syspath_prepend(toy_path)
    return toy_path


@pytest.fixture
def rewardlab(toy_environment, tmp_path):
    """Run the command line as a user does, in `tmp_path` unless told: `rewardlab("check", "r.yaml")`."""

    def run(*arguments, cwd=None, env=None, **options):
        return subprocess.run(
            [sys.executable, "-m", "rewardlab.cli", *map(str, arguments)],
            cwd=cwd or tmp_path,
            env={**toy_environment, **(env or {})},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            **options,
        )

    return run


@pytest.fixture
def main(toy, tmp_path, monkeypatch, capsys):
    """The command line in this process, in `tmp_path`: `main("check", "r.yaml")` is (code, out, err)."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        from rewardlab.cli import main

        code = main([*map(str, arguments)])
        _leave_what_is_imported()
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def write(tmp_path):
    """Write a text, or rows as JSON lines, to a file in `tmp_path`; `write("r.yaml", text)` is its path."""

    def file(name, content):
        if not isinstance(content, str):
            content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(content), encoding="utf-8")
        return path

    return file


@pytest.fixture
def offer(tmp_path, monkeypatch):
    """Put a few lines on sys.path as an installed distribution: `offer("mine", code)` is its folder.

    With `command="name"` they are the module of a command, and no plugin.
    """
    modules = []

    def install(plugin, code, distribution=None, version="1.0", module=None, command=None):
        distribution = distribution or f"{plugin}-rewards"
        module = module or f"plugin_{plugin}_{distribution.replace('-', '_')}"
        folder = tmp_path / "site" / distribution
        metadata = folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        group, name = ("rewardlab", plugin) if command is None else ("rewardlab.commands", command)
        (metadata / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}\n")
        (folder / f"{module}.py").write_text(dedent(code), encoding="utf-8")
        monkeypatch.syspath_prepend(folder)
        modules.append(module)
        return folder

    yield install
    for module in modules:
        sys.modules.pop(module, None)


@pytest.fixture
def home():
    """An event loop in a thread of its own, as judges live in one."""
    thread = LoopThread("home")
    yield thread
    thread.close()


@pytest.fixture(scope="session")
def reward():
    """A reward made of a function: `reward(score, runs="thread", range=(0, 10))` is its spec."""

    def spec(score, name="made", **more):
        build = more.pop("build", lambda options, context: type("Made", (), {"score": staticmethod(score)}))
        return RewardSpec(name=name, summary="made by a test", build=build, **{"runs": "inline", **more})

    return spec


@pytest.fixture(scope="session")
def plan_of(tmp_path_factory):
    """The plan of a reward whose parts are specs, not installed plugins.

    `plan_of({"a": spec}, "2 * a", policies={"a": {"on_missing": 0}}, judges={"m": (spec, {"retries": 0})})`
    """
    path = tmp_path_factory.mktemp("plans") / "r.yaml"

    def plan(components, total=None, policies=None, judges=None, normalizers=(), seed=0):
        def uses(specs, more):
            return {name: {"use": f"test/{spec.name}"} | more.get(name, {}) for name, spec in specs.items()}

        judge_specs = {name: spec for name, (spec, _) in (judges or {}).items()}
        settings = {name: given for name, (_, given) in (judges or {}).items()}
        total = total or " + ".join(components)
        content = {
            "version": 1,
            "name": "made",
            "seed": seed,
            "judges": uses(judge_specs, settings),
            "reward": {
                "components": uses(components, policies or {}),
                "total": total,
                "normalize": [f"test/{spec.name}" for spec in normalizers],
            },
        }
        path.write_text(json.dumps(content))  # JSON is YAML
        recipe = Recipe.model_validate(content)

        def planned(used, spec):
            return Component(use=used, spec=spec, options=spec.config())

        return Plan(
            document=load(path),
            recipe=recipe,
            components={n: planned(recipe.reward.components[n], s) for n, s in components.items()},
            judges={n: planned(recipe.judges[n], s) for n, s in judge_specs.items()},
            normalizers=[planned(Use(use=f"test/{s.name}"), s) for s in normalizers],
            expression=parse(total),
        )

    return plan


@pytest.fixture(scope="session")
def group_of():
    """A group of texts: `group_of("yes", "no", id="s1", answer="4")`."""

    def group(*texts, id="s1", source="", **fields):
        sample = Sample(id=id, prompt=({"role": "user", "content": "?"},), fields=fields, source=source)
        completions = [c if isinstance(c, Completion) else Completion(text=c) for c in texts]
        return Group(sample=sample, completions=tuple(completions))

    return group


@pytest.fixture(scope="session")
def command(toy_path):
    """The command line in this process with the toy plugin, for fixtures that outlive a test.

    `command(folder, "run", "r.yaml")` runs it in `folder` and is (code, out, err).
    """
    _prepare_process()  # a test may import torch before its first run does

    def run(folder, *arguments):
        from rewardlab.cli import main

        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.syspath_prepend(toy_path)
            patch.chdir(folder)
            code = main([*map(str, arguments)])
        _leave_what_is_imported()
        return code, out.getvalue(), err.getvalue()

    return run


def _prepare_process():
    """Set what engines set before torch is imported, whichever of them is installed here."""
    waiting = {"GOMP_SPINCOUNT": "0", "OMP_WAIT_POLICY": "PASSIVE", "TOKENIZERS_PARALLELISM": "false"}
    for name, value in waiting.items():
        os.environ.setdefault(name, value)
    os.environ.update(telemetry_variables())


def _leave_what_is_imported():
    """Let collections pass over the engine from now on: a run asks for four, each as long as the rest of it."""
    if "trl" in sys.modules:
        _freeze()


@cache
def _freeze():
    gc.collect()
    gc.freeze()


@pytest.fixture
def problems(main, write, request):
    """What `check` finds wrong in the recipe of a test module with some overrides: {path: what}."""
    write("r.yaml", request.module.RECIPE)

    def check(*overrides):
        code, out, _ = main("check", "r.yaml", "--json", *overrides)
        found = json.loads(out)["problems"]
        assert code == (2 if found else 0)
        return {".".join(map(str, p["path"])): p["what"] for p in found}

    return check


@pytest.fixture
def claimed_job(model_folder, tmp_path):
    """Run a job of lines of docs/engines.md, and assert that the loss got, and gave, what the formulas say."""
    from helpers.claimed_jobs import TOLERANCE, run_job

    def job(engine, lines, backend, run, averages, tolerance=TOLERANCE, **more):
        result = run_job(engine, lines, tmp_path, model_folder("llama"), backend, run, averages, **more)
        assert result.loss < tolerance, result
        assert result.advantages is None or result.advantages < TOLERANCE, result
        assert result.ratio > 0, "or the clip had nothing to do"

    return job


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory, module_of):
    """Folders as Hugging Face models come, tiny and random: `model_folder("gpt2")`, tiny_models/policies.py."""
    _prepare_process()
    made = {}

    def folder(kind):
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp("models") / kind
            module_of("tiny_models/policies.py").MAKE[kind](made[kind])
        return made[kind]

    return folder
