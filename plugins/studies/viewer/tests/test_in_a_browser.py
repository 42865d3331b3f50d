"""The page in a real browser: what people see and do, and what hostile texts cannot do."""

import json
from collections import Counter

import pytest
from helpers.accessible import OPEN_ALL, violations
from helpers.synthetic_run import GROUP, write_run
from rewardlab import Sample
from rewardlab.laws import RewardExample
from rewardlab_viewer.page import page as report_page
from rewardlab_viewer.page.page import write_report

pytestmark = pytest.mark.slow

RUN_SCRIPT = "window.ran = true; alert(1)"
INTRUSIONS = """() => {
    const script = document.createElement("script"), body = document.body;
    const ways = {
        markup() { body.insertAdjacentHTML("beforeend", "<b id=got-in>"); return document.getElementById("got-in"); },
        handler() { body.setAttribute("onclick", "window.ran = true"); body.click(); return window.ran; },
        script() { script.append("window.ran = true"); body.append(script); return window.ran; },
    };
    const stopped = ([, way]) => { try { return !way(); } catch { return true; } };
    return Object.entries(ways).filter(stopped).map(([name]) => name);
}"""
HOSTILE = [
    f"<script>{RUN_SCRIPT}</script>",
    f"</script><script>{RUN_SCRIPT}</script>",
    f'<img src="x" onerror="{RUN_SCRIPT}">',
    f"<svg onload='{RUN_SCRIPT}'><a href='javascript:{RUN_SCRIPT}'>x</a></svg>",
    f'"><iframe srcdoc="<script>parent.ran = true</script>"></iframe><b onmouseover="{RUN_SCRIPT}">',
    "<!-- data --><!--<script>",
    "</style><style>body{display:none}</style>",
    "<base href='http://127.0.0.1:9/'><link rel=stylesheet href='http://127.0.0.1:9/a.css'>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "{{ 7 * 7 }}{% raw %}${7 * 7}<%= 7 %>",
    "__proto__",
    "constructor",
    "\u202eevil\u2066 half \ud83d and \x1b[31m and \u0000",
    "]]><![CDATA[<x>&amp;&lt;",
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("runs") / "many-languages", 1_600)


@pytest.fixture(scope="module")
def page(run):
    write_report([run], run / "report.html")
    return run / "report.html"


def lines_of(run):
    return [json.loads(line) for line in (run / "ledger.jsonl").read_text(encoding="utf-8").splitlines()]


def found(tab):
    tab.wait_for_function("() => !document.getElementById('found').textContent.startsWith('searched')")
    return tab.inner_text("#found")


def test_curves_have_values_under_the_pointer_and_split_by_language(visit, page):
    tab = visit(page)
    chart = tab.locator("figure.chart").first
    assert chart.locator("figcaption").inner_text().startswith("total")
    chart.locator(".u-over").hover()
    assert chart.locator(".u-legend .u-value").first.inner_text().isdigit(), "the step under the pointer"
    assert "mean" in chart.inner_text()
    assert tab.get_by_role("img", name="accuracy by step: ").count() == 1, "those who do not see it hear the change"
    assert "held-out" in chart.inner_text()
    chart.locator(".u-over").focus()
    tab.keyboard.press("End")
    assert chart.locator(".u-legend .u-value").first.inner_text() == "50", "and by keyboard"
    assert chart.get_by_role("slider").get_attribute("aria-valuetext").startswith("step 50: mean ")
    chart.locator(".u-legend th").nth(1).press("Enter")
    assert chart.get_by_role("button", name="mean", pressed=False).count() == 1, "a line is hidden by keyboard, too"
    tab.select_option("#chart-controls label:has-text('split by') select", "language")
    labels = tab.locator("figure.chart").first.locator(".u-legend .u-label").all_inner_texts()
    assert {"am", "ar", "en", "zh"} <= {label.rstrip(":") for label in labels}
    tab.click("text=What was trained on when: shares of groups by language, task")
    shares = tab.locator("details[data-log=composition] figure.chart")
    shares.nth(1).wait_for()
    assert shares.locator("figcaption bdi").all_inner_texts() == ["language", "task"]
    tab.click("text=Seconds of a step by part, stage 0-rl")
    times = tab.locator("details[data-log='times 0-rl'] .u-label")
    times.nth(1).wait_for()
    assert [label.rstrip(":") for label in times.all_inner_texts()] == ["", "step_time", "generation", "train"]
    tab.click("text=Everything that the engine logged")
    tab.wait_for_selector("details[data-log='0-rl'] figure.chart")
    assert "grad_norm" in tab.inner_text("details[data-log='0-rl']")
    assert "learning_rate 0.000001" in tab.inner_text("details[data-log='0-rl']"), "what never changes is no curve"


