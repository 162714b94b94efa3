// UTF-8 and UTF-16: lengths in bytes, where bytes stop being characters, and the halves of a surrogate pair.

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
 * How many lone surrogates a text has.
 * @param {string} text
 */
export function countLoneSurrogates(text) {
  if (text.isWellFormed()) return 0;
  return text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "").match(/[\ud800-\udfff]/g)?.length ?? 0;
}

/**
 * The first position from `start` at which no well-formed UTF-8 character begins.
 * @param {Uint8Array} bytes
 * @param {number} start
 */
export function validUntil(bytes, start) {
  let i = start;
  while (i < bytes.length) {
    const b = bytes[i];
    const n = b < 0x80 ? 1 : b >= 0xc2 && b < 0xe0 ? 2 : b >= 0xe0 && b < 0xf0 ? 3 : b >= 0xf0 && b < 0xf5 ? 4 : 0;
    if (n === 0) return i;
    for (let k = 1; k < n; k++) if ((bytes[i + k] & 0xc0) !== 0x80) return i; // so is a byte beyond the end
    if (b === 0xe0 && bytes[i + 1] < 0xa0) return i;
    if (b === 0xed && bytes[i + 1] > 0x9f) return i;
    if (b === 0xf0 && bytes[i + 1] < 0x90) return i;
    if (b === 0xf4 && bytes[i + 1] > 0x8f) return i;
    i += n;
  }
  return i;
}
