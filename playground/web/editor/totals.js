// Totals of the text: counts, kinds of tokens, the share of a context window, and the price.

import { element, fillSelect, find } from "../shared/element.js";
import { term } from "../shared/glossary.js";
import { count, counted, dollars, marked, ratio, unitOf } from "../shared/wording.js";

/** @typedef {import("./editor_actions.js").Totals} Totals */

/** Kinds of tokens, in the order of their counts. @type {import("../shared/wire_types.d.ts").CategoryNames} */
const KINDS = ["letters", "whitespace", "digits", "punctuation", "special", "other"];

/** Show the counts below and beside the tokens, which need no gutter on a single line. @param {HTMLElement} root @param {Totals} totals */
export function drawTotals(root, totals) {
  // The total of a chat also has tools and images, of which no tokens are shown.
  const { n_tokens, counts, categories, mark = "" } = totals, nShown = categories.reduce((sum, n) => sum + n, 0);
  root.classList.toggle("one-line", counts.n_lines <= 1);
  find(root, ".n-tokens").textContent = marked(n_tokens, mark);
  find(root, ".unit").textContent = unitOf(n_tokens, "token");
  find(root, ".share-of-template").textContent = besideCount(totals);
  const { n_characters, n_bytes, n_words, n_lines } = counts;
  /** @type {[name: string | HTMLElement, value: string][]} */
  const numbers = [
    [unitOf(n_characters, "character"), count(n_characters)], [unitOf(n_bytes, "UTF-8 byte"), count(n_bytes)],
    [unitOf(n_words, "word"), count(n_words)], [unitOf(n_lines, "line"), count(n_lines)],
    [term("bytes per token", "bytes / token"), ratio(n_bytes, nShown)], [term("fertility", "tokens / word"), ratio(nShown, n_words)],
  ];
  find(root, ".numbers").replaceChildren(...numbers.map(([name, value]) => {
    const group = element("div");
    group.appendChild(element("dt")).append(name);
    group.append(element("dd", "", value));
    return group;
  }));
  drawKinds(root, categories, nShown);
}

/** The text beside the count: the model and what is missing in a chat's, or the count with the tokens that a model adds around a text. @param {Totals} totals */
export function besideCount({ n_tokens, beside, n_around, around = "" }) {
  if (beside) return beside;
  return n_around ? `${count(n_tokens + n_around)} ${around}` : "";
}

/** @param {HTMLElement} root @param {number[]} categories @param {number} nTokens */
function drawKinds(root, categories, nTokens) {
  /** @type {HTMLElement[]} */
  const bar = [];
  /** @type {HTMLElement[]} */
  const key = [];
  KINDS.forEach((name, i) => {
    if (!categories[i]) return;
    const part = element("span", `kind k${i}`), label = element("span");
    part.style.flexGrow = String(categories[i]);
    part.title = `${name}: ${count(categories[i])}`;
    label.append(element("i", `kind k${i}`), `${name} ${count(categories[i])}`);
    bar.push(part);
    key.push(label);
  });
  const kindsBar = find(root, ".kinds-bar");
  kindsBar.replaceChildren(...bar);
  kindsBar.setAttribute("aria-label", `Of ${counted(nTokens, "token")}: ${KINDS.map((name, i) => `${name} ${categories[i]}`).join(", ")}`);
  find(root, ".kinds-key").replaceChildren(...key);
}

const WINDOWS = [4096, 8192, 16385, 32768, 128000, 200000, 400000, 1000000];
const OWN_WINDOW = 100_000; // the initial value of a custom size

/** A context window in tokens, 0 for the model's (0 if none is known), and prices in dollars per million tokens, "" for the model's. @typedef {{window: number, priceInput: number | "", priceOutput: number | ""}} Settings */
/** The figures of the chosen model; see `ui/picker.py`. @typedef {import("../shared/wire_types.d.ts").ModelFigures} ModelFigures */

/** @type {Settings} */
export const DEFAULT_SETTINGS = { window: 0, priceInput: "", priceOutput: "" };

/** The settings, with the model's figures for those that the reader hasn't set. @param {Settings} settings @param {ModelFigures | null} model @returns {Settings} */
export const withModel = ({ window, priceInput, priceOutput }, model) => ({
  window: window || (model?.context_tokens ?? 0),
  priceInput: priceInput === "" ? (model?.input_price ?? "") : priceInput,
  priceOutput: priceOutput === "" ? (model?.output_price ?? "") : priceOutput,
});

/** A sentence on a model's context window and prices; "" if neither is known. @param {ModelFigures | null} model */
export function figuresOf(model) {
  if (!model) return "";
  const { context_tokens: window, input_price: input, output_price: output } = model, prices = [];
  if (input !== null) prices.push(`$${input} per 1M tokens as input`);
  if (output !== null) prices.push(`$${output} as output`);
  const known = [...(window === null ? [] : [`${count(window)} tokens`]), ...prices];
  return known.length ? `${model.name}: ${known.join(", ")} (${model.date}). What you set here is used instead.` : "";
}

/** The share of a context window that a number of tokens takes, in words. @param {number} n @param {number} size 0 if none is known */
export function windowShare(n, size) {
  if (!size) return "";
  if (n > size) return `${counted(n - size, "token")} over a context window of ${count(size)}`;
  const share = (100 * n) / size;
  return `${share > 0 && share < 0.1 ? "under 0.1" : share.toFixed(1)} % of a context window of ${count(size)}, ${count(size - n)} left`;
}

