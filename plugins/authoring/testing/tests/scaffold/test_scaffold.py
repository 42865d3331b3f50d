"""`rewardlab plugins new NAME`: a distribution of each kind that installs and passes at once.

The engine of a new backend is the toy engine; run this file with PYTHONPATH=tests to write its templates anew.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile

import pytest
import yaml
from helpers.each_case import each_case
from helpers.paths import ROOT
from rewardlab import Completion, Context, Sample, __version__
from rewardlab.errors import UserError
from rewardlab.recipe import load
from rewardlab_testing.scaffold.kinds import KINDS
from rewardlab_testing.scaffold.scaffold import next_steps, write_scaffold

FILES = [
    ".github/workflows/ci.yml",
    ".gitignore",
    "LICENSE",
    "README.md",
    "pyproject.toml",
    "recipe.yaml",
    "rewardlab_my_terms/__init__.py",
    "rewardlab_my_terms/examples.py",
    "rewardlab_my_terms/options.py",
    "rewardlab_my_terms/py.typed",
    "rewardlab_my_terms/terms.py",
    "rows.jsonl",
    "tests/test_laws.py",
]
MINIMAL = ["pyproject.toml", "rewardlab_my_terms/__init__.py", "tests/test_laws.py"]
SIZES = [(kind, minimal) for kind in KINDS for minimal in (False, True)]
PLACEHOLDERS = ("@name@", "@kind@", "@package@", "@release@", "@summary@", "@test@", ".tmpl")
TOY_ENGINE = ROOT / "tests/toy_plugin/toy_rewards/engine"
ENGINE_TEMPLATES = ROOT / "plugins/authoring/testing/rewardlab_testing/scaffold/full/backend/package/engine"
WORDS_OF_TOY = {
    "toy_rewards": "@package@",
    "ToyBackend": "AnswersBackend",
    "ToyPolicy": "AnswersPolicy",
    "use: toy": "use: @name@",
    "the toy backend": "the backend @name@",
    "backend toy": "backend @name@",
    "the toy samples": "@name@ samples",
    "The toy engine": "The engine",
    "the toy engine": "the engine",
}
WITHOUT_COPIES = "GAP.join(_split_at(answer, message))"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The scaffold of `my-terms`."""
    return write_scaffold("my-terms", tmp_path_factory.mktemp("scaffold") / "rewardlab-my-terms")


@pytest.fixture
def terms(made, monkeypatch):
    """The scaffold's reward: `terms(text, listed, prompt="...", **options)` is its score."""
    monkeypatch.syspath_prepend(made.folder)
    from rewardlab_my_terms.options import Options
    from rewardlab_my_terms.terms import Terms

    def score(text, listed, prompt="Why?", **options):
        sample = Sample(id="s", prompt=[{"role": "user", "content": prompt}], fields={"terms": listed})
        (scored,) = Terms(Options(**options), Context()).score([(sample, Completion(text=text))])
        return scored

    yield score
    for name in [name for name in sys.modules if name.startswith("rewardlab_my_terms")]:
        del sys.modules[name]


# --- The files


def test_the_files_are_filled_in(made):
    assert made.files == FILES == sorted(str(p.relative_to(made.folder)) for p in made.folder.rglob("*") if p.is_file())
    for file in FILES:
        text = (made.folder / file).read_text(encoding="utf-8")
        assert not [word for word in PLACEHOLDERS if word in text], file


@pytest.mark.parametrize(("kind", "minimal"), SIZES)
def test_each_kind_has_an_example_and_a_smallest_one(tmp_path, kind, minimal):
    made = write_scaffold("my-terms", tmp_path / "made", kind=kind, minimal=minimal)
    texts = {file: (made.folder / file).read_text(encoding="utf-8") for file in made.files}
    assert not [file for file, text in texts.items() if any(word in text for word in PLACEHOLDERS)]
    few = {*MINIMAL, "rewardlab_my_terms/engine.py"} if kind == "backend" else {*MINIMAL}
    assert {*made.files} == few if minimal else {*made.files} > {*MINIMAL, "README.md", "recipe.yaml"}
    assert made.kind == kind
    package = texts["rewardlab_my_terms/__init__.py"]
    name, decorated = made.use.rpartition("/")[2], minimal and kind == "reward"
    assert (f"def {name}(" if decorated else f'name="{name}"') in package
    assert ("@reward(" if decorated else f"{kind.capitalize()}Spec(") in package
    needed = tomllib.loads(texts["pyproject.toml"])["project"]["optional-dependencies"]["test"]
    assert all(requirement.endswith(f"~={__version__.rpartition('.')[0]}.0") for requirement in needed)
    if not minimal:
        document = load(made.folder / "recipe.yaml")
        assert made.use in json.dumps(document.tree)
        told = re.findall(r"^\| `(\w+)` \|", texts["README.md"], re.MULTILINE)
        options = next(text for file, text in texts.items() if file.endswith("options.py"))
        assert told == re.findall(r"^    (\w+): ", options, re.MULTILINE)


