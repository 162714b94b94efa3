// The figures by name. Each figure is a module of this folder whose default export mounts it.

/**
 * A mounted figure. `show` draws a step (from 1) for the `figure` that the lesson's `show` in Python returned. It is
 * called for each step and after each change of the input or size, so it keeps no state outside the data, and takes
 * less than 50 ms. Lengths are `calc(N * var(--u))`, N in pixels for a window of 1280 × 800, of which the stage has
 * about 1,216 × 470; tokens are at least 32 high, other text 24, the main number 64. The spotlight can highlight
 * elements with `data-spot`.
 * @typedef {{show: (step: number, data: any) => void, destroy?: () => void}} Figure
 */

/**
 * Functions for a figure: `change` sets inputs of the lesson by name; `open` opens another lesson, if `has` says that
 * it exists; `signal` ends the figure's listeners.
 * @typedef {{change: (values: Record<string, any>) => void, open: (slug: string) => void, has: (slug: string) => boolean, isPresenting: () => boolean,
 *   signal: AbortSignal}} Frame
 */

/** Mount a figure in `root`, an empty element as large as the stage. @typedef {(root: HTMLElement, frame: Frame) => Figure} Mount */

/** @type {Record<string, () => Promise<{default: Mount}>>} */
export const FIGURES = {
  oddities: () => import("./oddities.js"),
  journey: () => import("./journey.js"),
  "first-look": () => import("./first_look.js"),
  bytes: () => import("./bytes.js"),
  attention: () => import("./attention.js"),
  numbers: () => import("./numbers.js"),
  "bpe-by-hand": () => import("./bpe_by_hand.js"),
  "count-and-merge": () => import("./count_and_merge.js"),
  loop: () => import("./loop.js"),
  "lowest-rank": () => import("./lowest_rank.js"),
  "back-to-text": () => import("./back_to_text.js"),
  spelling: () => import("./spelling.js"),
  "special-tokens": () => import("./special_tokens.js"),
  "build-gpt4": () => import("./build_gpt4.js"),
  sentencepiece: () => import("./sentencepiece.js"),
  cuts: () => import("./cuts.js"),
  choose: () => import("./choose.js"),
  spaces: () => import("./spaces.js"),
  languages: () => import("./languages.js"),
  "vocabulary-size": () => import("./vocabulary_size.js"),
  "unmoved-rows": () => import("./unmoved_rows.js"),
  words: () => import("./words.js"),
  neighbours: () => import("./neighbours.js"),
  pictures: () => import("./pictures.js"),
  "byte-patches": () => import("./byte_patches.js"),
  "many-encodings": () => import("./many_encodings.js"),
  "three-rules": () => import("./three_rules.js"),
  "across-the-space": () => import("./across_the_space.js"),
  "who-pays": () => import("./who_pays.js"),
};
