// A RunLog for unit tests.

import { RunLog } from "./run_log.js";

/** Of a float64 column as it is sent. @param {number[]} values */
const wide = (values) => new Uint32Array(new Float64Array(values).buffer);

/**
 * The log of a run whose steps each add `[id, left, right]`, or remove `[id]` again.
 * @param {number[][]} steps @param {Partial<import("./run_log.js").RunView>} [view]
 */
export function logOf(steps, view = {}) {
  const full = { number: 1, title: "", name: "BPE", corpus: "", pattern: "gpt2", step: "merge", size: 256 + steps.length, last: steps.length, is_over: true, n_bytes: 100, n_held_out_bytes: 0, score_name: "count", references: {}, chunks: [{ labels: {}, candidates: [], lines: {} }], ...view };
  const added = new Map(steps.filter(([, ...parts]) => parts.length).map(([id, ...parts]) => [id, parts]));
  const parts = steps.map(([id, ...own]) => (own.length ? own : (added.get(id) ?? [])));
  const whole = (/** @type {number[]} */ values) => Uint32Array.from(values), states = [0, ...steps.map((_, i) => i + 1)];
  const log = new RunLog(full);
  log.follow(full, [
    whole(steps.map((_, i) => i)), whole(steps.map(([, ...own]) => (own.length ? 0 : 1))), whole(steps.map(([id]) => id)), whole(parts.map(({ length }) => length)), whole(parts.flat()),
    wide(steps.map(() => 1)), wide(steps.map(() => 1)), whole(states.map((k) => 256 + k)), wide(states.map((k) => 100 - 10 * k)), wide(states.map(() => 0)),
  ]);
  return log;
}
