// What a step was made of: which groups were trained on, and where its time went.

// Charts of several numbers of the logs: beside those that `names` finds, without which there is none, are others.
const TOGETHER = [
  {key: "teaching", title: "Reward of the groups that teach, beside that of all that were generated", charts: [{chart: "total", names: /^teaching\/total$/, beside: ["reward/total", "generated/total"]}]},
  {key: "advantages", title: "Advantages by component: what it gave, and below 0 what it took", charts: [{chart: "share of the advantages", names: /^advantage\//, drop: /^advantage\//}]},
  {key: "lengths", title: "Tokens of a completion by outcome", charts: [{chart: "tokens", names: /^length\/(right|wrong)$/, beside: ["length/mean"], drop: /^length\//}]},
  {key: "judges", title: "Seconds and cost of judges by step", charts: [
    {chart: "seconds of judges", names: /^judge\/.*\/seconds$/, drop: /^judge\/|\/seconds$/g}, {chart: "US dollars", names: /^judge\/.*\/usd$/, drop: /^judge\/|\/usd$/g},
  ]},
  {key: "times", title: "Seconds of a step by part", charts: [{chart: "seconds", names: /^(timing(_s)?\/|step_time$)/, drop: /^timing(_s)?\//}]},
];

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

// Numbers of the logs that one reads beside each other, a line each; what a name begins with is not repeated on its line.
function drawTogether(parent) {
  const logs = RUNS.flatMap((run) => run.charts.logs.map((log) => ({run, log})));
  for (const {key, title, charts} of TOGETHER) {
    const has = ({log}, names = charts[0].names) => Object.keys(log.numbers).filter((name) => names.test(name));
    for (const stage of new Set(logs.filter((one) => has(one).length).map(({log}) => log.name))) {
      const of = logs.filter(({log}) => log.name === stage);
      foldedCharts(parent, `${key} ${stage}`, `${title}, stage ${stage}`, (inside) => {
        for (const {chart, names, beside = [], drop = /^$/} of charts) {
          const lines = linesOf(of.map((one) => ({run: one.run, name: called(one.run), steps: one.log.steps, of: Object.fromEntries([...has(one, names), ...beside.filter((name) => one.log.numbers[name])].map((name) => [name.replace(drop, ""), one.log.numbers[name]]))})));
          if (lines.length) drawChart(inside, chart, lines);
        }
      });
    }
  }
}
