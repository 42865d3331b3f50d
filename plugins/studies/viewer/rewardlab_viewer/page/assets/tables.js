// Tables: their columns sort, by a button in each head, and one that is wider than its place fades where it goes on.

const wide = new ResizeObserver((entries) => { for (const {target} of entries) fade(target); });

function readyTables(root = document) {
  for (const node of root.querySelectorAll(".scroll")) {
    wide.observe(node);
    node.addEventListener("scroll", () => fade(node), {passive: true});
  }
  for (const table of root.querySelectorAll("table[data-sortable]")) {
    for (const [at, head] of [...table.tHead.rows[0].cells].entries()) {
      const button = element("button", {type: "button", onclick: () => sortBy(table, at, head)}, ...head.childNodes);
      if (button.textContent) head.replaceChildren(button);
    }
  }
}

// Say to the style on which sides there is more of a table than is seen.
function fade(node) {
  const before = Math.abs(node.scrollLeft) > 1, after = Math.abs(node.scrollLeft) + node.clientWidth < node.scrollWidth - 1;
  node.dataset.more = [before && "before", after && "after"].filter(Boolean).join(" ");
}

function sortBy(table, at, head, falling = head.getAttribute("aria-sort") !== "descending") {
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows].filter((row) => !row.classList.contains("all"));
  const keys = new Map(rows.map((row) => [row, cellKey(row.cells[at])]));
  const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  rows.sort((one, other) => order(keys.get(one), keys.get(other)) * (falling ? -1 : 1));
  table.tBodies[0].append(...rows);
}

function cellKey(cell) {
  const text = cell.dataset.value ?? cell.textContent.trim().replaceAll(",", "");
  if (text.startsWith("–")) return -Infinity;
  const found = parseFloat(text.replace("−", "-"));
  return /^[-+−]?\d/.test(text) && found === found ? found : text;
}
