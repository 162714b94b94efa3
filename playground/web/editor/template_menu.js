// The menu of chat templates: it keeps its choice while that is not there, for an opened tokenizer may come back.

import { fillSelect } from "../shared/element.js";

export class TemplateMenu {
  /** @param {HTMLSelectElement} select @param {() => void} onChange @param {AbortSignal} signal */
  constructor(select, onChange, signal) {
    this.select = select;
    this.name = "";
    /** @type {string[]} */
    this.names = [];
    const listener = () => {
      this.name = select.value;
      onChange();
    };
    select.addEventListener("change", listener, { signal });
  }

  /** @param {string[]} names */
  offer(names) {
    this.names = names;
    this.draw();
  }

  /** @param {string} name */
  choose(name) {
    this.name = name;
    this.draw();
  }

  draw() {
    const { name, names } = this;
    const listed = !name || names.includes(name) ? names : [...names, name];
    fillSelect(this.select, listed.map((each) => [each, `template of ${each}`]));
    if (name) this.select.value = name;
    else this.name = this.select.value;
  }
}
