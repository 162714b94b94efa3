// Rows: each tokenizer's tokens over the characters of one text, as the server sends them.

import { postForColumns } from "../shared/wire.js";

const INSIDE = 0x80000000; // set on a token that starts inside a character

/** @typedef {import("./groups.js").Groups} Groups */

/**
 * What the server says of a row; `n_before` and `n_after` tokens at its ends are those of the answer before.
 * @typedef {{tokenizer_name: string, n_tokens: number, n_before: number, n_after: number, tokens_saved: number,
 *   bytes_per_token: number, characters_per_token: number, tokens_per_word: number, shared_boundaries: number,
 *   n_vocab: number}} Figures
 */

/** @typedef {{ids: Uint32Array, starts: Uint32Array}} Columns */
/** @typedef {Figures & Columns & Groups} Row */

/**
 * @typedef {{version: number, shift: number, n_characters: number, n_bytes: number, rows: Row[],
 *   agreement: {in_all: number, in_some: number, in_one: number} | null}} Answer
 */

/**
 * The rows of a text. `held` is the answer before, or null: tokens at both ends that it has are not sent again.
 * @param {string} url
 * @param {string} text
 * @param {Answer | null} held
 */
export async function fetchRows(url, text, held) {
  const { header, columns } = await postForColumns(url, "rows", { text, held: held?.version ?? null });
  return joinRows(header, columns, held);
}

/**
 * An answer whose rows are whole: what is new of each between what `held` has of its ends. A row of which nothing is
 * kept needs no row that was held: there may be more rows than before.
 * @param {Omit<Answer, "rows"> & {rows: Figures[]}} header
 * @param {Uint32Array[]} columns ids and starts of each row
 * @param {Answer | null} held
 * @returns {Answer}
 */
export function joinRows(header, columns, held) {
  const rows = header.rows.map((figures, r) => {
    const old = held?.rows[r];
    const ids = splice(figures, columns[2 * r], old?.ids), starts = splice(figures, columns[2 * r + 1], old?.starts);
    for (let token = figures.n_tokens - figures.n_after; header.shift && token < figures.n_tokens; token++) starts[token] += header.shift;
    return { ...figures, ids, starts, ...groupTokens(starts) };
  });
  return { ...header, rows };
}

/**
 * A column with what is new of it between what is kept of the old one's start and end.
 * @param {Figures} figures
 * @param {Uint32Array} fresh
 * @param {Uint32Array | undefined} old
 */
function splice({ n_tokens, n_before, n_after }, fresh, old) {
  if (!n_before && !n_after) return fresh;
  if (!old) throw new Error("the server kept tokens of a row that is not held");
  const column = new Uint32Array(n_tokens);
  column.set(old.subarray(0, n_before));
  column.set(fresh, n_before);
  column.set(old.subarray(old.length - n_after), n_tokens - n_after);
  return column;
}

/** The groups of a row from where its tokens start. @param {Uint32Array} starts @returns {Groups} */
function groupTokens(starts) {
  const positions = new Uint32Array(starts.length), firsts = new Uint32Array(starts.length);
  let n = 0;
  for (let token = 0; token < starts.length; token++) {
    if (starts[token] >= INSIDE) continue;
    positions[n] = starts[token];
    firsts[n++] = token;
  }
  return { positions: positions.subarray(0, n), firsts: firsts.subarray(0, n), nTokens: starts.length };
}
