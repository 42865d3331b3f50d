"""What the lists of samples and their scores say, and charts on which nobody points."""

import json

import pytest
from helpers.synthetic_run import GROUP, write_run
from rewardlab_viewer.page.page import write_report

pytestmark = pytest.mark.slow

ROWS = [{"id": "a-1", "language": "en", "question": "What is 2 + 2?", "solution": "4"}]
ROWS += [{"id": "a-2", "language": "ja", "question": "2足す3はいくつですか？", "solution": "5"}]
ANSWERS = ["\\boxed{4}", "four"]
WATCHED = """() => {
    const whole = uPlot, construct = (target, given) => plots[plots.push(new target(...given)) - 1];
    [window.plots, window.uPlot] = [[], new Proxy(whole, {construct})];
    document.getElementById("theme").click();  // draws all charts anew
}"""


def test_a_scored_file_opens_with_samples_that_say_what_gave_what_and_why(visit, tmp_path, main):
    recipe, rows = tmp_path / "recipe.yaml", tmp_path / "rows.jsonl"
    recipe.write_text(
        "version: 1\ndataset: {fields: {answer: solution, prompt: question}}\n"
        "reward:\n  components: {boxed: {use: format/boxed}, right: {use: math/accuracy, workers: 1}}\n"
        "  total: boxed + 2 * right\n"
    )
    rows.write_text("".join(json.dumps(row | {"completions": ANSWERS}, ensure_ascii=False) + "\n" for row in ROWS))
    assert main("score", recipe, rows, "-o", tmp_path / "scored.jsonl")[0] == 0
    write_report([tmp_path / "scored.jsonl"], tmp_path / "scored.html", rows=str(rows))
    tab = visit(tmp_path / "scored.html")
    assert tab.is_visible(".completion >> nth=0")
    assert tab.locator("#samples").bounding_box()["y"] < 100, "it opens with them"
    assert tab.locator(".item .name").all_inner_texts() == [row["question"] for row in ROWS]
    assert tab.locator(".item .where").first.inner_text() == "a-1 · en · scored rows"
    assert tab.locator(".item .mean").all_inner_texts() == ["mean total 1.5", "mean total 0.5"]
    assert "2 completions, the best first; total = boxed + 2 * right, from 0 to 3" in tab.inner_text("#group")
    assert tab.locator(".fieldlist dt").all_inner_texts() == ["answer column solution", "language"]
    scores = [" ".join(text.split()) for text in tab.locator(".completion .score").all_inner_texts()]
    assert scores[:3] == ["boxed 1 gave +1", "right 1 gave +2", "boxed 0 gave +0 no closed box"]
    assert scores[3].startswith("right 0 gave +0 extracted none")
    assert tab.locator("figure.chart").count() == 0


def test_a_reason_stands_beside_a_value_of_0_or_none_and_not_beside_others(visit, tmp_path):
    infos = [
        (0.0, {"reason": "no <b>box</b>"}),
        (0.0, {"extracted": "7", "share": 1 / 3, "more": [1], "third": None, "fourth": True}),
        (0.0, {"reason": "x" * 10_000}),
        (-1.0, {"repeats": 12}),
        (1.0, {"extracted": "8"}),
        (1.0, {"reason": "as the reference"}),
        (None, {"reason": {"why": "no gold"}}),
        (0.0, {}),
    ]

    def with_infos(lines):
        for line, (value, info) in zip(lines, infos, strict=True):
            line["components"] = {"a": {"value": value, "error": None, "info": info}}
            line["total"] = line["shaped"] = float(-line["index"])
        return lines

    write_report([write_run(tmp_path / "run", 2 * GROUP, lines_of=with_infos)], tmp_path / "page.html")
    tab = visit(tmp_path / "page.html")
    told = [one.locator(".reason").all_inner_texts() for one in tab.locator(".completion").all()]
    assert told == [
        ["no <b>box</b>"],
        ["extracted 7, share 0.333, third none"],
        ["x" * 160 + "…"],
        ["repeats 12"],
        [],
        ["as the reference"],
        ['{"why":"no gold"}'],
        [],
    ]


def test_a_chart_has_the_scale_that_is_declared_and_its_legend_is_quiet_until_somebody_points(visit, tmp_path):
    def zeros(lines):
        for line in lines:
            line["components"] = {"boxed": line["components"]["accuracy"] | {"value": 0.0}}
            line["total"] = 0.0
        return lines

    folder = write_run(tmp_path / "run", 400, lines_of=zeros)
    recipe = (folder / "recipe.resolved.yaml").read_text()
    reward = "reward: {components: {boxed: {use: format/boxed}}, total: 2 * boxed}"
    with_model = recipe.replace(
        "reward: {correctness: accuracy}",
        f"model: {{use: tiny}}\ndataset: {{use: data/arithmetic, with: {{kind: prompts}}}}\n{reward}",
    )
    for text, said in ((with_model, ("from 0 to 2", "from 0 to 1", "from 0 to 1")), (recipe, ("", "", "from 0 to 1"))):
        (folder / "recipe.resolved.yaml").write_text(text)
        write_report([folder], tmp_path / "page.html")
        tab = visit(tmp_path / "page.html")
        tab.evaluate(WATCHED)
        for at, (name, scale) in enumerate(zip(("total", "boxed", "flat groups"), said, strict=True)):
            chart = tab.locator("figure.chart", has=tab.locator(f"figcaption bdi:text-is('{name}')"))
            label = chart.locator("canvas").get_attribute("aria-label")
            assert label.endswith(f", on a scale {scale}" if scale else "0 → 0"), (name, label)
            low, high = tab.evaluate("at => [plots[at].scales.y.min, plots[at].scales.y.max]", (0, 1, 3)[at])
            top = 2.0 if scale == "from 0 to 2" else 1.0
            assert -0.1 < low <= 0.0, name
            assert top <= high < top + 0.1, "zeros of what nobody declared are not 0 of 100, either"
    idle, pointed = tab.locator("figure.chart").nth(0), tab.locator("figure.chart").nth(1)
    tab.mouse.move(5, 5)
    tab.wait_for_function(
        "() => document.querySelectorAll('.uplot.idle').length === document.querySelectorAll('.uplot').length"
    )
    assert idle.locator(".u-legend .u-value:visible").count() == 0
    assert [text for text in idle.locator(".u-legend .u-label").all_inner_texts() if text] == ["mean", "held-out"]
    pointed.locator(".u-over").hover()
    assert pointed.locator(".u-legend .u-value:visible").count() > 1


def test_a_page_with_nothing_to_score_shows_what_was_logged(visit, tmp_path):
    folder = write_run(tmp_path / "run", 20 * GROUP)
    (folder / "ledger.jsonl").write_text("")
    write_report([folder], tmp_path / "page.html")
    tab = visit(tmp_path / "page.html")
    assert tab.locator("details[data-log='0-rl'] figure.chart", has_text="grad_norm").is_visible()
    assert tab.locator("text=Nothing was scored.").count() == 3
    assert tab.locator("table:not(:has(td))").count() == 0, "no table is a head alone"
    assert tab.locator("#print").is_disabled()
    tab.click("text=Everything that the engine logged")
    tab.click("#theme")
    assert not tab.locator("details[data-log='0-rl'] figure.chart").first.is_visible(), "it stays closed for a reader"
