// Text light: lights a stretch of a textarea's text while the textarea has not the focus, and so shows no selection.

import { element } from "../shared/element.js";

/** @typedef {import("./places.js").Stretch} Stretch */

export class TextLight {
  /** @param {import("./text_lines.js").TextLines} lines @param {AbortSignal} signal */
  constructor(lines, signal) {
    this.lines = lines;
    this.element = element("div", "text-light");
    this.element.setAttribute("aria-hidden", "true");
    this.element.hidden = true;
    /** @type {Stretch | null} */
    this.stretch = null;
    const { area } = lines;
    area.after(this.element);
    area.addEventListener("scroll", () => this.stretch && this.show(this.stretch), { signal, passive: true });
  }

  /** Light a stretch, null for none. Only what is in view is laid out. @param {Stretch | null} stretch */
  show(stretch) {
    this.stretch = stretch;
    const { area } = this.lines, seen = stretch && this.lines.view();
    const from = stretch && seen ? Math.max(stretch.from, seen.from) : 0, to = stretch && seen ? Math.min(stretch.to, seen.to) : 0;
    this.element.hidden = from >= to;
    if (!seen || from >= to) return;
    // The same lines as the textarea's: they begin where one of its lines begins.
    const text = element("div"), { style } = this.element;
    text.style.top = `${seen.y}px`;
    text.append(area.value.slice(seen.from, from), element("mark", "", area.value.slice(from, to)), area.value.slice(to, seen.to));
    this.element.replaceChildren(text);
    for (const [name, length] of Object.entries({
      left: area.offsetLeft + area.clientLeft, top: area.offsetTop + area.clientTop, width: area.clientWidth, height: area.clientHeight,
    })) style.setProperty(name, `${length}px`);
  }
}
