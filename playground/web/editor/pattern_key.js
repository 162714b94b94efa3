// Pattern key: what the colours of the split pattern's alternatives mean, each a switch, and a pattern of one's own.

import { element } from "../shared/element.js";
import { NewestWins } from "../shared/newest_wins.js";
import { cutClasses } from "./pattern_cuts.js";

/** @typedef {import("../shared/wire_types.d.ts").Cutting} Cutting */
/** @typedef {import("../shared/wire_types.d.ts").Alternative} Alternative */

const MOST_SHOWN = 24, MOST_CHARACTERS = 5_000;
const OWN = Object.freeze({ own: "", off: [] });

/** The tokenizer's own pattern cuts. @param {Cutting} cutting */
export const isUnchanged = ({ own, off }) => !own && !off.length;

/** @param {Cutting} cutting @param {number} place @returns {Cutting} with this alternative on or off */
export function switched({ own, off }, place) {
  return { own, off: off.includes(place) ? off.filter((one) => one !== place) : [...off, place].toSorted((a, b) => a - b) };
}

export class PatternKey {
  /**
   * `send` cuts by another pattern, and throws an error that says why not.
   * @param {HTMLElement} root @param {AbortSignal} signal @param {(cutting: Cutting) => Promise<void>} send
   */
  constructor(root, signal, send) {
    this.root = root;
    /** What is wanted, which the server may have or not. @type {Cutting} */
    this.cutting = OWN;
    this.list = element("div", "alternatives");
    this.own = element("input", "own-pattern");
    this.back = element("button", "back", "Back to the tokenizer’s");
    this.said = element("span", "said");
    this.said.role = "status";
    this.own.spellcheck = false;
    this.own.maxLength = MOST_CHARACTERS;
    this.own.placeholder = "Own pattern";
    this.own.ariaLabel = "Own pattern";
    this.own.title = "Cut by this regular expression instead; the merges stay those of the tokenizer";
    this.back.type = "button";
    this.back.hidden = true;
    this.changing = element("div", "changing");
    this.changing.append(this.own, this.back, this.said);
    root.append(this.list, this.changing);
    this.sending = new NewestWins(async (/** @type {Cutting} */ cutting) => {
      try {
        await send(cutting);
        this.said.textContent = "";
      } catch (error) {
        this.said.textContent = error instanceof Error ? error.message : String(error);
      }
    });
    this.own.addEventListener("input", () => this.change({ own: this.own.value.toWellFormed(), off: [] }), { signal });
    this.back.addEventListener("click", () => this.reset(), { signal });
    this.list.addEventListener("click", (event) => {
      const pressed = /** @type {Element} */ (event.target).closest("button");
      if (pressed) this.change(switched(this.cutting, Number(pressed.dataset.place)));
    }, { signal });
  }

  /** The tokenizer's own pattern cuts again. */
  reset() {
    if (!isUnchanged(this.cutting) || this.said.textContent) this.change(OWN);
    this.own.value = "";
  }

  /** What was chosen before the page or the server began anew. @param {Cutting} cutting */
  restore(cutting) {
    if (isUnchanged(cutting)) return;
    this.own.value = cutting.own;
    this.change(cutting);
  }

  /** @param {Cutting} cutting */
  change(cutting) {
    this.cutting = cutting;
    this.back.hidden = isUnchanged(cutting);
    void this.sending.push(cutting);
  }

  /** What the server has; what is on its way there comes after. @param {Cutting} cutting */
  adopt(cutting) {
    if (this.sending.running) return;
    this.cutting = cutting;
    this.back.hidden = isUnchanged(cutting);
    this.said.textContent = "";
    if (this.own.value !== cutting.own) this.own.value = cutting.own;
  }

  /** What each colour means; where there is no pattern, why. Until it is known, what it was. @param {boolean} isShown @param {import("./pattern_cuts.js").PatternCuts} cuts */
  draw(isShown, { alternatives, isText, canChange }) {
    this.root.hidden = !isShown;
    if (!isShown || (isText && !alternatives)) return;
    this.changing.hidden = !isText || !canChange;
    if (!isText) return this.list.replaceChildren("The split pattern colours a text, not a chat or ids.");
    if (!alternatives?.length) {
      return this.list.replaceChildren(canChange ? "No pattern cuts this text." : "This tokenizer has no split pattern that we know.");
    }
    const focused = /** @type {HTMLElement | null} */ (this.list.querySelector(":focus"))?.dataset.place;
    this.list.replaceChildren(...alternatives.map((one, place) => makeAlternative(one, place, canChange)));
    if (focused !== undefined) /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-place="${focused}"]`))?.focus();
  }
}

/** @param {Alternative} alternative @param {number} place @param {boolean} canChange */
function makeAlternative({ name, text, is_on }, place, canChange) {
  const one = element(canChange ? "button" : "span", `t shaded ${cutClasses(2 * place + 1).join(" ")}`);
  one.title = canChange ? `${text}\n${is_on ? "Switch off" : "Switch on"}` : text;
  if (one instanceof HTMLButtonElement) {
    one.type = "button";
    one.dataset.place = String(place);
    one.ariaPressed = String(is_on);
  }
  one.append(`${place + 1} ${name || "other"} `, element("code", "", text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text));
  return one;
}
