// Open a tokenizer: files that are dropped on a page, where no field takes them, go to its uploader of tokenizer files. What was
// opened for them closes once they are read, and stays where it says why they are not.

import { component } from "../shared/mount.js";
import { isBeside } from "./tokenizer_files.js";

/** What opens it, while it is closed: a button beside a picker, or a heading. */
const CLOSED = ".st-key-open-tokenizer :is([data-testid=stPopoverButton][aria-expanded=false], details:not([open]) > summary)";
const POPOVER = ".st-key-open-tokenizer [data-testid=stPopoverButton]";
const TAKERS = "[data-testid=stFileUploaderDropzone], .field";
const UPLOADER = ".st-key-train-import";
const REMOVE = `${UPLOADER} [data-testid=stFileChipDeleteBtn] button`;
/** How long the opener may take to show its uploader, and Streamlit to let go of a file. */
const WAIT_MS = 3000;
const SAID_MS = 10_000;
/** What the page has last said came of files, and what was said when those were given of which it is not known yet. */
let said = "", given = /** @type {{before: string, isOpenedForIt: boolean} | null} */ (null);

/** What came of the files that were brought last. @typedef {import("../shared/wire_types.d.ts").OpenTokenizerData} Data */

export default component(".open-tokenizer", (root, signal) => {
  const say = (/** @type {string} */ sentence) => {
    root.textContent = sentence;
    root.hidden = false;
    setTimeout(() => (root.hidden ||= root.textContent === sentence), SAID_MS);
  };
  const invitation = root.textContent;
  const show = (/** @type {DragEvent} */ event) => {
    const isFree = Boolean(event.dataTransfer?.types.includes("Files")) && !isTaken(event);
    if (isFree) event.preventDefault();
    root.textContent = invitation;
    root.hidden = !isFree;
  };
  const drop = (/** @type {DragEvent} */ event) => {
    root.hidden = true;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (isTaken(event) || !files.length) return;
    event.preventDefault();
    give(files, signal);
  };
  // At the window, after every field that takes files itself.
  globalThis.addEventListener("dragover", show, { signal });
  globalThis.addEventListener("dragleave", (event) => !event.relatedTarget && (root.hidden = true), { signal });
  globalThis.addEventListener("drop", drop, { signal });
  root.dataset.listens = "true";
  return {
    update(/** @type {{data: Data}} */ { data }) {
      said = data.files;
      if (!given || !said || said === given.before) return;
      const { isOpenedForIt } = given, isKept = data.opened !== "";
      given = null;
      const other = isKept ? isOpenedForIt && `${POPOVER}[aria-expanded=true]` : CLOSED;
      if (other) /** @type {HTMLElement | null} */ (document.querySelector(other))?.click();
      if (isKept) say(`${data.opened} is open, and in every picker.`);
    },
  };
});

/** Whether a field or an uploader takes the files. Uploaders prevent the default of every drop on a page. @param {DragEvent} event */
const isTaken = (event) => event.composedPath().some((at) => at instanceof Element && at.matches(TAKERS));

/** Let the page's uploader have these files, and no others but those that they go with; whether it shows them. @param {File[]} files @param {AbortSignal} signal */
async function give(files, signal) {
  const findInput = () => /** @type {HTMLInputElement | null} */ (document.querySelector(`${UPLOADER} input[type=file]`));
  const isOpenedForIt = document.querySelector(`${POPOVER}[aria-expanded=true]`) === null;
  for (let nTries = 0; nTries < 3 && !signal.aborted; nTries++) {
    // A page that is drawn at this moment may have no button yet, or another one by now.
    await until(() => findInput() !== null || document.querySelector(CLOSED) !== null, signal);
    /** @type {HTMLElement | null} */ (document.querySelector(CLOSED))?.click();
    if (await until(() => findInput() !== null, signal)) break;
  }
  const findRemove = () => /** @type {HTMLElement | null} */ (document.querySelector(REMOVE));
  const isMore = files.every(isBeside), nHeld = document.querySelectorAll(REMOVE).length;
  for (let before = isMore ? null : findRemove(); before; before = findRemove()) {
    const gone = before;
    gone.click();
    if (!(await until(() => findRemove() !== gone, signal))) break;
  }
  // Streamlit forgets what it gets while it lets go of another file; what it took, it shows at once.
  for (let nTries = 0; nTries < 3 && !signal.aborted; nTries++) {
    const input = findInput(), held = new DataTransfer();
    if (!input) return false;
    for (const file of files) held.items.add(file);
    given = { before: said, isOpenedForIt };
    input.files = held.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    if (await until(() => document.querySelectorAll(REMOVE).length > (isMore ? nHeld : 0), signal, nTries < 2 ? WAIT_MS / 3 : WAIT_MS)) return true;
  }
  return false;
}

/** Whether something becomes so in time. @param {() => boolean} isSo @param {AbortSignal} signal */
async function until(isSo, signal, waitMs = WAIT_MS) {
  const end = performance.now() + waitMs;
  while (!isSo() && performance.now() < end && !signal.aborted) await new Promise((resume) => setTimeout(resume, 30));
  return isSo();
}
