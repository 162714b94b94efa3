// The first question of a lesson: options that the class guesses among, on the stage or by phone.

import { button, element } from "../shared/element.js";
import { counted } from "../shared/wording.js";

/** @typedef {import("../shared/wire_types.d.ts").PollState} Poll */
/** @typedef {import("../shared/wire_types.d.ts").GuessData} Guess */

/** The part of the votes that each option has; 0 without votes. @param {number[]} votes */
export function sharesOf(votes) {
  const all = votes.reduce((sum, n) => sum + n, 0);
  return votes.map((n) => (all ? n / all : 0));
}

/**
 * The answer to a lesson's first question, with what was guessed.
 * @param {Guess} guess @param {number | undefined} chosen @param {number[]} votes by phone
 */
export function verdictOf({ options, right }, chosen, votes) {
  const all = votes.reduce((sum, n) => sum + n, 0), answer = `The answer: ${options[right]}.`;
  if (all) return `${answer} ${votes[right]} of ${all} guessed it: ${votes.map((n, option) => `${"ABCDEF"[option]} ${n}`).join(", ")}.`;
  if (chosen === undefined || !(chosen in options)) return answer;
  return `${answer} You guessed ${chosen === right ? "it" : options[chosen]}.`;
}

export class GuessView {
  /**
   * @param {Guess} guess
   * @param {{onChoose: (option: number) => void, onPoll: () => void}} callbacks
   */
  constructor({ options }, { onChoose, onPoll }) {
    this.element = element("div", "guess");
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "Guess");
    this.options = options.map((text, option) => {
      const one = button("", `Guess: ${text}`, () => onChoose(option));
      one.className = "option";
      one.append(element("span", "letter", "ABCDEF"[option]), element("span", "text", text), element("b", "votes"));
      return one;
    });
    this.choices = element("div", "options");
    this.choices.append(...this.options);
    this.invites = element("div", "invites");
    this.code = element("div", "qr");
    this.address = element("p", "address");
    this.total = element("p", "soft");
    this.total.setAttribute("role", "status");
    this.invites.append(this.code, this.address, this.total);
    this.open = button("Vote by phone", "Show an address at which the class can vote by phone (V)", onPoll);
    this.element.append(this.choices, this.invites, this.open);
    this.show(undefined, null);
  }

  /**
   * Show the chosen option, the number of votes and, if asked, how they are spread.
   * @param {number | undefined} chosen @param {Poll | null} poll @param {boolean} [isSpread]
   */
  show(chosen, poll, isSpread = false) {
    const votes = poll?.votes ?? [], shares = sharesOf(votes);
    for (const [option, one] of this.options.entries()) {
      one.setAttribute("aria-pressed", String(option === chosen));
      one.style.setProperty("--share", `${isSpread ? (100 * (shares[option] ?? 0)).toFixed(1) : 0}%`);
      const shown = poll?.address && isSpread ? String(votes[option] ?? 0) : "";
      /** @type {HTMLElement} */ (one.lastElementChild).textContent = shown;
    }
    this.invites.hidden = poll === null;
    this.open.hidden = poll !== null;
    if (!poll) return;
    if (this.code.dataset.address !== poll.address) {
      this.code.dataset.address = poll.address;
      this.code.replaceChildren(...(poll.qr ? [imageOf(poll.qr, poll.address)] : []));
    }
    this.address.textContent = poll.problem || poll.address;
    this.total.textContent = poll.problem ? "" : `${counted(votes.reduce((sum, n) => sum + n, 0), "vote")}${isSpread ? "" : "; V shows how they are spread"}`;
  }
}

/** The QR code as an image, which can hold no markup of this page. @param {string} svg @param {string} address */
function imageOf(svg, address) {
  const image = element("img");
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  image.alt = `QR code of ${address}`;
  return image;
}
