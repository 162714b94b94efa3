// Replay: the parts of a pretoken after some merges, and why one pair is next.

import { count } from "../shared/numbers.js";

/**
 * What the server says of a pretoken: its bytes as leaves, the rank of each pair of neighbours (null where the two
 * are not in the vocabulary) and the merges: position, rank, the ranks to the left and right of it afterwards, text.
 * @typedef {Omit<Required<import("../shared/wire_types.d.ts").DrawnPretoken>, "svg">} Played
 */

/**
 * The parts of a pretoken and the ranks of its pairs after some merges.
 * @param {Played} played
 * @param {number} nSteps
 */
export function replay(played, nSteps) {
  const parts = [...played.leaves], pairRanks = [...played.pair_ranks];
  for (const [position, , leftRank, rightRank, text] of played.steps.slice(0, nSteps)) {
    parts.splice(position, 2, text);
    pairRanks.splice(position, 1);
    if (position > 0) pairRanks[position - 1] = leftRank;
    if (position < pairRanks.length) pairRanks[position] = rightRank;
  }
  return { parts, pairRanks };
}

/** The bytes of what each merge of a pretoken makes, half-open. @param {Played} played @returns {[start: number, end: number][]} */
export function replaySpans({ leaves, steps }) {
  const starts = leaves.map((_, i) => i);
  return steps.map(([position]) => {
    starts.splice(position + 1, 1);
    return [starts[position], starts[position + 1] ?? leaves.length];
  });
}

/**
 * Why the next pair merges, or why none does.
 * @param {Played} played
 * @param {number} nDone
 */
export function explain(played, nDone) {
  const { parts, pairRanks } = replay(played, nDone), next = played.steps[nDone];
  if (!next) {
    if (played.is_whole) return `“${played.text}” is in the vocabulary as a whole, and the encoder takes it without merging: id ${played.ids[0]}.`;
    if (parts.length === 1) return `“${played.text}” is one token: id ${played.ids[0]}.`;
    return `No pair left is in the vocabulary: “${played.text}” is ${parts.length} tokens.`;
  }
  const [position, rank] = next, ranks = pairRanks.filter((each) => each !== null);
  const isTie = ranks.filter((each) => each === rank).length > 1;
  const reason =
    ranks.length === 1
      ? `It is the only pair in the vocabulary, at rank ${count(rank)}.`
      : `Of ${pairRanks.length} pairs ${ranks.length} are in the vocabulary, and ${count(rank)} is the lowest rank${isTie ? "; of equal ranks the leftmost" : ""}.`;
  return `Next: “${parts[position]}” + “${parts[position + 1]}”. ${reason}`;
}

/** The frames of a text: for each pretoken one before every merge, and one when no pair is left. */
export class Frames {
  /** @param {Played[]} pretokens */
  constructor(pretokens) {
    this.pretokens = pretokens;
    /** @type {number[]} the first frame of each pretoken */
    this.firstFrame = [];
    /** @type {number[]} how many merges come before each pretoken */
    this.firstMerge = [];
    this.length = this.nMerges = 0;
    for (const { steps } of pretokens) {
      this.firstFrame.push(this.length);
      this.firstMerge.push(this.nMerges);
      this.length += steps.length + 1;
      this.nMerges += steps.length;
    }
  }

  /** Which pretoken a frame shows, and how many of its merges are done. @param {number} frame */
  at(frame) {
    let at = this.firstFrame.length - 1;
    while (at > 0 && this.firstFrame[at] > frame) at -= 1;
    const nDone = frame - this.firstFrame[at];
    return { at, played: this.pretokens[at], nDone, nMerged: this.firstMerge[at] + nDone };
  }
}
