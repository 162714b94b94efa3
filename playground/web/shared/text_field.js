// A field for long texts: a textarea whose text is kept exactly, with pastes, UTF-8 files, examples, a size limit and
// undo.

import { button, fillSelect, find, note } from "./element.js";
import { listenForEdits, showSource, sourceOf } from "./source_text.js";
import { utf8Length, validUntil } from "./unicode.js";
import { byteLabel, count } from "./wording.js";

/**
 * Functions of the page: `getLimit` in UTF-8 bytes; `onText` for each new text, `onTooLong` for a text over the
 * limit, `onProblem` for a rejected file, `onNotes` when `undoNote()` has changed. `takesFiles`: whether the field
 * accepts dropped files. `onFile` opens a file that is not read as UTF-8 text.
 * @typedef {{getLimit: () => number, onText: (text: string) => void, onTooLong: (error: Error) => void,
 *   onProblem: (error: Error) => void, onNotes: () => void, takesFiles?: () => boolean,
 *   onFile?: (file: File) => Promise<void>}} FieldUse
 */

/** @typedef {import("./wire_types.d.ts").ShownExample} Example */

/** The length of a long text, in UTF-16 units. */
const LONG = 50_000;

/** Open a closed list on keys that would change its value, so that the options are seen before one replaces the text. @param {KeyboardEvent} event */
function openOnKey(event) {
  const { key, ctrlKey, metaKey, altKey, currentTarget } = event;
  if (ctrlKey || metaKey || altKey || !(["ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"].includes(key) || /^\S$/u.test(key))) return;
  event.preventDefault();
  /** @type {HTMLSelectElement} */ (currentTarget).showPicker();
}

/** The text field of a page. `root` contains `.text`, `.examples`, `.open-file` with `.file`, and `.field`, which accepts dropped files. */
export class TextField {
  /** @param {HTMLElement} root @param {AbortSignal} signal ends it @param {FieldUse} use */
  constructor(root, signal, use) {
    this.use = use;
    this.area = find(root, ".text", HTMLTextAreaElement);
    this.source = sourceOf(this.area);
    /** @type {{text: string, sentence: string} | null} */
    this.undo = null;
    /** @type {Example[]} */
    this.examples = [];
    /** Whether the field shows the page's initial example unchanged. */
    this.hasSample = false;
    /** Whether the untouched example was selected by a click. */
    this.isTouched = false;
    this.choice = find(root, ".examples", HTMLSelectElement);
    const onExample = () => {
      const example = this.examples[Number(this.choice.value)];
      this.choice.value = "";
      this.replace(example.text, "The example replaced your text.");
    };
    this.choice.addEventListener("change", onExample, { signal });
    this.choice.addEventListener("keydown", openOnKey, { signal });
    const onText = () => {
      if (this.undo?.text === this.text) {
        this.undo = null; // Ctrl+Z has restored it
        this.use.onNotes();
      }
      this.push();
    };
    listenForEdits(this.area, onText, { signal, isMain: true });
    this.area.addEventListener("keydown", (event) => this.selectAll(event), { signal });
    this.area.addEventListener("beforeinput", ({ inputType }) => inputType.startsWith("insert") && this.selectSample(), { signal });
    this.area.addEventListener("paste", (event) => this.paste(event), { signal });
    document.addEventListener("paste", (event) => this.pasteFromPage(event), { signal });
    this.area.addEventListener("click", () => this.touchSample(), { signal });
    const clear = () => {
      this.replace("", "The text was cleared.");
      this.area.focus();
    };
    find(root, ".clear").addEventListener("click", clear, { signal });
    find(root, ".paste").addEventListener("click", () => this.pasteFromClipboard(), { signal });
    this.listenForFiles(root, signal);
    queueMicrotask(() => this.takeEarly()); // the page that makes the field is not ready yet
  }

