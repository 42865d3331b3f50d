"""`rewardlab plugins check`: the laws of an installed plugin, as a table that says what broke."""

import json
import sys
import time
from importlib import import_module

import pytest
from helpers.each_case import each_case
from rewardlab import installed
from rewardlab.errors import UserError
from rewardlab_testing.check import progress
from rewardlab_testing.check.check import check_plugin
from rewardlab_testing.check.import_cost import measure_import_cost
from rewardlab_testing.check.options import options_by_component
from rewardlab_testing.harness import reward_harness
from rewardlab_testing.laws import reward_laws

PADDED = """
from rewardlab import Config, NormalizerSpec, RewardSpec, Sample, Score, hookimpl
from rewardlab.laws import Laws, RewardExample

SAMPLE = Sample(id="s", prompt=[{"role": "user", "content": "?"}])

class Options(Config):
    most: int = 20
    environment: str = "here"

class Long:
    def __init__(self, options):
        self.most = options.most

    def score(self, items):
        print("a plugin may print")
        return [Score(value=min(1.0, len(c.text) / self.most)) for _, c in items]

def examples():
    return [
        RewardExample(title="long", sample=SAMPLE, good=["a long text"], bad=["short"]),
        RewardExample(title="longer", sample=SAMPLE, good=["a longer text"], bad=["short"], needs=["most"]),
    ]

class Centred:
    def shape(self, totals, tokens, kept, seed):
        return [totals[i] - sum(totals) / len(totals) for i in kept]

@hookimpl
def rewardlab_rewards():
    off = {"repetition": "a longer answer is what it asks for"}
    return [
        RewardSpec(name="long", summary="long", config=Options, runs="inline", build=lambda o, c: Long(o),
                   laws=Laws(examples=examples, off=off)),
    ]

@hookimpl
def rewardlab_normalizers():
    return [NormalizerSpec(name="centred", summary="centred", build=lambda options, context: Centred())]
"""


@pytest.fixture
def padded(offer):
    """An installed plugin whose reward pays for blank space."""
    return offer("padded", PADDED)


def found(main, *arguments, code):
    """What `check --json` says."""
    got, out, err = main("plugins", "check", *arguments, "--json")
    assert got == code, out + err
    return json.loads(out)


# --- What it says


def test_a_broken_law_is_told_with_its_smallest_example(padded, main):
    code, out, err = main(
        "plugins", "check", "padded/long", "--only", "padding", "--only", "repetition", "--tries", "9"
    )
    assert code == 1
    assert "a plugin may print" in err
    table, broken, remedy, off, untried, summary = out.split("\n\n")
    assert [line.split() for line in table.splitlines()[:2]] == [
        ["component", "example", "law", "result"],
        ["padded/long", "long", "repetition", "off"],
    ]
    assert table.splitlines()[2].split() == ["padding", "BROKEN"]
    first, *example = broken.splitlines()
    assert first == "padded/long (long) breaks `padding`: blank space before and behind a text earns nothing"
    assert example
    assert all(line.startswith("    ") for line in example)
    assert remedy.splitlines() == [
        "fix the reward; or, if a law is not meant for it, say why in its spec: Laws(off={'padding': 'why'})",
        "  padding: not for a reward of length or layout",
        "  a little more than it should be can be tolerated: Laws(tolerance=...)",
    ]
    assert off.splitlines() == ["off", "  repetition: a longer answer is what it asks for"]
    assert untried.splitlines() == ["not tried", "  padding: needs most=... (padded/long: longer)"]
    assert summary.startswith("padded: 0 held, 1 broken, 2 off, 1 not tried, in ")


def test_what_holds_ends_with_0(padded, main):
    code, out, _ = main("plugins", "check", "padded", "--only", "order")
    assert code == 0
    rows = [line.split() for line in out.split("\n\n")[0].splitlines()[1:]]
    assert rows[0][:3] == ["padded/centred", "order", "held"]
    assert rows[1][:4] == ["padded/long", "long", "order", "held"]
    assert rows[2] == ["padded/long", "longer", "order", "not", "tried"]


