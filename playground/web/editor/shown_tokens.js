// Shows an answer of the server: tokens, a token's card and totals, with the controls for their appearance.

import { find } from "../shared/element.js";
import { browserStore, TabMemory } from "../shared/tab_memory.js";
import { showMarkKey } from "../shared/token_strip.js";
import { fromBase64 } from "../shared/wire.js";
import { count } from "../shared/wording.js";
import { showShadesKey } from "./drawn_block.js";
import { isUnchanged, PatternKey } from "./split_pattern.js";
import { TokenCard } from "./token_card.js";
import { TokenPane } from "./token_pane.js";
import { DEFAULT_SETTINGS, drawTotals, WindowCost } from "./totals.js";

/** @typedef {import("./editor_actions.js").Mode} Mode */
/** @typedef {import("./editor_actions.js").Totals} Totals */

/**
 * Functions that request data for colours.
 * @typedef {{askFacts: import("./drawn_block.js").TokenFacts["ask"], askCuts: import("./split_pattern.js").CutsUse["ask"],
 *   recut: ConstructorParameters<typeof import("./split_pattern.js").PatternKey>[2]}} Asked */

/** The reader's settings for tokens. @typedef {import("./totals.js").Settings & {view: import("./drawn_block.js").View}} Taste */

export class ShownTokens {
  /**
   * `fetchToken` gets a token by index, `onError` is called if it can't be shown, `openIn` opens its text on another
   * page.
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   * @param {Pick<import("./token_card.js").CardUse, "fetchToken" | "onError" | "openIn"> & Asked} use
   */
  constructor(root, signal, use) {
    this.root = root;
    /** @type {Mode} */
    this.mode = "text";
    /** @type {Totals | null} */
    this.totals = null;
    /** The bytes of the shown text, in modes other than text. @type {Uint8Array<ArrayBuffer>} */
    this.raw = new Uint8Array();
    /** @type {TabMemory<Taste>} */
    this.tastes = new TabMemory(browserStore, "tessera.view");
    const part = (/** @type {string} */ selector) => find(root, selector), tokens = part(".tokens");
    const onOpen = (/** @type {number} */ index) => this.card.open(index, tokens);
    this.pane = new TokenPane({ tokens, tip: part(".tip"), live: part(".live"), onOpen, askFacts: use.askFacts, askCuts: use.askCuts, onCuts: () => this.controls.drawKey() }, signal);
    this.card = new TokenCard(part(".card"), {
      ...use,
      fetchToken: async (index) => {
        const id = this.pane.idOf(index), details = await use.fetchToken(index);
        return details?.id === id ? details : null; // the token was replaced meanwhile
      },
      getLength: () => nShown(this.totals),
      onShow: (index) => this.pane.activateToken(index),
      onClose: () => this.pane.rest(),
    });
    const { view = {}, ...settings } = this.tastes.read();
    this.window = new WindowCost(root, signal, { ...DEFAULT_SETTINGS, ...settings }, () => this.saveTaste());
    Object.assign(this.pane.view, view);
    this.controls = new ViewControls(root, signal, this.pane.manner, () => {
      this.pane.redraw();
      this.saveTaste();
    }, use.recut);
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape" && !root.querySelector(".menu-panel:popover-open")) this.card.close(true);
    };
    root.addEventListener("keydown", onKey, { signal });
    part(".card").addEventListener("keydown", (event) => this.card.walk(event), { signal });
  }

  /** Show the number of chosen tokens. @param {number} nTokens */
  showChosen(nTokens) {
    find(this.root, ".n-chosen").textContent = nTokens ? `${count(nTokens)} of ` : "";
  }

  /** The tokenizer's name and the number of tokens. */
  get summary() {
    return { tokenizer: this.totals?.tokenizer ?? "", nTokens: nShown(this.totals) };
  }

  // ---- settings

  get taste() {
    return { pane: this.pane.view, settings: this.window.settings };
  }

  /** Take the valid settings from an address. @param {any} taste the sender's settings */
  adopt(taste) {
    const { view, settings } = checkedTaste(taste);
    this.controls.adopt(view);
    this.window.adopt(settings);
    if (Object.keys({ ...view, ...settings }).length) this.saveTaste();
  }

  saveTaste() {
    this.tastes.write({ ...this.window.settings, view: this.pane.view });
  }

  // ---- answers of the server

  /** @param {import("./editor_actions.js").EditAnswer} answer @param {string} text after the edit */
  showEdit(answer, text) {
    let start = this.pane.pieces.slice(0, answer.first).reduce((n, piece) => n + piece.nUtf16, 0);
    const sources = answer.pieces.map(({ nUtf16 }) => text.slice(start, (start += nUtf16)).toWellFormed());
    this.card.close();
    this.pane.splice(answer.first, answer.n_removed, answer.pieces, sources);
    this.showTotals(answer.totals);
  }

  /** @param {import("./editor_actions.js").WholeAnswer} answer @param {string} text of mode text @param {boolean} hasSpecial whether its tokenizer has special tokens */
  showWhole(answer, text, hasSpecial) {
    const { root } = this;
    this.mode = answer.mode;
    this.pane.manner.cuts.isText = answer.mode === "text";
    this.controls.patternKey.adopt(answer.cutting);
    root.classList.toggle("recut", answer.mode === "text" && !isUnchanged(answer.cutting));
    root.dataset.mode = answer.mode;
    find(root, ".special-switch-row").hidden = !hasSpecial;
    this.card.close();
    find(root, ".tokens").scrollTop = 0;
    const sources = sourcesOf(answer, text.toWellFormed());
    this.pane.show(answer.pieces, sources, { special: answer.special_ids, template: answer.template_tokens });
    this.raw = typeof sources[0] === "string" ? new Uint8Array() : (sources[0] ?? new Uint8Array());
    if (answer.mode === "ids") find(root, ".decoded", HTMLTextAreaElement).value = new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.raw);
    this.showTotals(answer.totals);
    this.controls.drawKey();
  }

  /** @param {Totals} totals */
  showTotals(totals) {
    const { root } = this;
    this.totals = totals;
    showMarkKey(find(root, ".changes-key"), this.pane.marked);
    this.showChosen(0);
    drawTotals(root, totals);
    find(root, ".special-switch", HTMLInputElement).checked = totals.honours_special ?? false;
    this.window.show(totals.n_tokens);
    root.dataset.version = String(totals.version);
    root.dataset.tokenizer = totals.tokenizer;
  }
}

