// Keys: which key does what, as presenters' hands know them. Remotes send PageDown, PageUp, ".", F5 and Esc.

/** @typedef {"next" | "back" | "escape" | "blank" | "full" | "goto" | "reset" | "answer" | "help" | "speaker" | "light"} Action */

/** Keys of each action, and what the list of keys says of it. @type {[Action, string[], string][]} */
export const KEYS = [
  ["next", ["ArrowRight", "PageDown", " ", "n"], "next step"],
  ["back", ["ArrowLeft", "PageUp", "p"], "step back"],
  ["escape", ["Escape"], "leave a field; again: all lessons"],
  ["blank", ["b", "."], "blank the screen; any key only brings it back"],
  ["full", ["f"], "full screen"],
  ["goto", ["g"], "go to a lesson"],
  ["reset", ["r"], "reset the example"],
  ["answer", ["a"], "show the answer"],
  ["light", ["l"], "spotlight the next token"],
  ["speaker", ["s"], "notes in a second window"],
  ["help", ["?"], "these keys"],
];

/** How a key is written for a reader. @param {string} key */
export const keyName = (key) => ({ ArrowRight: "→", ArrowLeft: "←", " ": "Space", Escape: "Esc" })[key] ?? (key.length === 1 ? key.toUpperCase() : key);

const FIELDS = "input, textarea, select, [contenteditable='true']";
const ONE_LINE = "input[type='text']";
/** What a field calls the keys that it leaves to the lesson. @type {Record<string, string>} */
const KIND = { " ": "space", ArrowLeft: "arrows", ArrowRight: "arrows" };
const PRESSED = "button, a[href], summary, [role='button']";

/**
 * What a key press asks for; null where it is not ours: in a field all but Esc, a remote's two keys and
 * those that the field leaves to the lesson, on a button the space bar, and arrows where something has its own. Not presenting, a long text and a slider keep the remote's keys too.
 * @param {{key: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean, isComposing?: boolean}} press
 * @param {Pick<Element, "closest"> | null} target what has the focus, within shadow roots
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
