// Keys of a lesson, including those of a presenter's remote (PageDown, PageUp, ".", F5, Esc), and the dialogs "Keys"
// and "Go to a lesson".

import { element } from "../shared/element.js";

/** The dialog that lists the keys. */
export function makeHelp() {
  const dialog = makeDialog("help", "Keys");
  const list = element("dl");
  for (const [, keys, says] of KEYS) {
    const names = element("dt");
    for (const key of keys) names.append(element("kbd", "", keyName(key)));
    list.append(names, element("dd", "", says));
  }
  const form = element("form");
  form.method = "dialog";
  form.append(element("button", "", "Close"));
  dialog.append(list, element("p", "", "At a question, just type the answer and press Enter. To use these keys while the cursor is in a field, press Esc first."), form);
  return dialog;
}

/** The dialog that asks for the number of a lesson and lists all. @param {() => {number: number, title: string}[]} lessons @param {(number: number) => void} go */
export function makeGoto(lessons, go) {
  const dialog = makeDialog("goto", "Go to a lesson");
  const form = element("form"), label = element("label", "named", "Lesson "), field = element("input");
  form.method = "dialog";
  field.type = "number";
  label.append(field);
  field.addEventListener("input", () => field.setCustomValidity(""));
  form.append(label, element("button", "primary", "Go"));
  form.noValidate = true; // the number is checked on submit
  form.addEventListener("submit", (event) => {
    const number = field.valueAsNumber, numbers = lessons().map((lesson) => lesson.number);
    if (field.value !== "" && !numbers.includes(number)) {
      event.preventDefault();
      field.setCustomValidity(`There is no lesson ${field.value}. They are numbered ${Math.min(...numbers)} to ${Math.max(...numbers)}.`);
      field.reportValidity();
      return;
    }
    if (field.value !== "") go(number);
  });
  const list = element("ol");
  dialog.addEventListener("toggle", () => dialog.open && list.replaceChildren(...lessons().map(({ number, title }) => {
    const item = element("li"), one = element("button", "", `${number} · ${title}`);
    one.type = "button";
    one.addEventListener("click", () => {
      dialog.close();
      go(number);
    });
    item.append(one);
    return item;
  })));
  dialog.addEventListener("close", () => {
    field.value = "";
    field.setCustomValidity("");
  });
  dialog.append(form, list);
  return dialog;
}

/**
 * What to check before a class: whether phones reach this address, how large the type is, and that examples are fresh.
 * @param {() => void} start
 */
export function makeCheck(start) {
  const dialog = makeDialog("check", "Before the class"), phones = element("dd"), list = element("dl"), form = element("form");
  form.method = "dialog";
  const go = element("button", "primary", "Start the class");
  go.type = "button";
  go.addEventListener("click", () => {
    dialog.close();
    start();
  });
  form.append(go, element("button", "", "Cancel"));
  const sample = element("dd", "", "Read this from the last row: "), size = element("span", "sample", "strawberry 496");
  sample.append(size, ". F fills the screen.");
  list.append(
    element("dt", "", "Phones"), phones, element("dt", "", "Type"), sample,
    element("dt", "", "Examples"), element("dd", "", "Start restores the examples of all lessons and forgets guesses and votes."),
    element("dt", "", "Keys"), element("dd", "", "→ or PageDown goes on, V lets phones vote, S opens your notes, ? lists all keys."),
  );
  dialog.append(element("h2", "", "Before the class"), list, form);
  return {
    element: dialog,
    /** @param {() => Promise<import("../shared/wire_types.d.ts").PollState>} ask */
    async show(ask) {
      phones.textContent = "Asking whether phones can reach this server …";
      dialog.showModal();
      try {
        const { address, problem } = await ask();
        phones.textContent = problem || `✓ Phones in your network vote at ${address}. Try it with yours.`;
      } catch (error) {
        phones.textContent = error instanceof Error ? error.message : String(error);
      }
    },
  };
}

