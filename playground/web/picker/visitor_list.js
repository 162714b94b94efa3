// Visitor list: the visitor's own tokenizers, each with buttons to rename, save and remove it.

import { button, element } from "../shared/element.js";
import { saveFile } from "../shared/save.js";

export class VisitorList {
  /**
   * `post` sends a request to the picker's session; `forget` removes a tokenizer from the browser's storage.
   * `onChange` gets the old name, the new one ("" after a removal), and a function that updates a choice.
   * @param {HTMLElement} list
   * @param {{post: (action: string, body: object) => Promise<Response>, forget: (name: string) => Promise<void>,
   *   onChange: (old: string, name: string, changed: (chosen: string[]) => string[]) => Promise<void>, onProblem: (sentence: string) => void}} use
   */
  constructor(list, use) {
    this.list = list;
    this.use = use;
    this.drawn = "";
  }

  /** Draw the rows; tokenizers on the server can be renamed and saved. @param {{name: string, detail: string}[]} entries @param {Record<string, string>} versions of those on the server */
  draw(entries, versions) {
    const drawn = JSON.stringify([entries, versions]);
    if (drawn === this.drawn) return; // so that a new name can be typed while the list is fetched again
    this.drawn = drawn;
    const rows = entries.map(({ name, detail }) => {
      const row = element("li"), acts = element("span", "acts");
      if (name in versions) acts.append(button("Rename", `Rename ${name}`, () => this.askName(row, name)), button("Save", `Save the file of ${name}`, () => void this.save(name)));
      acts.append(button("Remove", `Remove ${name} from this browser`, () => void this.remove(name)));
      row.append(element("span", "name", name), element("span", "about", detail), acts);
      return row;
    });
    if (!rows.length) rows.push(element("li", "soft", "None yet. Open a tokenizer file, or train one and press Keep."));
    this.list.replaceChildren(...rows);
  }

  /** Replace a row by a field for its new name. @param {HTMLElement} row @param {string} old */
  askName(row, old) {
    const form = element("form", "row"), field = element("input"), before = [...row.childNodes];
    const close = () => row.replaceChildren(...before);
    field.type = "text";
    field.value = old;
    field.setAttribute("aria-label", "New name");
    const rename = button("Rename", `Rename ${old}`, () => {});
    rename.type = "submit";
    form.append(field, rename, button("Cancel", "Keep the name", close));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = field.value.trim();
      if (name === old) return close();
      void this.ask("rename", { name: old, new_name: name }, () => {
        void this.use.onChange(old, name, (chosen) => chosen.map((one) => (one === old ? name : one)));
      });
    });
    row.replaceChildren(form);
    field.select();
  }

  /** @param {string} name */
  async remove(name) {
    await this.use.forget(name);
    await this.ask("remove", { name }, () => void this.use.onChange(name, "", (chosen) => chosen.filter((one) => one !== name)));
  }

  /** @param {string} name */
  async save(name) {
    await this.ask("file", { name }, async (answer) => {
      const fileName = (answer.headers.get("Content-Disposition") ?? "").split("''")[1] ?? name;
      saveFile(await answer.blob(), decodeURIComponent(fileName));
    });
  }

  /** Send a request, and call `then` with a successful answer. @param {string} action @param {object} body @param {(answer: Response) => unknown} then */
  async ask(action, body, then) {
    try {
      await then(await this.use.post(action, body));
    } catch (error) {
      this.use.onProblem(`${/** @type {Error} */ (error).message}.`);
    }
  }
}
