// Text edits: an edit as the server takes it, and the pieces of tokens it answers with; see `server/text_edits.py`.

/**
 * Tokens of a stretch of the text: their ids and lengths in bytes. `marks` tell what they do not spell, as
 * `analysis/token_marks.py` has it; none where they spell the text.
 * @typedef {{nTokens: number, nUtf16: number, ids: Uint32Array, lengths: Uint32Array, marks?: Uint32Array}} Piece
 */

/** What is posted for an edit. @param {import("./text_sync.js").Edit} edit @returns {import("./wire_types.d.ts").EditorRequests["edit"]} */
export function bodyOfEdit({ version, start, nDeleted, inserted }) {
  return { version, start, n_deleted: nDeleted, inserted };
}

/**
 * Pieces from their shapes, with the columns of all of them.
 * @param {import("./wire_types.d.ts").RowChange["pieces"]} shapes tokens, UTF-16 units and marks of each
 * @param {Uint32Array[]} columns ids, lengths and marks
 * @returns {Piece[]}
 */
export function cutPieces(shapes, [ids, lengths, marks]) {
  let start = 0, mark = 0;
  return shapes.map(([nTokens, nUtf16, nMarks]) => {
    const end = start + nTokens, own = marks.subarray(mark, (mark += nMarks));
    const piece = { nTokens, nUtf16, ids: ids.subarray(start, end), lengths: lengths.subarray(start, end), marks: own };
    start = end;
    return piece;
  });
}
