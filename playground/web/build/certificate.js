// The certificate: the milestones of minbpe's exercise, and what the student's own code was just seen to get right.

import { button, element } from "../shared/element.js";
import { count, counted } from "../shared/wording.js";

/** @typedef {{title: string, isReached: boolean, isBegun: boolean, rights: string[]}} Milestone `rights` are the tests that pass. */

/** Whether all tests and all fresh examples of a step are right. @param {import("./build.js").Ran} ran */
export const isPassed = ({ error, tests, fresh }) => !error && tests.length > 0 && fresh.n > 0 && !fresh.failed && tests.every((test) => test.is_right);

/**
 * The milestones, from the results of the student's own code by step. A milestone is reached if all its steps pass.
 * @param {{title: string, steps: string[]}[]} milestones
 * @param {{slug: string}[]} steps
 * @param {Map<string, import("./build.js").Ran>} results
 * @returns {Milestone[]}
 */
export function milestonesOf(milestones, steps, results) {
  return milestones.map(({ title, steps: slugs }) => {
    const own = steps.filter(({ slug }) => slugs.includes(slug)).map(({ slug }) => results.get(slug));
    const rights = own.flatMap((result) => [
      ...(result?.tests.filter((test) => test.is_right).map((test) => test.name) ?? []),
      ...(result?.fresh.n ? [`${count(result.fresh.nRight)} of ${count(result.fresh.n)} fresh random examples`] : []),
    ]);
    const isReached = own.every((result) => result && isPassed(result));
    return { title, isReached, isBegun: rights.length > 0, rights };
  });
}

/**
 * The certificate as a text that `tessera verify` reads and checks; see `lessons/workbench/certificate.py`.
 * @param {string} name @param {string} code @param {string} digest the SHA-256 of the code
 */
export function certificateText(name, code, digest) {
  const date = new Date().toLocaleDateString("sv"); // 2026-11-28
  return `Tessera certificate\nName: ${name.replace(/\s+/g, " ").trim()}\nDate: ${date}\nSHA-256: ${digest}\n--- tokenizer.py ---\n${code}`;
}

/** @param {Milestone[]} milestones @param {string} text the text that was compared @param {(name: string) => void} save */
export function makeCertificate(milestones, text, save) {
  const made = element("section", "certificate"), n = milestones.filter((milestone) => milestone.isReached).length;
  const nTests = milestones.reduce((sum, { rights }) => sum + rights.length, 0);
  const name = element("input");
  name.type = "text";
  name.placeholder = "Your name";
  name.setAttribute("aria-label", "Your name, for the print and the file; it is not stored");
  const print = button("Print", "Print this certificate, or save it as PDF", () => printAlone(made, titleOf(name.value.trim(), n === milestones.length)));
  print.classList.add("primary");
  const actions = element("div", "actions");
  const file = button("Save certificate.txt", "Your name and your code, to hand in: your teacher checks it with tessera verify certificate.txt", () => save(name.value));
  actions.append(name, file, print);
  const ran = nTests ? ` Your own code was run just now, on ${new Date().toLocaleDateString("en", { dateStyle: "long" })}.` : "";
  made.append(element("p", "sum", `${n} of ${counted(milestones.length, "milestone")} reached, ${counted(nTests, "test")} passed.${ran}`));
  for (const [i, { title, isReached, isBegun, rights }] of milestones.entries()) {
    const part = element("article", isReached ? "reached" : "missing"), list = element("ul");
    part.append(element("h3", "", `${isReached ? "✓" : "○"} Milestone ${i + 1} · ${title}`));
    list.append(...rights.map((right) => element("li", "", right[0].toUpperCase() + right.slice(1))));
    part.append(isBegun ? list : element("p", "soft", "Not built yet."));
    if (isBegun && !isReached) part.append(element("p", "soft", "Not complete yet."));
    made.append(part);
  }
  if (milestones.at(-1)?.isReached) made.append(element("p", "compared", `The text that was compared with tiktoken: “${text}”`));
  made.append(element("p", "soft", "The milestones follow the exercise of Andrej Karpathy's minbpe."));
  if (nTests) made.append(actions);
  return made;
}

/** @param {string} name @param {boolean} isWhole whether all milestones are reached */
const titleOf = (name, isWhole) => `${name || "I"} ${isWhole ? (name ? "has built" : "have built") : (name ? "is building" : "am building")} a tokenizer`;

/** Print an element by itself, without the page around it. @param {HTMLElement} shown @param {string} heading */
function printAlone(shown, heading) {
  const frame = element("iframe");
  frame.hidden = true;
  frame.addEventListener("load", () => {
    const page = frame.contentDocument;
    if (!page || !frame.contentWindow) return;
    const copy = /** @type {HTMLElement} */ (shown.cloneNode(true));
    copy.querySelector(".actions")?.remove();
    const style = page.createElement("style");
    style.textContent = "body { font: 12pt/1.4 sans-serif; margin: 2cm; } h1 { font-size: 20pt; } h3 { margin: 1em 0 0.2em; } ul { margin: 0; columns: 2; font-size: 10pt; }";
    page.head.append(style);
    page.title = "A tokenizer of my own";
    const title = page.createElement("h1");
    title.textContent = heading;
    page.body.append(title, page.importNode(copy, true));
    frame.contentWindow.addEventListener("afterprint", () => frame.remove());
    frame.contentWindow.print();
  }, { once: true });
  document.body.append(frame);
}
