// Text field: a textarea whose text is kept exactly as it came, with pastes, files, a limit and a way back.

import { byteLabel, utf8Length, validUntil } from "./segments.js";
import { SourceText } from "./text_sync.js";

/**
 * The field of a page: `root` holds `.text`, and may hold `.open-file` with `.file`, and `.field` on which files
 * are dropped. `getLimit()` is in UTF-8 bytes. `onText(text)` runs for each new text within it, `onTooLong(error)`
 * for one beyond it, `onProblem(error)` for a file that is refused, `onNotes()` when `undoNote()` has changed.
 * `isKnown(text)` tells of a text that need not be brought back; `takesFiles()` whether a drop is for the field.
 */
export class TextField {
  constructor(root, { getLimit, onText, onTooLong, onProblem, onNotes, isKnown = () => false, takesFiles = () => true }) {
    Object.assign(this, { getLimit, onText, onTooLong, onProblem, onNotes, isKnown, takesFiles });
    this.area = root.querySelector(".text");
    this.source = new SourceText("");
    this.area.addEventListener("input", () => {
      this.source.adopt(this.area.value);
      this.push();
    });
    this.area.addEventListener("paste", (event) => this.paste(event));
    this.listenForFiles(root, root.querySelector(".file"), root.querySelector(".field"));
  }

  get text() {
    return this.source.text;
  }

  /** Show a text that is known elsewhere already. */
  show(text) {
    this.source.set(text);
    this.area.value = this.source.view;
  }

  /** Hand the text on, unless it is too long. */
  push() {
    if (!this.isTooLong()) this.onText(this.text);
  }

  /** Replace the text in a way that can be taken back; the sentence says what replaced it. */
  replace(text, sentence) {
    this.offerBack(text, sentence);
    this.show(text);
    this.push();
  }

  /** Offer the present text back, once another has taken its place. */
  offerBack(text, sentence) {
    const isLost = this.text && this.text !== text && !this.isKnown(this.text);
    this.undo = isLost ? { text: this.text, sentence } : null;
    this.onNotes();
  }

  /** A note with a button that brings the text back which was replaced, or null. */
  undoNote() {
    if (!this.undo) return null;
    const { text, sentence } = this.undo, element = note(sentence), button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: "Bring it back", title: "Put the text back that was here before" });
    button.addEventListener("click", () => {
      this.undo = null;
      this.onNotes();
      this.show(text);
      this.push();
    });
    element.append(button);
    return element;
  }

  isTooLong() {
    const limit = this.getLimit();
    if (this.text.length <= limit / 3) return false;
    const nBytes = utf8Length(this.text);
    if (nBytes <= limit) return false;
    this.onTooLong(
      new Error(
        `This text has ${count(nBytes)} bytes; this page takes up to ${count(limit)}. ` +
          "Nothing was cut: shorten it here, or count the file with `python -m playground count FILE`.",
      ),
    );
    return true;
  }

  /** A textarea drops carriage returns from a paste; they count, so they are carried over here. */
  paste(event) {
    const pasted = event.clipboardData?.getData("text/plain") ?? "", { area, source } = this;
    if (!pasted.includes("\r")) return;
    event.preventDefault();
    source.adopt(area.value);
    const from = source.toText(area.selectionStart), to = source.toText(area.selectionEnd);
    const caret = area.selectionStart + pasted.replace(/\r\n?/g, "\n").length;
    this.show(source.text.slice(0, from) + pasted + source.text.slice(to));
    area.setSelectionRange(caret, caret);
    this.push();
  }

  // ---- files

  listenForFiles(root, input, field) {
    root.querySelector(".open-file").addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      const [file] = input.files;
      input.value = "";
      this.openFile(file);
    });
    field.addEventListener("dragover", (event) => {
      event.preventDefault();
      field.classList.add("dropping");
    });
    field.addEventListener("dragleave", () => field.classList.remove("dropping"));
    field.addEventListener("drop", (event) => {
      field.classList.remove("dropping");
      if (!event.dataTransfer.files.length || !this.takesFiles()) return;
      event.preventDefault();
      this.openFile(event.dataTransfer.files[0]);
    });
  }

  async openFile(file) {
    if (!file) return;
    try {
      this.replace(await readTextFile(file, this.getLimit()), `${file.name} replaced your text.`);
    } catch (error) {
      this.onProblem(error);
    }
  }
}

/** The text of a UTF-8 file. Throws an Error that says why it is none, or that it is too long. */
async function readTextFile(file, limit) {
  if (file.size > limit) {
    throw new Error(
      `${file.name} has ${count(file.size)} bytes; this page takes up to ${count(limit)}. For longer files use \`python -m playground count FILE\`.`,
    );
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const valid = validUntil(bytes, 0);
  if (valid < bytes.length) {
    const looksUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    const line = bytes.subarray(0, valid).reduce((n, byte) => n + (byte === 10), 1);
    throw new Error(
      `${file.name} is not UTF-8: byte ${byteLabel(bytes[valid])} at position ${count(valid)} (line ${count(line)})` +
        (looksUtf16 ? "; it looks like UTF-16." : ".") + " Save it as UTF-8 and open it again; your text is still here.",
    );
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

export const count = (n) => n.toLocaleString("en");

/** A sentence below the field; of kind "error" where something is wrong. */
export function note(sentence, kind = "") {
  const element = document.createElement("div");
  element.className = `note ${kind}`;
  element.textContent = sentence;
  return element;
}

// ---- what a tab remembers, so that a reload loses nothing

export function readStore(store, key) {
  try {
    return JSON.parse(store.getItem(key)) ?? {};
  } catch {
    return {};
  }
}

export function writeStore(store, key, value) {
  try {
    store.setItem(key, JSON.stringify(value));
  } catch {
    // A full or forbidden store costs a reload its text, nothing more.
  }
}

/** Whether the page's background is dark, whatever the theme is called. */
export function isDark(element) {
  const color = getComputedStyle(element).getPropertyValue("--st-background-color").trim();
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b < 128;
}
