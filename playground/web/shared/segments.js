// Segments: tokens grouped so that each group is whole characters, and how their text is shown.

import { isHighSurrogate, isLowSurrogate } from "./text_sync.js";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const isPlainAscii = (text) => /^[\t\n\x20-\x7e]*$/.test(text);

/** UTF-8 length of a well-formed string; a lone surrogate counts as U+FFFD. */
export function utf8Length(text) {
  let n = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) n += 1;
    else if (unit < 0x800) n += 2;
    else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(i + 1))) (n += 4), (i += 1);
    else n += 3;
  }
  return n;
}

/** The characters of a text as a reader sees them: [text, number of bytes]. */
function* iterCharacters(text) {
  if (isPlainAscii(text)) {
    for (let i = 0; i < text.length; i++) yield [text[i], 1];
    return;
  }
  for (const { segment } of graphemes.segment(text)) yield [segment, utf8Length(segment)];
}

/** The same for bytes that may not be UTF-8: a byte that belongs to no character is shown as ⟨E2⟩. */
function* iterBytes(bytes) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let start = 0;
  while (start < bytes.length) {
    const end = validUntil(bytes, start);
    if (end > start) yield* iterCharacters(decoder.decode(bytes.subarray(start, end)));
    if (end < bytes.length) yield [byteLabel(bytes[end]), 1];
    start = end + 1;
  }
}

/** The first position from `start` at which no well-formed UTF-8 character begins. */
export function validUntil(bytes, start) {
  let i = start;
  while (i < bytes.length) {
    const b = bytes[i];
    const n = b < 0x80 ? 1 : b >= 0xc2 && b < 0xe0 ? 2 : b >= 0xe0 && b < 0xf0 ? 3 : b >= 0xf0 && b < 0xf5 ? 4 : 0;
    if (n === 0 || i + n > bytes.length) return i;
    for (let k = 1; k < n; k++) if ((bytes[i + k] & 0xc0) !== 0x80) return i;
    if (b === 0xe0 && bytes[i + 1] < 0xa0) return i;
    if (b === 0xed && bytes[i + 1] > 0x9f) return i;
    if (b === 0xf0 && bytes[i + 1] < 0x90) return i;
    if (b === 0xf4 && bytes[i + 1] > 0x8f) return i;
    i += n;
  }
  return i;
}

export const byteLabel = (byte) => `⟨${byte.toString(16).toUpperCase().padStart(2, "0")}⟩`;

/**
 * Groups tokens into segments, in linear time: [{text, first, last, nBytes}], tokens half-open.
 * `source` is a string, or bytes that need not be UTF-8.
 */
export function makeSegments(source, lengths) {
  const characters = typeof source === "string" ? iterCharacters(source) : iterBytes(source);
  const segments = [];
  let text = "", charEnd = 0, tokenEnd = 0, first = 0, start = 0;
  for (let token = 0; token < lengths.length; token++) {
    tokenEnd += lengths[token];
    while (charEnd < tokenEnd) {
      const { value, done } = characters.next();
      if (done) break;
      text += value[0];
      charEnd += value[1];
    }
    if (charEnd === tokenEnd || token === lengths.length - 1) {
      segments.push({ text, first, last: token + 1, nBytes: tokenEnd - start });
      text = "";
      first = token + 1;
      start = tokenEnd;
    }
  }
  return segments;
}

// Characters that show nothing or reorder what is around them. ZWJ, ZWNJ and variation selectors inside a
// cluster (an emoji family, an Indic letter) do their work and stay.
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0001}-\u{e007f}]/gu;
const codePointLabel = (c) => `⟨${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** The text of a segment as shown; with `marks`, white space too. Line feeds stay, so that lines break. */
export function shownText(text, marks) {
  if (/^[\u200c\u200d]$/.test(text)) return codePointLabel(text);
  let shown = text;
  if (marks) shown = shown.replaceAll("\r\n", "␍⏎\n").replaceAll("\r", "␍").replace(/(?<!⏎)\n/g, "⏎\n").replaceAll("\t", "→\t").replaceAll(" ", "·").replaceAll("\u00a0", "⍽");
  else shown = shown.replaceAll("\r\n", "\n").replaceAll("\r", "␍");
  return shown.replace(INVISIBLE, (c) => (isTagOfFlag(text) ? c : codePointLabel(c)));
}

/** A regional flag, such as England's, spells its region in tags; its token may begin with a space. */
const isTagOfFlag = (text) => /🏴[\u{e0030}-\u{e007a}]{3,6}\u{e007f}/u.test(text);

/** Bytes in hex, such as "F0 9F"; null where the source is unknown. */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
}
