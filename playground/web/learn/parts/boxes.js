// Boxes: tokens in a row, large enough for the last row of a room; below each stand its ids where it has some.

import { element } from "../../shared/element.js";
import { shownInLine } from "../../shared/shown_text.js";

/** What a box shows of a text: marks for what is invisible. @param {string} text */
export const boxText = (text) => (text === "\n" ? "⏎" : shownInLine(text) || "⏎");

/** A token of one of four colours. @param {string} text @param {number} color */
export function makeBox(text, color) {
  const box = element("span", `t box c${color % 4}`, boxText(text));
  box.dataset.token = "";
  return box;
}

/**
 * A token with its ids below it; the spotlight tells them large.
 * @param {string} text
 * @param {(number | null)[]} ids none where it has no row
 * @param {number} color
 */
export function makeBoxWithIds(text, ids, color) {
  const whole = element("span", "with-id"), shown = ids.map((id) => (id === null ? "–" : String(id))).join(" ");
  whole.dataset.spot = `${boxText(text)}  ${shown}`;
  whole.append(makeBox(text, color), element("span", "id", shown));
  return whole;
}