  /** Take a text that was typed before this code had loaded. */
  takeEarly() {
    if (this.area.value === this.source.view) return;
    this.source.adopt(this.area.value);
    this.push();
  }

  get text() {
    return this.source.text;
  }

  /** Show a text that came from elsewhere. @param {string} text */
  show(text) {
    this.source.set(text);
    this.hasSample = false;
    showSource(this.area);
  }

  /** Show the first text. If the empty field has the focus, select the text, so that typing replaces it. @param {string} text */
  open(text) {
    const { area } = this, root = /** @type {Document | ShadowRoot} */ (area.getRootNode());
    const isAwaited = root.activeElement === area && !area.value;
    this.show(text);
    this.hasSample = this.exampleOf(text) !== undefined;
    if (isAwaited) area.select();
  }

  /** Select the untouched example, so that typing or pasting replaces it. */
  selectSample() {
    if (this.hasSample) this.area.select();
    this.hasSample = false;
  }

  /** Select the untouched example at the first click or tap. A second one places the caret: the example is being edited. */
  touchSample() {
    const { selectionStart, selectionEnd, value } = this.area, isSelected = this.isTouched || selectionStart !== selectionEnd;
    if (!this.hasSample || !value) return;
    if (isSelected) this.hasSample = false;
    else this.area.select();
    this.isTouched = true;
  }

  /** Replace the text by the clipboard's, or say how to paste where the browser does not allow a page to read it. */
  async pasteFromClipboard() {
    const text = await navigator.clipboard?.readText?.().catch(() => null);
    this.area.focus();
    if (typeof text !== "string") {
      this.area.select();
      return this.use.onProblem(new Error("The browser does not let this page read the clipboard. Press Ctrl+V (⌘V on a Mac) to paste."));
    }
    if (text) this.replace(text, "The pasted text replaced yours.");
    else this.use.onProblem(new Error("The clipboard contains no text."));
  }

  /** Offer example texts. @param {Example[]} examples */
  offer(examples) {
    this.examples = examples;
    const options = examples.map(({ title }, i) => /** @type {[string, string]} */ ([String(i), title]));
    fillSelect(this.choice, [["", "Examples"], ...options]);
  }

  /** The example that equals the text. */
  get example() {
    return this.exampleOf(this.text);
  }

  /** @param {string} sought */
  exampleOf(sought) {
    return this.examples.find(({ text }) => text === sought);
  }

  /** Pass the text on, or report that it is too long. */
  push() {
    if (!this.isTooLong()) this.use.onText(this.text);
  }

  /** Replace the text; `sentence` says what happened, beside a button that restores the old text. @param {string} text @param {string} sentence */
  replace(text, sentence) {
    this.offerBack(text, sentence);
    this.show(text);
    this.push();
  }

  /** Offer to restore a replaced text. @param {string} text @param {string} sentence @param {string} lost */
  offerBack(text, sentence, lost = this.text) {
    const isLost = lost && lost !== text && !this.exampleOf(lost);
    this.undo = isLost ? { text: lost, sentence } : null;
    this.use.onNotes();
  }

  /** A note with a button that restores the replaced text, or null. */
  undoNote() {
    if (!this.undo) return null;
    const { text, sentence } = this.undo, made = note(sentence);
    const bringBack = () => {
      this.replace(text, "The previous text is back. The text that it replaced is kept.");
      this.choice.focus({ preventScroll: true }); // the focused button has disappeared
    };
    made.append(button("Bring it back", "Restore the previous text", bringBack));
    return made;
  }

  /** A note on what an example shows, or null. */
  exampleNote() {
    return this.example ? note(this.example.notice) : null;
  }

  isTooLong() {
    const limit = this.use.getLimit();
    if (this.text.length <= limit / 3) return false;
    const nBytes = utf8Length(this.text);
    if (nBytes <= limit) return false;
    this.use.onTooLong(
      new Error(
        `This text has ${count(nBytes)} bytes; this page takes up to ${count(limit)}. ` +
          "Nothing was cut. Shorten the text, or count its file with My corpus on Compare or, in a shell, with tessera count FILE.",
      ),
    );
    return true;
  }

