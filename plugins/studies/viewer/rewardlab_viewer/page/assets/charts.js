// Curves over steps: means with quantiles, means by a field, means of several runs, and all that the engine logged.

const DASHES = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 2], [12, 4], [2, 6], [6, 2, 2, 2, 2, 2]];
const MAX_SHOWN = 8; // values of a field with a line of their own from the beginning
const HEIGHT = 190;
const drawn = new Map(); // figure -> uPlot
const chosen = {split: "", stage: null, smooth: 1}; // stage: null until one was trained
const kept = new Map(); // while charts are brought up to date: what tells a chart from others -> its figure
const offered = new Set(); // folded charts that were opened for the reader, who may have closed them
const resized = new ResizeObserver((entries) => {
  for (const {target, contentRect} of entries) drawn.get(target)?.setSize({width: Math.floor(contentRect.width), height: HEIGHT});
});

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// lines: [{label, points: [steps, values], dots, hidden, tone, dashes}], tone: the number of its color, and of its dashes if these have none; band: [lower, upper] of values at the first line's steps; bounds: [lowest, highest] that values can be, if that is known
function drawChart(parent, title, lines, bands = [], bounds = null) {
  const first = lines[0].points[1].filter((value) => value !== null);
  const of = lines.length > 1 ? `${lines[0].label} ` : "";
  const summary = first.length ? `${of}${shown(first[0])} → ${shown(first.at(-1))}` : "no values";
  const scale = bounds ? `, on a scale from ${shown(bounds[0])} to ${shown(bounds[1])}` : "";
  const caption = [element("bdi", {}, title), element("span", {}, summary)];
  const data = uPlot.join([...lines.map((line) => line.points), ...bands.flatMap((band) => [[lines[0].points[0], band[0]], [lines[0].points[0], band[1]]])]);
  const key = JSON.stringify([parent.dataset.of, title, lines.map((line) => line.label), bands.length, scale]);
  if (kept.has(key)) return renewChart(parent, kept.get(key), key, caption, scale, data);
  const node = element("figure", {class: "chart", "data-key": key}, element("figcaption", {}, caption));
  parent.append(node);
  const series = lines.map((line, at) => ({
    label: visible(line.label), stroke: color(`--c${(line.tone ?? at) % 8}`), width: 2, dash: DASHES[(line.dashes ?? line.tone ?? at) % 8],
    show: !line.hidden, spanGaps: true, value: (_, value) => shown(value ?? NaN),
    points: line.dots ? {show: true, size: 9, width: 2, fill: color("--card")} : {show: (plot) => plot.data[0].length < 30},
    ...(line.dots ? {paths: () => null} : {}),
  }));
  const edges = bands.flatMap((band) => band[2].map((label) => ({label, stroke: "transparent", width: 0, points: {show: false}, class: "edge", value: (_, value) => shown(value ?? NaN)})));
  const axis = {stroke: color("--soft"), grid: {stroke: color("--line"), width: 1}, ticks: {stroke: color("--line")}, font: "12px system-ui"};
  const plot = new uPlot({
    width: Math.max(200, node.clientWidth - 24), height: HEIGHT, cursor: {sync: {key: "steps"}, drag: {x: true, y: false}, focus: {prox: bands.length ? -1 : 16}}, focus: {alpha: 0.25},
    scales: {x: {time: false}, y: {range: scaleOf(bounds)}}, legend: {live: true}, hooks: {setCursor: [quietLegend]},
    axes: [{...axis, size: 34}, {...axis, size: (_, ticks) => Math.max(48, ...(ticks ?? []).map((tick) => 20 + 7 * tick.length))}],
    series: [{label: "step"}, ...series, ...edges],
    bands: bands.map((_, at) => ({series: [lines.length + 2 + 2 * at, lines.length + 1 + 2 * at], fill: color("--c0") + (at ? "38" : "20")})),
  }, data, node);
  const canvas = node.querySelector("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${visible(title)} by step: ${summary}${scale}`);
  quietLegend(plot);
  drawn.set(node, plot);
  resized.observe(node);
  keysOf(plot, title);
}

// The vertical scale: all that values can be if that is known, with a margin so that a line at its end is seen; zeros are not 0 of 100.
function scaleOf(bounds) {
  return (_, low, high) => {
    if (bounds) [low, high] = [Math.min(low ?? Infinity, bounds[0]), Math.max(high ?? -Infinity, bounds[1])];
    else if (low === null || (low === 0 && high === 0)) [low, high] = [0, 1];
    else return uPlot.rangeNum(low, high, 0.1, true);
    const margin = (high - low || 1) * 0.04;
    return [low - margin, high + margin];
  };
}

// While nobody points at a step, a legend names its lines and no values.
function quietLegend(plot) {
  plot.root.classList.toggle("idle", plot.cursor.idx === null || plot.cursor.idx === undefined);
}

// A chart by keyboard: a name hides its line, and arrows go from step to step, whose values are said.
function keysOf(plot, title) {
  const names = [...plot.root.querySelectorAll(".u-legend th")];
  for (const [at, name] of names.entries()) {
    if (!at) continue; // of the steps
    const state = () => name.setAttribute("aria-pressed", String(plot.series[at].show));
    Object.assign(name, {tabIndex: 0, role: "button", onclick: state, onkeydown: (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), name.click())});
    state();
  }
  let at = -1;
  Object.assign(plot.over, {tabIndex: 0, role: "slider", ariaLabel: `${visible(title)}, values by step`, ariaValueNow: 0, onkeydown: (event) => {
    const steps = plot.data[0], to = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: steps.length - 1}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    at = Math.max(0, Math.min(steps.length - 1, to));
    plot.setCursor({left: plot.valToPos(steps[at], "x"), top: 0});
    const values = plot.series.slice(1).map((one, line) => `${one.label} ${shown(plot.data[line + 1][at])}`);
    Object.assign(plot.over, {ariaValueNow: steps[at], ariaValueText: `step ${steps[at]}: ${values.join(", ")}`});
  }});
}

