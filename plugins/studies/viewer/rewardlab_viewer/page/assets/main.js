// The page: its look, its tables, its curves, and then its samples.

const LOOKS = ["", "light", "dark"];

function theme() {
  const button = document.getElementById("theme");
  const show = () => { button.textContent = `Theme: ${document.documentElement.dataset.theme || "system"}`; };
  button.addEventListener("click", () => {
    const next = LOOKS[(LOOKS.indexOf(document.documentElement.dataset.theme ?? "") + 1) % LOOKS.length];
    if (next) document.documentElement.dataset.theme = next;
    else delete document.documentElement.dataset.theme;
    show();
    drawCharts();
  });
  for (const other of ["(prefers-color-scheme: dark)", "print"]) matchMedia(other).addEventListener("change", () => drawCharts());
  show();
}

theme();
readyTables();
chartControls();
drawCharts();
await Promise.all(RUNS.map((run) => run.load()));
samples();
prints();
document.documentElement.dataset.ready = "yes";
if (DATA.form === "followed") follow();
