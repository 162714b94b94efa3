// Text edits: an edit as the server takes it, and the pieces of tokens it answers with; see `server/text_edits.py`.

/** Tokens of a stretch of the text: their ids and lengths in bytes. @typedef {{nTokens: number, nUtf16: number, ids: Uint32Array, lengths: Uint32Array}} Piece */

/** What is posted for an edit. @param {import("./text_sync.js").Edit} edit @returns {import("./wire_types.d.ts").EditorRequests["edit"]} */
export function bodyOfEdit({ version, start, nDeleted, inserted }) {
  return { version, start, n_deleted: nDeleted, inserted };
}

/**
 * Pieces from their shapes, with the columns of all of them.
 * @param {import("./wire_types.d.ts").RowChange["pieces"]} shapes tokens and UTF-16 units of each
 * @param {Uint32Array} ids
 * @param {Uint32Array} lengths
 * @returns {Piece[]}
 */
export function cutPieces(shapes, ids, lengths) {
  let start = 0;
  return shapes.map(([nTokens, nUtf16]) => {
    const end = start + nTokens;
    const piece = { nTokens, nUtf16, ids: ids.subarray(start, end), lengths: lengths.subarray(start, end) };
    start = end;
    return piece;
  });
}