// Show more values in a chart that is there, as it was zoomed, with the lines hidden that were.
function renewChart(parent, node, key, caption, scale, data) {
  const plot = drawn.get(node), {min, max} = plot.scales.x, steps = plot.data[0];
  kept.delete(key);
  node.querySelector("figcaption").replaceChildren(...caption);
  plot.root.querySelector("canvas").setAttribute("aria-label", `${caption[0].textContent} by step: ${caption[1].textContent}${scale}`);
  parent.append(node);
  plot.setData(data, min <= steps[0] && max >= steps.at(-1));
}

// The mean of each point and those before it, as many as were asked for.
function smoothed(values) {
  if (chosen.smooth === 1) return values;
  return values.map((_, at) => {
    const near = values.slice(Math.max(0, at + 1 - chosen.smooth), at + 1).filter((value) => value !== null);
    return near.length ? near.reduce((sum, value) => sum + value, 0) / near.length : null;
  });
}

// The chosen stage of a run; of one that trained in others the last, so that runs of different recipes stand side by side.
function stagesOf(run) {
  const found = run.charts.stages.filter((one) => one.stage === chosen.stage);
  return found.length ? found : run.charts.stages.slice(-1);
}

// Lines of several values in each run. One value has one color in all runs, and each run has its dashes.
function linesOf(runs, hides) {
  const values = [...new Set(runs.flatMap(({of}) => Object.keys(of)))];
  return runs.flatMap(({run, name, steps, of}) => values.flatMap((value, at) => (value in of ?
    [{label: name + value, points: [steps, smoothed(of[value])], hidden: hides && at >= MAX_SHOWN, tone: at, dashes: RUNS.length > 1 ? run.number : at}] : [])));
}

// How a run is called before the names of its lines, if there are several.
function called(run, stage) {
  return RUNS.length > 1 ? `${run.name}${stage && stage.stage !== chosen.stage ? `, stage ${stage.stage}` : ""}: ` : "";
}

