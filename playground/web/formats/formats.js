// The data of Formats: a live text field. Python draws the results.

import { fromBase64Url } from "../shared/address.js";
import { find, Notes } from "../shared/element.js";
import { LiveField } from "../shared/live_field.js";
import { LiveText } from "../shared/live_text.js";
import { component } from "../shared/mount.js";
import { TabMemory, tabStore } from "../shared/tab_memory.js";
import { post, postJson } from "../shared/wire.js";
import { count } from "../shared/wording.js";

/** The name of a file, and its first line. @typedef {{name: string, head: string}} Opened */

/** The name of the opened file while the text begins with the file's first line, else "". @param {Opened} opened @param {string} text */
export const fileNameOf = (opened, text) => (opened.head && text.startsWith(opened.head) ? opened.name.slice(0, 300) : "");

/** The delay in milliseconds between a key and the results, which is longer for long texts. @param {number} nCharacters */
const settleMs = (nCharacters) => (nCharacters < 50_000 ? 350 : nCharacters < 500_000 ? 900 : 2000);

/** Data from Python; see `ui/formats/data.py`. @typedef {import("../shared/wire_types.d.ts").FormatsData} Data */
/** @typedef {import("../shared/wire_types.d.ts").FormatsEdited} Edited */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").FormatsEvent} Said */

export default component(".formats", (root, signal) => new FormatsPage(root, signal));

class FormatsPage {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    /** @type {Data | null} */
    this.data = null;
    /** @type {TabMemory<Opened>} the file of the text, which the text field stores */
    this.memory = new TabMemory(tabStore, "tessera.formats.file");
    const { name = "", head = "" } = this.memory.read();
    /** @type {Opened} */
    this.openedFile = { name, head };
    this.setTriggerValue = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    const ask = (/** @type {string} */ url, /** @type {"open" | "edit"} */ action, /** @type {string} */ text, /** @type {object} */ body) =>
      postJson(url, action, { ...body, name: fileNameOf(this.openedFile, text) });
    /** @type {LiveText<Edited, Edited>} */
    this.live = new LiveText({
      open: (url, text) => ask(url, "open", text, { text }),
      edit: (url, edit) => ask(url, "edit", this.text.text, edit),
      onOpen: (answer) => this.settle(answer),
      onEdit: (answer) => this.settle(answer),
      askForSession: () => this.setTriggerValue("lost", Date.now()),
      onProblem: (sentence) => this.notes.problem("server", sentence),
    });
    this.notes = new Notes(find(root, ".notes"), () => this.text.notes());
    /** @type {LiveField<Data>} */
    this.text = new LiveField(root, signal, {
      page: "formats",
      notes: this.notes,
      onText: (text, data) => void this.live.push(data, text),
      onTooLong: () => this.notes.problem("text", `The data is longer than ${count(this.data?.max_bytes ?? 0)} bytes, the limit of this page. Nothing was cut: shorten it here.`),
      onFile: (file) => this.openFile(file),
    });
  }

  /** Called at the first mount and at each run of the page. @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    const file = this.data ? null : fileOf(this.text.linked?.upload);
    this.setTriggerValue = setTriggerValue;
    this.data = data;
    this.text.update(data);
    if (file) void this.text.field.openFile(file);
  }

  destroy() {
    this.text.destroy();
    this.live.end();
    clearTimeout(this.settling);
  }

  /** After a pause, ask the page for the results of a text that it has not seen. @param {Edited} answer */
  settle({ version }) {
    clearTimeout(this.settling);
    if (version !== this.data?.version) this.settling = setTimeout(() => this.setTriggerValue("settled", Date.now()), settleMs(this.text.text.length));
  }

  // ---- files

  /** Put the text of a file into the field. @param {File} file */
  async openFile(file) {
    const limit = this.data?.max_bytes ?? Infinity;
    if (file.size > limit)
      throw new Error(`${file.name} has ${count(file.size)} bytes; this page takes up to ${count(limit)}. In a shell, tessera formats FILE takes up to 5 MB.`);
    /** @type {import("../shared/wire_types.d.ts").OpenedFile} */
    const answer = await (await post(this.data?.url ?? "", "file", file)).json();
    this.openedFile = { name: file.name, head: answer.text.split("\n", 1)[0] };
    this.memory.write(this.openedFile);
    this.text.field.replace(answer.text, `${file.name} replaced your data.`);
    this.notes.problem("file", answer.note);
  }
}

/** Return the file in a link of version 1, as text or base64; null for anything else. @param {any} upload */
function fileOf(upload) {
  if (typeof upload?.name !== "string") return null;
  if (typeof upload.text === "string") return new File([upload.text], upload.name);
  return typeof upload.base64 === "string" ? new File([fromBase64Url(upload.base64)], upload.name) : null;
}
