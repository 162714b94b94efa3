// The panel at a fixed place: what the model held for likely where a token stands, or after the last one.

import { button, element } from "../shared/element.js";
import { counted, shownInLine } from "../shared/wording.js";
import { choiceOf, oddsOf, percent, shadeOf, shownBits } from "./bits.js";

/** @typedef {import("./side.js").Side} Side */
/** @typedef {import("../shared/wire_types.d.ts").TokenExpected} TokenExpected */

/**
 * The panel's content for the chosen place of a side. `onType` types the text of a token, where one can.
 * @param {Side} side @param {((text: string) => void) | null} onType
 */
export function panelOf(side, onType) {
  const { answer, place } = side;
  if (!answer) return [];
  if (place === "next") {
    if (!answer.is_over) return [];
    const head = element("h2", "", "What comes next?");
    return [head, barsOf(side, answer.expected[answer.ids.length], onType), by(side, onType ? "Click a token to type it." : "")];
  }
  const { first, last, text } = place, head = element("h2", "");
  head.append(element("code", "", shownInLine(text)));
  if (first >= side.nRead) return [head, element("p", "", "Not read yet.")];
  const tokens = answer.expected.slice(first, Math.min(last, side.nRead)), bits = side.bitsOf(place);
  if (first === 0) return [head, element("p", "", "Nothing comes before the first token, so its bits say more about how texts begin than about this one. They are not counted."), barsOf(side, tokens[0], null), by(side)];
  const odds = element("p", "odds"), rank = element("p", "rank");
  odds.append(element("b", "", `${shownBits(bits)} bits`), ` ${oddsOf(bits)}`);
  if (tokens.length > 1) rank.textContent = `${counted(last - first, "token")} spell this: ${tokens.map((each) => shownBits(each.bits)).join(" + ")} bits. The first of them:`;
  else rank.textContent = `${choiceOf(tokens[0].rank)} of ${counted(answer.n_vocab, "token")}`;
  return [head, odds, rank, barsOf(side, tokens[0], null, answer.ids[first]), by(side)];
}

/** The model's name, which stands beside every number. @param {Side} side @param {string} [sentence] */
const by = (side, sentence = "") => element("p", "by", `${side.answer?.model}${sentence ? `. ${sentence}` : ""}`);

/**
 * Five bars; `own` is the token of the text.
 * @param {Side} side @param {TokenExpected} expected @param {((text: string) => void) | null} onType @param {number} [own]
 */
function barsOf(side, { likeliest, bits }, onType, own) {
  const list = element("ol", "bars");
  const rows = [...likeliest], isShown = rows.some(([token]) => token === own);
  if (own !== undefined && !isShown) rows.push([own, 2 ** -bits]);
  for (const [token, chance] of rows) {
    const named = side.answer?.named[token] ?? { shown: `token ${token}`, typed: "" }, row = element("li", token === own ? "own" : "");
    const name = onType && named.typed ? button(named.shown, `Type ${named.shown}`, () => onType(named.typed)) : element("code", "", named.shown);
    const bar = element("span", "bar"), filled = element("span", "");
    filled.style.width = `${100 * chance}%`;
    bar.append(filled);
    row.append(name, bar, element("span", "percent", percent(chance)));
    list.append(row);
  }
  return list;
}

/** The steps of the legend: bits, and how likely that is. @type {[number, string][]} */
const STEPS = [[0, "certain"], [1, "1 in 2"], [3.32, "1 in 10"], [6.64, "1 in 100"], [9.97, "1 in 1,000"], [13.29, "1 in 10,000"]];

export function legend() {
  return [
    ...STEPS.map(([bits, words]) => {
      const step = element("span", "step", words);
      step.style.setProperty("--shade", String(shadeOf(bits)));
      return step;
    }),
    element("span", "step first", "first, not counted"),
  ];
}
