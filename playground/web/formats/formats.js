// The data of Formats: a live text field. Python draws the results.

import { fromBase64Url, onShare, takePayload } from "../shared/address.js";
import { find, Notes } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { onUnkept, TabMemory, tabStore, unkeptNote } from "../shared/tab_memory.js";
import { TextField } from "../shared/text_field.js";
import { bodyOfEdit, TextSync } from "../shared/text_sync.js";
import { NewestWins, post, postJson, Reconnect, RefusedError, sentenceOf } from "../shared/wire.js";
import { count } from "../shared/wording.js";

/** The name of a file, and its first line. @typedef {{name: string, head: string}} Opened */

/** The name of the opened file while the text begins with the file's first line, else "". @param {Opened | null} opened @param {string} text */
export const fileNameOf = (opened, text) => (opened && opened.head && text.startsWith(opened.head) ? opened.name.slice(0, 300) : "");

/** The delay in milliseconds between a key and the results, which is longer for long texts. @param {number} nCharacters */
const settleMs = (nCharacters) => (nCharacters < 50_000 ? 350 : nCharacters < 500_000 ? 900 : 2000);

/** Data from Python; see `ui/formats/data.py`. @typedef {import("../shared/wire_types.d.ts").FormatsData} Data */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").FormatsEvent} Said */

export default component(".formats", (root, signal) => new FormatsPage(root, signal));

class FormatsPage {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    /** @type {Data | null} */
    this.data = null;
    /** @type {Data | null} what the page gave when the session was last opened */
    this.opened = null;
    this.isOpen = false;
    /** @type {TabMemory<{text: string, file: Opened | null}>} */
    this.memory = new TabMemory(tabStore, "tessera.text.formats");
    this.linked = takePayload("formats");
    /** @type {Opened | null} */
    this.openedFile = this.memory.read().file ?? null;
    this.setTriggerValue = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    this.opening = new NewestWins(() => this.open());
    this.reconnect = new Reconnect({
      askForSession: () => this.setTriggerValue("lost", Date.now()),
      reopen: () => this.reopen(),
    });
    /** @type {TextSync<import("../shared/wire_types.d.ts").FormatsEdited>} */
    this.sync = new TextSync({
      send: (edit) => postJson(this.url, "edit", { ...bodyOfEdit(edit), name: fileNameOf(this.openedFile, this.field.text) }),
      onAnswer: () => {
        this.notes.problem("server", "");
        this.settle();
      },
      onError: (error) => this.showError(error),
    });
    this.field = new TextField(root, signal, {
      getLimit: () => this.data?.max_bytes ?? Infinity,
      onText: () => {
        this.follow();
        this.notes.draw();
      },
      onTooLong: () => {
        this.sync.cancel();
        this.notes.problem("text", `The data is longer than ${count(this.data?.max_bytes ?? 0)} bytes, the limit of this page. Nothing was cut: shorten it here.`);
      },
      onProblem: (error) => this.notes.problem("file", error.message),
      onNotes: () => this.notes.draw(),
      onFile: (file) => this.openFile(file),
    });
    this.notes = new Notes(find(root, ".notes"), () => [this.field.undoNote(), unkeptNote()]);
    onUnkept(() => this.notes.draw(), signal);
    globalThis.addEventListener("pagehide", () => this.save(), { signal });
    onShare(signal, () => this.share());
  }

  get url() {
    return this.data?.url ?? "";
  }

  /** Called at the first mount and at each run of the page. @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
    if (this.data?.revision === data.revision && this.data.url === data.url && this.isOpen) return;
    this.data = data;
    this.field.offer(data.examples);
    this.sync.cancel();
    this.reopen();
  }

  destroy() {
    this.save();
    this.reconnect.end();
    clearTimeout(this.settling);
  }

  // ---- talking with the server

  /** Send the change of the text, once the server's text is known. */
  follow() {
    this.notes.problem("text", "");
    if (this.isOpen) this.sync.push(this.field.text);
    else if (!this.opening.running) this.reopen();
  }

  reopen() {
    this.isOpen = false;
    this.opening.push(null);
  }

  /** Fetch the server's text, and replace it by the text in the field or in this tab's memory. */
  async open() {
    const { data } = this;
    if (!data) return;
    await this.sync.settled();
    try {
      /** @type {import("../shared/wire_types.d.ts").FormatsState} */
      const answer = await postJson(data.url, "open", {});
      if (this.opening.next) return; // the page has a newer session
      this.reconnect.stop();
      this.notes.problem("server", "");
      this.showText(answer.text);
      this.opened = data;
      this.sync.reset(answer.text, answer.version);
      this.isOpen = true;
      if (!this.field.isTooLong()) this.follow();
      const file = fileOf(this.linked?.upload);
      this.linked = null;
      if (file) await this.openFile(file);
    } catch (error) {
      this.showError(error);
    }
  }

  /** Show the address's text, or this tab's, or else the server's. @param {string} text */
  showText(text) {
    const linked = this.linked?.text, stored = this.memory.read().text, own = this.field.text || stored;
    if (linked !== undefined && own !== undefined) this.field.offerBack(linked, "The link replaced your data.", own);
    else if (!this.opened && this.field.text && stored !== undefined) this.field.offerBack(this.field.text, "The data that you typed replaced your earlier data.", stored);
    if (linked !== undefined) this.field.show(linked);
    else if (!this.opened && !this.field.text) this.field.open(own ?? text);
    this.notes.draw();
  }

  /** @param {unknown} error */
  showError(error) {
    if (error instanceof RefusedError && error.status === 409) {
      this.reopen(); // an answer was lost: start from the server's text
      return;
    }
    if (this.reconnect.seeks(error)) this.isOpen = false;
    this.notes.problem("server", sentenceOf(error));
  }

  /** After a pause, save the text in this tab and ask the page for its results. */
  settle() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      this.save();
      this.setTriggerValue("settled", Date.now());
    }, settleMs(this.field.text.length));
  }

  save() {
    if (this.opened) this.memory.write({ text: this.field.text, file: this.openedFile });
  }

  /** The values for a copied address: the data in the field. */
  async share() {
    return { page: "formats", text: this.field.text };
  }

  // ---- files

  /** Put the text of a file into the field. @param {File} file */
  async openFile(file) {
    const limit = this.data?.max_bytes ?? Infinity;
    if (file.size > limit)
      throw new Error(`${file.name} has ${count(file.size)} bytes; this page takes up to ${count(limit)}. In a shell, tessera formats FILE takes up to 5 MB.`);
    /** @type {import("../shared/wire_types.d.ts").OpenedFile} */
    const answer = await (await post(this.url, "file", file)).json();
    this.notes.problem("file", answer.note);
    this.openedFile = { name: file.name, head: answer.text.split("\n", 1)[0] };
    this.field.replace(answer.text, `${file.name} replaced your data.`);
  }
}

/** Return the file in a link of version 1, as text or base64; null for anything else. @param {any} upload */
function fileOf(upload) {
  if (typeof upload?.name !== "string") return null;
  if (typeof upload.text === "string") return new File([upload.text], upload.name);
  return typeof upload.base64 === "string" ? new File([fromBase64Url(upload.base64)], upload.name) : null;
}
