// Lengths in UTF-8 and UTF-16, invalid bytes, lone surrogates, and the direction of text: a subset of Unicode's
// bidirectional algorithm (UAX #9) without explicit marks.

/** @param {number} unit a UTF-16 unit */
export const isHighSurrogate = (unit) => unit >= 0xd800 && unit < 0xdc00;

/** @param {number} unit a UTF-16 unit */
export const isLowSurrogate = (unit) => unit >= 0xdc00 && unit < 0xe000;

/**
 * The length of a text in UTF-8; a lone surrogate counts as U+FFFD.
 * @param {string} text
 */
export function utf8Length(text) {
  let n = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) n += 1;
    else if (unit < 0x800) n += 2;
    else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(i + 1))) {
      n += 4;
      i += 1;
    } else n += 3;
  }
  return n;
}

/**
 * The number of lone surrogates in a text.
 * @param {string} text
 */
export function countLoneSurrogates(text) {
  if (text.isWellFormed()) return 0;
  return text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "").match(/[\ud800-\udfff]/g)?.length ?? 0;
}

/**
 * The first position from `start` at which no valid UTF-8 character begins.
 * @param {Uint8Array} bytes
 * @param {number} start
 */
export function validUntil(bytes, start) {
  let i = start;
  while (i < bytes.length) {
    const b = bytes[i];
    const n = b < 0x80 ? 1 : b >= 0xc2 && b < 0xe0 ? 2 : b >= 0xe0 && b < 0xf0 ? 3 : b >= 0xf0 && b < 0xf5 ? 4 : 0;
    if (n === 0) return i;
    for (let k = 1; k < n; k++) if ((bytes[i + k] & 0xc0) !== 0x80) return i; // also false beyond the end
    if (b === 0xe0 && bytes[i + 1] < 0xa0) return i;
    if (b === 0xed && bytes[i + 1] > 0x9f) return i;
    if (b === 0xf0 && bytes[i + 1] < 0x90) return i;
    if (b === 0xf4 && bytes[i + 1] > 0x8f) return i;
    i += n;
  }
  return i;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const STRONG = /\p{L}/u;
const NUMBER = /\p{Nd}/u;
const JOINING = /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}]$/u;
/** Whether a text has letters that join their neighbours, so that nothing may be inserted between them. @param {string} text */
export const hasJoiningLetters = (text) => [...text].some((character) => JOINING.test(character));

/** Gives a letter its joining shape without a neighbour. */
const JOINER = "\u200d";

/** Whether a text contains right-to-left characters. @param {string} text */
export const hasRightToLeft = (text) => RIGHT_TO_LEFT.test(text);

/** The direction of a line: that of its first letter. @param {string} line @returns {"ltr" | "rtl"} */
export function baseDirection(line) {
  for (const character of line) if (STRONG.test(character)) return RIGHT_TO_LEFT.test(character) ? "rtl" : "ltr";
  return "ltr";
}

/**
 * The embedding level of each part of a line: even levels are left to right, odd ones right to left.
 * @param {string[]} texts
 * @param {"ltr" | "rtl"} base
 */
export function levelsOf(texts, base) {
  const own = base === "rtl" ? 1 : 0;
  let lastLetter = own ? "R" : "L";
  const kinds = texts.map((text) => {
    const letter = [...text].find((character) => STRONG.test(character));
    if (letter) return (lastLetter = RIGHT_TO_LEFT.test(letter) ? "R" : "L");
    return NUMBER.test(text) ? (lastLetter === "L" ? "L" : "number") : "neutral";
  });
  const sides = kinds.map((kind) => (kind === "number" ? "R" : kind));
  const before = [...sides], after = [...sides];
  for (let i = 0; i < sides.length; i++) if (sides[i] === "neutral") before[i] = before[i - 1] ?? (own ? "R" : "L");
  for (let i = sides.length - 1; i >= 0; i--) if (sides[i] === "neutral") after[i] = after[i + 1] ?? (own ? "R" : "L");
  return kinds.map((kind, i) => {
    if (kind === "number") return 2;
    const side = kind !== "neutral" ? kind : before[i] === after[i] ? before[i] : own ? "R" : "L";
    return side === "R" ? 1 : own ? 2 : 0;
  });
}

/**
 * Lay out items of a row by level: items of higher levels go together into rows of their own, made by
 * `makeRow(direction)`.
 * @template {Node} Item
 * @template {ParentNode & Node} Row
 * @param {Row} row @param {Item[]} items @param {number[]} levels @param {number} level the level of the row
 * @param {(direction: "ltr" | "rtl") => Row} makeRow
 */
export function layByLevel(row, items, levels, level, makeRow) {
  for (let i = 0; i < items.length; ) {
    let end = i + 1;
    if (levels[i] <= level) row.append(items[i]);
    else {
      while (end < items.length && levels[end] > level) end += 1;
      const inner = makeRow((level + 1) % 2 ? "rtl" : "ltr");
      layByLevel(inner, items.slice(i, end), levels.slice(i, end), level + 1, makeRow);
      row.append(inner);
    }
    i = end;
  }
}

/** A part of a text whose letters keep their joining shapes. @param {string} text @param {number} from @param {number} to */
export function joinedText(text, from, to) {
  const isJoined = (/** @type {number} */ at) => at > 0 && JOINING.test(text[at - 1]) && JOINING.test(text[at] ?? "");
  return `${isJoined(from) ? JOINER : ""}${text.slice(from, to)}${isJoined(to) ? JOINER : ""}`;
}
