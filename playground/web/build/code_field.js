// A field for Python code: line numbers, indentation with Tab and Enter, and a mark on the line of an error.

import { element } from "../shared/element.js";

const INDENT = "    ";

/** What Enter inserts after the text before the caret: a line break with the same indentation, more after a colon. @param {string} before */
export function afterEnter(before) {
  const line = before.slice(before.lastIndexOf("\n") + 1), code = line.replace(/#.*/, "").trimEnd();
  return `\n${/^ */.exec(line)?.[0] ?? ""}${code.endsWith(":") ? INDENT : ""}`;
}

/**
 * The lines of a text from `start` to `end`, indented by one level more, or less.
 * @param {string} text @param {number} start @param {number} end @param {boolean} isLess
 * @returns {{from: number, to: number, lines: string}} the range of the whole lines, and what replaces it
 */
export function indented(text, start, end, isLess) {
  const from = text.lastIndexOf("\n", start - 1) + 1, next = text.indexOf("\n", Math.max(start, end - 1));
  const to = next < 0 ? text.length : next;
  const lines = text.slice(from, to).split("\n").map((line) => (isLess ? line.replace(/^ {1,4}/, "") : line && INDENT + line));
  return { from, to, lines: lines.join("\n") };
}

export class CodeField {
  /** @param {{onChange: () => void, onRun: () => void}} callbacks */
  constructor({ onChange, onRun }) {
    this.element = element("div", "code-field");
    this.numbers = element("div", "numbers");
    this.numbers.setAttribute("aria-hidden", "true");
    this.area = element("textarea", "code");
    Object.assign(this.area, { spellcheck: false, wrap: "off", autocapitalize: "off", autocomplete: "off" });
    this.area.setAttribute("aria-label", "Your code");
    this.element.append(this.numbers, this.area);
    this.badLine = 0;
    /** Whether Tab leaves the field, as after Escape. */
    this.tabLeaves = false;
    this.area.addEventListener("input", () => {
      this.mark(0);
      onChange();
    });
    this.area.addEventListener("keydown", (event) => this.press(event, onRun));
    this.area.addEventListener("blur", () => (this.tabLeaves = false));
  }

  get text() {
    return this.area.value;
  }

  /** @param {string} text */
  set text(text) {
    this.area.value = text;
    this.mark(0);
  }

  /** Mark a line as wrong; 0 for none. @param {number} line */
  mark(line) {
    this.badLine = line;
    const n = this.text.split("\n").length;
    this.area.rows = n + 1;
    this.numbers.replaceChildren(...Array.from({ length: n }, (_, i) => element("span", i + 1 === line ? "bad" : "", String(i + 1))));
  }

  /** @param {KeyboardEvent} event @param {() => void} onRun */
  press(event, onRun) {
    const { area } = this, { selectionStart: start, selectionEnd: end } = area;
    if (event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onRun();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.insert(start, end, afterEnter(area.value.slice(0, start)));
    } else if (event.key === "Escape") {
      this.tabLeaves = true;
    } else if (event.key === "Tab" && !this.tabLeaves && !event.ctrlKey && !event.altKey) {
      event.preventDefault();
      if (start === end && !event.shiftKey) {
        this.insert(start, end, INDENT);
        return;
      }
      const { from, to, lines } = indented(area.value, start, end, event.shiftKey);
      this.insert(from, to, lines);
      if (start !== end) area.setSelectionRange(from, from + lines.length);
    }
  }

  /** Replace a range as if it were typed, so that the browser's undo includes it. @param {number} start @param {number} end @param {string} text */
  insert(start, end, text) {
    this.area.setSelectionRange(start, end);
    // The only way that keeps the browser's undo.
    if (!document.execCommand("insertText", false, text)) {
      this.area.setRangeText(text, start, end, "end");
      this.area.dispatchEvent(new Event("input"));
    }
  }
}
