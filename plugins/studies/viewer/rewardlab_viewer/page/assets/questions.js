// What judges were asked about a completion, word by word, and what they replied.

// Of a completion that a judge was asked about; what keeps a question from being shown is said.
function questionsNode(run, group, texts, at) {
  const {components, why} = run.questions, told = texts.rows[at].said;
  const asks = (name) => components.includes(name) || name in why || ("" in why && told[name].info?.verdicts);
  const names = Object.keys(told).filter(asks);
  if (!names.length) return null;
  const details = element("details", {class: "info"}, element("summary", {}, "What judges were asked, and replied"));
  details.addEventListener("toggle", async () => {
    if (!details.open || details.dataset.asked) return;
    details.dataset.asked = "yes";
    details.append(...await questionNodes(run, group, texts, at, names).catch((error) => [element("p", {class: "alarm"}, error.message)]));
  });
  return details;
}

async function questionNodes(run, group, texts, at, names) {
  const {components, why} = run.questions, found = await run.questionsOf(group);
  const asked = (found?.asked ?? []).filter((one) => !one.about.length || one.about.flat().includes(at));
  return names.flatMap((name) => {
    const own = asked.filter((one) => one.component === name);
    const missing = why[name] ?? found?.why?.[name] ?? (components.includes(name) ? (found || !run.questions.chunks.length ? NOT_KEPT : NOT_HERE) : why[""]);
    return own.length ? own.map((one) => questionNode(one, found.texts, texts)) : element("p", {class: "about"}, element("bdi", {}, name), `: ${missing}`);
  });
}

const NOT_KEPT = "no reply is kept for what it would ask about these texts; the recipe has changed since, or nothing was asked";
const NOT_HERE = "this page has the questions of other groups only; --bundle DIR keeps more";

function questionNode(asked, shared, texts) {
  const messages = asked.question.map(([role, pieces]) => ({role, content: pieces.map((piece) => (typeof piece === "string" ? piece : shared[piece])).join("")}));
  const [first, second] = asked.about, verdict = second && texts.rows[first[0]].said[asked.component]?.info?.verdicts?.[texts.rows[second[0]].index];
  return element("div", {class: "question"},
    element("h4", {}, element("bdi", {}, asked.component), second ? `: completion ${first.join(" = ")} as A, ${second.join(" = ")} as B` : "", verdict ? `, verdict ${verdict}` : "", " (judge ", element("bdi", {}, asked.judge), ")"),
    element("details", {}, element("summary", {}, "The question"), messageNodes(messages, null)),
    element("div", {class: "role"}, "reply"), asked.reasoning ? said(asked.reasoning, null) : null, said(asked.reply, null));
}