def test_numbers_that_are_read_beside_each_other_are_lines_of_one_chart(visit, tmp_path):
    run = write_run(tmp_path / "run", 80)
    names = (
        "reward/total",
        "teaching/total",
        "advantage/accuracy",
        "advantage/overlong",
        "length/mean",
        "length/right",
    )
    of_judges = ("length/wrong", "judge/main/seconds", "judge/small/seconds", "judge/main/usd", "judge/small/usd")
    numbers = [{"step": at} | dict.fromkeys((*names, *of_judges), at / 4) for at in (1, 2)]
    (run / "logs" / "0-rl.jsonl").write_text("".join(json.dumps(one) + "\n" for one in numbers))
    write_report([run], tmp_path / "page.html")
    tab = visit(tmp_path / "page.html")
    charts = {
        "teaching": {"total": ["teaching/total", "reward/total"]},
        "advantages": {"share of the advantages": ["accuracy", "overlong"]},
        "lengths": {"tokens": ["right", "wrong", "mean"]},
        "judges": {"seconds of judges": ["main", "small"], "US dollars": ["main", "small"]},
    }
    for key, expected in charts.items():
        tab.locator(f"details[data-log='{key} 0-rl'] summary").click()
        figures = tab.locator(f"details[data-log='{key} 0-rl'] figure.chart")
        figures.nth(len(expected) - 1).wait_for()
        labels = [
            [label.rstrip(":") for label in one.locator(".u-label").all_inner_texts()][1:] for one in figures.all()
        ]
        assert dict(zip(figures.locator("figcaption bdi").all_inner_texts(), labels, strict=True)) == expected


def test_tables_sort_by_their_heads(visit, page):
    tab = visit(page)
    table = tab.locator("#fields table").first
    table.locator("th", has_text="accuracy").locator("button").click()
    means = [float(cell.split()[0]) for cell in table.locator("tbody td:nth-child(5)").all_inner_texts()]
    assert table.locator("tbody tr th").first.inner_text() == "all"
    assert means[1:] == sorted(means[1:], reverse=True)
    assert table.locator("th", has_text="accuracy").get_attribute("aria-sort") == "descending"


def test_filters_search_keys_and_links_find_a_group(visit, page, run):
    lines = lines_of(run)
    tab = visit(page)
    whole = f"{len(lines) // GROUP} of {len(lines) // GROUP} groups"
    assert found(tab) == whole
    languages = Counter(line["fields"]["language"] for line in lines if line["index"] == 0)
    tab.select_option("#filters label:has-text('language') select", "am")
    assert found(tab).startswith(f"{languages['am']} of ")
    tab.select_option("#filters label:has-text('language') select", "")
    failed = {line["group"] for line in lines if line["components"]["preference"]["error"]}
    tab.select_option("[data-filter=what]", "failed")
    assert found(tab).startswith(f"{len(failed)} of ")
    assert "failed: the judge did not answer in 60 s" in tab.inner_text("#group")
    tab.select_option("[data-filter=what]", "")
    wanted = lines[GROUP * 41 + 3]
    tab.fill("#search", wanted["completion"][:40])
    tab.wait_for_function("() => document.getElementById('found').textContent.startsWith('1 of')")
    assert wanted["completion"] in tab.inner_text("#group")
    tab.fill("#search", "nowhere to be found")
    tab.wait_for_selector("text=No group fits these filters.")
    tab.fill("#search", "")
    tab.wait_for_function(f"() => document.getElementById('found').textContent === '{whole}'")
    tab.click("#samples-head")
    tab.keyboard.press("j")
    tab.keyboard.press("j")
    tab.keyboard.press("k")
    link = tab.evaluate("location.hash")
    assert link == "#group=1"
    shown = tab.inner_text("#group h3")
    linked = visit(page, link)
    assert linked.inner_text("#group h3") == shown
    assert linked.locator(".item[aria-selected=true]").count() == 1