  /** Insert pasted text with its carriage returns, which a textarea would drop. @param {ClipboardEvent} event */
  paste(event) {
    this.selectSample();
    const pasted = event.clipboardData?.getData("text/plain") ?? "", { area, source } = this;
    source.adopt(area.value);
    const from = source.toText(area.selectionStart), to = source.toText(area.selectionEnd);
    if (!`${pasted}${source.text.slice(from, to)}`.includes("\r")) return;
    event.preventDefault();
    const caret = area.selectionStart + pasted.replace(/\r\n?/g, "\n").length;
    this.show(source.text.slice(0, from) + pasted + source.text.slice(to));
    area.setSelectionRange(caret, caret);
    this.push();
  }

  /** Replace the text by one pasted outside of any field. @param {ClipboardEvent} event */
  pasteFromPage(event) {
    const [target] = event.composedPath(), pasted = event.clipboardData?.getData("text/plain") ?? "";
    const isInField = target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
    if (!pasted || isInField || this.use.takesFiles?.() === false) return;
    event.preventDefault();
    this.replace(pasted, "The pasted text replaced yours.");
    this.area.focus();
  }

  /** Select all of a long text at once; Chromium's own way first copies it line by line. @param {KeyboardEvent} event */
  selectAll(event) {
    const isAll = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "a";
    if (!isAll || this.area.value.length < LONG) return;
    event.preventDefault();
    this.area.setSelectionRange(0, this.area.value.length);
  }

  // ---- files

  /** @param {HTMLElement} root @param {AbortSignal} signal */
  listenForFiles(root, signal) {
    const input = find(root, ".file", HTMLInputElement), field = find(root, ".field");
    find(root, ".open-file").addEventListener("click", () => input.click(), { signal });
    const onChosen = () => {
      const file = input.files?.[0];
      input.value = "";
      this.openFile(file);
    };
    const onDragOver = (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      field.classList.add("dropping");
    };
    const onDrop = (/** @type {DragEvent} */ event) => {
      field.classList.remove("dropping");
      const file = event.dataTransfer?.files[0];
      if (!file || this.use.takesFiles?.() === false) return;
      event.preventDefault();
      this.openFile(file);
    };
    input.addEventListener("change", onChosen, { signal });
    field.addEventListener("dragover", onDragOver, { signal });
    field.addEventListener("dragleave", () => field.classList.remove("dropping"), { signal });
    field.addEventListener("drop", onDrop, { signal });
  }

  /** @param {File | undefined} file */
  async openFile(file) {
    if (!file) return;
    try {
      if (this.use.onFile) await this.use.onFile(file);
      else this.replace(await readTextFile(file, this.use.getLimit()), `${file.name} replaced your text.`);
    } catch (error) {
      this.use.onProblem(/** @type {Error} */ (error));
    }
  }
}

/**
 * Read a UTF-8 file of at most `limit` bytes. Throws an Error that says what is wrong.
 * @param {File} file
 * @param {number} limit
 */
export async function readTextFile(file, limit) {
  if (file.size > limit) {
    throw new Error(
      `${file.name} has ${count(file.size)} bytes; this page takes up to ${count(limit)}. Count longer files with My corpus on Compare or, in a shell, with tessera count FILE.`,
    );
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const valid = validUntil(bytes, 0);
  if (valid < bytes.length) {
    const looksUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    const line = bytes.subarray(0, valid).reduce((n, byte) => n + (byte === 10 ? 1 : 0), 1);
    throw new Error(
      `${file.name} is not UTF-8: byte ${byteLabel(bytes[valid])} at position ${count(valid)} (line ${count(line)})` +
        (looksUtf16 ? "; it looks like UTF-16." : ".") + " Save it as UTF-8 and open it again.",
    );
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
