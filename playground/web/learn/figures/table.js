// The figures by name. A figure is a module of this folder whose default export mounts it.

/**
 * `show` draws all of a step, from 1 on, for what the lesson's `show` in Python gave as `figure`. It is called at each
 * step, at each change of the input and of the size: it keeps no state that the data does not have, and takes less
 * than 50 ms. Lengths are `calc(N * var(--u))`: N in pixels of a screen of 1280 × 800, of which the stage has about
 * 1,216 × 470; tokens are at least 32, other text 24, the main number 64 high. What has `data-spot` can be lit.
 * @typedef {{show: (step: number, data: any) => void, destroy?: () => void}} Figure
 */

/**
 * What a figure may ask for: `change` sets inputs of the lesson by name, as a field does; `open` opens another lesson,
 * where `has` says that there is one; listeners end with the signal.
 * @typedef {{change: (values: Record<string, any>) => void, open: (slug: string) => void, has: (slug: string) => boolean, isPresenting: () => boolean,
 *   signal: AbortSignal}} Frame
 */

/** `root` is empty, and fills the stage. @typedef {(root: HTMLElement, frame: Frame) => Figure} Mount */

/** @type {Record<string, () => Promise<{default: Mount}>>} */
export const FIGURES = {
  oddities: () => import("./oddities.js"),
  letters: () => import("./letters.js"),
  "first-look": () => import("./first_look.js"),
  bytes: () => import("./bytes.js"),
  attention: () => import("./attention.js"),
  numbers: () => import("./numbers.js"),
  "bpe-by-hand": () => import("./bpe_by_hand.js"),
  "count-and-merge": () => import("./count_and_merge.js"),
  loop: () => import("./loop.js"),
  "lowest-rank": () => import("./lowest_rank.js"),
  "back-to-text": () => import("./back_to_text.js"),
  "gpt2-files": () => import("./gpt2_files.js"),
  mixture: () => import("./mixture.js"),
  spelling: () => import("./spelling.js"),
  "special-tokens": () => import("./special_tokens.js"),
  "build-gpt4": () => import("./build_gpt4.js"),
  sentencepiece: () => import("./sentencepiece.js"),
  cuts: () => import("./cuts.js"),
  choose: () => import("./choose.js"),
  spaces: () => import("./spaces.js"),
  languages: () => import("./languages.js"),
  "vocabulary-size": () => import("./vocabulary_size.js"),
  "new-tokens": () => import("./new_tokens.js"),
  "unmoved-rows": () => import("./unmoved_rows.js"),
  words: () => import("./words.js"),
  neighbours: () => import("./neighbours.js"),
  pictures: () => import("./pictures.js"),
};
