// Labels: which of two completions people find better. They are kept in this browser, and downloaded as rows for `rewardlab judge`.

const labels = {on: false, verdicts: false, component: null, by: "", keeps: true, shown: null};

function storeName(run) {
  return `rewardlab labels ${run.identity}`;
}

// The marks of a run, in their order: [group, the better one, the worse one, a hash of both texts, when].
function marksOf(run) {
  if (run.marks) return run.marks;
  run.marks = [];
  try {
    const kept = JSON.parse(localStorage.getItem(storeName(run)) ?? "{}");
    if (typeof kept.by === "string") labels.by ||= kept.by;
    if (Array.isArray(kept.marks)) run.marks = kept.marks.filter((mark) => Array.isArray(mark) && mark.length === 5);
  } catch { /* the first mark says whether the browser keeps anything; a damaged store has none */ }
  return run.marks;
}

function keepMarks(run) {
  try {
    localStorage.setItem(storeName(run), JSON.stringify({by: labels.by, marks: run.marks}));
    labels.keeps = true;
  } catch { labels.keeps = false; }
  showLabelState();
}

// A number of 32 bits (FNV-1a): whether a mark is still about the same texts.
function hashOf(...texts) {
  let found = 0x811c9dc5;
  for (const one of texts.join("\u0000")) found = Math.imul(found ^ one.codePointAt(0), 0x01000193) >>> 0;
  return found;
}

// Pairs of different texts, neighbours first, so that each completion soon has a mark; who stands left follows from no score.
function pairsOf(texts) {
  const found = [];
  for (let apart = 1; apart < texts.rows.length; apart++) {
    for (let at = 0; at + apart < texts.rows.length; at++) {
      const pair = at % 2 ? [at + apart, at] : [at, at + apart], [one, other] = pair.map((place) => texts.rows[place].text);
      if (typeof one === "string" && typeof other === "string" && one !== other) found.push(pair);
    }
  }
  return found;
}

// The pairs of a group that were chosen to be labelled next: a judge's licence waits for them.
function toLabel(run, number) {
  return (run.toLabel ?? []).filter(([group]) => group === number).map(([, one, other]) => [one, other]);
}

// The pairs of a group to mark: of a run with such a list those alone.
function pairsToLabel(run, number, texts) {
  return run.toLabel?.length ? toLabel(run, number) : pairsOf(texts);
}

function markOf(run, number, [one, other]) {
  return marksOf(run).findLast(([group, better, worse]) => group === number && ((better === one && worse === other) || (better === other && worse === one)));
}

// Which of a pair a component finds better: by its verdicts about the two, else by its values; -1 if it does not say.
function verdictOf(run, group, texts, name, [one, other]) {
  const won = (first, second) => ({A: 1, B: -1})[texts.rows[first].said[name]?.info?.verdicts?.[texts.rows[second].index]] ?? 0;
  const values = run.values(group, `value ${name}`);
  const lead = won(one, other) - won(other, one) || values[one] - values[other];
  return lead > 0 ? 0 : lead < 0 ? 1 : -1;
}

function labelNode(run, group, texts) {
  const number = run.numbers.get("group")[group], pairs = pairsToLabel(run, number, texts);
  const node = element("section", {class: "labelling", "aria-label": "Label", tabindex: -1});
  const asked = labels.shown?.number === number && labels.shown.run === run ? labels.shown : (labels.shown = {run, group, number, texts, at: 0});
  const open = pairs.findIndex((pair, at) => at >= asked.at && !markOf(run, number, pair));
  const done = pairs.filter((pair) => markOf(run, number, pair)).length;
  const told = element("p", {class: "about", role: "status"}, `${done} of ${pairs.length} pairs of this group are marked. `);
  asked.pair = pairs[open];
  asked.at = open;
  if (!asked.pair) return node.append(told, done < pairs.length ? "No pair is left; those that were skipped come again with the group." : "", " ", element("kbd", {}, "j"), " goes to the next group."), node;
  const side = (at, key) => element("div", {},
    element("button", {type: "button", class: "choice", onclick: () => mark(at)}, element("kbd", {}, key), ` this one is better`),
    said(texts.rows[asked.pair[at]].text, languageOf(texts)));
  node.append(element("h4", {}, "Which one is better?"), element("div", {class: "beside"}, side(0, "1"), side(1, "2")), element("div", {class: "links"},
    element("button", {type: "button", onclick: skipPair}, element("kbd", {}, "s"), " skip"), verdictNodes(run, group, texts, asked.pair)), told);
  return node;
}

function verdictNodes(run, group, texts, pair) {
  if (!labels.verdicts || !labels.component) return [];
  const side = verdictOf(run, group, texts, labels.component, pair);
  const says = [element("bdi", {}, labels.component), side < 0 ? " does not tell them apart." : ` finds ${side + 1} better.`];
  return [element("span", {class: "verdict"}, says), ...(side < 0 ? [] : [
    element("button", {type: "button", onclick: () => mark(side)}, element("kbd", {}, "r"), " right"),
    element("button", {type: "button", onclick: () => mark(1 - side)}, element("kbd", {}, "w"), " wrong")])];
}

