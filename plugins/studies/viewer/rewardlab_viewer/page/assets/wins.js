// Who won against whom, of a component that compares: a row stood first, a column second.

function winNodes(run, texts) {
  return run.components.flatMap((name) => {
    const verdicts = texts.rows.map((row) => row.said[name]?.info?.verdicts ?? {});
    if (!verdicts.some((one) => Object.keys(one).length)) return [];
    const head = element("tr", {}, element("th", {scope: "col"}, "stood first"), texts.rows.map((_, at) => element("th", {scope: "col"}, `against ${at}`)));
    const rows = verdicts.map((one, first) => element("tr", {}, element("th", {scope: "row"}, `completion ${first}`),
      texts.rows.map((row, second) => element("td", {class: "text"}, first === second ? "" : {A: "won", B: "lost"}[one[row.index]] ?? String(one[row.index] ?? "–").replaceAll("_", " ")))));
    return [element("details", {class: "info"}, element("summary", {}, "Who won against whom: ", element("bdi", {}, name)),
      element("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": `Who won against whom: ${visible(name)}`}, element("table", {}, element("thead", {}, head), element("tbody", {}, rows))))];
  });
}
