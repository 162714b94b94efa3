// Take away: ids, JSON, Python, or a picture of what is shown.

import { copyText } from "../shared/copy.js";
import { dataOf, find } from "../shared/element.js";
import { counted } from "../shared/numbers.js";
import { pictureKind, savePicture } from "../shared/save_file.js";
import { paneToSvg } from "./picture.js";

const SAID_MS = 9000;
const NAMES = { ids: "ids", json: "JSON", python: "Python" };

/** @typedef {keyof typeof NAMES} CopyKind */
/** @typedef {{tokenizer: string, nTokens: number}} Shown */

/**
 * The buttons below the tokens. `getShown` resolves when what was typed is shown; `getText` to what is copied;
 * `isOfVersions` tells whether two versions are in view.
 * @typedef {{getShown: () => Promise<Shown>, isOfVersions: () => boolean, getText: (kind: CopyKind) => Promise<string>}} Source
 */

export class TakeAway {
  /** @param {HTMLElement} root @param {AbortSignal} signal @param {Source} source */
  constructor(root, signal, source) {
    this.root = root;
    this.source = source;
    this.said = find(root, ".take-away .said");
    const onClick = (/** @type {Event} */ event) => {
      const kind = dataOf(event, "copy"), picture = pictureKind(dataOf(event, "picture"));
      const done = kind !== undefined ? this.copy(/** @type {CopyKind} */ (kind)) : picture ? this.save(picture) : null;
      done?.then((sentence) => this.say(sentence), (error) => this.say(error.message));
    };
    find(root, ".take-away").addEventListener("click", onClick, { signal });
  }

  /** @param {CopyKind} kind */
  async copy(kind) {
    const { nTokens } = await this.source.getShown();
    await copyText(await this.source.getText(kind));
    return `Copied ${counted(nTokens, "token")} as ${NAMES[kind]}.`;
  }

  /** @param {import("../shared/save_file.js").PictureKind} kind */
  async save(kind) {
    const { tokenizer, nTokens } = await this.source.getShown();
    const pane = find(this.root, this.source.isOfVersions() ? ".difference" : ".tokens");
    const svg = paneToSvg(pane, `${counted(nTokens, "token")} of ${tokenizer}`);
    await savePicture(svg, kind, `tokens-${tokenizer}`);
    return "Saved the tokens in view.";
  }

  /** Say what was done, for a moment. @param {string} sentence */
  say(sentence) {
    this.said.textContent = sentence;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.said.textContent = ""), SAID_MS);
  }
}
