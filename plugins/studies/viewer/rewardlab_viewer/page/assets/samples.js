// The browser of samples: a list of groups of which only those in sight are elements, and the chosen group beside it.

const ROW = 56; // pixels of an item, as the style has it
const MAX_HEIGHT = 15_000_000; // pixels that every browser scrolls; of a longer list, one of them stands for several
const list = {groups: [], at: -1, search: 0};

function showList() {
  const node = document.getElementById("groups");
  document.getElementById("groups-height").style.height = `${Math.min(list.groups.length * ROW, MAX_HEIGHT)}px`;
  const top = node.scrollTop * listScale();
  const first = Math.max(0, Math.floor(top / ROW) - 4);
  const last = Math.min(list.groups.length, Math.ceil((top + node.clientHeight) / ROW) + 4);
  for (const old of node.querySelectorAll(".item")) old.remove();
  for (let at = first; at < last; at++) node.append(itemNode(at, at * ROW - top + node.scrollTop));
  const active = document.getElementById(`item-${list.at}`);
  if (active) node.setAttribute("aria-activedescendant", active.id);
  else node.removeAttribute("aria-activedescendant");
}

function listScale() {
  const whole = list.groups.length * ROW, inSight = document.getElementById("groups").clientHeight;
  return whole > MAX_HEIGHT ? (whole - inSight) / (MAX_HEIGHT - inSight) : 1;
}

function itemNode(at, top) {
  const run = RUNS[wanted.run], group = list.groups[at];
  const begins = run.beginnings[group];
  const where = [begins ? run.problems[group] : null, run.field(group, "language"), run.isFlat(group) ? "flat" : null, placeOf(run, group)];
  const node = element("div", {class: "item", id: `item-${at}`, role: "option", "aria-selected": String(at === list.at), "aria-setsize": list.groups.length, "aria-posinset": at + 1, onclick: () => choose(at)},
    element("bdi", {class: "name"}, begins || run.problems[group]),
    element("span", {class: "where"}, where.filter(Boolean).join(" · ")),
    element("span", {class: "mean"}, "mean total ", element("b", {}, shown(run.mean(group), 2))));
  node.style.top = `${top}px`;
  return node;
}

async function choose(at, said = true) {
  if (at < 0 || at >= list.groups.length) return;
  const run = RUNS[wanted.run], group = list.groups[at], node = document.getElementById("group");
  list.at = at;
  const box = document.getElementById("groups");
  const scale = listScale(), top = box.scrollTop * scale;
  if (at * ROW < top) box.scrollTop = at * ROW / scale;
  if ((at + 1) * ROW > top + box.clientHeight) box.scrollTop = ((at + 1) * ROW - box.clientHeight) / scale;
  showList();
  if (said) history.replaceState(null, "", linkOf(run, group));
  try {
    const shown = await groupNode([[run, group], ...besides(run, group)]);
    if (list.groups[list.at] !== group) return; // another was chosen meanwhile
    node.replaceChildren(shown);
    node.scrollTop = 0;
  } catch (error) {
    node.replaceChildren(element("p", {class: "alarm"}, `This group cannot be shown: ${error.message}`));
  }
}

async function filter() {
  const run = RUNS[wanted.run], search = ++list.search, needle = comparable(wanted.text.trim());
  const groups = filteredByNumbers();
  if (!needle) return listed(groups, "");
  const found = [];
  for (const [at, group] of groups.entries()) {
    if (matches(await run.textsOf(group), needle)) found.push(group);
    if (search !== list.search) return undefined; // something else is asked for
    if (at % 512 === 511) listed(found, `searched ${at + 1} of ${groups.length}: `), await new Promise((done) => setTimeout(done));
  }
  return listed(found, "");
}

// at: the group that stays or becomes the chosen one; the first is chosen if it is not among them.
function listed(groups, told, at = list.groups[list.at]) {
  const run = RUNS[wanted.run];
  list.groups = [...groups];
  list.at = list.groups.indexOf(at);
  document.getElementById("print").disabled = !groups.length;
  document.getElementById("found").textContent = `${told}${groups.length.toLocaleString("en")} of ${run.count.toLocaleString("en")} groups`;
  showList();
  if (!groups.length) document.getElementById("group").replaceChildren(element("p", {class: "empty"}, run.count ? "No group fits these filters." : "There is no completion to show."));
  else if (list.at < 0) choose(0, false);
}

function chooseLinked() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (!asked.has("group")) return false;
  wanted.run = RUNS[asked.get("run")]?.number ?? 0;
  const group = RUNS[wanted.run].numbers.get("group").indexOf(Number(asked.get("group")));
  Object.assign(wanted, {text: "", part: "", fields: {}, what: "", component: "", differing: false});
  filterControls(filter);
  labelControls();
  listed(filteredByNumbers(), "", group < 0 ? undefined : group);
  if (group < 0) document.getElementById("group").replaceChildren(element("p", {class: "note"}, `Group ${asked.get("group")} is not in this page.`));
  const shown = group < 0 ? Promise.resolve() : choose(list.at, false);
  shown.then(() => document.getElementById("samples").scrollIntoView({behavior: "instant"}));
  return true;
}

function samples() {
  filterControls(filter);
  if (!chooseLinked()) labelControls(), filter();
  const node = document.getElementById("groups");
  node.addEventListener("scroll", showList, {passive: true});
  addEventListener("hashchange", chooseLinked);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const step = {j: 1, k: -1, ...(event.target === node ? {ArrowDown: 1, ArrowUp: -1} : {})}[event.key];
    if (labelKey(event.key)) return event.preventDefault();
    if (step) event.preventDefault(), choose(list.at + step);
    if (event.key === "/") event.preventDefault(), document.getElementById("search").focus();
    return undefined;
  });
}
