// SentencePiece: the vocabulary as a strip of four kinds; a text's pieces; with and without byte fallback, with and
// without a dummy space, and BPE beside Unigram.

import { boxText, trimToFit } from "../boxes.js";
import { element } from "../../shared/element.js";
import { count, unitOf } from "../../shared/wording.js";

/** @typedef {"control" | "bytes" | "merges" | "letters"} Kind */
/** @typedef {{text: string, id: number, kind: Kind}} Piece */
/** @typedef {{n: number, pieces: Piece[], decoded: string, is_lossless: boolean}} Encoded */
/** @typedef {{runs: [Kind, number][], counts: Record<Kind, number>, samples: Record<Kind, string[]>}} Vocabulary */
/** @typedef {{is_on: boolean, n_shared: number, alone: Piece[], after: Piece[]}} Shared */
/** @typedef {Vocabulary & {n_ms: number, learned_from: string, model: string, text: Encoded, fallback: (Encoded & {is_on: boolean})[], prefix: Shared[], models: (Vocabulary & Encoded & {name: string})[]}} Data */

/** @type {Kind[]} */
const KINDS = ["control", "bytes", "merges", "letters"];

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  return {
    show(step, /** @type {Data} */ data) {
      root.dataset.at = String(step);
      const shown = [
        () => [element("span", "soft took", `${data.learned_from}: trained in ${data.n_ms.toFixed(data.n_ms < 10 ? 1 : 0)} ms`), strip(data), kinds(data)],
        () => [strip(data), row(total(data.text), boxes(data.text.pieces, true, 0, data.text.n))],
        () => data.fallback.map((one) => row(name("byte_fallback", one.is_on), boxes(one.pieces, false, 0, one.n), decoded(one))),
        () => data.prefix.map((one) => row(name("add_dummy_prefix", one.is_on), pair(one))),
        () => data.models.map((one) => row(element("b", "name-of", one.name === "bpe" ? "BPE" : "Unigram"), strip(one), boxes(one.pieces, false, 0, one.n))),
      ][step - 1]();
      root.replaceChildren(...shown);
      for (const box of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".boxes"))) trimToFit(box, Number(box.dataset.nAll ?? box.childElementCount), "piece");
    },
  };
}

/** A strip with a column for each piece, in the order of ids. @param {Vocabulary} vocabulary */
function strip({ runs, counts }) {
  const box = element("div", "strip");
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", `The vocabulary by id: ${KINDS.map((kind) => `${counts[kind]} ${kind}`).join(", ")}`);
  box.append(
    ...runs.map(([kind, n]) => {
      const run = element("i", `run of-${kind}`);
      run.style.flexGrow = String(n);
      return run;
    }),
  );
  return box;
}

/** The number of pieces of each kind, with samples. @param {Data} data */
function kinds({ counts, samples, model }) {
  const box = element("div", "kinds");
  for (const kind of KINDS) {
    const column = element("div", "kind"), some = element("div", "boxes");
    some.append(...samples[kind].map((text) => makePiece({ text, id: 0, kind }, text)));
    column.append(element("b", `number of-${kind}`, count(counts[kind])), element("span", "kind-name", kind === "merges" && model !== "bpe" ? "pieces" : kind), some);
    box.append(column);
  }
  return box;
}

/** @param {...HTMLElement} parts */
function row(...parts) {
  const [head, ...others] = parts, made = element("div", "row"), body = element("div", "body");
  body.append(...others);
  made.append(head, body);
  return made;
}

/** @param {Encoded} encoded */
function total({ n }) {
  const made = element("span", "of-all");
  made.append(element("b", "number", count(n)), element("span", "soft", unitOf(n, "piece")));
  return made;
}

/** The name and state of a switch. @param {string} title @param {boolean} isOn */
function name(title, isOn) {
  const made = element("span", "name-of");
  made.append(element("b", "", title), element("span", isOn ? "state on" : "state", isOn ? "✓ on" : "✗ off"));
  return made;
}

/** @param {Piece} piece @param {string} text */
function makePiece({ kind }, text) {
  const box = element("span", `t box of-${kind}`, boxText(text));
  box.dataset.token = "";
  return box;
}

/** The text of a piece; byte pieces as two hexadecimal digits. @param {Piece} piece */
const spelled = ({ text, kind }) => (kind === "bytes" ? text.slice(3, 5) : text);

/** @param {Piece[]} pieces @param {boolean} isWithIds @param {number} nShared so many at the end are marked @param {number} nAll how many there are */
function boxes(pieces, isWithIds, nShared = 0, nAll = pieces.length) {
  const made = element("div", "boxes");
  made.dataset.nAll = String(nAll);
  made.append(
    ...pieces.map((piece, n) => {
      const box = makePiece(piece, spelled(piece));
      if (n >= pieces.length - nShared) box.classList.add("shared");
      const spot = `${boxText(piece.text)}  ${piece.id}`;
      if (!isWithIds) {
        box.dataset.spot = spot;
        return box;
      }
      const whole = element("span", "with-id");
      whole.dataset.spot = spot;
      whole.append(box, element("span", "id", String(piece.id)));
      return whole;
    }),
  );
  return made;
}

/** The text decoded from the ids. @param {Encoded} encoded */
function decoded({ decoded: text, is_lossless: isLossless }) {
  const line = element("p", `decoded ${isLossless ? "whole" : "lost"}`);
  line.append(element("span", "", isLossless ? "✓ " : "✗ "), element("span", "t", text));
  return line;
}

/** A word alone and after another word; the common pieces are marked. @param {Shared} shared */
function pair({ alone, after, n_shared: nShared }) {
  const made = element("div", "pair");
  made.append(boxes(alone, false, nShared), boxes(after, false, nShared));
  return made;
}
