// Bytes: the characters of a text, one of them large with its bits, and three rulers to one scale, a cell a byte.

import { element } from "../../shared/element.js";
import { count } from "../../shared/numbers.js";
import { shownInLine } from "../../shared/shown_text.js";
import { trimToFit } from "../parts/trim_to_fit.js";

/** @typedef {{text: string, code: number, name: string, utf8: number[], utf16: number[], utf32: number[]}} Character */
/** @typedef {{n_characters: number, characters: Character[], n_bytes: Record<Way, number>}} Data */
/** @typedef {"utf8" | "utf16" | "utf32"} Way */

/** @type {[Way, string][]} */
const WAYS = [["utf8", "UTF-8"], ["utf16", "UTF-16"], ["utf32", "UTF-32"]];

/** How many bits of a byte of UTF-8 say what it is: 0, 110, 1110, 11110 begin a character, 10 goes on. @param {number} byte */
export const nPrefixBits = (byte) => (byte < 0x80 ? 1 : Math.clz32(~(byte << 24)) + 1);

/** @type {import("./table.js").Mount} */
export default function mount(root, { signal }) {
  const characters = element("div", "characters"), large = element("div", "large"), rulers = element("div", "rulers");
  root.append(characters, large, rulers);
  let chosen = 0;
  /** @type {{step: number, data: Data}} */
  let shown = { step: 1, data: { n_characters: 0, characters: [], n_bytes: { utf8: 0, utf16: 0, utf32: 0 } } };
  const draw = () => {
    const { step, data } = shown;
    if (chosen >= data.characters.length) chosen = 0;
    drawCharacters(characters, data, chosen);
    large.replaceChildren(...(data.characters.length ? largeParts(data.characters[chosen], step > 1) : []));
    rulers.replaceChildren(...WAYS.map(([way, title], n) => ruler(way, title, data, chosen, n < (step === 1 ? 0 : step === 2 ? 1 : 3))));
  };
  characters.addEventListener("click", (event) => {
    const pressed = /** @type {Element} */ (event.target).closest("button");
    if (!pressed) return;
    chosen = [...characters.children].indexOf(pressed);
    draw();
    /** @type {HTMLElement | undefined} */ (characters.children[chosen])?.focus();
  }, { signal });
  return {
    show(step, data) {
      shown = { step, data };
      draw();
    },
  };
}

/** @param {HTMLElement} box @param {Data} data @param {number} chosen */
function drawCharacters(box, data, chosen) {
  box.replaceChildren(
    ...data.characters.map((character, n) => {
      const one = element("button", `glyph t c${n % 4}`, glyphOf(character.text));
      one.type = "button";
      one.dataset.token = "";
      one.setAttribute("aria-pressed", String(n === chosen));
      one.setAttribute("aria-label", character.name.toLowerCase());
      return one;
    }),
  );
  trimToFit(box, data.n_characters, "character");
}

/** A character as it is shown alone. @param {string} text */
const glyphOf = (text) => (/^\p{M}$/u.test(text) ? `◌${text}` : shownInLine(text) || "⏎");

/** @param {Character} character @param {boolean} hasBytes */
function largeParts(character, hasBytes) {
  const glyph = element("span", "main", glyphOf(character.text));
  const code = element("span", "code", "");
  code.append(
    element("b", "number", count(character.code)),
    element("span", "", `U+${character.code.toString(16).toUpperCase().padStart(4, "0")}`),
    element("span", "soft", character.name.toLowerCase()),
  );
  const bytes = element("span", "bytes");
  if (hasBytes) bytes.append(...character.utf8.map(byteBox));
  return [glyph, code, bytes];
}

/** A byte: its bits, those that say how many there are set off, and its number. @param {number} byte */
function byteBox(byte) {
  const box = element("span", "byte"), bits = element("span", "bits"), text = byte.toString(2).padStart(8, "0");
  const nPrefix = nPrefixBits(byte);
  bits.append(element("b", nPrefix === 2 ? "goes-on" : "begins", text.slice(0, nPrefix)), text.slice(nPrefix));
  box.append(bits, element("span", "value", String(byte)));
  return box;
}

/** @param {Way} way @param {string} title @param {Data} data @param {number} chosen @param {boolean} isSeen */
function ruler(way, title, data, chosen, isSeen) {
  const row = element("div", isSeen ? "ruler" : "ruler unseen-row"), line = element("span", "line");
  row.append(element("span", "title", title), line);
  const nMost = data.characters.reduce((sum, one) => sum + one.utf32.length, 0);
  for (const [n, character] of data.characters.entries()) {
    for (const [k, byte] of character[way].entries()) {
      const cell = element("i", `c${n % 4}`);
      if (byte === 0) cell.classList.add("zero");
      if (k === 0) cell.classList.add("first");
      if (n === chosen) cell.classList.add("chosen");
      cell.style.width = `${100 / nMost}%`;
      line.append(cell);
    }
  }
  const sum = element("b", "number", count(data.n_bytes[way]));
  row.append(sum, element("span", "unit", way === "utf8" ? "bytes" : ""));
  return row;
}