def engine_templates():
    """Return the templates of a new backend's engine, by name: the toy engine in the words of a scaffold."""
    templates = {f"{path.name}.tmpl": path.read_text(encoding="utf-8") for path in TOY_ENGINE.glob("*.py")}
    for toy, scaffold in WORDS_OF_TOY.items():
        templates = {name: text.replace(toy, scaffold) for name, text in templates.items()}
    return templates


def test_the_engine_of_a_backend_is_the_toy_engine():
    written = {path.name: path.read_text(encoding="utf-8") for path in ENGINE_TEMPLATES.iterdir()}
    assert written == engine_templates(), f"run: PYTHONPATH=tests python {__file__}"
    assert not [name for name, text in written.items() if "toy" in text.lower()]


def test_the_distribution_needs_this_rewardlab_and_offers_the_plugin(made):
    project = tomllib.loads((made.folder / "pyproject.toml").read_text())["project"]
    minor = __version__.rpartition(".")[0]
    assert project["name"] == "rewardlab-my-terms"
    assert project["dependencies"] == [f"rewardlab-core~={minor}.0"]
    assert project["optional-dependencies"] == {"test": [f"rewardlab-testing[laws]~={minor}.0"]}
    assert project["entry-points"] == {"rewardlab": {"my-terms": "rewardlab_my_terms"}}


def test_a_distribution_says_whose_it_is_and_tests_itself(tmp_path):
    folder = write_scaffold("my-terms", tmp_path / "p").folder
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert (project["license"], project["authors"]) == ("MIT", [{"name": "the authors of rewardlab-my-terms"}])
    assert project["urls"] == {"Repository": "https://github.com/you/rewardlab-my-terms"}
    assert "Programming Language :: Python :: 3.13" in project["classifiers"]
    assert (folder / project["license-files"][0]).read_text().startswith("MIT License")
    (job,) = yaml.safe_load((folder / ".github/workflows/ci.yml").read_text())["jobs"].values()
    runs = [step["run"] for step in job["steps"] if "run" in step]
    assert runs == ["pip install -e '.[test]'", "pytest", "rewardlab plugins check my-terms"]


