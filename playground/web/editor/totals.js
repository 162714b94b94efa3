// Totals: what is counted of the text, and which kinds of tokens it has.

import { element, find } from "../shared/element.js";
import { count, counted, ratio, unitOf } from "../shared/numbers.js";

/** @typedef {import("./editor_actions.js").Totals} Totals */

/** Kinds of tokens, in the order in which they are counted. @type {import("../shared/wire_types.d.ts").CategoryNames} */
const KINDS = ["letters", "whitespace", "digits", "punctuation", "special", "other"];

/** Show the counts below and beside the tokens. @param {HTMLElement} root @param {Totals} totals */
export function drawTotals(root, totals) {
  const { n_tokens, n_template, tokenizer, counts, categories } = totals;
  find(root, ".n-tokens").textContent = count(n_tokens);
  find(root, ".unit").textContent = unitOf(n_tokens, "token");
  find(root, ".share-of-template").textContent = typeof n_template === "number" ? `${count(n_template)} of them the template, in ${tokenizer}` : "";
  const { n_characters, n_bytes, n_words, n_lines } = counts;
  const numbers = [
    [unitOf(n_characters, "character"), count(n_characters)], [unitOf(n_bytes, "UTF-8 byte"), count(n_bytes)],
    [unitOf(n_words, "word"), count(n_words)], [unitOf(n_lines, "line"), count(n_lines)],
    ["bytes / token", ratio(n_bytes, n_tokens)], ["tokens / word", ratio(n_tokens, n_words)],
  ];
  find(root, ".numbers").replaceChildren(...numbers.map(([name, value]) => {
    const group = element("div");
    group.append(element("dt", "", name), element("dd", "", value));
    return group;
  }));
  drawKinds(root, categories, n_tokens);
}

/** @param {HTMLElement} root @param {number[]} categories @param {number} nTokens */
function drawKinds(root, categories, nTokens) {
  /** @type {HTMLElement[]} */
  const bar = [];
  /** @type {HTMLElement[]} */
  const key = [];
  KINDS.forEach((name, i) => {
    if (!categories[i]) return;
    const part = element("span", `kind k${i}`), label = element("span");
    part.style.flexGrow = String(categories[i]);
    part.title = `${name}: ${count(categories[i])}`;
    label.append(element("i", `kind k${i}`), `${name} ${count(categories[i])}`);
    bar.push(part);
    key.push(label);
  });
  const kindsBar = find(root, ".kinds-bar");
  kindsBar.replaceChildren(...bar);
  kindsBar.setAttribute("aria-label", `Of ${counted(nTokens, "token")}: ${KINDS.map((name, i) => `${name} ${categories[i]}`).join(", ")}`);
  find(root, ".kinds-key").replaceChildren(...key);
}
