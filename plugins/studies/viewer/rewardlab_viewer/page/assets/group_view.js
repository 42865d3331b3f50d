// A group: the prompt, every field, and each completion with what every component said of it.

const GOLD = ["answer", "reference", "gold", "solution"]; // fields that stand first

// pairs: [[run, group], ...], the same problem in each run: what was asked stands once, and answers side by side.
async function groupNode(pairs) {
  const texts = await Promise.all(pairs.map(([run, group]) => run.textsOf(group)));
  const answers = pairs.map(([run, group], at) => completionNodes(run, group, texts[at], languageOf(texts[at])));
  const named = (nodes, at) => element("div", {}, element("h3", {}, element("bdi", {}, pairs[at][0].name), element("span", {class: "chip"}, placeOf(...pairs[at]))), nodes);
  const label = labels.on ? labelNode(...pairs[0], texts[0]) : null;
  return element("div", {}, headNodes(...pairs[0], texts[0]), label, pairs.length > 1 ? element("div", {class: "beside"}, answers.map(named)) : answers[0]);
}

function languageOf(texts) {
  return typeof texts.fields?.language === "string" ? texts.fields.language : null;
}

function headNodes(run, group, texts) {
  const language = languageOf(texts);
  const chips = [
    placeOf(run, group), language,
    run.isFlat(group) ? "flat: all got the same" : null, run.numbers.get("discarded")[group] ? "left out of training" : null,
  ].filter(Boolean);
  return [
    element("h3", {}, element("bdi", {}, String(texts.id)), chips.map((text) => element("span", {class: "chip"}, text))),
    element("div", {class: "links"},
      copyButton("Copy link", () => location.href.split("#")[0] + linkOf(run, group)), ...(isWhole(texts) ? [
      copyButton("Copy as row", () => JSON.stringify(asRow(texts))),
      copyButton("Copy as probe", () => JSON.stringify(asProbe(run, group, texts))),
      copyButton("Copy as law example", () => asExample(run, group, texts))] : [])),
    ...promptNodes(texts.prompt, language), ...fieldNodes(texts.fields, run.names, language)];
}

// Whether all was recorded that other commands need; of a scored file without its rows there are scores alone.
function isWhole(texts) {
  return Boolean(texts.prompt) && texts.rows.every((row) => typeof row.text === "string");
}

// The part that a group belongs to, and its step.
function placeOf(run, group) {
  const part = run.parts[run.numbers.get("part")[group]], step = run.numbers.get("step")[group];
  return step >= 0 && !part.endsWith(`step ${step}`) ? `${part}, step ${step}` : part;
}

function linkOf(run, group) {
  return `#group=${run.numbers.get("group")[group]}` + (RUNS.length > 1 ? `&run=${run.number}` : "");
}

function promptNodes(prompt, language) {
  if (!prompt) return [];
  const messages = Array.isArray(prompt) ? prompt : [{role: "user", content: prompt}];
  return [element("h4", {}, "Prompt"), ...messageNodes(messages, language)];
}

// The messages of a prompt or an answer, each with who says it if there are several, and what else it has, such as calls of tools.
function messageNodes(messages, language) {
  return messages.map(Object).flatMap(({role, content, ...more}) => [
    messages.length > 1 ? element("div", {class: "role"}, String(role)) : null,
    content === null || content === undefined || content === "" ? null : said(contentOf(content), language),
    Object.keys(more).length ? element("pre", {class: "more", dir: "auto"}, piecesOf(JSON.stringify(more, null, 1), 0)) : null,
  ]).filter(Boolean);
}

// A message's text; of one in parts, that of each, and what is no text as JSON.
function contentOf(content) {
  const parts = Array.isArray(content) ? content : [content];
  return parts.map((part) => (typeof part === "string" ? part : typeof part?.text === "string" ? part.text : JSON.stringify(part))).join("\n");
}

// renamed: [[a name of ours, the column of the rows], ...]; a column that stands here under our name, too, has one line with both names.
function fieldNodes(fields, renamed, language) {
  const rank = (name) => (GOLD.indexOf(name) + 1 || GOLD.length + 1), has = (name) => Object.hasOwn(fields ?? {}, name);
  const same = (a, b) => has(a) && has(b) && JSON.stringify(fields[a]) === JSON.stringify(fields[b]);
  const twice = new Map(renamed.filter(([ours, column]) => !renamed.some(([name]) => name === column) && same(ours, column)).map(([ours, column]) => [column, ours]));
  const names = Object.keys(fields ?? {}).filter((name) => !twice.has(name)).sort((a, b) => rank(a) - rank(b));
  const columns = (name) => [...twice].filter(([, ours]) => ours === name).map(([column]) => element("span", {class: "column"}, " column ", element("bdi", {}, column)));
  if (!names.length) return [];
  const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  return [element("h4", {}, "Fields"), element("dl", {class: "fieldlist"}, names.flatMap((name) => [
    element("dt", {}, element("bdi", {}, name), columns(name)),
    element("dd", {dir: "auto", lang: name === "answer" ? languageTag(language) : null}, piecesOf(text(fields[name]), 0)),
  ]))];
}

