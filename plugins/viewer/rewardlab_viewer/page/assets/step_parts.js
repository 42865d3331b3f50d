// What a step was made of: which groups were trained on, and where its time went.

const TIMES = /^(timing(_s)?\/|step_time$)/; // names of engines for seconds

// A folded list of charts, which are drawn when it is opened; title says of what.
function foldedCharts(parent, name, title, draw) {
  const inside = element("div", {class: "charts"});
  const details = element("details", {"data-log": name}, element("summary", {}, title), inside);
  details.addEventListener("toggle", () => details.open && !inside.childElementCount && draw(inside));
  parent.append(details);
}

function drawComposition(parent) {
  const of = RUNS.flatMap((run) => stagesOf(run).map((stage) => ({run, stage})));
  const fields = [...new Set(of.flatMap(({stage}) => Object.keys(stage.composition)))];
  if (fields.length) foldedCharts(parent, "composition", `What was trained on when: shares of groups by ${fields.join(", ")}`, (inside) => {
    for (const field of fields) drawChart(inside, field, of.flatMap(({run, stage}) => Object.entries(stage.composition[field] ?? {}).map(([value, shares], at) =>
      ({label: RUNS.length > 1 ? `${run.name}: ${value}` : value, points: [stage.steps, smoothed(shares)], hidden: at >= MAX_SHOWN}))));
  });
}

function drawTimes(parent) {
  const of = RUNS.flatMap((run) => run.charts.logs.map((log) => ({run, log, names: Object.keys(log.numbers).filter((name) => TIMES.test(name))})));
  for (const stage of new Set(of.filter(({names}) => names.length).map(({log}) => log.name))) {
    foldedCharts(parent, `times ${stage}`, `Seconds of a step by part, stage ${stage}`, (inside) => drawChart(inside, "seconds", of.filter(({log}) => log.name === stage).flatMap(({run, log, names}) =>
      names.map((name) => ({label: (RUNS.length > 1 ? `${run.name}: ` : "") + name.replace(/^timing(_s)?\//, ""), points: [log.steps, smoothed(log.numbers[name])]})))));
  }
}
