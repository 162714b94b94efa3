// Options: the choice after a row is pressed or files are opened.

/** @typedef {import("../shared/wire_types.d.ts").ChosenRow} Chosen */

/**
 * The choice after a press on a row. A single choice becomes that row; with several, the row is added or removed, and
 * replaces another model with the same tokenizer. Null if no more fit.
 * @param {Chosen[]} chosen @param {Chosen} row @param {number} nMax
 */
export function afterPress(chosen, row, nMax) {
  if (nMax === 1) return [row];
  if (chosen.some(({ name }) => name === row.name)) return chosen.filter(({ name }) => name !== row.name);
  if (chosen.some(({ tokenizer }) => tokenizer === row.tokenizer)) return chosen.map((one) => (one.tokenizer === row.tokenizer ? row : one));
  return chosen.length < nMax ? [...chosen, row] : null;
}

/**
 * The choice after files were opened: their tokenizers come after the first, with which the others are compared.
 * `gone` are those that no longer fit.
 * @param {Chosen[]} chosen @param {Chosen[]} opened @param {number} nMax
 */
export function afterOpening(chosen, opened, nMax) {
  if (nMax <= 1) return { chosen: opened.slice(opened.length - nMax), gone: [] };
  const added = opened.slice(1 - nMax), [first, ...rest] = chosen.filter((one) => !added.some(({ name }) => name === one.name));
  const all = first === undefined ? added : [first, ...added, ...rest];
  return { chosen: all.slice(0, nMax), gone: all.slice(nMax) };
}

/** A chosen row for a tokenizer of which only the name is known. @param {string} name @returns {Chosen} */
export const named = (name) => ({ name, label: name, tokenizer: name, detail: "" });
