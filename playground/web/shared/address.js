// What a copied address holds beside Streamlit's parameters: a page's long text, compressed behind `#`. It never reaches the server
// as part of an address.

const MARK = "#t=";
/** A longer address breaks in mail and chat. */
export const MAX_ADDRESS_CHARS = 8_000;
/** The longest text that an address may unpack to, in bytes of JSON; a page has a limit of its own. */
const MAX_UNPACKED = 12_000_000;

/** What a page takes from its address; which members there are is the page's business. @typedef {{page: string, text?: string} & Record<string, unknown>} Payload */

/** @param {Payload} payload @returns {Promise<string>} the part of the address from `#` on */
export async function packPayload(payload) {
  const stream = new Blob([JSON.stringify(payload)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return MARK + toBase64Url(bytes);
}

/** @param {string} hash @returns {Promise<Payload | null>} null where the address holds nothing, or nothing that can be read */
export async function unpackPayload(hash) {
  if (!hash.startsWith(MARK)) return null;
  try {
    const payload = JSON.parse(await inflate(fromBase64Url(hash.slice(MARK.length)), "deflate-raw"));
    return payload !== null && typeof payload === "object" && typeof payload.page === "string" ? payload : null;
  } catch {
    return null;
  }
}

/** Decompress UTF-8 text. Throws where the bytes are damaged or unpack to more than a page can hold. @param {Uint8Array<ArrayBuffer>} bytes @param {CompressionFormat} format */
export async function inflate(bytes, format) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format)).getReader();
  const decoder = new TextDecoder();
  let text = "", n = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    n += value.length;
    if (n > MAX_UNPACKED) throw new Error("the address holds too much");
    text += decoder.decode(value, { stream: true });
  }
}

/** @param {Uint8Array} bytes */
function toBase64Url(bytes) {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 32_768) binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} */
export const fromBase64Url = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));

/** The payload of the address by which this app was opened, until its page takes it. @type {Payload | null} */
let arrived = await unpackPayload(globalThis.location?.hash ?? "");
if (arrived) history.replaceState(history.state, "", location.pathname + location.search); // a reload finds what was changed since
globalThis.addEventListener?.("hashchange", () => location.hash.startsWith(MARK) && location.reload()); // pasted into an open tab

/** The payload for a page, once. @param {string} page @returns {Payload | null} */
export function takePayload(page) {
  if (arrived?.page !== page) return null;
  const taken = arrived;
  arrived = null;
  return taken;
}

const ASKED = "tessera-share";

/**
 * Answer when *Share* is pressed: `tell` resolves to what the address must hold beside its parameters, once the page is settled.
 * @param {AbortSignal} signal
 * @param {() => Promise<Payload>} tell
 * @param {EventTarget} page
 */
export function onShare(signal, tell, page = document) {
  const answer = (/** @type {Event} */ event) => {
    if (event instanceof CustomEvent) event.detail.payload = tell();
  };
  page.addEventListener(ASKED, answer, { signal });
}

/** Ask the page's live component for its payload; null where the page has none. @param {EventTarget} page @returns {Promise<Payload | null>} */
export async function askForPayload(page = document) {
  /** @type {{payload?: Promise<Payload>}} */
  const asked = {};
  page.dispatchEvent(new CustomEvent(ASKED, { detail: asked }));
  return (await asked.payload) ?? null;
}