/** The sources of an answer's pieces: parts of the text, or bytes. @param {import("./editor_actions.js").WholeAnswer} answer @param {string} text @returns {import("../shared/segments.js").Source[]} */
function sourcesOf({ raw, pieces }, text) {
  if (raw !== undefined) return [fromBase64(raw)];
  let start = 0;
  return pieces.map(({ nUtf16 }) => text.slice(start, (start += nUtf16)));
}

/** The valid values of each setting of the view. */
const VIEWS = { marks: [true, false], label: ["text", "both", "ids", "bytes"], colorBy: ["position", "id", "rank", "bytes", "category", "pattern"] };
const LEAST = { window: 0, priceInput: 0, priceOutput: 0 };

/** The number of shown tokens; the total of a chat also has tools and images. @param {Totals | null} totals */
const nShown = (totals) => (totals?.categories ?? []).reduce((sum, n) => sum + n, 0);

/** The valid settings in an address. @param {any} taste @returns {{view: Partial<import("./drawn_block.js").View>, settings: Partial<import("./totals.js").Settings>}} */
function checkedTaste(taste) {
  const pane = taste?.pane ?? {}, settings = taste?.settings ?? {};
  /** @type {(part: Record<string, any>, isValid: (name: string, value: any) => boolean) => Record<string, any>} */
  const keep = (part, isValid) => Object.fromEntries(Object.entries(part).filter(([name, value]) => isValid(name, value)));
  return {
    view: keep(pane, (name, value) => /** @type {Record<string, any[]>} */ (VIEWS)[name]?.includes(value) ?? false),
    settings: keep(settings, (name, value) => typeof value === "number" && value >= (/** @type {Record<string, number>} */ (LEAST)[name] ?? Infinity) && value <= 1e12),
  };
}

/** @typedef {import("./drawn_block.js").View} View */

/** The controls for labels, colours and visible white space. */
class ViewControls {
  /** `onChange()` is called when the reader has changed the view. @param {HTMLElement} root @param {AbortSignal} signal @param {import("./drawn_block.js").Manner} manner @param {() => void} onChange @param {ConstructorParameters<typeof PatternKey>[2]} recut */
  constructor(root, signal, { view, cuts }, onChange, recut) {
    this.root = root;
    this.view = view;
    this.cuts = cuts;
    this.marks = find(root, ".marks", HTMLInputElement);
    this.label = find(root, ".label", HTMLSelectElement);
    this.colorBy = find(root, ".color-by", HTMLSelectElement);
    this.key = find(root, ".shades-key");
    this.patternKey = new PatternKey(find(root, ".pattern-key"), signal, recut);
    const change = (/** @type {Partial<View>} */ changes) => {
      this.adopt(changes);
      onChange();
    };
    this.marks.addEventListener("change", () => change({ marks: this.marks.checked }), { signal });
    this.label.addEventListener("change", () => change({ label: /** @type {View["label"]} */ (this.label.value) }), { signal });
    this.colorBy.addEventListener("change", () => change({ colorBy: /** @type {View["colorBy"]} */ (this.colorBy.value) }), { signal });
    this.adopt({});
  }

  /** @param {Partial<View>} changes */
  adopt(changes) {
    Object.assign(this.view, changes);
    if (changes.colorBy && changes.colorBy !== "pattern") this.patternKey.reset(); // another pattern must stay visible
    this.root.dataset.label = this.view.label;
    this.marks.checked = this.view.marks;
    this.label.value = this.view.label;
    this.colorBy.value = this.view.colorBy;
    this.drawKey();
  }

  /** Show the legend of the shades. */
  drawKey() {
    showShadesKey(this.key, this.view.colorBy);
    this.patternKey.draw(this.view.colorBy === "pattern", this.cuts);
  }
}
