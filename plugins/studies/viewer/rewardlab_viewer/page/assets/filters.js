// Which groups are listed: search, part, fields, components, and their order.

const MAX_FIELDS = 4; // that have a picker of their own
const wanted = {run: 0, text: "", part: "", fields: {}, component: "", what: "", order: "first", differing: false};

const CONDITIONS = {
  "": ["all groups", () => true],
  flat: ["flat groups", (run, group) => run.isFlat(group)],
  failed: ["a component failed", (run, group, names) => names.some((name) => run.values(group, `state ${name}`).includes(FAILED))],
  abstained: ["a component abstained", (run, group, names) => names.some((name) => run.values(group, `state ${name}`).includes(ABSTAINED))],
  disagree: ["components disagree", (run, group, names) => disagree(run, group, names)],
  wrong: ["the best is wrong", (run, group, names) => bestIsWrong(run, group, names)],
  next: ["a pair is to be labelled next", (run, group) => toLabel(run, run.numbers.get("group")[group]).length > 0],
  cut: ["one is cut at the limit", (run, group) => run.values(group, "truncated").includes(1)],
};

// A number of each group, the lowest first; groups without one come last.
const ORDERS = {
  first: ["as they were scored", (run, group) => group],
  last: ["newest first", (run, group) => -group],
  low: ["lowest mean", (run, group) => run.mean(group)],
  high: ["highest mean", (run, group) => -run.mean(group)],
  wide: ["widest spread", (run, group) => -run.spread(group)],
};

function conditionsOf(run) {
  const {wrong, next, ...others} = CONDITIONS;
  return {...others, ...(run.components.includes(run.correctness) ? {wrong} : {}), ...(run.toLabel?.length ? {next} : {})};
}

// Two components that both tell completions apart, and rank them the other way round.
function disagree(run, group, names) {
  const all = run.components.map((name) => [name, run.values(group, `value ${name}`)]);
  return all.some(([one, a], at) => all.slice(at + 1).some(([other, b]) =>
    (names.includes(one) || names.includes(other)) && correlation(a, b) < -0.5));
}

function correlation(a, b) {
  let n = 0, sumA = 0, sumB = 0;
  for (let at = 0; at < a.length; at++) if (a[at] === a[at] && b[at] === b[at]) n++, sumA += a[at], sumB += b[at];
  let squaresA = 0, squaresB = 0, products = 0;
  for (let at = 0; at < a.length; at++) {
    if (a[at] !== a[at] || b[at] !== b[at]) continue;
    const x = a[at] - sumA / n, y = b[at] - sumB / n;
    squaresA += x * x, squaresB += y * y, products += x * y;
  }
  return squaresA > 1e-9 && squaresB > 1e-9 ? products / Math.sqrt(squaresA * squaresB) : 0;
}

// What a component (or the total, if none is chosen) likes best is less correct than another completion.
function bestIsWrong(run, group, names) {
  const truth = run.values(group, `value ${run.correctness}`);
  const judged = names.length === 1 ? run.values(group, `value ${names[0]}`) : run.values(group, "total");
  let best = -1, most = -Infinity;
  for (let at = 0; at < judged.length; at++) {
    if (truth[at] > most) most = truth[at];
    if (judged[at] === judged[at] && (best < 0 || judged[at] > judged[best])) best = at;
  }
  return best >= 0 && truth[best] < most;
}

function filteredByNumbers() {
  const run = RUNS[wanted.run], found = [];
  const part = run.parts.indexOf(wanted.part);
  const fields = Object.entries(wanted.fields).filter(([, value]) => value !== "");
  const names = run.components.includes(wanted.component) ? [wanted.component] : run.components;
  const [, holds] = conditionsOf(run)[wanted.what] ?? CONDITIONS[""];
  for (let group = 0; group < run.count; group++) {
    if (part >= 0 && run.numbers.get("part")[group] !== part) continue;
    if (fields.some(([name, value]) => run.field(group, name) !== value)) continue;
    if (!holds(run, group, names)) continue;
    if (wanted.differing && !differs(run, group)) continue;
    found.push(group);
  }
  const [, order] = ORDERS[wanted.order], last = (key) => (key === key ? key : Infinity);
  const keys = new Map(found.map((group) => [group, last(order(run, group))]));
  return found.sort((a, b) => keys.get(a) - keys.get(b) || a - b);
}