function completionNodes(run, group, texts, language) {
  const totals = [...run.values(group, "total")];
  const places = totals.map((_, at) => at), blind = labels.on && !labels.verdicts;
  const order = blind ? places : places.sort((a, b) => (totals[b] === totals[b] ? totals[b] : -Infinity) - (totals[a] === totals[a] ? totals[a] : -Infinity) || a - b);
  return [...winNodes(run, texts), element("h4", {}, `${totals.length} completion${totals.length === 1 ? "" : "s"}${blind || totals.length === 1 ? "" : ", the best first"}`, !blind && run.total ? element("span", {class: "total"}, "; ", element("bdi", {}, run.total)) : null), ...order.map((at) => completionNode(run, group, texts, at, language))];
}

function completionNode(run, group, texts, at, language) {
  const row = texts.rows[at];
  const number = (name) => run.values(group, name)[at];
  const total = number("total"), shaped = number("shaped"), tokens = number("tokens");
  const scores = run.components.map((name) => scoreNode(run, name, number, row.said[name])).filter(Boolean);
  const failures = Object.entries(row.said).filter(([, told]) => told.error).map(([name, told]) => element("p", {class: "alarm"}, element("b", {}, name), " failed: ", told.error));
  const info = Object.fromEntries(Object.entries(row.said).filter(([, told]) => told.info).map(([name, told]) => [name, told.info]));
  const failed = Object.values(info).some((told) => told.rollout_failed);
  return element("div", {class: "completion"},
    element("header", {},
      element("strong", {}, total === total ? `total ${shown(total)}` : "no total"),
      shaped === shaped && Math.abs(shaped - total) > 1e-6 ? element("span", {}, `shaped ${signed(shaped)}`) : null,
      tokens >= 0 ? element("span", {class: "chip"}, `${tokens} tokens`) : null,
      number("truncated") ? element("span", {class: "chip warn"}, "cut at the limit") : null,
      failed ? element("span", {class: "chip warn"}, "the rollout failed") : row.text?.trim() === "" ? element("span", {class: "chip warn"}, "empty") : null,
      element("span", {class: "chip"}, `completion ${at}`)),
    answerNodes(row, language),
    element("div", {class: "scores"}, scores), failures,
    questionsNode(run, group, texts, at),
    Object.keys(info).length ? infoNode(info) : null);
}

function answerNodes(row, language) {
  if (Array.isArray(row.messages)) return messageNodes(row.messages, language);
  return row.text === null ? element("p", {class: "about"}, "Its text is not in the file.") : said(row.text, language);
}

function scoreNode(run, name, number, told) {
  const state = number(`state ${name}`), value = number(`value ${name}`), gave = number(`gave ${name}`);
  if (!state) return null;
  const text = state === FAILED ? "failed" : state === ABSTAINED ? "abstained" : shown(value);
  return element("span", {class: `score${state === FAILED ? " failed" : ""}${name === run.correctness ? " truth" : ""}`, title: name === run.correctness ? "what the recipe calls correctness" : null},
    element("b", {}, element("bdi", {}, name)), text,
    gave === gave ? element("span", {class: "gave"}, `gave ${signed(gave)}`) : null,
    reasonNode(state === SCORED ? value : NaN, told?.info));
}

const MAX_REASON = 160; // characters, and below
const MAX_INFO = 3; // keys of info that stand in the place of a reason

// Why a value is what it is: the reason that the component gives, and of a 0 or less, or of none, else what its info says first.
function reasonNode(value, info) {
  const plain = ([, one]) => ["string", "number", "boolean"].includes(typeof one) || one === null;
  const plainInfo = () => Object.entries(info).filter(plain).slice(0, MAX_INFO).map(([name, one]) => `${name.replaceAll("_", " ")} ${typeof one === "number" ? shown(one) : one ?? "none"}`);
  const told = info?.reason ?? (info && !(value > 0) ? plainInfo().join(", ") : "");
  const text = typeof told === "string" ? told : JSON.stringify(told);
  return text ? element("span", {class: "reason", dir: "auto"}, text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text) : null;
}

function infoNode(info) {
  const details = element("details", {class: "info"}, element("summary", {}, "Info of the components"));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(element("pre", {dir: "auto"}, piecesOf(JSON.stringify(info, null, 1), 0)));
  });
  return details;
}
