// Typed before: the text of a field as it stood when its tab was reloaded, which the server may never have got.

import { TabMemory } from "./tab_memory.js";

/** The name by which a browser keeps the text, and the text. @typedef {{name: string, text: string}} Typed */

/** @type {TabMemory<Typed>} */
export const typedText = new TabMemory(globalThis.sessionStorage, "tessera.typed");
