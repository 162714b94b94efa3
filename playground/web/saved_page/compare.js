// A text in several tokenizers in a saved page.

import { changeRows } from "../compare/rows.js";
import { ShownRows } from "../compare/shown_rows.js";
import { drawPage, NEVER } from "./page.js";

drawPage(".compare", (root, { header, columns }) => {
  const changed = header.rows.map((/** @type {any} */ row, /** @type {number} */ r) => {
    const [ids, lengths, marks] = columns.slice(3 * r, 3 * r + 3);
    return { ...row, first: 0, n_removed: 0, pieces: [{ nTokens: ids.length, nUtf16: header.text.length, ids, lengths, marks }] };
  });
  const shown = new ShownRows(root, NEVER, header.layout, () => {});
  shown.show(header.text, changeRows(null, changed, header.text), header.agreement, header);
});