def test_an_option_is_what_an_example_needs(padded, main):
    held = found(main, "padded/long", "--only", "order", "most=30", code=0)
    assert [one["laws"][0]["state"] for one in held["components"]] == ["held", "held"]


def test_as_json(padded, main):
    told = found(main, "padded/long", "--only", "padding", code=1)
    counts = {"held": 0, "broken": 1, "off": 0, "untried": 1}
    assert {key: told[key] for key in ("plugin", "distribution", "version", "passed", "import", *counts)} == {
        "plugin": "padded",
        "distribution": "padded-rewards",
        "version": "1.0",
        "passed": False,
        "import": None,
        **counts,
    }
    law = told["components"][0]["laws"][0]
    assert set(law) == {"law", "state", "why", "tries", "words"}
    assert (law["law"], law["state"]) == ("padding", "broken")


def test_it_tries_as_many_cases_as_it_is_told_to(padded, main):
    few, more = (found(main, "padded/long", "--only", "range", "--tries", tries, code=0) for tries in ("2", "9"))
    assert few["components"][0]["laws"][0]["tries"] < more["components"][0]["laws"][0]["tries"]


def test_a_name_that_components_of_two_kinds_have_means_both(offer, main):
    offer("twice", PADDED.replace('name="centred"', 'name="long"'))
    told = found(main, "twice/long", "--only", "order", "--tries", "2", code=0)
    assert [one["kind"] for one in told["components"]] == ["normalizer", "reward", "reward"]
    told = found(main, "twice/long", "--only", "padding", "--tries", "2", code=1)
    assert [one["kind"] for one in told["components"]] == ["reward", "reward"]  # no law of normalizers


def test_one_broken_law_among_others_is_enough(padded, main):
    told = found(main, "padded/long", "--only", "order", "--only", "padding", "--tries", "3", code=1)
    assert (told["held"], told["broken"]) == (1, 1)


def test_where_nothing_could_be_tried_nothing_is_known(padded, main):
    code, out, _ = main("plugins", "check", "padded/long", "--only", "antisymmetry")
    assert code == 1
    assert out.endswith("\nnothing could be tried, so nothing is known\n")


@pytest.mark.slow
def test_a_backend_whose_laws_are_not_tried_is_not_proved(main):
    code, out, _ = main("plugins", "check", "toy/toy")
    assert code == 1
    assert "not proved, so exit code 1; what it takes\n  toy, whole: takes whole runs: run pytest with " in out


def test_a_judge_that_is_down_is_not_proved(main):
    """Its identity and the like hold; that says nothing of its replies."""
    url = 'base_url="http://127.0.0.1:9/v1"'
    told = found(main, "openai/chat", "model=mine", url, "--tries", "1", code=1)
    assert (told["held"] > 0, told["broken"], [one["law"] for one in told["unproved"]]) == (True, 0, ["reply"])
    assert "needs a judge that answers" in told["unproved"][0]["why"]


def test_a_component_that_gives_no_example_was_not_tried(offer, main):
    offer("bare", PADDED.replace("def examples():", "def examples():\n    return []"))
    told = found(main, "bare/long", "--only", "order", code=1)
    assert told["components"][0]["laws"] == [
        {"law": "order", "state": "untried", "why": "needs an example", "tries": 0, "words": ORDER}
    ]


ORDER = "each good completion earns more than each bad one"


def test_a_law_of_a_part_that_a_component_lacks_has_nothing_to_try(main):
    code, out, _ = main("plugins", "check", "toy/reversed", "--only", "more", "--only", "order", "--tries", "2")
    assert code == 0
    table, nothing, summary = out.split("\n\n")
    assert [line.split()[:3] for line in table.splitlines()[1:]] == [["toy/reversed", "order", "held"]]
    assert nothing == "nothing to try\n  more: it is not a group sampler: it has no `more`"
    assert summary.startswith("toy: 1 held, 0 broken, 0 off, 0 not tried, ")


# --- The user's mistakes


