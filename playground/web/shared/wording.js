// Numbers with units, and text and bytes with visible signs for invisible characters.

/** @param {number} n */
export const count = (n) => n.toLocaleString("en");

/** A number with its unit: "1 token", "2 tokens". @param {number} n @param {string} unit */
export const counted = (n, unit) => `${count(n)} ${unitOf(n, unit)}`;

/** A unit in the singular or plural. @param {number} n @param {string} unit */
export const unitOf = (n, unit) => (n === 1 ? unit : `${unit}s`);

/** A number with the mark that says how exact it is. @param {number} n @param {"" | "≈" | "at least" | "at least ≈"} mark */
export const marked = (n, mark) => `${mark} ${count(n)}`.trim();

/** A number with its sign. @param {number} n */
export const signed = (n) => (n > 0 ? `+${count(n)}` : count(n).replace("-", "−"));

/** A number with two decimals. @param {number} x */
export const fixed = (x) => x.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A ratio with two decimals; "–" if the divisor is 0. @param {number} a @param {number} b */
export const ratio = (a, b) => (b ? fixed(a / b) : "–");

/** "once" or "3 times". @param {number} n */
export const times = (n) => (n === 1 ? "once" : `${count(n)} times`);

/** An amount of money, with more decimals for small amounts. @param {number} amount */
export function dollars(amount) {
  if (amount === 0) return "$0";
  return `$${amount < 0.01 ? amount.toPrecision(2) : amount.toFixed(amount < 1 ? 4 : 2)}`;
}

/** A byte outside any character, such as ⟨E2⟩. @param {number} byte */
export const byteLabel = (byte) => `⟨${hexByte(byte)}⟩`;

/** Bytes in hexadecimal, such as "F0 9F". @param {Uint8Array} bytes */
export const hex = (bytes) => Array.from(bytes, hexByte).join(" ");

/** @param {number} byte */
const hexByte = (byte) => byte.toString(16).toUpperCase().padStart(2, "0");

/** @param {string} character */
const codePointLabel = (character) => `⟨${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}⟩`;

// Characters that are invisible or reorder their neighbours. ZWJ, ZWNJ and variation selectors are kept within a
// grapheme (an emoji family, an Indic letter), where they are needed.
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0001}-\u{e007f}]/gu;

/**
 * The visible form of a segment; with `marks`, white space is visible, too. Line feeds are kept as line breaks.
 * @param {string} text
 * @param {boolean} marks
 */
export function shownText(text, marks) {
  if (/^[\u200c\u200d]$/.test(text)) return codePointLabel(text);
  let shown = text;
  if (marks) {
    shown = shown.replaceAll("\r\n", "␍⏎\n").replaceAll("\r", "␍").replace(/(?<!⏎)\n/g, "⏎\n");
    shown = shown.replaceAll("\t", "→\t").replaceAll(" ", "·").replaceAll("\u00a0", "⍽");
  } else shown = shown.replaceAll("\r\n", "\n").replaceAll("\r", "␍");
  return shown.replace(INVISIBLE, (character) => (isTagOfFlag(text) ? character : codePointLabel(character)));
}

/**
 * The visible form without line breaks, for a table's cell.
 * @param {string} text
 */
export const shownInLine = (text) => shownText(text, true).replaceAll("\n", "").replaceAll("\t", "");

/**
 * Whether a text is a region's flag, such as England's, which spells the region in tags; its token may begin with a
 * space.
 * @param {string} text
 */
const isTagOfFlag = (text) => /🏴[\u{e0030}-\u{e007a}]{3,6}\u{e007f}/u.test(text);

/**
 * Shorten a text to `limit` UTF-16 units, with an ellipsis.
 * @param {string} text
 * @param {number} limit
 */
export const shorten = (text, limit) => (text.length > limit ? `${text.slice(0, limit)}…` : text);
