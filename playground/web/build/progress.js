// What the browser keeps of a student's work, and what follows from it. Nothing of it is sent to the server.

/** @typedef {import("../shared/wire_types.d.ts").StepData} Step */

/**
 * `code` is what stands in the editor, by step; `passed` is the code that passed all tests last.
 * @typedef {{code: Record<string, string>, passed: Record<string, string>, text: string}} Work
 */

/** The work that was stored, checked. @param {any} stored @returns {Work} */
export function readWork(stored) {
  const texts = (/** @type {unknown} */ value) =>
    value !== null && typeof value === "object" && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === "string")) : {};
  return { code: texts(stored?.code), passed: texts(stored?.passed), text: typeof stored?.text === "string" ? stored.text : "" };
}

/** The stored work, which another tab may have changed; `own` where the browser blocks storage. @param {Partial<Work>} stored @param {Work} own */
export const newestWork = (stored, own) => ("code" in stored ? readWork(stored) : own);

/** The first step that has not passed, or the last step. @param {Step[]} steps @param {Work} work */
export const nextStep = (steps, work) => (steps.find(({ slug }) => !(slug in work.passed)) ?? steps[steps.length - 1]).slug;

/**
 * The parts of a request for the harness, without the text and the fresh cases. Earlier steps that have not passed are
 * replaced by our solution.
 * @param {Step[]} steps @param {Step} step @param {string} code @param {Work} work
 */
export function requestOf(steps, step, code, work) {
  const { given, tests, names, figure } = step;
  const before = steps.slice(0, steps.indexOf(step)).map((earlier) => ({
    code: work.passed[earlier.slug] ?? earlier.solution,
    given: earlier.given,
  }));
  return { code, given, tests, names, figure, before };
}

/** The numbers of the earlier steps for which our solution stands in. @param {Step[]} steps @param {Step} step @param {Work} work */
export const standIns = (steps, step, work) =>
  steps.slice(0, steps.indexOf(step)).flatMap(({ slug }, i) => (slug in work.passed ? [] : [i + 1]));

/**
 * All of the student's code as one Python file that runs: up to the last step that has passed, with our solution for
 * missing steps before it; or, if solutions are hidden, up to the first step that has not passed.
 * @param {Step[]} steps @param {Work} work @param {boolean} [hidesSolutions]
 */
export function exportCode(steps, work, hidesSolutions = false) {
  const isPassed = (/** @type {Step} */ { slug }) => slug in work.passed, gap = steps.findIndex((step) => !isPassed(step));
  const last = hidesSolutions && gap >= 0 ? gap - 1 : steps.findLastIndex(isPassed);
  const parts = steps.slice(0, last + 1).map(({ slug, title, given, solution }, i) => {
    const own = work.passed[slug];
    return [`# ${i + 1} · ${title}${own === undefined ? " (Tessera's solution)" : ""}`, given, own ?? solution].filter(Boolean).map((part) => part.trim()).join("\n\n");
  });
  const needs = steps.slice(0, last + 1).some(({ slug }) => slug === "split") ? " Needs `pip install regex`, and for GPT-2 the files vocab.bpe and encoder.json beside it." : "";
  return [`"""A byte-pair tokenizer, written step by step in Tessera.${needs}"""`, ...parts].join("\n\n\n") + "\n";
}

/** @typedef {import("../shared/wire_types.d.ts").Case} Case */
/** Fresh cases by result; `failed` is the shortest that failed. @typedef {{n: number, nRight: number, failed: {wanted: Case, got: import("./python.js").CaseResult} | null}} Compared */

/**
 * Compare what the student's code gave for fresh cases with the values that the page has. The cases are sorted.
 * @param {Case[]} cases @param {import("./python.js").CaseResult[]} results @returns {Compared}
 */
export function compared(cases, results) {
  const failed = cases.flatMap((wanted, i) => (results[i]?.value === wanted.value ? [] : [{ wanted, got: results[i] ?? {} }]));
  return { n: cases.length, nRight: cases.length - failed.length, failed: failed[0] ?? null };
}
