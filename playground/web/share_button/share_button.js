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
const MAKING = "Making a link …";

/** What the page gives; see `ui/share.py`. @typedef {import("../shared/wire_types.d.ts").ShareData} Data */
/** What it says to the page. @typedef {import("../shared/wire_types.d.ts").ShareEvent} Said */
/** @typedef {NonNullable<Data["answer"]>} Answer */

/** The press that waits for its link. It outlives its button, which Streamlit may draw anew meanwhile. @type {{n: number, path: string, take: (answer: Answer) => void} | null} */
let waiting = null;
/** The button that is there. @type {ShareButton} */
let shown;

export default component(".share-button", (root, signal) => (shown = new ShareButton(root, signal)));

class ShareButton {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.said = find(root, ".share-said");
    this.isLive = false;
    this.setTriggerValue = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    if (waiting?.path === location.pathname) this.say(MAKING);
    else waiting = null; // pressed on a page that was left
    find(root, ".share").addEventListener("click", () => this.press(), { signal });
    // What is said stands over the page, so the next thing that one does takes it away.
    // A key that the page itself presses (web/live_field) is nobody's.
    const goOn = (/** @type {Event} */ event) => event.isTrusted && !waiting && !event.composedPath().includes(root) && this.say("");
    for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, goOn, { signal, capture: true });
  }

  /** @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    this.isLive = data.is_live;
    this.setTriggerValue = setTriggerValue;
    if (data.answer && data.answer.n === waiting?.n) waiting.take(data.answer);
  }

  destroy() {
    clearTimeout(this.timer);
  }

  async press() {
    const left = leaveField(); // so that the page has what was typed last
    const { promise, resolve } = Promise.withResolvers(), path = location.pathname;
    const mine = (waiting = { n: Date.now(), path, take: resolve });
    this.say(MAKING);
    const answered = left.then(() => this.ask(mine.n, promise)), link = answered.then(({ query }) => linkTo(query));
    try {
      await copyWhenMade(link);
      const { told } = await answered;
      const said = `Copied a link of ${count((await link).length)} characters. ${told}`.trim();
      if (waiting === mine) shown.say(said); // not where one has pressed again
    } catch (error) {
      const text = await link.catch(() => null);
      if (waiting !== mine) return;
      if (text === null) shown.say(/** @type {Error} */ (error).message);
      else shown.offer(text);
    } finally {
      if (waiting === mine) waiting = null;
    }
  }

  /** The page's answer to this press, once what was typed has reached the server. @param {number} n @param {Promise<Answer>} answered @returns {Promise<Answer>} */
  async ask(n, answered) {
    const known = await askToShare(() => shown.isLive || leavingNow.isLeaving);
    if (isAddress(known)) return { n, ...known };
    shown.setTriggerValue("asked", { n, shown: known });
    const answer = await Promise.race([answered, lateAnswer()]);
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

/** @returns {Promise<never>} */
const lateAnswer = () =>
  new Promise((_resolve, reject) => setTimeout(() => reject(new Error("The server did not answer. Press Share again.")), PATIENCE_MS));

/** Whether the page's own address says what it shows, so that no link is to be made. @param {object} known @returns {known is import("../shared/sharing.js").OwnAddress} */
const isAddress = (known) => "query" in known && "told" in known;

/** @param {string} query */
const linkTo = (query) => `${location.origin}${location.pathname}${query && `?${query}`}`;

/**
 * Streamlit sends a field's text when the field is left, with all that is said until the next task. Of a field in a
 * fragment it then runs the fragment alone: a press that went with it would wait for the page's next run. A press
 * itself may have left the field.
 */
async function leaveField() {
  if (document.activeElement instanceof HTMLElement && document.activeElement.matches("input, textarea")) document.activeElement.blur();
  await new Promise((resolve) => setTimeout(resolve));
}
