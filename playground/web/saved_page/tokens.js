// The tokens of Tokenize in a saved page.

import { showShadesKey } from "../editor/drawn_block.js";
import { PatternKey } from "../editor/split_pattern.js";
import { TokenPane } from "../editor/token_pane.js";
import { drawTotals } from "../editor/totals.js";
import { find } from "../shared/element.js";
import { showMarkKey } from "../shared/token_strip.js";
import { fromBase64 } from "../shared/wire.js";
import { drawPage, NEVER } from "./page.js";

/** @typedef {import("../editor/shown_tokens.js").Asked} Asked */

drawPage(".editor", (root, { header, columns }) => {
  const { view, totals, text, raw, facts, alternatives, cuts } = header;
  /** @type {Map<number, number>} the place of each id in the facts */
  const placeOf = new Map((facts?.ids ?? []).map((/** @type {number} */ id, /** @type {number} */ place) => [id, place]));
  const recut = async () => {}; // the pattern stays
  const patternKey = new PatternKey(find(root, ".pattern-key"), NEVER, recut);
  /** @type {Asked["askFacts"]} */
  const askFacts = async (ids) => ({
    ranks: ids.map((id) => facts.ranks[placeOf.get(id) ?? 0]),
    categories: ids.map((id) => facts.categories[placeOf.get(id) ?? 0]),
  });
  /** @type {Asked["askCuts"]} */
  const askCuts = async (placesOf) => (placesOf(), { can_change: false, alternatives, cuts: [cuts] });
  const pane = new TokenPane({
    tokens: find(root, ".tokens"), tip: find(root, ".tip"), live: find(root, ".live"),
    onOpen: () => {}, askFacts, askCuts, recut,
    onCuts: () => patternKey.draw(true, pane.manner.cuts),
  }, NEVER);
  Object.assign(pane.view, view);
  root.dataset.label = view.label;
  pane.manner.cuts.isText = alternatives !== undefined;
  const source = text ?? fromBase64(raw);
  const [ids, lengths, marks] = columns;
  pane.show([{ nTokens: ids.length, nUtf16: source.length, ids, lengths, marks }], [source], { special: header.special_ids, template: header.template_tokens });
  drawTotals(root, totals);
  showShadesKey(find(root, ".shades-key"), view.colorBy);
  showMarkKey(find(root, ".changes-key"), pane.marked);
});