function drawMetric(parent, name) {
  const of = RUNS.flatMap((run) => stagesOf(run).filter((one) => one.metrics[name]).map((stage) => ({run, stage, curves: stage.metrics[name]})));
  if (!of.length) return;
  const split = of.filter(({curves}) => chosen.split in curves.by), bands = [];
  const lines = linesOf(split.map(({run, stage, curves}) => ({run, name: called(run, stage), steps: stage.steps, of: curves.by[chosen.split]})), true);
  for (const {run, stage, curves} of of.filter((one) => !split.includes(one))) {
    lines.push({label: called(run, stage) + "mean", points: [stage.steps, smoothed(curves.mean)], tone: run.number});
    const steps = Object.keys(stage.evaluated).map(Number).filter((step) => name in stage.evaluated[step]);
    if (steps.length) lines.push({label: called(run, stage) + "held-out", points: [steps, steps.map((step) => stage.evaluated[step][name])], dots: true, tone: RUNS.length > 1 ? run.number : 1});
  }
  if (of.length === 1 && !chosen.split && of[0].curves.quantiles.length) {
    const [low, lower, , upper, high] = of[0].curves.quantiles;
    bands.push([low, high, ["10%", "90%"]], [lower, upper, ["25%", "75%"]]);
  }
  drawChart(parent, name, lines, bands, boundsOf(of.map(({run}) => run.charts.ranges), name));
}

// What a number can be in each of some runs; null if one does not say it.
function boundsOf(ranges, name) {
  if (!ranges.every((one) => Object.hasOwn(one, name))) return null;
  return [Math.min(...ranges.map((one) => one[name][0])), Math.max(...ranges.map((one) => one[name][1]))];
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
    else drawChart(parent, number, with_it.map(({run, log}) => ({label: RUNS.length > 1 ? run.name : "value", tone: run.number, points: [log.steps, smoothed(log.numbers[number])]})));
  }
  if (constant.length) parent.append(element("p", {class: "about"}, `Always the same: ${constant.join(", ")}.`));
}

// fresh: all are drawn anew, as in other colors; else charts of the same lines get their values.
function drawCharts(fresh = true) {
  const parent = document.getElementById("charts");
  if (!parent) return; // nothing was trained, and nothing was logged
  const open = new Set([...parent.querySelectorAll("details[open]")].map((one) => one.dataset.log));
  parent.style.minHeight = `${parent.offsetHeight}px`; // what stands below stays where it is meanwhile
  for (const node of fresh ? [] : drawn.keys()) kept.set(node.dataset.key, node);
  parent.replaceChildren();
  const metrics = [...new Set(RUNS.flatMap((run) => stagesOf(run).flatMap((stage) => Object.keys(stage.metrics))))];
  for (const name of metrics) drawMetric(parent, name);
  drawComposition(parent);
  drawTogether(parent);
  drawLogs(parent);
  for (const details of parent.querySelectorAll("details")) {
    const name = details.dataset.log;
    if (!open.has(name) && (metrics.length || offered.has(name))) continue;
    offered.add(name); // what was logged is open at first if there is nothing else to see
    details.open = true;
    details.draw();
  }
  for (const [node, plot] of drawn) if (!node.isConnected) resized.unobserve(node), plot.destroy(), drawn.delete(node);
  kept.clear();
  parent.style.minHeight = "";
  if (!parent.childElementCount) parent.append(element("p", {class: "about"}, "Nothing was trained, and nothing was logged."));
}

function chartControls() {
  const parent = document.getElementById("chart-controls");
  if (!parent) return;
  parent.replaceChildren();
  const stages = [...new Set(RUNS.flatMap((run) => run.charts.stages.map((one) => one.stage)))];
  chosen.stage ??= stages.at(-1) ?? null;
  const splits = [...new Set(RUNS.flatMap((run) => stagesOf(run).flatMap((one) => Object.keys(one.metrics.total.by))))];
  if (stages.length > 1) parent.append(picker("stage", stages.map(String), String(chosen.stage), (value) => { chosen.stage = Number(value); drawCharts(); }));
  parent.append(picker("smooth over", ["1", "5", "20"], String(chosen.smooth), (value) => { chosen.smooth = Number(value); drawCharts(); }));
  if (splits.length) parent.append(picker("split by", ["", ...splits], chosen.split, (value) => { chosen.split = value; drawCharts(); }, "nothing: quantiles"));
}

function picker(label, values, now, change, none = "all") {
  const options = values.map((value) => element("option", {value, selected: value === now}, value === "" ? none : value));
  return element("label", {}, label, element("select", {onchange: (event) => change(event.target.value)}, options));
}
