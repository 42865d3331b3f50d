// A page of runs that go on: it asks its server for what is new, and the reader stays where they are.

const PAUSE = 2000; // milliseconds between two questions
const STATES = {"goes on": "goes on", ended: "has ended", stopped: "was stopped or killed", unknown: "may have ended or not", gone: "cannot be read"};
const RENEWED = ["overview", "fields", "coverage", "causes", "judges"]; // sections without anything that a script drew
const following = {tag: DATA.tag, sections: new Map(), silent: null};

async function follow() {
  document.getElementById("theme").before(element("output", {id: "following"}));
  showStates();
  document.addEventListener("visibilitychange", () => { following.wake?.(); });
  for (;;) {
    await new Promise((done) => { following.wake = done; setTimeout(done, PAUSE); });
    try {
      const found = await askedDocument();
      if (found) await takeUpdate(found);
      following.silent = null;
    } catch (error) {
      following.silent ??= new Date();
      console.warn(error);
    }
    showStates();
  }
}

// What is new, as a document; null if nothing is. Its scripts do not run: it is nobody's page.
function askedDocument() {
  return new Promise((resolve, reject) => {
    const asking = new XMLHttpRequest();
    asking.open("GET", `update?have=${RUNS.map((run) => `${run.edition}.${run.count}`).join(",")}`);
    asking.responseType = "document";
    asking.setRequestHeader("If-None-Match", following.tag);
    asking.onload = () => (asking.status === 200 ? resolve(asking.response) : asking.status === 304 ? resolve(null) : reject(new Error(`HTTP ${asking.status}`)));
    asking.onerror = () => reject(new Error("no answer"));
    asking.send();
  });
}

async function takeUpdate(found) {
  const told = JSON.parse(found.getElementById("data").textContent);
  const numbers = await Promise.all(RUNS.map((run) => unpackedNumbers(found.getElementById(`numbers-${run.number}`).textContent)));
  const before = RUNS.map((run) => run.edition), place = placeInList(), known = choices();
  RUNS.forEach((run, at) => { run.take(told.runs[at]); run.show(numbers[at]); });
  following.tag = told.tag;
  for (const id of RENEWED) renewSection(id, found.getElementById(id));
  chartControls();
  drawCharts(false);
  if (choices() !== known) renewFilters();
  renewList(place);
  if (RUNS.some((run, at) => run.edition !== before[at])) choose(list.at, false);
}

// Put a section in the place of the one before, unless it says the same, with the same details open and tables sorted.
function renewSection(id, found) {
  const old = document.getElementById(id);
  if (following.sections.get(id) === found.textContent) return;
  following.sections.set(id, found.textContent);
  const now = document.importNode(found, true);
  const name = (details) => details.querySelector("summary").textContent;
  const open = new Map([...old.querySelectorAll("details")].map((one) => [name(one), one.open]));
  for (const one of now.querySelectorAll("details")) one.open = open.get(name(one)) ?? one.open;
  readyTables(now);
  const tables = new Map([...old.querySelectorAll("table")].map((one) => [tableName(one), one]));
  for (const table of now.querySelectorAll("table[data-sortable]")) keepOrder(tables.get(tableName(table)), table);
  const focused = [...old.querySelectorAll("button, summary, [tabindex]")].indexOf(document.activeElement);
  old.replaceWith(now);
  if (focused >= 0) [...now.querySelectorAll("button, summary, [tabindex]")][focused]?.focus({preventScroll: true});
}

function tableName(table) {
  return [table.closest("details")?.querySelector("summary").textContent, table.caption?.textContent, table.tHead.textContent].join("\n");
}

function keepOrder(old, table) {
  const at = [...(old?.tHead.rows[0].cells ?? [])].findIndex((head) => head.hasAttribute("aria-sort"));
  if (at < 0) return;
  sortBy(table, at, table.tHead.rows[0].cells[at], old.tHead.rows[0].cells[at].getAttribute("aria-sort") === "descending");
}

// What the filters offer.
function choices() {
  const run = RUNS[wanted.run];
  return JSON.stringify([run.parts, run.splits.map((name) => [name, run.fields[name]]), run.components]);
}

function renewFilters() {
  const found = document.getElementById("found"), typed = document.getElementById("search"), focused = document.activeElement === typed, {value, selectionStart} = typed;
  filterControls(filter);
  document.getElementById("found").replaceWith(found);
  const search = document.getElementById("search");
  search.value = value;
  if (focused) search.focus({preventScroll: true}), search.setSelectionRange(selectionStart, selectionStart);
}

// The group at the top of the list, and how many pixels of it are hidden; null at the very top.
function placeInList() {
  const top = document.getElementById("groups").scrollTop * listScale();
  return top > 0 ? [list.groups[Math.floor(top / ROW)], top % ROW] : null;
}

function renewList(place) {
  const node = document.getElementById("groups"), said = document.getElementById("found"), run = RUNS[wanted.run];
  if (wanted.text.trim()) { // a search goes on with what it has found
    said.textContent = `${said.textContent.split(";")[0]}; ${run.count.toLocaleString("en")} groups now: search again for newer ones`;
    return;
  }
  said.setAttribute("aria-live", "off");
  listed(filteredByNumbers(), "");
  const at = place ? list.groups.indexOf(place[0]) : -1;
  if (at >= 0) node.scrollTop = (at * ROW + place[1]) / listScale();
  showList();
  setTimeout(() => said.setAttribute("aria-live", "polite"));
}

function showStates() {
  const time = (at) => new Date(at).toLocaleTimeString();
  const told = RUNS.map((run) => `${RUNS.length > 1 ? `${run.name} ` : ""}${STATES[run.state]}, last written ${time(run.at)}${run.trouble ? ` (${run.trouble})` : ""}`);
  const text = following.silent ? `no answer from the server since ${time(following.silent)}; asking again` : told.join("; ");
  const node = document.getElementById("following");
  if (node.textContent !== visible(text)) node.replaceChildren(visible(text));
  node.className = following.silent || RUNS.some((run) => run.state === "gone" || run.state === "stopped") ? "warn" : "";
}