@pytest.mark.nightly
def test_groups_without_a_mean_come_last_and_texts_are_found_as_they_are_read(visit, tmp_path):
    def odd(lines):
        for line in lines:
            if line["group"] == 3:
                line["total"] = None
            if line["group"] == 4:
                line["total"] = 0.5 + line["index"] * 1e-9
            if line["group"] == 5:
                line["completion"] = 'He said "two\nlines" in his re\u0301sume\u0301'
            if line["group"] == 6:
                line["completion"] = None
            if line["group"] == 8 and "fields" in line:
                line["fields"]["number"] = 2**63 + 1
            if line["group"] == 9:
                line["messages"] = [None, 5, {"role": "assistant", "content": "done"}]
            if line["group"] == 7:
                line["completion"] = "$x$" + "a" * 19_996 + "\U0001f600" + "\\alpha $x$ \u202e" * 5_000
                line["components"]["accuracy"]["info"] = {"extracted": line["completion"]}
                line.setdefault("fields", {})["reference"] = line["completion"]
        return lines

    run = write_run(tmp_path / "run", 80, lines_of=odd)
    numbers = [{"step": at, "learning_rate": 8e-6 / at, "num_tokens": at * 10**8} for at in (1, 2)]
    (run / "logs" / "0-rl.jsonl").write_text("".join(json.dumps(one) + "\n" for one in numbers))
    write_report([run], tmp_path / "page.html")
    tab = visit(tmp_path / "page.html")
    tab.select_option("[data-filter=order]", "low")
    means = tab.locator(".item .mean b").all_inner_texts()
    assert means[-1] == "–"
    assert means[:-1] == sorted(means[:-1], key=float)
    for text in ('said "two', 'lines" in', "R\u00e9sum\u00e9"):
        tab.fill("#search", text)
        tab.wait_for_function("() => document.getElementById('found').textContent === '1 of 10 groups'")
    tab.fill("#search", "")
    tab.select_option("[data-filter=what]", "flat")
    totals = [[line["total"] for line in lines_of(run) if line["group"] == group] for group in range(10)]
    flat = sum(len({*of}) == 1 for of in totals if None not in of)
    assert found(tab) == f"{flat} of 10 groups", "totals that differ by little are not equal"
    tab.click("text=Everything that the engine logged")
    assert tab.locator("figcaption", has_text="learning_rate").inner_text().endswith("0.000008 → 0.000004")
    tokens = tab.locator("figure", has_text="num_tokens").locator(".u-axis").nth(1)
    assert tokens.evaluate("axis => axis.clientWidth") > 80, "200,000,000 is not cut"
    alone = visit(tmp_path / "page.html", "#group=6")
    assert alone.locator("#group .links button").all_inner_texts() == ["Copy link"], "there is no text to copy"
    damaged = visit(tmp_path / "page.html", "#group=9")
    assert damaged.locator("#group .completion .say").all_inner_texts() == ["done"] * GROUP
    large = visit(tmp_path / "page.html", "#group=8", permissions=["clipboard-read", "clipboard-write"])
    assert str(2**63 + 1) in large.inner_text("#group .fieldlist")
    for label in ("Copy as row", "Copy as law example"):
        large.click(f"text={label}")
        large.wait_for_selector("#group button:text-is('Copied')")
        text = large.evaluate("navigator.clipboard.readText()")
        assert (str(2**63 + 1) in text, "rawJSON" in text) == (True, False), label
        large.wait_for_selector(f"text={label}")
    tab = visit(tmp_path / "page.html", "#group=7")
    tab.evaluate(OPEN_ALL)
    texts = tab.locator("#group dd, #group pre").evaluate_all("nodes => nodes.map((node) => node.textContent.length)")
    assert 20_000 < max(texts) < 20_100, "of a field, and the info of a component, too"
    long = tab.locator(".completion .say").first
    assert long.evaluate("say => say.textContent.length") < 20_100, "a million formulas would stop the browser"
    long.locator("button").click()
    assert "\U0001f600\\alpha $x$ \\u202e\\alpha" in long.text_content()
    assert 40_000 < long.evaluate("say => say.textContent.length") < 60_000