/** The price of a number of tokens, in words; "" if no price is known. @param {number} n @param {Settings} settings */
export function costOf(n, { priceInput, priceOutput }) {
  const costs = [];
  if (isPrice(priceInput)) costs.push(`${dollars((n * priceInput) / 1e6)} as input`);
  if (isPrice(priceOutput)) costs.push(`${dollars((n * priceOutput) / 1e6)} as output`);
  return costs.join(" · ");
}

/** The price in words, with a message for an invalid price. @param {number} n @param {Settings} settings @param {boolean} isUnread whether a field's content is not a number */
export function costShown(n, settings, isUnread = false) {
  const isWrong = isUnread || [settings.priceInput, settings.priceOutput].some((price) => price !== "" && !isPrice(price));
  return [costOf(n, settings), isWrong ? "enter a price of 0 or more, such as 2.50" : ""].filter(Boolean).join(" · ");
}

/** The change of a text's price by a number of tokens more or fewer; "" if no price is known. @param {number} n @param {Settings} settings */
export function costChange(n, settings) {
  const cost = costOf(Math.abs(n), settings);
  if (!cost || !n) return "";
  return n < 0 ? `saves ${cost}, each time` : `costs ${cost} more, each time`;
}

/** @param {number | ""} price @returns {price is number} */
const isPrice = (price) => typeof price === "number" && price >= 0;

/** The row with the settings and results of context window and price. */
export class WindowCost {
  /** `onChange()` is called when the reader has changed a setting. @param {HTMLElement} root @param {AbortSignal} signal @param {Settings} settings @param {() => void} onChange */
  constructor(root, signal, settings, onChange) {
    this.root = root;
    this.settings = settings;
    /** The chosen model's figures, used for settings that the reader hasn't set. @type {ModelFigures | null} */
    this.model = null;
    this.nTokens = 0;
    this.size = find(root, ".window-size", HTMLSelectElement);
    this.own = find(root, ".window-own", HTMLInputElement);
    this.prices = { priceInput: find(root, ".price-input", HTMLInputElement), priceOutput: find(root, ".price-output", HTMLInputElement) };
    const change = (/** @type {Partial<Settings>} */ changes) => {
      Object.assign(this.settings, changes);
      this.showCost();
      onChange();
    };
    const onSize = () => {
      change({ window: this.size.value === "own" ? OWN_WINDOW : Number(this.size.value) });
      this.draw();
      if (!this.own.hidden) this.own.select(); // the size is typed next
    };
    const onOwn = () => {
      if (this.own.valueAsNumber >= 1) change({ window: Math.floor(this.own.valueAsNumber) });
    };
    this.size.addEventListener("change", onSize, { signal });
    this.own.addEventListener("input", onOwn, { signal });
    for (const [name, input] of Object.entries(this.prices)) {
      const onPrice = () => change({ [name]: Number.isFinite(input.valueAsNumber) ? input.valueAsNumber : "" });
      input.addEventListener("input", onPrice, { signal });
    }
    this.draw();
  }

  /** The reader's settings, completed by the model's figures. */
  get used() {
    return withModel(this.settings, this.model);
  }

  /** @param {ModelFigures | null} model */
  showModel(model) {
    if (model?.name === this.model?.name) return; // so that a price can be typed while the page runs
    this.model = model;
    this.draw();
    this.showCost();
  }

  /** @param {Partial<Settings>} settings */
  adopt(settings) {
    Object.assign(this.settings, settings);
    this.draw();
    this.showCost();
  }

  draw() {
    const { window: size, priceInput, priceOutput } = this.settings, isOwn = size > 0 && !WINDOWS.includes(size);
    const ofModel = this.model?.context_tokens ? `${this.model.name}: ${count(this.model.context_tokens)}` : "not known";
    fillSelect(this.size, [["0", ofModel], ...WINDOWS.map((n) => /** @type {[string, string]} */ ([String(n), count(n)])), ["own", "own size"]]);
    this.size.value = isOwn ? "own" : String(size);
    this.own.hidden = !isOwn;
    if (isOwn) this.own.value = String(size);
    this.prices.priceInput.value = String(priceInput);
    this.prices.priceOutput.value = String(priceOutput);
    this.prices.priceInput.placeholder = String(this.model?.input_price ?? "input");
    this.prices.priceOutput.placeholder = String(this.model?.output_price ?? "output");
    find(this.root, ".model-figures").textContent = figuresOf(this.model);
  }

  /** @param {number} nTokens */
  show(nTokens) {
    this.nTokens = nTokens;
    this.showCost();
  }

  showCost() {
    const { nTokens, used: settings } = this, meter = find(this.root, ".meter");
    const isUnread = Object.values(this.prices).some((input) => input.validity.badInput);
    meter.hidden = !settings.window;
    meter.classList.toggle("over", nTokens > settings.window);
    find(meter, "span").style.width = `${Math.min(100, (100 * nTokens) / (settings.window || 1))}%`;
    find(this.root, ".window-share").textContent = windowShare(nTokens, settings.window);
    find(this.root, ".cost-shown").textContent = costShown(nTokens, settings, isUnread);
  }
}