def test_the_recipe_names_the_reward_and_the_rows_have_its_terms(made):
    assert (
        load(made.folder / "recipe.yaml").tree["reward"]["components"]["terms"]["use"] == made.use == "my-terms/terms"
    )
    rows = [json.loads(line) for line in (made.folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all(row["terms"] and len(row["completions"]) == 3 for row in rows)


def test_what_to_do_next(made, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert next_steps(write_scaffold("glossary")) == [
        "pip install -e './rewardlab-glossary[test]'",
        "pytest rewardlab-glossary",
        "rewardlab plugins check glossary",
    ]
    assert next_steps(made)[0] == f"pip install -e '{made.folder}[test]'"


def test_the_command(main, tmp_path):
    code, out, err = main("plugins", "new", "glossary", "--into", "deep/in a folder")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "deep/in a folder: 13 files, with the reward glossary/terms. Next:",
        "  pip install -e './deep/in a folder[test]'",
        "  pytest 'deep/in a folder'",
        "  rewardlab plugins check glossary",
    ]
    assert (tmp_path / "deep/in a folder/rewardlab_glossary/terms.py").is_file()
    assert json.loads(main("plugins", "new", "glossary", "--json")[1])["folder"] == "rewardlab-glossary"
    code, out, _ = main("plugins", "new", "arbiter", "--kind", "judge", "--minimal")
    assert (code, out.splitlines()[0]) == (0, "rewardlab-arbiter: 3 files, with the judge arbiter/shorter. Next:")
    code, _, err = main("plugins", "new", "another", "--kind", "jugde")
    assert (code, err.splitlines()[0][:46]) == (2, "error: no kind 'jugde' of component; did you m")
    assert main("plugins", "check", "math", "--minimal")[0] == 2


# --- Names and folders


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("My Terms", "'My Terms' is not a valid plugin name: .*; write `rewardlab plugins new my-terms`"),
        ("2fast", "write `rewardlab plugins new fast`"),
        ("a/b", "write `rewardlab plugins new a-b`"),
        ("用語", "'用語' is not a valid plugin name: use small letters, digits, - and _$"),
        ("check", "`rewardlab plugins check` is a command; write `rewardlab plugins new my-check`"),
        ("math", f"the name 'math' is taken by rewardlab-math {__version__}; write `rewardlab plugins new my-math`"),
        ("toy", "the name 'toy' is taken by toy-rewards 1.2.0"),
    ],
)
def test_a_name_that_cannot_be_had(toy, tmp_path, name, says):
    with pytest.raises(UserError, match=says):
        write_scaffold(name, tmp_path / "there")
    assert not (tmp_path / "there").exists()


def test_a_package_or_distribution_of_that_name_is_named_too(offer, tmp_path):
    offer("other", "", distribution="rewardlab-mine", version="3.1")
    with pytest.raises(UserError, match=r"'mine' is taken by the distribution rewardlab-mine 3[.]1"):
        write_scaffold("mine", tmp_path / "there")
    offer("another", "", module="rewardlab_yours")
    with pytest.raises(UserError, match="'yours' is taken by the package rewardlab_yours in "):
        write_scaffold("yours", tmp_path / "there")


def test_nothing_is_written_over(tmp_path):
    (tmp_path / "empty").mkdir()
    write_scaffold("glossary", tmp_path / "empty")
    with pytest.raises(
        UserError, match="empty exists and is not empty; write `rewardlab plugins new glossary --into DIR"
    ):
        write_scaffold("glossary", tmp_path / "empty")
    (tmp_path / "file").write_text("kept")
    with pytest.raises(UserError, match="file is a file"):
        write_scaffold("glossary", tmp_path / "file")


# --- The reward


@each_case(
    "text, listed, value",
    [
        ("Baum und Blatt", ["Baum", "Blatt"], 1.0),
        ("Baum", ["Baum", "Blatt"], 0.5),
        ("Baum Baum Baum", ["Baum", "Blatt"], 0.5),
        ("", ["Baum"], 0.0),
        ("STRASSE", ["Straße"], 1.0),
        ("Ｂａｕｍ", ["Baum"], 1.0),
        ("cafe\u0301", ["café"], 1.0),
        ("cafe\u0301", ["cafe"], 0.0),
        ("Baumstamm", ["Baum"], 0.0),
        ("Baum2", ["Baum"], 0.0),
        ("(Baum)", ["Baum"], 1.0),
        ("New\n  York", ["new york"], 1.0),
        ("C++ and C#", ["C++", "C#"], 1.0),
        ("ABC++", ["C++"], 0.0),
        ("हिन्दी", ["हिन्द"], 0.0),
        ("这是光合作用的结果", ["光合作用"], 1.0),
        ("광합성은 중요하다", ["광합성"], 1.0),
        ("ｶﾞｽです", ["ガス"], 1.0),
        ("รักประเทศไทยมาก", ["ประเทศไทย"], 1.0),
        ("AIは速い", ["AI"], 1.0),
        ("Baum", ["Baum", "baum", "ＢＡＵＭ"], 1.0),
        ("<think>Baum</think>Blatt", ["Baum"], 0.0),
        ("<think>Baum", ["Baum"], 0.0),
        ("<think>x</think>Baum", ["Baum"], 1.0),
        ("กิน", ["ก"], 0.0),
        ("aBaum Baum", ["Baum"], 1.0),
    ],
)
def test_the_share_of_the_terms(terms, text, listed, value):
    assert terms(text, listed).value == value