def test_a_text_has_its_language_and_direction(visit, page, run):
    group = next(line["group"] for line in lines_of(run) if line.get("fields", {}).get("language") == "he")
    tab = visit(page, f"#group={group}")
    said = tab.locator("#group .say").first
    assert said.get_attribute("lang") == "he"
    assert said.evaluate("node => getComputedStyle(node).direction") == "rtl"
    assert said.locator("bdi[dir=ltr]").inner_text().startswith("\\boxed{"), "a formula reads from left to right"


def test_the_best_completion_stands_first_with_every_component(visit, page, run):
    lines = lines_of(run)[GROUP * 7 : GROUP * 8]
    tab = visit(page, "#group=7")
    totals = [
        float(text.split()[-1]) for text in tab.locator(".completion strong").all_inner_texts() if "no" not in text
    ]
    assert totals == sorted((round(line["total"], 3) for line in lines if line["total"] is not None), reverse=True)
    assert tab.locator(".completion").first.locator(".score").count() == 3
    assert "answer" in tab.inner_text("#group .fieldlist")


def test_a_rollout_that_failed_is_no_empty_answer(visit, tmp_path):
    def failed(lines):
        for line, info in zip(lines, ({"rollout_failed": True}, {}), strict=False):
            line |= {"completion": "", "total": None}
            line["components"] = {
                name: {"value": None, "error": "the rollout failed: died", "info": info} for name in line["components"]
            }
        return lines

    write_report([write_run(tmp_path / "run", 80, lines_of=failed)], tmp_path / "page.html")
    tab = visit(tmp_path / "page.html")
    chips = [said for said in tab.locator(".completion .chip.warn").all_inner_texts() if "cut" not in said]
    assert sorted(chips) == ["empty", "the rollout failed"]


def test_a_group_is_copied_as_rows_and_as_an_example_of_laws(visit, page, run):
    every = lines_of(run)
    groups = [every[at : at + GROUP] for at in range(0, len(every), GROUP)]
    found = [[line["components"]["accuracy"]["value"] for line in lines] for lines in groups]
    number = next(at for at, answers in enumerate(found) if answers[0] == 0.0 and 1.0 in answers)
    lines, answers = groups[number], found[number]
    first = lines[0]
    tab = visit(page, f"#group={number}", permissions=["clipboard-read", "clipboard-write"])

    def copied(label):
        tab.click(f"#group button:text-is('{label}')")
        tab.wait_for_selector("#group button:text-is('Copied')")
        tab.wait_for_selector(f"#group button:text-is('{label}')")
        return tab.evaluate("navigator.clipboard.readText()")

    asked = {"id": first["id"], "prompt": first["prompt"], **first["fields"]}
    texts = [line["completion"] for line in lines]
    assert json.loads(copied("Copy as row")) == asked | {"completions": texts}
    right = [text for text, answer in zip(texts, answers, strict=True) if answer == 1.0]
    assert json.loads(copied("Copy as probe")) == asked | {"honest": right[0]}
    example = eval(copied("Copy as law example"), {"RewardExample": RewardExample, "Sample": Sample})
    assert (example.sample.id, example.sample.prompt) == (first["id"], first["prompt"])
    assert example.sample.fields == first["fields"]
    assert example.good == right
    assert sorted([*example.good, *example.bad]) == sorted(texts)
    assert copied("Copy link").endswith(f"/report.html#group={number}")
    tab.evaluate("Object.defineProperty(Navigator.prototype, 'clipboard', {get: () => undefined})")
    tab.click("#group button:text-is('Copy as row')")
    tab.wait_for_selector("#group button:text-is('Copied')")
    tab.fill("#search", "")
    tab.locator("#search").press("ControlOrMeta+v")
    assert tab.input_value("#search").startswith('{"id":"'), "a page over HTTP from elsewhere has no clipboard"


def test_a_conversation_shows_who_said_what_and_its_calls_of_tools(visit, tmp_path):
    call = {"function": {"name": "add", "arguments": '{"a": 2}'}}
    said = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "name": "add", "content": "4, from a tool"},
        {"role": "assistant", "content": [{"type": "text", "text": "It is 4."}]},
    ]
    folder = write_run(tmp_path / "run", 80, lines_of=lambda lines: [line | {"messages": said} for line in lines])
    write_report([folder], tmp_path / "page.html")
    tab = visit(tmp_path / "page.html", "#group=3")
    completion = tab.locator(".completion").first
    assert completion.locator(".role").all_inner_texts() == ["assistant", "tool", "assistant"]
    assert completion.locator(".say").all_inner_texts() == ["4, from a tool", "It is 4."]
    assert '"arguments": "{\\"a\\": 2}"' in completion.locator(".more").first.inner_text()
    tab.fill("#search", "from a tool")
    tab.wait_for_function("() => document.getElementById('found').textContent.startsWith('10 of 10')")


