// A group as other commands take it: a row to score, a row to probe, an example of a reward's laws.

function copyButton(label, text) {
  return element("button", {type: "button", onclick: async ({target}) => {
    target.textContent = await copied(text()) ? "Copied" : "Cannot copy here";
    setTimeout(() => { target.textContent = label; }, 600);
  }}, label);
}

// Whether a text was copied; a browser keeps its clipboard from a page that comes over plain HTTP from elsewhere.
async function copied(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).then(() => true, () => false);
  const area = element("textarea", {});
  document.body.append(area);
  area.value = text;
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

function asked(texts) {
  return {id: texts.id, prompt: texts.prompt, ...texts.fields};
}

function asRow(texts) {
  return {...asked(texts), completions: texts.rows.map((row) => row.messages ?? row.text)};
}

function asProbe(run, group, texts) {
  return {...asked(texts), honest: ranked(run, group, texts).good[0] ?? null};
}

// The completions that are most and least correct, or have the highest and lowest total; none if all are equal.
function ranked(run, group, texts) {
  const known = run.components.includes(run.correctness);
  const values = [...run.values(group, known ? `value ${run.correctness}` : "total")];
  const [low, high] = [Math.min, Math.max].map((end) => end(...values.filter((value) => value === value)));
  const those = (wanted) => [...new Set(texts.rows.filter((_, at) => values[at] === wanted).map((row) => row.text))];
  return low < high ? {good: those(high), bad: those(low)} : {good: those(high), bad: []};
}

function asExample(run, group, texts) {
  const sample = `Sample(id=${python(String(texts.id))}, prompt=${python(texts.prompt)}, fields=${python(texts.fields)})`;
  const {good, bad} = ranked(run, group, texts);
  return `RewardExample(\n    sample=${sample},\n    good=${python(good)},\n    bad=${python(bad)},\n)\n`;
}

// A JSON value as Python writes it.
function python(value) {
  if (value === null || value === undefined) return "None";
  if (JSON.isRawJSON?.(value)) return value.rawJSON;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value).map(([name, one]) => `${python(name)}: ${python(one)}`).join(", ")}}`;
  return JSON.stringify(value);
}
