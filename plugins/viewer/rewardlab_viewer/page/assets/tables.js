// Tables whose columns sort: a button in each head, and the order said to those who do not see it.

function sortableTables(root = document) {
  for (const table of root.querySelectorAll("table[data-sortable]")) {
    for (const [at, head] of [...table.tHead.rows[0].cells].entries()) {
      const button = element("button", {type: "button", onclick: () => sortBy(table, at, head)}, ...head.childNodes);
      if (button.textContent) head.replaceChildren(button);
    }
  }
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