def _hostile_lines(lines):
    """Put hostile texts everywhere that a policy, a dataset or a plugin writes."""
    text = HOSTILE[lines[0]["group"] % len(HOSTILE)]
    for line in lines:
        line["id"] = f"{text} {line['id']}"
        line["components"][text] = {"value": 0.5, "error": None, "info": {text: [text]}}
        line["components"]["accuracy"]["info"] = {"said": text}
        if line["components"]["preference"]["value"] is None:
            line["components"]["preference"]["error"] = text
        line["completion"] = f"{text} {line['completion']}"
        for entry in line["components"].values():
            entry.pop("contribution", None)
    lines[0]["fields"] |= {text: text, "kind": text, "language": text if lines[0]["group"] % 3 else "en"}
    lines[0]["prompt"] = [
        {"role": text, "content": text},
        {"role": "user", "content": [{"type": "text", "text": text}]},
    ]
    return lines


def test_hostile_texts_are_shown_and_run_nothing(visit, tmp_path):
    folder = write_run(tmp_path / "<img src=x onerror=alert(1)>", GROUP * 6 * len(HOSTILE), lines_of=_hostile_lines)
    (folder / "recipe.resolved.yaml").write_text(HOSTILE[1])
    (folder / "manifest.json").write_text(json.dumps({HOSTILE[1]: HOSTILE[2]}))
    for target in (tmp_path / "page.html", tmp_path / "bundle"):
        write_report([folder], target, bundle=target.suffix == "")
        tab = visit(target if target.suffix else target / "index.html")
        elements = (
            "document.querySelectorAll('iframe, img, svg, base, object, embed, form, meta[http-equiv=refresh]').length"
        )
        for number in range(len(HOSTILE)):
            tab.evaluate(f"location.hash = '#group={number}'")
            escaped = HOSTILE[number].startswith("\u202e")
            start = "\\u202eevil\\u2066 half \\ud83d and \\u001b[31m" if escaped else HOSTILE[number]
            tab.wait_for_function(
                "text => document.querySelector('#group .completion')?.textContent.includes(text)", arg=start
            )
            tab.evaluate(OPEN_ALL)
            assert tab.evaluate(elements) == 0
        for name in tab.locator("#chart-controls label:has-text('split by') option").all():
            tab.select_option("#chart-controls label:has-text('split by') select", name.get_attribute("value"))
        tab.fill("#search", "alert(1)")
        tab.wait_for_timeout(500)
        assert not tab.evaluate("'ran' in window")
        assert tab.evaluate("getComputedStyle(document.body).display") == "block"


def test_a_script_that_gets_in_is_stopped_by_the_policy(browser, page):
    tab = browser.new_page()
    tab.goto(page.as_uri())
    tab.wait_for_selector("html[data-ready]")
    stopped = tab.evaluate(INTRUSIONS)
    assert stopped == ["markup", "handler", "script"]
    tab.close()


def test_two_runs_stand_side_by_side_on_the_same_prompts(visit, tmp_path):
    def worse(lines):
        for line in lines:
            if line["group"] % 2 and line["total"] is not None:
                line["total"] = line["shaped"] = line["total"] - 0.5
            if line["group"] == 0:
                line["total"] = None
            if line["group"] == 2:
                line["components"]["accuracy"]["value"] = 0.25
        return lines

    one, other = write_run(tmp_path / "one", 800), write_run(tmp_path / "other", 800, lines_of=worse)
    write_report([one, other], tmp_path / "both.html")
    tab = visit(tmp_path / "both.html", "#group=3")
    assert tab.locator("#group .beside > div").count() == 2
    assert [text.split()[0] for text in tab.locator("#group .beside > div > h3").all_inner_texts()] == ["one", "other"]
    assert tab.locator("#group h4", has_text="Prompt").count() == 1
    assert {"one: mean", "other: mean"} <= {text.rstrip(":") for text in tab.locator(".u-label").all_inner_texts()}
    tab.check("text=only where runs differ")
    tab.wait_for_function("() => document.getElementById('found').textContent.startsWith('52 of 100')")
    tab.select_option("#chart-controls label:has-text('split by') select", "language")
    chart = tab.locator("figure.chart").first
    looks = {
        run: chart.locator("tr", has_text=f"{run}: am").locator(".u-marker").get_attribute("style")
        for run in ("one", "other")
    }
    assert looks["one"] == looks["other"], "one language has one color"


