// RunLog: all that the browser has of a run. The server sends its steps in chunks, and the log only grows.

/** @typedef {import("../shared/wire_types.d.ts").RunView} RunView */
/** @typedef {RunView["chunks"][number]} ChunkHead */
/** @typedef {ChunkHead["candidates"][number][1][number]} Candidate */
/**
 * A token that a step, counted from 1, added or removed; `parts` are what it was merged from, or what replaces it.
 * @typedef {{step: number, isRemoval: boolean, id: number, parts: number[], count: number, score: number}} Change
 */

/** Columns of a chunk, as in `server/train/streaming.py`. */
export const N_COLUMNS = 10;
/** A column of float64, which is sent as two uint32 for each number. @param {Uint32Array} column */
const wide = (column) => new Float64Array(column.slice().buffer);

export class RunLog {
  /** @param {RunView} view */
  constructor(view) {
    this.view = view;
    this.nChunks = 0;
    /** @type {Change[]} */
    this.changes = [];
    /** @type {number[]} the first change of each step, counted from 0 */
    this.firstOf = [];
    /** @type {number[]} the vocabulary, and the tokens of both texts, after 0, 1, 2, … steps */
    this.vocabulary = [];
    /** @type {number[]} */
    this.tokens = [];
    /** @type {number[]} */
    this.heldOut = [];
    /** @type {Record<number, string>} */
    this.labels = {};
    /** @type {[step: number, rows: Candidate[]][]} */
    this.candidates = [];
    /** @type {Record<string, number[]>} */
    this.lines = {};
    /** @type {Map<number, number>} the bytes of each merged id */
    this.sizeOf = new Map();
  }

  /** The number of steps so far. */
  get n() {
    return Math.max(0, this.tokens.length - 1);
  }

  /** Add the chunks of a newer view of the run. @param {RunView} view @param {Uint32Array[]} columns */
  follow(view, columns) {
    this.view = view;
    view.chunks.forEach((head, i) => this.append(head, columns.slice(i * N_COLUMNS, (i + 1) * N_COLUMNS)));
  }

  /** @param {ChunkHead} head @param {Uint32Array[]} columns */
  append(head, [step, removed, id, nParts, part, counts, scores, vocabulary, tokens, heldOut]) {
    const count = wide(counts), score = wide(scores);
    let end = 0;
    for (let i = 0; i < step.length; i++) {
      const parts = [...part.subarray(end, (end += nParts[i]))], row = this.changes.length, isRemoval = removed[i] === 1;
      while (this.firstOf.length <= step[i]) this.firstOf.push(row);
      this.changes.push({ step: step[i] + 1, isRemoval, id: id[i], parts, count: count[i], score: score[i] });
      if (!isRemoval && parts.length === 2) this.sizeOf.set(id[i], this.size(parts[0]) + this.size(parts[1]));
    }
    add(this.vocabulary, vocabulary);
    add(this.tokens, wide(tokens));
    add(this.heldOut, wide(heldOut));
    Object.assign(this.labels, head.labels);
    add(this.candidates, head.candidates);
    for (const [title, values] of Object.entries(head.lines)) add((this.lines[title] ??= []), values);
    this.nChunks += 1;
  }

  /** The bytes of an id that training merged; 1 for a byte. @param {number} id */
  size(id) {
    return this.sizeOf.get(id) ?? 1;
  }

  /** The changes of a step, counted from 1. @param {number} step */
  changesOf(step) {
    return step < 1 ? [] : this.changes.slice(this.firstOf[step - 1] ?? this.changes.length, this.firstOf[step] ?? this.changes.length);
  }

  /**
   * The candidates after step k, or those of the last earlier step that has a record, and that step.
   * @param {number} k
   * @returns {{at: number, rows: Candidate[]}}
   */
  candidatesAt(k) {
    const record = this.candidates.findLast(([at]) => at <= k);
    return record ? { at: record[0], rows: record[1] } : { at: k, rows: [] };
  }
}

/** Add values to a list; `push(...values)` takes only about 100,000. @template T @param {T[]} list @param {Iterable<T>} values */
function add(list, values) {
  for (const value of values) list.push(value);
}

/**
 * Points of the curve as columns; compression is in bytes per token, `saved` in tokens per step since the point before.
 * @typedef {{name: string, step: string, size: number, last: number, merges: number[], vocabulary: number[], training: number[], held_out: number[] | null, saved: number[], references: Record<string, number>, lines: Record<string, number[]>}} Curve
 */

/** @param {RunLog} log @param {number} maxPoints @returns {Curve} */
export function curveOf({ view, n, vocabulary, tokens, heldOut, lines }, maxPoints = 300) {
  const nPoints = Math.min(n, maxPoints), merges = n ? [0] : [];
  for (let i = 0; i < nPoints; i++) merges.push(nPoints === 1 ? n : Math.round(1 + (i * (n - 1)) / (nPoints - 1)));
  const of = (/** @type {number[]} */ values, /** @type {number} */ bytes) => merges.map((k) => bytes / values[k]);
  return {
    name: view.name, step: view.step, size: view.size, last: view.last, merges, references: view.references,
    vocabulary: merges.map((k) => vocabulary[k]),
    training: of(tokens, view.n_bytes),
    held_out: view.n_held_out_bytes ? of(heldOut, view.n_held_out_bytes) : null,
    saved: merges.map((k, i) => (i ? (tokens[merges[i - 1]] - tokens[k]) / (k - merges[i - 1]) : 0)),
    lines: Object.fromEntries(Object.entries(lines).map(([title, values]) => [title, merges.map((k) => values[k])])),
  };
}
