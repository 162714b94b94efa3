// View controls: what is written on tokens, what colours them, and whether white space is marked.

import { element, find } from "../shared/element.js";
import { PatternKey } from "./pattern_key.js";
import { keyOf } from "./token_facts.js";

/** @typedef {import("./drawn_block.js").View} View */

export class ViewControls {
  /** `onChange()` runs when the reader has changed the view. @param {HTMLElement} root @param {AbortSignal} signal @param {import("./drawn_block.js").Manner} manner @param {() => void} onChange @param {ConstructorParameters<typeof PatternKey>[2]} recut */
  constructor(root, signal, { view, cuts }, onChange, recut) {
    this.root = root;
    this.view = view;
    this.cuts = cuts;
    this.marks = find(root, ".marks", HTMLButtonElement);
    this.label = find(root, ".label", HTMLSelectElement);
    this.colorBy = find(root, ".color-by", HTMLSelectElement);
    this.openBelow(find(root, ".view-menu", HTMLDetailsElement), find(root, ".view-controls"), signal);
    this.key = find(root, ".shades-key");
    this.patternKey = new PatternKey(find(root, ".pattern-key"), signal, recut);
    const change = (/** @type {Partial<View>} */ changes) => {
      this.adopt(changes);
      onChange();
    };
    this.marks.addEventListener("click", () => change({ marks: !this.view.marks }), { signal });
    this.label.addEventListener("change", () => change({ label: /** @type {View["label"]} */ (this.label.value) }), { signal });
    this.colorBy.addEventListener("change", () => change({ colorBy: /** @type {View["colorBy"]} */ (this.colorBy.value) }), { signal });
    this.adopt({});
  }

  /** The controls stand above the tokens and cover none, so that one sees what each does. @param {HTMLDetailsElement} menu @param {HTMLElement} controls @param {AbortSignal} signal */
  openBelow(menu, controls, signal) {
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape" || !menu.open) return;
      event.stopPropagation(); // what else Escape closes stays open
      menu.open = false;
      menu.querySelector("summary")?.focus();
    };
    menu.addEventListener("toggle", () => (controls.hidden = !menu.open), { signal });
    for (const part of [menu, controls]) part.addEventListener("keydown", onKey, { signal });
  }

  /** @param {Partial<View>} changes */
  adopt(changes) {
    Object.assign(this.view, changes);
    if (changes.colorBy && changes.colorBy !== "pattern") this.patternKey.reset(); // no other pattern cuts unseen
    this.root.dataset.label = this.view.label;
    this.marks.setAttribute("aria-pressed", String(this.view.marks));
    this.label.value = this.view.label;
    this.colorBy.value = this.view.colorBy;
    this.drawKey();
  }

  /** What the shades mean. */
  drawKey() {
    const shades = keyOf(this.view.colorBy).map(([shade, meaning]) => element("span", `t shaded ${shade}`, meaning));
    this.key.replaceChildren(...shades);
    this.patternKey.draw(this.view.colorBy === "pattern", this.cuts);
  }
}
