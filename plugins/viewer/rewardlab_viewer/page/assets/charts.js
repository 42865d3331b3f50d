// Curves over steps: means with quantiles, means by a field, means of several runs, and all that the engine logged.

const DASHES = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 2], [12, 4], [2, 6], [6, 2, 2, 2, 2, 2]];
const MAX_SHOWN = 8; // values of a field with a line of their own from the beginning
const HEIGHT = 190;
const drawn = new Map(); // figure -> uPlot
const chosen = {split: "", stage: 0, smooth: 1};
const resized = new ResizeObserver((entries) => {
  for (const {target, contentRect} of entries) drawn.get(target)?.setSize({width: Math.floor(contentRect.width), height: HEIGHT});
});

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// lines: [{label, points: [steps, values], dots, hidden, tone}], tone: the number of its color and dashes; band: [lower, upper] of values at the first line's steps
function drawChart(parent, title, lines, bands = []) {
  const node = element("figure", {class: "chart"});
  const first = lines[0].points[1].filter((value) => value !== null);
  const of = lines.length > 1 ? `${lines[0].label} ` : "";
  const summary = first.length ? `${of}${shown(first[0])} → ${shown(first.at(-1))}` : "no values";
  node.append(element("figcaption", {}, element("bdi", {}, title), element("span", {}, summary)));
  parent.append(node);
  const data = uPlot.join([...lines.map((line) => line.points), ...bands.flatMap((band) => [[lines[0].points[0], band[0]], [lines[0].points[0], band[1]]])]);
  const series = lines.map((line, at) => ({
    label: visible(line.label), stroke: color(`--c${(line.tone ?? at) % 8}`), width: 2, dash: DASHES[line.tone ?? at] ?? DASHES[at % 8],
    show: !line.hidden, spanGaps: true, value: (_, value) => shown(value ?? NaN),
    points: line.dots ? {show: true, size: 9, width: 2, fill: color("--card")} : {show: data[0].length < 30},
    ...(line.dots ? {paths: () => null} : {}),
  }));
  const edges = bands.flatMap((band) => band[2].map((label) => ({label, stroke: "transparent", width: 0, points: {show: false}, value: (_, value) => shown(value ?? NaN)})));
  const axis = {stroke: color("--soft"), grid: {stroke: color("--line"), width: 1}, ticks: {stroke: color("--line")}, font: "12px system-ui"};
  const plot = new uPlot({
    width: Math.max(200, node.clientWidth - 24), height: HEIGHT, cursor: {sync: {key: "steps"}, drag: {x: true, y: false}},
    scales: {x: {time: false}}, legend: {live: true},
    axes: [{...axis, size: 34}, {...axis, size: 48}],
    series: [{label: "step"}, ...series, ...edges],
    bands: bands.map((_, at) => ({series: [lines.length + 2 + 2 * at, lines.length + 1 + 2 * at], fill: color("--c0") + (at ? "38" : "20")})),
  }, data, node);
  const canvas = node.querySelector("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${visible(title)} by step: ${summary}`);
  drawn.set(node, plot);
  resized.observe(node);
}

// The mean of each point and those before it, as many as were asked for.
function smoothed(values) {
  if (chosen.smooth === 1) return values;
  return values.map((_, at) => {
    const near = values.slice(Math.max(0, at + 1 - chosen.smooth), at + 1).filter((value) => value !== null);
    return near.length ? near.reduce((sum, value) => sum + value, 0) / near.length : null;
  });
}

function stagesOf(run) {
  return run.charts.stages.filter((one) => one.stage === chosen.stage);
}

function drawMetric(parent, name) {
  const of = RUNS.flatMap((run) => stagesOf(run).filter((one) => one.metrics[name]).map((stage) => ({run, stage, curves: stage.metrics[name]})));
  if (!of.length) return;
  const several = RUNS.length > 1 ? (run) => `${run.name}: ` : () => "";
  const lines = [], bands = [];
  for (const {run, stage, curves} of of) {
    const by = chosen.split ? Object.entries(curves.by[chosen.split] ?? {}) : [];
    by.forEach(([value, means], at) => lines.push({label: several(run) + value, points: [stage.steps, smoothed(means)], hidden: at >= MAX_SHOWN}));
    if (!by.length) lines.push({label: several(run) + "mean", points: [stage.steps, smoothed(curves.mean)], tone: run.number});
    const steps = Object.keys(stage.evaluated).map(Number).filter((step) => name in stage.evaluated[step]);
    if (steps.length && !by.length) lines.push({label: several(run) + "held-out", points: [steps, steps.map((step) => stage.evaluated[step][name])], dots: true, tone: RUNS.length > 1 ? run.number : 1});
  }
  if (of.length === 1 && !chosen.split && of[0].curves.quantiles.length) {
    const [low, lower, , upper, high] = of[0].curves.quantiles;
    bands.push([low, high, ["10%", "90%"]], [lower, upper, ["25%", "75%"]]);
  }
  drawChart(parent, name, lines, bands);
}

function drawLogs(parent) {
  const names = [...new Set(RUNS.flatMap((run) => run.charts.logs.map((log) => log.name)))];
  for (const name of names) {
    foldedCharts(parent, name, `Everything that the engine logged, stage ${name}`, (inside) => drawLog(inside, name));
  }
}

function drawLog(parent, name) {
  const of = RUNS.flatMap((run) => run.charts.logs.filter((log) => log.name === name).map((log) => ({run, log})));
  const constant = [];
  for (const number of [...new Set(of.flatMap(({log}) => Object.keys(log.numbers)))]) {
    const with_it = of.filter(({log}) => log.numbers[number]);
    const values = new Set(with_it.flatMap(({log}) => log.numbers[number]));
    if (values.size === 1) constant.push(`${number} ${shown([...values][0], 6)}`);
    else drawChart(parent, number, with_it.map(({run, log}) => ({label: RUNS.length > 1 ? run.name : "value", points: [log.steps, smoothed(log.numbers[number])]})));
  }
  if (constant.length) parent.append(element("p", {class: "about"}, `Always the same: ${constant.join(", ")}.`));
}

function drawCharts() {
  const parent = document.getElementById("charts");
  const open = new Set([...parent.querySelectorAll("details[open]")].map((one) => one.dataset.log));
  for (const [node, plot] of drawn) resized.unobserve(node), plot.destroy();
  drawn.clear();
  parent.replaceChildren();
  const metrics = [...new Set(RUNS.flatMap((run) => stagesOf(run).flatMap((stage) => Object.keys(stage.metrics))))];
  for (const name of metrics) drawMetric(parent, name);
  drawComposition(parent);
  drawTimes(parent);
  drawLogs(parent);
  for (const details of parent.querySelectorAll("details")) details.open = open.has(details.dataset.log);
  if (!parent.childElementCount) parent.append(element("p", {class: "about"}, "Nothing was trained, and nothing was logged."));
}

function chartControls() {
  const parent = document.getElementById("chart-controls");
  const stages = [...new Set(RUNS.flatMap((run) => run.charts.stages.map((one) => one.stage)))];
  chosen.stage = stages.at(-1) ?? 0;
  const splits = [...new Set(RUNS.flatMap((run) => stagesOf(run).flatMap((one) => Object.keys(one.metrics.total.by))))];
  if (stages.length > 1) parent.append(picker("stage", stages.map(String), String(chosen.stage), (value) => { chosen.stage = Number(value); drawCharts(); }));
  parent.append(picker("smooth over", ["1", "5", "20"], "1", (value) => { chosen.smooth = Number(value); drawCharts(); }));
  if (splits.length) parent.append(picker("split by", ["", ...splits], "", (value) => { chosen.split = value; drawCharts(); }, "nothing: quantiles"));
}

function picker(label, values, now, change, none = "all") {
  const options = values.map((value) => element("option", {value, selected: value === now}, value === "" ? none : value));
  return element("label", {}, label, element("select", {onchange: (event) => change(event.target.value)}, options));
}