def test_runs_of_different_recipes_stand_in_one_chart_and_a_link_may_name_no_run(visit, tmp_path):
    def other(lines):
        for line in lines:
            line["components"] = {"judged": line["components"]["preference"]}
        return [line | {"stage": 1} for line in lines]

    later = write_run(tmp_path / "later", 800, lines_of=other)
    write_report([write_run(tmp_path / "one", 800), later], tmp_path / "both.html")
    tab = visit(tmp_path / "both.html", "#group=3&run=-1")
    assert tab.locator("#group .completion").count() == 2 * GROUP
    labels = tab.locator("figure.chart").first.locator(".u-label").all_inner_texts()
    assert {"one, stage 0: mean", "later: mean"} <= {label.rstrip(":") for label in labels}
    tab.select_option("[data-filter=component]", "preference")
    tab.select_option("[data-filter=what]", "wrong")
    tab.select_option("[data-filter=run]", "1")
    tab.wait_for_function("() => document.getElementById('found').textContent === '100 of 100 groups'")
    assert tab.input_value("[data-filter=component]") == tab.input_value("[data-filter=what]") == "", "it has neither"


@pytest.mark.nightly
def test_each_group_of_a_list_is_reached_that_is_higher_than_browsers_scroll(visit, run, tmp_path, monkeypatch):
    asset = report_page._asset
    monkeypatch.setattr(report_page, "_asset", lambda name: asset(name).replace("15_000_000", "2_000"))
    write_report([run], tmp_path / "page.html")
    tab = visit(tmp_path / "page.html", "#group=100")
    last = len(lines_of(run)) // GROUP - 1
    assert tab.locator("#item-100").bounding_box()["height"] == 56
    tab.evaluate("document.getElementById('groups').scrollTop = 1e9")
    tab.locator(f"#item-{last}").click()
    tab.wait_for_function(f"() => location.hash === '#group={last}'")
    tab.evaluate("document.getElementById('groups').scrollTop = 0")
    tab.locator("#item-0").click()
    tab.wait_for_function("() => location.hash === '#group=0'")


def test_a_bundle_loads_texts_from_files_beside_it(visit, run, tmp_path):
    write_report([run], tmp_path / "bundle", bundle=True)
    assert len(list((tmp_path / "bundle").glob("texts-0-*.js"))) > 1
    tab = visit(tmp_path / "bundle" / "index.html", "#group=150")
    assert lines_of(run)[150 * GROUP]["completion"] in tab.inner_text("#group")
    (tmp_path / "bundle" / "texts-0-0.js").unlink()
    tab = visit(tmp_path / "bundle" / "index.html", "#group=150")
    assert tab.locator("#group .completion").count() == GROUP


@pytest.mark.parametrize(
    ("look", "width"),
    [
        ("light", 1280),
        ("dark", 420),
        pytest.param("light", 420, marks=pytest.mark.nightly),
        pytest.param("dark", 1280, marks=pytest.mark.nightly),
    ],
)
def test_everybody_can_use_it(visit, page, look, width):
    tab = visit(page, color_scheme=look, viewport={"width": width, "height": 900}, bypass_csp=True)
    tab.evaluate(OPEN_ALL)
    assert violations(tab) == []
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing but tables scrolls sideways"


def test_a_printed_page_has_the_tables_and_no_controls(visit, page):
    tab = visit(page, color_scheme="dark")
    tab.emulate_media(media="print")
    tab.wait_for_selector(".u-marker[style*='11, 92, 173']")  # on paper, dark lines
    assert not tab.is_visible("#filters")
    assert not tab.is_visible(".top")
    assert tab.is_visible("#coverage table >> nth=0")
