// The data of the page: numbers of completions in typed arrays, and texts that are unpacked when somebody looks at them.

const DATA = JSON.parse(document.getElementById("data").textContent);
const SCORED = 1, ABSTAINED = 2, FAILED = 3; // states of a component, as read/columns.py numbers them
const MAX_UNPACKED = 48; // chunks of texts that are kept

const arriving = new Map(); // of a bundle: name -> what waits for the part
const partURL = DATA.form === "bundle" && window.trustedTypes ? trustedTypes.createPolicy("rewardlab-parts", {createScriptURL: named}) : {createScriptURL: named};

function named(name) {
  if (!/^[a-z]+-\d+(-\d+)?$/.test(name)) throw new TypeError("not a part of this page");
  return name + ".js";
}

globalThis.rewardlabPart = (name, text) => arriving.get(name)?.resolve(text);

function packedPart(name) {
  const inPage = document.getElementById(name);
  if (inPage) return Promise.resolve(inPage.textContent);
  if (DATA.form === "followed") return servedPart(name);
  return new Promise((resolve, reject) => {
    arriving.set(name, {resolve});
    const script = document.createElement("script");
    script.src = partURL.createScriptURL(name);
    script.onerror = () => reject(new Error(`${name}.js is not beside this page`));
    document.head.append(script);
  });
}

async function servedPart(name) {
  const answer = await fetch(`${name}?of=${RUNS[name.split("-")[1]].edition}`);
  if (!answer.ok) throw new Error(`the server says: ${await answer.text()}`);
  return answer.text();
}

async function unpacked(packed) {
  const text = atob(await packed);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

async function unpackedNumbers(packed) {
  return (await unpacked(packed)).arrayBuffer();
}

// The values of a JSON text, of which whole numbers that this language would round stay as they are written.
function exact(text) {
  const asWritten = (_, value, {source}) => (Number.isInteger(value) && !Number.isSafeInteger(value) ? JSON.rawJSON(source) : value);
  return JSON.parse(text, JSON.rawJSON && /\d{16}/.test(text) ? asWritten : undefined);
}

function joined(one, other) {
  const both = new one.constructor(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

class Run {
  constructor(number, told) {
    this.number = number;
    this.take(told);
  }

  // Take all that is told of the run, or what is new: told.from says how many groups came before.
  take(told) {
    const {problems, beginnings, chunks} = told.from ? this : {problems: [], beginnings: [], chunks: []};
    Object.assign(this, told, {problems: [...problems, ...told.problems], beginnings: [...beginnings, ...told.beginnings], chunks: [...chunks, ...told.chunks], byProblem: undefined});
    if (!told.from) this.unpacked = new Map();
    this.chunkOf = [];
    for (const chunk of this.chunks) for (let at = 0; at < chunk.groups; at++) this.chunkOf.push([chunk.number, at]);
  }

  async load() {
    this.show(await unpackedNumbers(packedPart(`numbers-${this.number}`)));
  }

  // Take the numbers of the groups that `take` was told of.
  show(whole) {
    const types = {Int8: Int8Array, Uint8: Uint8Array, Int16: Int16Array, Int32: Int32Array, Float32: Float32Array};
    const more = new Map(this.layout.map((one) => [one.name, new types[one.type](whole, one.at, one.size)]));
    this.numbers = this.from ? new Map([...more].map(([name, values]) => [name, joined(this.numbers.get(name), values)])) : more;
    this.count = this.numbers.get("size").length;
    this.starts = new Int32Array(this.count + 1);
    for (let group = 0; group < this.count; group++) this.starts[group + 1] = this.starts[group] + this.numbers.get("size")[group];
  }

  values(group, name) {
    return this.numbers.get(name).subarray(this.starts[group], this.starts[group + 1]);
  }

  field(group, name) {
    const code = this.numbers.get(`field ${name}`)?.[group] ?? -1;
    return code < 0 ? null : this.fields[name][code];
  }

  mean(group, name = "total") {
    const known = this.values(group, name).filter((value) => value === value);
    return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : NaN;
  }

  spread(group) {
    const known = this.values(group, "total").filter((value) => value === value);
    return known.length ? Math.max(...known) - Math.min(...known) : NaN;
  }

  isFlat(group) {
    return this.numbers.get("flat")[group] === 1;
  }

  textsOf(group) {
    return this.partOf(group, "texts");
  }

  // What judges were asked about a group, and replied; null if the page does not have it.
  async questionsOf(group) {
    if (DATA.form === "followed") return (await unpacked(servedPart(`questions-${this.number}-${group}`))).json();
    return this.questions.chunks.includes(this.chunkOf[group][0]) ? this.partOf(group, "questions") : null;
  }

  async partOf(group, kind) {
    const [number, at] = this.chunkOf[group], name = `${kind}-${this.number}-${number}`;
    let found = this.unpacked.get(name);
    if (found) this.unpacked.delete(name); // the last one used is the last one dropped
    else found = unpacked(packedPart(name)).then((response) => response.text()).then(exact);
    this.unpacked.set(name, found);
    if (this.unpacked.size > MAX_UNPACKED) this.unpacked.delete(this.unpacked.keys().next().value);
    return (await found)[at];
  }
}

const RUNS = DATA.runs.map((told, number) => new Run(number, told));
