// Direction: which columns of a line are read from right to left, and how runs of them stand inside each other. A short
// form of Unicode's bidirectional algorithm (UAX #9): letters, numbers and what is between, without explicit marks.

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const STRONG = /\p{L}/u;
const NUMBER = /\p{Nd}/u;
const JOINING = /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}]$/u;
/** Whether letters of a text join their neighbours, so that nothing may stand between them. @param {string} text */
export const hasJoiningLetters = (text) => [...text].some((character) => JOINING.test(character));

/** Joins a letter to one that is not there. */
const JOINER = "\u200d";

/** Whether anything of a text is read from right to left. @param {string} text */
export const hasRightToLeft = (text) => RIGHT_TO_LEFT.test(text);

/** The direction of a line: that of its first letter. @param {string} line @returns {"ltr" | "rtl"} */
export function baseDirection(line) {
  for (const character of line) if (STRONG.test(character)) return RIGHT_TO_LEFT.test(character) ? "rtl" : "ltr";
  return "ltr";
}

/**
 * The level of each stretch of a line: even ones are read from left to right, odd ones from right to left.
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
 * Lay items in a row of a level: those of higher levels together in rows of their own, made by `makeRow(direction)`.
 * @template {Node} Item
 * @template {ParentNode & Node} Row
 * @param {Row} row @param {Item[]} items @param {number[]} levels @param {number} level the row's own
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

/** A stretch of a text, whose letters keep the shapes that they have beside their neighbours. @param {string} text @param {number} from @param {number} to */
export function joinedText(text, from, to) {
  const isJoined = (/** @type {number} */ at) => at > 0 && JOINING.test(text[at - 1]) && JOINING.test(text[at] ?? "");
  return `${isJoined(from) ? JOINER : ""}${text.slice(from, to)}${isJoined(to) ? JOINER : ""}`;
}
