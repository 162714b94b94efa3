// The end of the bar on every page: *Large type*, which this browser keeps; *Share*, which copies the page's address;
// and the colour scheme of Streamlit's popovers.

import { askForPayload, MAX_ADDRESS_CHARS, packPayload, replaceOldLink } from "../shared/address.js";
import { element, find } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { copyText, copyWhenMade } from "../shared/save.js";
import { browserStore, TabMemory } from "../shared/tab_memory.js";
import { count } from "../shared/wording.js";

const SAID_MS = 10_000;

/** Data from Python; see `ui/page.py`. @typedef {import("../shared/wire_types.d.ts").BarData} Data */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").BarEvent} Said */

export default component(".share-button", (root, signal) => new Bar(root, signal));

class Bar {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.said = find(root, ".share-said");
    this.scheme = "";
    this.page = "";
    /** @type {TabMemory<{isLarge: boolean}>} */
    this.memory = new TabMemory(browserStore, "tessera.type");
    this.isLarge = this.memory.read().isLarge ?? false;
    this.large = find(root, ".large-type");
    this.resize = () => {};
    this.large.addEventListener("click", () => {
      this.isLarge = !this.isLarge;
      this.memory.write({ isLarge: this.isLarge });
      this.resize();
    }, { signal });
    find(root, ".share").addEventListener("click", () => this.share(), { signal });
    const goOn = (/** @type {Event} */ event) => event.composedPath().includes(root) || this.say("");
    for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, goOn, { signal, capture: true });
  }

  /** Called at each run of the page, and when its theme or type size has changed. @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    const app = document.querySelector(".stApp"), scheme = app ? getComputedStyle(app).colorScheme : "";
    document.documentElement.style.colorScheme = scheme; // for popovers and menus outside of the app's elements
    if (scheme && scheme !== data.theme && scheme !== this.scheme) setTriggerValue("themed", scheme); // charts are drawn for one theme
    this.scheme = scheme;
    this.resize = () => {
      this.large.setAttribute("aria-pressed", String(this.isLarge));
      if (this.isLarge !== data.is_large) setTriggerValue("resized", this.isLarge); // charts are drawn for one size
    };
    this.resize();
    if (this.page === data.page) return;
    this.page = data.page;
    void replaceOldLink(data.page).then((sentence) => sentence && this.say(sentence));
  }

  destroy() {
    clearTimeout(this.timer);
  }

  async share() {
    let leftOut = "";
    const made = (async () => {
      const plain = location.origin + location.pathname + location.search, payload = await askForPayload();
      if (payload === null) return plain;
      const whole = plain + (await packPayload(payload));
      if (whole.length <= MAX_ADDRESS_CHARS) return whole;
      leftOut = ` The text is not included: the address would have ${count(whole.length)} characters, and mail and chat programs break addresses of over ${count(MAX_ADDRESS_CHARS)}. Send the text as a file.`;
      return plain;
    })();
    try {
      await copyWhenMade(made);
      const address = await made;
      this.say(`Copied an address of ${count(address.length)} characters.${leftOut || (address.includes("#") ? " It contains your text." : "")}`);
    } catch (error) {
      const address = await made.catch(() => null);
      if (address === null) this.say(/** @type {Error} */ (error).message);
      else this.offer(address);
    }
  }

  /** Show an address that the browser did not allow to be copied. @param {string} address */
  offer(address) {
    const field = element("input", "share-link");
    field.value = address;
    field.readOnly = true;
    field.setAttribute("aria-label", "The address");
    field.addEventListener("focus", () => field.select());
    field.addEventListener("click", () => copyText(address).then(() => this.say("Copied the address."), () => {}));
    this.say("Your browser did not allow copying. Copy the address here: ");
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