@each_case(
    "arguments, says",
    [
        (["toi"], "no plugin 'toi'; did you mean 'toy'?"),
        (["qqqqq"], "; a plugin of your own is found once pip has installed it"),
        (["toy/brevty"], "no component 'toy/brevty'; did you mean 'toy/brevity'?"),
        (["toy", "--only", "pading"], "no law 'pading'; did you mean 'padding'?"),
        (["toy", "--tries", "0"], "argument --tries: '0' is not a whole number from 1 on"),
        (["toy/brevity", "word=3"], "'word=3': no option 'word' of toy/brevity; did you mean 'words'?"),
        (["toy", "wordz=3"], "'wordz=3': no option 'wordz' of any component of toy; did you mean 'words'?"),
        (["toy/brevity", "words=x", "--only", "order"], "toy/brevity (five words): words: Input should be"),
    ],
)
def test_a_mistake_ends_with_2(main, arguments, says):
    code, out, err = main("plugins", "check", *arguments)
    assert (code, out) == (2, "")
    assert says in err


def test_a_broken_plugin_says_why(offer, main):
    [module] = offer("faulty", "import no_such_module").glob("*.py")
    says = "plugin 'faulty' (faulty-rewards) cannot be used: ModuleNotFoundError: No module named 'no_such_module'"
    assert main("plugins", "check", "faulty") == (2, "", f"error: {says} ({module}:1)\n")


