// Options: which tokenizers the list of the picker shows for what was typed, and what a choice becomes.

/** @typedef {import("../shared/wire_types.d.ts").PickerEntry} Entry */
/** @typedef {import("../shared/wire_types.d.ts").PickerFamily} Family */
/** @typedef {import("../shared/wire_types.d.ts").FoundName} Found */
/** A row of the list; `why` says which model uses the tokenizer. @typedef {Entry & {why: string}} Row */

/**
 * The rows that match what was typed, by family; `first` is the one that Enter takes, and `sentence` explains a name that
 * no row has. `found` is the server's answer for the same text.
 * @param {Family[]} families
 * @param {string} typed
 * @param {Found | null} found
 * @returns {{groups: {title: string, rows: Row[]}[], first: string, sentence: string}}
 */
export function matching(families, typed, found) {
  const text = typed.trim().toLowerCase();
  const rowOf = (/** @type {Entry} */ entry) => {
    const has = (/** @type {string} */ one) => one.toLowerCase().includes(text);
    const isPlain = has(entry.name) || has(entry.detail);
    const model = entry.models.find((one) => one === text) ?? (isPlain ? undefined : entry.models.find(has));
    if (found?.name === entry.name) return { ...entry, why: found.sentence };
    if (model && text) return { ...entry, why: `${model} uses ${entry.name}.` };
    return isPlain ? { ...entry, why: "" } : null;
  };
  const isRow = (/** @type {Row | null} */ row) => row !== null;
  const groups = families.map(({ title, entries }) => ({ title, rows: entries.map(rowOf).filter(isRow) })).filter(({ rows }) => rows.length);
  if (groups.length) {
    const rows = groups.flatMap((group) => group.rows), exact = rows.find((row) => row.name.toLowerCase() === text);
    return { groups, first: text ? (exact ?? rows.find((row) => row.why) ?? rows[0]).name : "", sentence: "" };
  }
  const near = found?.nearest ?? "", all = families.flatMap(({ entries }) => entries);
  const nearest = near ? all.find(({ name, models }) => name === near || models.includes(near)) : undefined;
  const rows = nearest ? [{ ...nearest, why: nearest.name === near ? "" : `${near} uses ${nearest.name}.` }] : [];
  return { groups: rows.length ? [{ title: "Nearest name", rows }] : [], first: nearest?.name ?? "", sentence: found?.sentence ?? "" };
}

/**
 * The choice once a row was pressed: of one it is that one, of several it is added or taken out. Null where no more fit.
 * @param {string[]} chosen @param {string} name @param {number} nMax
 */
export function afterPress(chosen, name, nMax) {
  if (nMax === 1) return [name];
  if (chosen.includes(name)) return chosen.filter((one) => one !== name);
  return chosen.length < nMax ? [...chosen, name] : null;
}

/**
 * The choice once files were opened: they stand behind the first, with which the others are compared. `gone` had to give way.
 * @param {string[]} chosen @param {string[]} opened @param {number} nMax
 */
export function afterOpening(chosen, opened, nMax) {
  if (nMax <= 1) return { chosen: opened.slice(opened.length - nMax), gone: [] };
  const added = opened.slice(1 - nMax), [first, ...rest] = chosen.filter((one) => !added.includes(one));
  const all = first === undefined ? added : [first, ...added, ...rest];
  return { chosen: all.slice(0, nMax), gone: all.slice(nMax) };
}