def test_a_copy_of_the_prompt_uses_no_terms(terms):
    prompt = "Use Baum and Blatt."
    assert terms(prompt, ["Baum", "Blatt"], prompt=prompt).value == 0.0
    assert terms(f"Er sagt: {prompt} Baum", ["Baum", "Blatt"], prompt=prompt).value == 0.5
    assert terms("The CPU is one", ["cpu"], prompt="CPUs?").value == 1.0


def test_what_is_kept_of_it(terms):
    assert terms("blatt", ["Baum", "Blatt"]).info == {"found": ["Blatt"], "missing": ["Baum"]}
    assert terms("us", ["US"], match_case=True).value == 0.0
    assert terms("ＵＳ", ["US"], match_case=True).value == 1.0
    assert (terms("x", []).value, terms("x", []).error, terms("x", []).info) == (None, None, {"reason": "no terms"})
    for odd in (None, "Baum", [1], [" "]):
        assert terms("Baum", odd).error.startswith("terms is no list of texts")


def test_a_long_text_takes_no_time(terms):
    assert terms("aa " * 30_000 + "baum", ["a", "baum"]).value == 0.5


def test_the_readme_has_every_option_with_its_default(made, terms):
    from rewardlab_my_terms.options import Options

    readme = (made.folder / "README.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `(\w+)` \| `(\w+)` \|", readme, re.MULTILINE))
    assert told == {name: str(info.default).replace("False", "false") for name, info in Options.model_fields.items()}


# --- Installed


def pip(*arguments):
    quiet = ["-q", "--disable-pip-version-check", "--no-deps", "--no-build-isolation"]
    command = [sys.executable, "-m", "pip", arguments[0], *quiet, *map(str, arguments[1:])]
    subprocess.run(command, check=True, capture_output=True)


def run(site, *command, cwd):
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONSAFEPATH": "1"}  # what is installed, not what is here
    command = [sys.executable, "-m", *map(str, command)]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", timeout=240)


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    """A scaffold of each kind and size: {(kind, minimal): Scaffold}."""
    folder = tmp_path_factory.mktemp("every")
    names = {(kind, minimal): f"{'min' if minimal else 'my'}-{kind}" for kind, minimal in SIZES}
    return {
        (kind, minimal): write_scaffold(name, folder / name, kind=kind, minimal=minimal)
        for (kind, minimal), name in names.items()
    }


@pytest.fixture(scope="module")
def site(made, every, tmp_path_factory):
    """The folder that pip installed all of them into."""
    folder = tmp_path_factory.mktemp("site")
    pip("install", "--target", folder, made.folder, *(scaffold.folder for scaffold in every.values()))
    return folder


@pytest.mark.nightly
def test_each_kind_passes_its_own_tests(every, site):
    """But for the laws of the whole backend, whose engine is the toy's: tests/laws/test_backend_laws.py."""
    folders = [scaffold.folder for scaffold in every.values()]
    skipped = ["--deselect", "my-backend/tests/test_laws.py::test_it_keeps_the_laws"]
    options = ["-p", "no:cacheprovider", "--import-mode=importlib", "--rootdir", folders[0].parent]
    done = run(site, "pytest", "-rA", *options, *skipped, *folders, cwd=folders[0].parent)
    assert done.returncode == 0, done.stdout
    kept = re.findall(r"^PASSED (\w+-\w+)/tests/test_laws.py::test_it_keeps_the_laws", done.stdout, re.MULTILINE)
    assert sorted(kept) == sorted(s.name for key, s in every.items() if key != ("backend", False))


