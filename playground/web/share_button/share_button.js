// The Share button of the bar: it asks the component that knows what the page shows, has the page make a link of it,
// copies that, and says what came of it.

import { copyText, copyWhenMade } from "../shared/copy.js";
import { element, find } from "../shared/element.js";
import { leavingNow } from "../shared/leaving.js";
import { component } from "../shared/mount.js";
import { count } from "../shared/numbers.js";
import { askToShare } from "../shared/sharing.js";

const SAID_MS = 10_000;
const PATIENCE_MS = 20_000;

/** What the page gives; see `ui/share.py`. @typedef {import("../shared/wire_types.d.ts").ShareData} Data */
/** What it says to the page. @typedef {import("../shared/wire_types.d.ts").ShareEvent} Said */
/** @typedef {NonNullable<Data["answer"]>} Answer */

export default component(".share-button", (root, signal) => new ShareButton(root, signal));

class ShareButton {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.said = find(root, ".share-said");
    this.isLive = false;
    /** Whether no press is at work. */
    this.isDone = true;
    this.setTriggerValue = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    /** @type {{n: number, take: (answer: Answer) => void} | null} the press that waits for its link */
    this.waiting = null;
    find(root, ".share").addEventListener("click", () => this.press(), { signal });
    // What is said stands over the page, so the next thing that one does takes it away.
    // A key that the page itself presses (web/live_field) is nobody's.
    const goOn = (/** @type {Event} */ event) => event.isTrusted && this.isDone && !event.composedPath().includes(root) && this.say("");
    for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, goOn, { signal, capture: true });
  }

  /** @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    this.isLive = data.is_live;
    this.setTriggerValue = setTriggerValue;
    if (data.answer && data.answer.n === this.waiting?.n) this.waiting.take(data.answer);
  }

  destroy() {
    clearTimeout(this.timer);
  }

  async press() {
    leaveField(); // so that the page has what was typed last
    this.isDone = false;
    this.say("Making a link …");
    const answered = this.ask(), link = answered.then(({ query }) => linkTo(query));
    try {
      await copyWhenMade(link);
      const { told } = await answered;
      this.say(`Copied a link of ${count((await link).length)} characters. ${told}`.trim());
    } catch (error) {
      await link.then((text) => this.offer(text), () => this.say(/** @type {Error} */ (error).message));
    } finally {
      this.isDone = true;
    }
  }

  /** The page's answer to this press, once what was typed has reached the server. @returns {Promise<Answer>} */
  async ask() {
    const n = Date.now(), shown = await askToShare(() => this.isLive || leavingNow.isLeaving);
    const answer = await new Promise((resolve, reject) => {
      this.waiting = { n, take: resolve };
      setTimeout(() => reject(new Error("The server did not answer. Press Share again.")), PATIENCE_MS);
      this.setTriggerValue("asked", { n, shown });
    });
    if (!answer.query) throw new Error(answer.told);
    return answer;
  }

  /** Show a link that the browser did not let us copy. @param {string} link */
  offer(link) {
    const field = element("input", "share-link");
    field.value = link;
    field.readOnly = true;
    field.setAttribute("aria-label", "The link");
    field.addEventListener("focus", () => field.select());
    field.addEventListener("click", () => copyText(link).then(() => this.say("Copied the link."), () => {}));
    this.say("Your browser did not allow copying. The link is here: ");
    clearTimeout(this.timer);
    this.said.append(field);
  }

  /** @param {string} sentence */
  say(sentence) {
    this.said.textContent = sentence;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.said.textContent = ""), SAID_MS);
  }
}

/** @param {string} query */
const linkTo = (query) => `${location.origin}${location.pathname}?${query}`;

/** Streamlit sends a field's text when the field is left. */
function leaveField() {
  if (document.activeElement instanceof HTMLElement && document.activeElement.matches("input, textarea")) document.activeElement.blur();
}