function mark(side) {
  const {run, number, texts, pair} = labels.shown;
  const [better, worse] = side ? [pair[1], pair[0]] : pair;
  marksOf(run).push([number, better, worse, hashOf(texts.rows[better].text, texts.rows[worse].text), new Date().toISOString()]);
  keepMarks(run);
  showLabelling();
}

function skipPair() {
  labels.shown.at += 1;
  showLabelling();
}

function undoMark() {
  const run = RUNS[wanted.run], undone = marksOf(run).pop();
  if (!undone) return;
  keepMarks(run);
  labels.shown = null;
  const at = list.groups.indexOf(run.numbers.get("group").indexOf(undone[0]));
  choose(at < 0 ? list.at : at);
}

function showLabelling() {
  const {run, group, texts} = labels.shown;
  document.querySelector("#group .labelling")?.replaceWith(labelNode(run, group, texts));
  document.querySelector("#group .labelling")?.focus();
}

// Whether a key was one for labels.
function labelKey(key) {
  if (!labels.on) return false;
  if (key === "u") return undoMark(), true;
  if (!labels.shown?.pair || !document.querySelector("#group .labelling")) return false;
  const {run, group, texts, pair} = labels.shown;
  if (key === "1" || key === "2") return mark(Number(key) - 1), true;
  if (key === "s") return skipPair(), true;
  const side = labels.verdicts && labels.component ? verdictOf(run, group, texts, labels.component, pair) : -1;
  if ((key === "r" || key === "w") && side >= 0) return mark(key === "r" ? side : 1 - side), true;
  return false;
}

// The last mark of each pair as a row with gold; a mark about texts that the run no longer has is left out.
async function labelRows(run) {
  const last = new Map(marksOf(run).map((one) => [`${one[0]} ${Math.min(one[1], one[2])} ${Math.max(one[1], one[2])}`, one]));
  const rows = [];
  for (const [number, better, worse, hash, at] of [...last.values()].sort((a, b) => a[0] - b[0])) {
    const group = run.numbers.get("group").indexOf(number), texts = group < 0 ? null : await run.textsOf(group);
    const [chosen, rejected] = [better, worse].map((place) => texts?.rows[place]?.text);
    if (!texts || hashOf(chosen, rejected) !== hash) continue;
    const problem = texts.fields?.problem ?? String(texts.id);
    rows.push({...asked(texts), id: `${texts.id} ${number}:${better}>${worse}`, problem, chosen, rejected,
      labelled: {by: labels.by || "nobody", run: run.identity, group: number, chosen: better, rejected: worse, at}});
  }
  return {rows, lost: last.size - rows.length};
}

async function downloadLabels() {
  const run = RUNS[wanted.run], {rows, lost} = await labelRows(run);
  const file = new Blob(rows.map((row) => JSON.stringify(row) + "\n"), {type: "application/jsonl"});
  const link = element("a", {href: URL.createObjectURL(file), download: `labels-${run.name}${labels.by ? `-${labels.by}` : ""}.jsonl`.replaceAll(/[^\p{L}\p{N}._-]+/gu, "_")});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  showLabelState(lost ? `${lost} marks are about texts that this page does not have, and are left out. ` : "");
}

function showLabelState(told = "") {
  const count = marksOf(RUNS[wanted.run]).length, node = document.getElementById("label-state");
  if (node) node.textContent = `${told}${count} ${count === 1 ? "mark" : "marks"}. ${labels.keeps ? "Kept in this browser." : "This browser keeps nothing for files: they are gone when the page is closed; download them."}`;
}

function labelControls() {
  const node = document.getElementById("labels"), run = RUNS[wanted.run];
  marksOf(run);
  const judged = run.components.filter((name) => name !== run.correctness);
  labels.component = run.components.includes(labels.component) ? labels.component : (run.questions.components[0] ?? judged[0] ?? run.components[0] ?? null);
  if (labels.on && !labels.led && run.toLabel?.length) labels.led = true, wanted.what = "next", filterControls(filter), filter();
  const again = () => { labelControls(); labels.shown = null; choose(list.at, false); };
  const check = (label, name) => element("label", {class: "check"}, element("input", {type: "checkbox", checked: labels[name], "data-label": name, onchange: ({target}) => { labels[name] = target.checked; again(); }}), label);
  node.replaceChildren(check("label pairs", "on"));
  document.getElementById("label-keys").hidden = !labels.on;
  document.getElementById("group").classList.toggle("blind", labels.on && !labels.verdicts);
  if (!labels.on) return;
  node.append(check("show scores and verdicts", "verdicts"),
    labels.verdicts ? element("label", {}, "verdicts of", element("select", {"data-label": "component", onchange: ({target}) => { labels.component = target.value; again(); }}, run.components.map((name) => element("option", {value: name, selected: name === labels.component}, name)))) : "",
    element("label", {}, "your name", element("input", {type: "text", value: labels.by, maxlength: 80, autocomplete: "off", "data-label": "by", oninput: ({target}) => { labels.by = target.value.trim(); keepMarks(RUNS[wanted.run]); }})),
    element("button", {type: "button", onclick: undoMark}, element("kbd", {}, "u"), " undo"), element("button", {type: "button", onclick: downloadLabels}, "Download labels"),
    element("output", {id: "label-state", class: "about", "aria-live": "polite"}));
  showLabelState();
}