@pytest.mark.nightly
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("reward", "backend")])
def test_each_kind_keeps_every_law(every, site, tmp_path, kind):
    command = ["rewardlab.cli", "plugins", "check", every[kind, False].name, "--json", "--tries", "5"]
    done = run(site, *command, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert (found["broken"], found["off"]) == (0, 0)
    assert found["held"] >= 4


@pytest.mark.nightly
def test_the_recipe_of_each_kind_runs(every, site):
    for kind, command in {
        "judge": ["score", "recipe.yaml", "rows.jsonl", "-o", "scored.jsonl"],
        "dataset": ["run", "recipe.yaml"],
        "curriculum": ["check", "recipe.yaml"],
        "normalizer": ["score", "recipe.yaml", "rows.jsonl", "-o", "scored.jsonl"],
        "backend": ["run", "recipe.yaml"],
    }.items():
        done = run(site, "rewardlab.cli", *command, cwd=every[kind, False].folder)
        assert done.returncode == 0, done.stderr
    rows = (every["normalizer", False].folder / "scored.jsonl").read_text(encoding="utf-8")
    assert json.loads(rows)["shaped"] == [0.5, -1.0, 0.5]
    rows = (every["judge", False].folder / "scored.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(row)["total"] for row in rows] == [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0]]
    assert len((every["dataset", False].folder / "made.jsonl").read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.nightly
def test_they_are_typed_and_tidy(every, tmp_path):
    def told(*command, cwd=tmp_path):
        command = [sys.executable, "-m", *map(str, command)]
        done = subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8")
        assert (done.returncode in (0, 1), done.stderr) == (True, "")
        return done.stdout.splitlines()

    packages = [next(scaffold.folder.glob("rewardlab_*/__init__.py")).parent for scaffold in every.values()]
    assert told("mypy", "--strict", "--cache-dir", tmp_path, *packages)[-1].startswith("Success: ")
    settings = ["--config", ROOT / "pyproject.toml", "--no-cache", "-q"]
    for scaffold in every.values():
        assert told("ruff", "check", *settings, "--ignore", "ANN,ARG,D", ".", cwd=scaffold.folder) == []
        assert told("ruff", "format", "--diff", *settings, ".", cwd=scaffold.folder) == []


@pytest.mark.slow
def test_it_passes_its_own_tests_and_scores(made, site):
    done = run(site, "pytest", "-q", "-p", "no:cacheprovider", cwd=made.folder)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
    done = run(site, "rewardlab.cli", "score", "recipe.yaml", "rows.jsonl", "-o", "scored.jsonl", cwd=made.folder)
    assert done.returncode == 0, done.stderr
    totals = [json.loads(line)["total"] for line in (made.folder / "scored.jsonl").read_text().splitlines()]
    assert totals == [[1.0, 1 / 3, 0.0], [1.0, 0.5, 0.0]]
    done = run(site, "rewardlab.cli", "probe", "recipe.yaml", "rows.jsonl", cwd=made.folder)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_it_keeps_every_law(site, tmp_path):
    done = run(site, "rewardlab.cli", "plugins", "check", "my-terms", "--json", "--tries", "5", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == [], "what was tried leaves nothing in the user's folder"
    found = json.loads(done.stdout)
    assert (found["broken"], found["off"]) == (0, 0)
    examples = {component["example"] for component in found["components"]}
    assert examples == {"words and phrases", "no spaces", "the terms stand in the prompt"}


@pytest.mark.slow
def test_a_reward_that_pays_for_copies_of_the_prompt_is_found_out(made, site, tmp_path):
    mutant = tmp_path / "site"
    shutil.copytree(site, mutant)
    file = mutant / "rewardlab_my_terms" / "terms.py"
    text = file.read_text(encoding="utf-8")
    assert text.count(WITHOUT_COPIES) == 1
    file.write_text(text.replace(WITHOUT_COPIES, "answer"), encoding="utf-8")
    done = run(mutant, "rewardlab.cli", "plugins", "check", "my-terms", "--only", "prompt_copy", cwd=made.folder)
    assert done.returncode == 1, done.stdout + done.stderr
    broken = "my-terms/terms (the terms stand in the prompt) breaks `prompt_copy`: "
    assert broken in done.stdout
    assert "Use Baum and Blatt" in done.stdout.split(broken)[1]


@pytest.mark.slow
def test_the_wheel_has_the_templates(tmp_path):
    pip("wheel", "-w", tmp_path, ROOT / "plugins/authoring/testing")
    (wheel,) = tmp_path.glob("*.whl")
    templates = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".tmpl")]
    assert len(templates) == len([*(ROOT / "plugins/authoring/testing/rewardlab_testing/scaffold").rglob("*.tmpl")])
    assert len(templates) > len(SIZES) * 2


if __name__ == "__main__":
    for name, text in engine_templates().items():
        (ENGINE_TEMPLATES / name).write_text(text, encoding="utf-8")
