// Bytes: the characters of a text, the chosen one in large type with its bits, and three rulers to scale with a cell
// for each byte.

import { cutToFit } from "../boxes.js";
import { button, element } from "../../shared/element.js";
import { count, shownInLine } from "../../shared/wording.js";

/** @typedef {{text: string, code: number, name: string, utf8: number[], utf16: number[], utf32: number[]}} Character */
/** @typedef {{n_characters: number, first: number, characters: Character[], n_bytes: Record<Way, number>}} Data */
/** @typedef {"utf8" | "utf16" | "utf32"} Way */

/** @type {[Way, string][]} */
const WAYS = [["utf8", "UTF-8"], ["utf16", "UTF-16"], ["utf32", "UTF-32"]];

/** The number of leading bits that mark a byte's role in UTF-8: 0, 110, 1110 and 11110 begin a character, 10 continues one. @param {number} byte */
export const nPrefixBits = (byte) => (byte < 0x80 ? 1 : Math.clz32(~(byte << 24)) + 1);

/**
 * The chosen position after moving by `by`, and the first position of the visible row; rows turn like pages.
 * @param {{first: number, chosen: number, nShown: number, nAll: number}} row
 * @param {number} by
 */
export function turned({ first, chosen, nShown, nAll }, by) {
  const to = Math.max(0, Math.min(nAll - 1, chosen + by));
  if (to < first) return { chosen: to, first: Math.max(0, first - nShown) };
  return { chosen: to, first: to < first + nShown ? first : to };
}

/** @type {import("./table.js").Mount} */
export default function mount(root, { change, signal }) {
  const reach = element("div", "reach"), characters = element("div", "characters"), place = element("span", "place soft");
  const large = element("div", "large"), rulers = element("div", "rulers");
  const back = button("‹", "Previous characters", () => turn(-nShown)), on = button("›", "Next characters", () => turn(nShown));
  characters.dataset.ownArrows = "";
  reach.append(back, characters, place, on);
  root.append(reach, large, rulers);
  /** The position of the chosen character in the text, and the number of characters that fit into the row. */
  let chosen = 0, nShown = 0;
  /** The first position of the row that was requested and has not arrived; null if none. @type {number | null} */
  let asked = null;
  /** @type {{step: number, data: Data}} */
  let shown = { step: 1, data: { n_characters: 0, first: 0, characters: [], n_bytes: { utf8: 0, utf16: 0, utf32: 0 } } };
  const draw = () => {
    const { step, data } = shown, { first, n_characters: nAll } = data;
    if (asked === first || nAll <= (asked ?? 0)) asked = null;
    const last = first + data.characters.length - 1;
    if (asked === null && (chosen < first || chosen > last)) chosen = first;
    const at = Math.min(Math.max(chosen, first), last);
    const hadFocus = characters.matches(":focus-within");
    reach.classList.remove("pages");
    place.style.minWidth = `${3 * count(nAll).length + 3}ch`; // wide enough for the longest page, so that the row's width doesn't change
    const isAll = drawCharacters(characters, data, chosen) === nAll;
    reach.classList.toggle("pages", !isAll);
    nShown = isAll ? nAll : drawCharacters(characters, data, chosen);
    if (asked === null && nShown > 0 && chosen >= first + nShown) return goTo(chosen - nShown + 1); // wide letters before it can push it out of the row
    place.textContent = `${count(first + 1)}–${count(first + nShown)} / ${count(nAll)}`;
    back.disabled = first === 0;
    on.disabled = first + nShown >= nAll;
    if (hadFocus) /** @type {HTMLElement | undefined} */ (characters.children[at - first])?.focus();
    large.replaceChildren(...(data.characters.length ? largeParts(data.characters[at - first], step > 1) : []));
    rulers.replaceChildren(...WAYS.map(([way, title], n) => ruler(way, title, data, at - first, n < (step === 1 ? 0 : step === 2 ? 1 : 3))));
  };
  /** Move by some characters; request another row if needed. @param {number} by */
  const turn = (by) => {
    const { first, n_characters: nAll } = shown.data, to = turned({ first, chosen, nShown, nAll }, by);
    chosen = to.chosen;
    if (to.first === first) draw();
    else goTo(to.first);
  };
  const goTo = (/** @type {number} */ first) => {
    asked = first;
    change({ start: first ? [String(first)] : [] });
  };
  characters.addEventListener("click", (event) => {
    const pressed = /** @type {Element} */ (event.target).closest("button");
    if (!pressed) return;
    chosen = shown.data.first + [...characters.children].indexOf(pressed);
    pressed.focus(); // Safari doesn't focus a clicked button
    draw();
  }, { signal });
  characters.addEventListener("keydown", ({ key }) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (by) turn(by);
  }, { signal });
  return {
    show(step, data) {
      shown = { step, data };
      draw();
    },
  };
}

/** Draw the characters that fit; return their number. @param {HTMLElement} box @param {Data} data @param {number} chosen by its place in the text */
function drawCharacters(box, data, chosen) {
  box.replaceChildren(
    ...data.characters.map((character, n) => {
      const one = element("button", `glyph t c${n % 4}`, glyphOf(character.text));
      one.type = "button";
      one.dataset.token = "";
      one.setAttribute("aria-pressed", String(data.first + n === chosen));
      one.setAttribute("aria-label", character.name.toLowerCase());
      return one;
    }),
  );
  return cutToFit(box);
}

/** A character as it is shown alone; a combining mark gets a dotted circle. @param {string} text */
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

/** A byte's bits, those that mark its role set off, and its value. @param {number} byte */
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
  const sum = element("b", "number", count(data.characters.reduce((all, one) => all + one[way].length, 0)));
  row.append(sum, element("span", "unit", way === "utf8" ? "bytes" : ""));
  return row;
}
