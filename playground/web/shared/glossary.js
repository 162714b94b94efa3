// Glossary: technical terms with a dotted underline, whose definitions open on hover, focus or tap.

import { element } from "./element.js";
import { GLOSSARY } from "./glossary_terms.js";

const GAP = 4, EDGE = 8; // CSS pixels between term and definition, and to the window's edges

/** A term of the glossary as an element. @param {keyof typeof GLOSSARY} name @param {string} [label] the visible text */
export function term(name, label = name) {
  const made = element("span", "term"), opener = element("button", "", label), meaning = element("span", "meaning", GLOSSARY[name]);
  opener.type = "button";
  meaning.popover = "auto";
  opener.popoverTargetElement = meaning;
  opener.popoverTargetAction = "show"; // a click must not close what the mouse has opened
  const hover = (/** @type {PointerEvent} */ { pointerType, type }) => pointerType === "mouse" && meaning.togglePopover(type === "pointerenter");
  opener.addEventListener("pointerenter", hover);
  opener.addEventListener("pointerleave", hover);
  opener.addEventListener("focus", () => opener.matches(":focus-visible") && meaning.togglePopover(true));
  opener.addEventListener("blur", () => meaning.togglePopover(false));
  meaning.addEventListener("toggle", () => place(meaning, opener.getBoundingClientRect()));
  made.append(opener, meaning);
  return made;
}

/** Place a definition below its term, or above it at the window's end. @param {HTMLElement} meaning @param {DOMRect} box */
function place(meaning, box) {
  const { offsetWidth, offsetHeight, style } = meaning, below = box.bottom + GAP;
  style.left = `${Math.max(EDGE, Math.min(box.left, innerWidth - offsetWidth - EDGE))}px`;
  style.top = `${below + offsetHeight < innerHeight ? below : box.top - offsetHeight - GAP}px`;
}

// Without "merge", which sentences also use as a verb.
const NAMES = Object.keys(GLOSSARY).filter((name) => name !== "merge").toSorted((one, other) => other.length - one.length);
const TERMS = new RegExp(`\\b(${NAMES.join("|")})s?\\b`, "g");

/** A sentence whose terms have their definitions, unless `seen` has them already. @param {string} sentence @param {Set<string>} seen @returns {(string | HTMLElement)[]} */
export function withTerms(sentence, seen) {
  const parts = [];
  let end = 0;
  for (const { 0: label, 1: name, index } of sentence.matchAll(TERMS)) {
    if (seen.has(name)) continue;
    seen.add(name);
    const made = term(/** @type {keyof typeof GLOSSARY} */ (name), label), before = sentence.slice(end, index);
    end = index + label.length;
    const [mark] = /** @type {RegExpExecArray} */ (/^\S*/.exec(sentence.slice(end))); // no line begins with the comma after a term
    made.append(mark);
    parts.push(before, made);
    end += mark.length;
  }
  return [...parts, sentence.slice(end)];
}

/** The glossary as a list, for Learn. */
export function glossaryList() {
  const list = element("dl", "glossary");
  for (const [name, meaning] of Object.entries(GLOSSARY)) {
    const entry = element("div");
    entry.append(element("dt", "", name), element("dd", "", meaning));
    list.append(entry);
  }
  return list;
}