// Another run's group of the same problem, in a part of the same kind and step.
function besides(run, group) {
  const phase = run.phases[run.numbers.get("part")[group]], step = run.numbers.get("step")[group];
  return RUNS.filter((other) => other !== run).flatMap((other) => {
    other.byProblem ??= Map.groupBy(Array(other.count).keys(), (one) => other.problems[one]);
    const same = (other.byProblem.get(run.problems[group]) ?? []).filter((one) => other.phases[other.numbers.get("part")[one]] === phase);
    const found = same.find((one) => other.numbers.get("step")[one] === step) ?? same.at(-1);
    return found === undefined ? [] : [[other, found]];
  });
}

// Whether the mean total or that of a component is another one, or is there in one run only.
function differs(run, group) {
  return besides(run, group).some(([other, one]) =>
    ["total", ...run.components.filter((name) => other.components.includes(name)).map((name) => `value ${name}`)].some((name) => {
      const ours = run.mean(group, name), theirs = other.mean(one, name);
      return Math.abs(ours - theirs) > 1e-6 || (ours === ours) !== (theirs === theirs);
    }));
}

function matches(texts, needle) {
  const said = [texts.id, texts.prompt, ...texts.rows.flatMap((row) => [row.text, row.messages])];
  const named = [texts.fields, ...texts.rows.map((row) => row.said)];
  return [...textsIn(said, false), ...textsIn(named, true)].some((text) => comparable(text).includes(needle));
}

// The texts in a JSON value, as they are read: a quote or a new line is no escape; names: those of objects, too.
function textsIn(value, names) {
  if (value === null || typeof value !== "object") return [String(value ?? "")];
  const inside = Object.values(value).flatMap((one) => textsIn(one, names));
  return names && !Array.isArray(value) ? [...Object.keys(value), ...inside] : inside;
}

function comparable(text) {
  return text.normalize().toLocaleLowerCase();
}

function filterControls(changed) {
  const parent = document.getElementById("filters"), run = RUNS[wanted.run];
  const set = (name) => (value) => { wanted[name] = value; changed(); };
  const named = (table) => Object.entries(table).map(([key, [label]]) => [key, label]);
  const pick = (label, choices, name) => element("label", {}, label, element("select", {"data-filter": name, onchange: (event) => set(name)(event.target.value)},
    choices.map(([value, text]) => element("option", {value, selected: wanted[name] === value}, text))));
  let typing = 0;
  const search = element("input", {type: "search", id: "search", value: wanted.text, placeholder: "in prompts, fields, completions", oninput: ({target}) => {
    clearTimeout(typing);
    typing = setTimeout(() => set("text")(target.value), 200);
  }});
  parent.replaceChildren(element("label", {}, "search", search));
  if (RUNS.length > 1) {
    parent.append(element("label", {}, "run", element("select", {"data-filter": "run", onchange: ({target}) => { wanted.run = Number(target.value); wanted.fields = {}; wanted.part = ""; filterControls(changed); labelControls(); changed(); }},
      RUNS.map((one) => element("option", {value: one.number, selected: one.number === wanted.run}, one.name)))));
  }
  parent.append(pick("of", [["", "everything"], ...run.parts.map((part) => [part, part])], "part"));
  for (const name of run.splits.slice(0, MAX_FIELDS)) {
    const choose = (value) => { wanted.fields[name] = value; changed(); };
    parent.append(picker(name, ["", ...[...run.fields[name]].sort()], wanted.fields[name] ?? "", choose));
  }
  parent.append(pick("show", named(conditionsOf(run)), "what"));
  parent.append(pick("by component", [["", "any"], ...run.components.map((name) => [name, name])], "component"));
  parent.append(pick("order", named(ORDERS), "order"));
  if (RUNS.length > 1) {
    parent.append(element("label", {class: "check"}, element("input", {type: "checkbox", checked: wanted.differing, onchange: ({target}) => set("differing")(target.checked)}), "only where runs differ"));
  }
  parent.append(element("output", {id: "found", class: "about", "aria-live": "polite"}));
}
