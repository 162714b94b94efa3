// Compare: the text field, the figures and the rows, kept in step with the server.

import { find, Notes } from "../shared/element.js";
import { LiveField } from "../shared/live_field.js";
import { LiveText } from "../shared/live_text.js";
import { component } from "../shared/mount.js";
import { saveFile, savePage } from "../shared/save.js";
import { browserStore, TabMemory } from "../shared/tab_memory.js";
import { postJson, Settling } from "../shared/wire.js";
import { counted } from "../shared/wording.js";
import { askForRows, changeRows } from "./rows.js";
import { ShownRows } from "./shown_rows.js";

const SETTLE_MS = 600;
const STORE = "tessera.compare";

/** Data from Python; see `ui/compare/view.py`. @typedef {import("../shared/wire_types.d.ts").CompareData} Data */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").CompareEvent} Said */

/** @typedef {import("./rows.js").Answer} Answer */
/** @typedef {import("./rows.js").Row} Row */

export default component(".compare", (root, signal) => new ComparePage(root, signal));

class ComparePage {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    /** @type {Data | null} */
    this.data = null;
    this.setTriggerValue = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    this.settling = new Settling(signal, SETTLE_MS, () => this.setTriggerValue("settled", Date.now()));
    /** @type {LiveText<Answer, Answer>} */
    this.live = new LiveText({
      open: (url, text) => askForRows(url, "open", { text }),
      edit: (url, edit) => askForRows(url, "edit", edit),
      onOpen: (answer, text) => this.show(null, answer, text),
      onEdit: (answer, text) => this.show(this.shown.rows, answer, text),
      askForSession: () => this.setTriggerValue("lost", Date.now()),
      onProblem: (sentence) => this.notes.problem("server", sentence),
    });
    this.notes = new Notes(find(root, ".notes"), () => [...this.text.notes(), this.text.field.exampleNote()], root);
    /** @type {LiveField<Data>} */
    this.text = new LiveField(root, signal, {
      page: "compare",
      notes: this.notes,
      onText: (text, data) => void this.live.push(data, text),
      share: () => ({ layout: this.shown.layout }),
    });
    /** @type {TabMemory<{view: string}>} */
    const taste = new TabMemory(browserStore, STORE), layout = this.text.linked?.layout ?? taste.read().view;
    this.shown = new ShownRows(root, signal, layout === "cards" ? "cards" : "aligned", (view) => taste.write({ view }));
    find(root, ".save-csv").addEventListener("click", () => this.save(this.saveCsv()), { signal });
    find(root, ".save-page").addEventListener("click", () => this.save(this.savePage()), { signal });
  }

  /** @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
    this.data = data;
    this.text.update(data);
  }

  destroy() {
    this.text.destroy();
    this.live.end();
  }

  /** Say why something was not saved. @param {Promise<unknown>} saving */
  async save(saving) {
    this.notes.problem("save", await saving.then(() => "", (error) => error.message));
  }

  async savePage() {
    await this.live.settled();
    await savePage(this.data?.url ?? "", { layout: this.shown.layout });
  }

  /** Save the figures of the current text. */
  async saveCsv() {
    await this.live.settled();
    const { csv } = await postJson(this.data?.url ?? "", "csv", {});
    saveFile(new Blob([csv], { type: "text/csv" }), "comparison.csv");
  }

  /** Show a text after changes to the rows `held`. @param {Row[] | null} held @param {Answer} answer @param {string} text */
  show(held, answer, text) {
    const rows = changeRows(held, answer.rows, text), { n_characters = 0, n_bytes = 0 } = rows[0] ?? {};
    this.shown.show(text.toWellFormed(), rows, answer.agreement, this.data);
    find(this.root, ".size").textContent = `${counted(n_characters, "character")}, ${counted(n_bytes, "byte")}`;
    if (answer.version !== this.data?.version) this.settling.touch(); // Streamlit's parts are of an older text
    this.root.dataset.shown = String(text.length);
  }
}