/** The end of a class. */
export function makeClosing() {
  const dialog = makeDialog("closing", "What was learned");
  return {
    element: dialog,
    /** Show the claims and the homework; return an element for the figure. @param {string[]} claims @param {string} homework */
    show(claims, homework) {
      const way = element("div", "whole-way"), list = element("ol"), task = element("p", "homework"), link = element("a", "", homework);
      list.append(...claims.map((claim) => element("li", "", claim)));
      link.href = homework;
      link.target = "_blank";
      link.rel = "noopener";
      task.append("Homework: build your own tokenizer at ", link, " and hand in certificate.txt.");
      const back = element("button", "", "Back");
      back.addEventListener("click", () => dialog.close());
      dialog.replaceChildren(element("h2", "", "What was learned"), way, list, task, back);
      dialog.showModal();
      return way;
    },
  };
}

/** A dialog that closes with Escape or a click outside. @param {string} className @param {string} name */
function makeDialog(className, name) {
  const dialog = element("dialog", className);
  dialog.setAttribute("aria-label", name);
  dialog.setAttribute("closedby", "any");
  return dialog;
}

/** @typedef {"next" | "back" | "escape" | "blank" | "full" | "goto" | "reset" | "answer" | "help" | "speaker" | "light" | "poll"} Action */

/** Keys of each action, with the action's description in the list of keys. @type {[Action, string[], string][]} */
export const KEYS = [
  ["next", ["ArrowRight", "PageDown", " ", "n"], "next step"],
  ["back", ["ArrowLeft", "PageUp", "p"], "previous step"],
  ["escape", ["Escape"], "leave the field; press again for all lessons"],
  ["blank", ["b", "."], "blank the screen; any key shows it again"],
  ["full", ["f"], "full screen"],
  ["goto", ["g"], "go to a lesson"],
  ["reset", ["r"], "reset the example"],
  ["answer", ["a"], "show the answer"],
  ["light", ["l"], "spotlight the next token"],
  ["poll", ["v"], "vote by phone on the first question; again: how votes are spread"],
  ["speaker", ["s"], "notes in a second window"],
  ["help", ["?"], "these keys"],
];

/** The printed name of a key. @param {string} key */
export const keyName = (key) => ({ ArrowRight: "→", ArrowLeft: "←", " ": "Space", Escape: "Esc" })[key] ?? (key.length === 1 ? key.toUpperCase() : key);

const FIELDS = "input, textarea, select, [contenteditable='true']";
const ONE_LINE = "input[type='text']";
/** Names, in `data-leaves`, of the groups of keys that a field passes on to the lesson. @type {Record<string, string>} */
const KIND = { " ": "space", ArrowLeft: "arrows", ArrowRight: "arrows" };
const PRESSED = "button, a[href], summary, [role='button']";

/**
 * The action for a key press, or null if the key belongs to the focused element. A field keeps all keys but Esc, a
 * remote's two keys, and those in its `data-leaves`; a button keeps Space; an element with arrows of its own keeps
 * those. Outside a presentation, long texts and sliders keep the remote's keys, too.
 * @param {{key: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean, isComposing?: boolean}} press
 * @param {Pick<Element, "closest"> | null} target the focused element, also inside shadow roots
 * @param {boolean} isPresenting
 * @returns {Action | null}
 */
export function actionOf({ key, ctrlKey, metaKey, altKey, isComposing }, target, isPresenting) {
  if (ctrlKey || metaKey || altKey || isComposing) return null;
  const wanted = key.length === 1 ? key.toLowerCase() : key;
  const action = KEYS.find(([, keys]) => keys.includes(wanted))?.[0] ?? null;
  const isOfRemote = key.startsWith("Page") && (isPresenting || target?.closest(ONE_LINE));
  const isLeft = isPresenting && target?.closest(`[data-leaves~="${KIND[key] ?? "letters"}"]`);
  if (target?.closest(FIELDS)) return action === "escape" || isOfRemote || isLeft ? action : null;
  if (key === " " && target?.closest(PRESSED)) return null;
  if (key.startsWith("Arrow") && target?.closest("[data-own-arrows]")) return null;
  return action;
}
