// One diagram after the other: mermaid itself stops at the first of several.
mermaid.initialize({ startOnLoad: false });
addEventListener("load", async () => {
  for (const diagram of document.querySelectorAll("pre.mermaid")) await mermaid.run({ nodes: [diagram] });
});