def test_without_hypothesis_it_says_what_to_install(main, monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    says = "error: trying laws needs hypothesis: pip install hypothesis pytest\n"
    assert main("plugins", "check", "toy") == (2, "", says)


# --- Options


def test_an_option_goes_to_every_component_that_has_it_or_to_the_one_named(toy):
    plugin = installed().plugin("toy")
    specs = [plugin.specs["reward", name] for name in ("brevity", "thread", "prefer")]
    given = options_by_component(plugin, specs, ["toy/thread:words=7", "words=3", "judge='3'"])
    assert given == {
        ("reward", "brevity"): {"words": 3},
        ("reward", "thread"): {"words": 7},
        ("reward", "prefer"): {"judge": "3"},
    }
    given = options_by_component(plugin, specs[:1], ["words={a: [1, null], b: x/y:z}"])
    assert given == {("reward", "brevity"): {"words": {"a": [1, None], "b": "x/y:z"}}}


def test_every_option_that_fits_nothing_is_told(toy):
    plugin = installed().plugin("toy")
    with pytest.raises(UserError) as error:
        options_by_component(
            plugin, [plugin.specs["reward", "brevity"]], ["words", "a b=1", "toy/thread:words=1", "words=.nan"]
        )
    assert str(error.value).splitlines() == [
        "'words': an option is KEY=VALUE or <plugin>/<component>:KEY=VALUE",
        "'a b=1': an option is KEY=VALUE or <plugin>/<component>:KEY=VALUE",
        "'words=.nan': .nan is not a finite number; quote it if you mean the text",
        "'toy/thread:words=1': toy/thread is not checked here; there is 'toy/brevity'",
    ]


# --- What importing it costs


@pytest.mark.slow
def test_an_import_of_torch_is_a_broken_law(offer, main, tmp_path, monkeypatch):
    (tmp_path / "torch.py").write_text("")  # it is the name that counts
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torch", raising=False)  # the real one comes back: it cannot be imported twice
    offer("heavy", "import torch\n" + PADDED)
    code, out, _ = main("plugins", "check", "heavy", "--only", "import")
    sys.modules.pop("torch")
    assert code == 1
    assert "heavy breaks `import`: importing the plugin brings in none of torch, transformers, trl and ray" in out
    assert "    it imports torch; do so inside `build`\n" in out


@pytest.mark.slow
def test_an_import_that_only_works_here_is_told(offer, monkeypatch):
    offer("here", "import only_here")
    monkeypatch.setitem(sys.modules, "only_here", import_module("json"))
    assert measure_import_cost("here").broken.startswith(
        "in a fresh process: ModuleNotFoundError: No module named 'only_here'"
    )
    offer("gone", "import os; os._exit(3)")
    assert measure_import_cost("gone").broken == "in a fresh process: exit code 3: it printed no error"
    cheap = measure_import_cost("math")
    assert (cheap.broken, cheap.heavy) == ("", [])
    assert 0 < cheap.seconds < 10


# --- Progress


def test_people_see_what_takes_long_and_its_line_makes_way_for_rows(monkeypatch, capsys):
    monkeypatch.setattr(progress, "DELAY_S", 0.01)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress.show_progress("1 of 2", every=0.02) as shown:
        shown.begin("toy/brevity range")
        time.sleep(0.05)
        with shown.pause():
            print("a row", file=sys.stderr)
    line = progress.CLEAR_LINE
    first, rest = capsys.readouterr().err.split("a row\n")
    assert first.startswith(f"{line}toy/brevity range (1 of 2): 0 s")
    assert first.endswith(line)
    assert rest in ("", f"{line}toy/brevity range (1 of 2): 0 s{line}")


def test_without_a_terminal_a_line_says_so_now_and_then(monkeypatch, capsys):
    monkeypatch.setattr(progress, "NOTICE_S", 0.1)
    shown = progress.TrialProgress("1 of 2")
    shown.begin("toy/brevity range")
    told = []
    for seconds in (0.05, 0.15, 0.18, 0.25, 0.3):
        shown._began = time.monotonic() - seconds
        shown.show()
        told.append(capsys.readouterr().err)
    said = "toy/brevity range (1 of 2): tried for 0 s so far\n"
    assert told == ["", said, "", said, ""]


# --- What hangs

HANGING = """
import re
from rewardlab import RewardSpec, Sample, Score, hookimpl
from rewardlab.laws import Laws, RewardExample

ASKED = []

class Careless:
    def score(self, items):
        ASKED.append(len(items))
        return [Score(value=float(bool(re.fullmatch("(a|b|ab)*c", c.text)))) for _, c in items]

def examples():
    return [
        RewardExample(title=title, sample=Sample(id="s"), good=["ababc"], bad=["ab" * 60]) for title in ("one", "two")
    ]

@hookimpl
def rewardlab_rewards():
    laws = Laws(examples=examples, off={"padding": "of layout"})
    return [RewardSpec(name="match", summary="s", runs="inline", build=lambda o, c: Careless(), laws=laws)]
"""


@pytest.mark.slow
def test_one_hang_is_enough_and_is_named(offer, main, monkeypatch):
    monkeypatch.setattr(reward_harness, "INLINE_LIMIT", 0.3)
    offer("hanging", HANGING)
    code, out, _ = main("plugins", "check", "hanging", "--tries", "1")
    assert code == 1
    rows = [line.split() for line in out.split("\n\n")[0].splitlines()]
    assert rows[2] == ["hanging/match", "one", "range", "BROKEN"]
    assert [row for row in rows if "BROKEN" in row] == [rows[2]]
    assert rows.index(["hanging/match", "two", "range", "not", "tried"]) > 10
    example = out.split("\n\n")[1].splitlines()
    assert example[1].startswith(f"    asked: {'ab' * 60!r}, in one call of ")
    assert example[2].startswith("    got: no answer within 0.3 s (at ")
    assert "it hangs, which `range` reports" in out
    asked = sys.modules["plugin_hanging_hanging_rewards"].ASKED
    assert asked[0] > 1
    assert asked.count(1) == len(asked) - 1 < 5, "asked once, and one by one up to what hangs"


def test_rows_are_printed_before_the_next_law_is_tried(offer, main, monkeypatch):
    offer("padded", PADDED)

    def repeat(tested):
        raise KeyboardInterrupt

    monkeypatch.setitem(reward_laws.LAWS, "repeat", repeat)
    lines = []
    with pytest.raises(KeyboardInterrupt):
        check_plugin("padded/long", [], tries=1, only=["order", "repeat"], write=lines.append)
    assert [line.split() for line in lines[1:]] == [["padded/long", "long", "order", "held", "1"]]


# --- All of it


@pytest.mark.slow
def test_the_toy_plugin_under_every_law(main):
    told = found(main, "toy/brevity", code=0)
    (brevity,) = told["components"]
    assert brevity["example"] == "five words"
    assert told["import"]["broken"] == ""
    states = {law["law"]: law["state"] for law in brevity["laws"]}
    assert states["worker"] == states["thread"] == states["order"] == "held"
    assert states["empty"] == "off"
