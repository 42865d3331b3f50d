// A print of the page: by itself without samples, and by a button with all groups that are listed.

const PAUSED = 16; // groups between two looks at what else the browser has to do

async function printListed(button) {
  const run = RUNS[wanted.run], groups = [...list.groups], label = button.textContent, parent = document.getElementById("printed");
  button.disabled = true;
  parent.replaceChildren();
  for (const [at, group] of groups.entries()) {
    const node = await groupNode([[run, group], ...besides(run, group)]).catch((error) => element("p", {class: "alarm"}, `This group cannot be shown: ${error.message}`));
    parent.append(element("article", {}, node));
    if (at % PAUSED === PAUSED - 1) button.textContent = `${at + 1} of ${groups.length} groups`, await new Promise((done) => setTimeout(done));
  }
  Object.assign(button, {disabled: false, textContent: label});
  document.documentElement.dataset.prints = "samples";
  print();
}

function prints() {
  const button = document.getElementById("print");
  button.addEventListener("click", () => printListed(button));
  addEventListener("afterprint", () => {
    document.getElementById("printed").replaceChildren();
    delete document.documentElement.dataset.prints;
  });
}
