// What a step was made of: which groups were trained on, and where its time went.

const TIMES = /^(timing(_s)?\/|step_time$)/; // names of engines for seconds

// A folded list of charts, which are drawn when it is opened; title says of what.
function foldedCharts(parent, name, title, draw) {
  const inside = element("div", {class: "charts", "data-of": name});
  const details = element("details", {"data-log": name}, element("summary", {}, title), inside);
  details.draw = () => { if (!inside.childElementCount) draw(inside); };
  details.addEventListener("toggle", () => details.open && details.draw());
  parent.append(details);
}

function drawComposition(parent) {
  const of = RUNS.flatMap((run) => stagesOf(run).map((stage) => ({run, stage})));
  const fields = [...new Set(of.flatMap(({stage}) => Object.keys(stage.composition)))];
  if (fields.length) foldedCharts(parent, "composition", `What was trained on when: shares of groups by ${fields.join(", ")}`, (inside) => {
    for (const field of fields) drawChart(inside, field, linesOf(of.map(({run, stage}) => ({run, name: called(run, stage), steps: stage.steps, of: stage.composition[field] ?? {}})), true), [], [0, 1]);
  });
}

function drawTimes(parent) {
  const of = RUNS.flatMap((run) => run.charts.logs.map((log) => ({run, log, names: Object.keys(log.numbers).filter((name) => TIMES.test(name))})));
  for (const stage of new Set(of.filter(({names}) => names.length).map(({log}) => log.name))) {
    foldedCharts(parent, `times ${stage}`, `Seconds of a step by part, stage ${stage}`, (inside) => drawChart(inside, "seconds", linesOf(of.filter(({log}) => log.name === stage).map(({run, log, names}) =>
      ({run, name: called(run), steps: log.steps, of: Object.fromEntries(names.map((name) => [name.replace(/^timing(_s)?\//, ""), log.numbers[name]]))})))));
  }
}
