// Own special tokens: a field in the menu *More*, one token per line, with the ids of those in use and the reasons
// why others are refused.

import { element, find, note } from "../shared/element.js";

/** @typedef {import("../shared/wire_types.d.ts").SpecialTokens} SpecialTokens */

export class OwnSpecial {
  /** `send(text)` is called with the tokens when the field loses the focus. @param {HTMLElement} root @param {AbortSignal} signal @param {(text: string) => void} send */
  constructor(root, signal, send) {
    this.root = root;
    this.field = find(root, ".own-special", HTMLTextAreaElement);
    this.field.addEventListener("change", () => send(this.field.value), { signal });
  }

  /** @param {SpecialTokens} special */
  show({ text, used, problems }) {
    if (!this.field.matches(":focus")) this.field.value = text;
    const rows = used.flatMap(([token, id]) => [element("dt", "", token), element("dd", "", String(id))]);
    find(this.root, ".own-special-ids").replaceChildren(...rows);
    find(this.root, ".own-special-problems").replaceChildren(...problems.map((problem) => note(problem, "error")));
  }
}
