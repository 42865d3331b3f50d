// Elements whose content is text: whatever a policy wrote reaches the page as text nodes, and nothing else.

const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

// A character that steers the text around it, or half of one, is shown as its escape.
function visible(text) {
  return String(text).replace(STEERING, (one) => "\\u" + one.charCodeAt(0).toString(16).padStart(4, "0"));
}

// A formula reads from left to right in every script: \boxed{7} in Arabic, too.
const FORMULA = /(\\[A-Za-z]+(?:\{[^{}\n]{0,200}\})*|\$[^$\n]{1,200}\$)/;

function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) made.append(child instanceof Node ? child : visible(child));
  return made;
}

const MAX_SAID = 20_000; // characters of a text that are shown at once: a million formulas would stop the browser

// A text of a row, in its language as far as the row says it; the browser finds each paragraph's direction.
function said(text, language) {
  return element("div", {class: "say", dir: "auto", lang: languageTag(language)}, piecesOf(String(text), 0));
}

// The text from a place on: some of it, and a button for more.
function piecesOf(text, from) {
  let to = Math.min(text.length, from + MAX_SAID);
  if (text.codePointAt(to - 1) > 0xffff) to += 1; // no half of a pair
  const parts = text.slice(from, to).split(FORMULA).map((part, at) => (at % 2 ? element("bdi", {dir: "ltr"}, part) : visible(part)));
  const more = element("button", {type: "button", onclick: () => more.replaceWith(...piecesOf(text, to))}, `show more; ${(text.length - to).toLocaleString("en")} characters follow`);
  return [...parts.filter((part) => part !== ""), ...(to < text.length ? [more] : [])];
}

function languageTag(language) {
  return /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/.test(language ?? "") ? language.replaceAll("_", "-") : null;
}

// A small number keeps its first digits, as a learning rate's; what rounding left is 0.
function shown(value, digits = 3) {
  if (value === null || value === undefined || value !== value) return "–";
  const size = Math.abs(value);
  return String(Number(size < 10 ** (1 - digits) && size > 1e-12 ? value.toPrecision(digits) : value.toFixed(digits)));
}

function signed(value) {
  return (value < 0 ? "−" : "+") + shown(Math.abs(value));
}
