// Addresses of the app's pages: long texts compressed behind `#`, links from lessons to pages, and links of version
// 1, which held everything in one parameter of the query.

import { fromBase64 } from "./wire.js";

const MARK = "#t=";
/** Mail and chat programs break longer addresses. */
export const MAX_ADDRESS_CHARS = 8_000;
/** The largest uncompressed payload of an address, in bytes of JSON. */
const MAX_UNPACKED = 12_000_000;

/** The values that a page takes from its address; their names depend on the page. @typedef {{page: string, text?: string} & Record<string, unknown>} Payload */

/** @param {Payload} payload @returns {Promise<string>} the part of the address from `#` on */
export async function packPayload(payload) {
  const stream = new Blob([JSON.stringify(payload)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return MARK + toBase64Url(bytes);
}

const isText = (/** @type {unknown} */ value) => typeof value === "string";
const isObject = (/** @type {unknown} */ value) => typeof value === "object" && value !== null;
/** @param {(item: any) => boolean} isItem @returns {(value: any) => boolean} */
const listOf = (isItem) => (value) => Array.isArray(value) && value.every(isItem);
/** A message as `asMessage` reads it. @param {any} message */
const isMessage = ({ role, content, fields, media, left_out }) =>
  isText(role) && isText(content) && isObject(JSON.parse(fields || "{}")) && listOf(isObject)(media ?? []) && listOf(isText)(left_out ?? []);

/** The values that pages show without checking them, each with its check. @type {Record<string, (value: any) => boolean>} */
const CHECKS = {
  text: isText,
  ids: isText,
  earlier: isText,
  messages: listOf(isMessage),
  tools: listOf(({ name, text }) => isText(name) && isText(text)),
  elsewhere: listOf(isText),
  extras: listOf(({ is_tool, label, text }) => !is_tool || (isText(label) && isText(text))),
  cutting: ({ own, off }) => isText(own) && listOf(Number.isInteger)(off),
};

/** @param {string} hash @returns {Promise<Payload | null>} null where the address holds nothing, or nothing that can be read */
export async function unpackPayload(hash) {
  if (!hash.startsWith(MARK)) return null;
  try {
    const payload = JSON.parse(await inflate(fromBase64Url(hash.slice(MARK.length)), "deflate-raw"));
    const isValid = Object.entries(CHECKS).every(([name, isRight]) => (payload[name] ?? null) === null || isRight(payload[name]));
    return isText(payload.page) && isValid ? payload : null;
  } catch {
    return null;
  }
}

/** Decompress UTF-8 text. Throws an error if the bytes are damaged or the text is too large. @param {Uint8Array<ArrayBuffer>} bytes @param {CompressionFormat} format */
async function inflate(bytes, format) {
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
export const fromBase64Url = (text) => fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));

/** The payload of the address that opened the app, until its page takes it. @type {Payload | null} */
let arrived = await unpackPayload(globalThis.location?.hash ?? "");
if (arrived) history.replaceState(history.state, "", location.pathname + location.search); // a reload must not undo later changes
globalThis.addEventListener?.("hashchange", () => location.hash.startsWith(MARK) && location.reload()); // an address was pasted into an open tab

/** Return the payload for a page, the first time it is asked for. @param {string} page @returns {Payload | null} */
export function takePayload(page) {
  if (arrived?.page !== page) return null;
  const taken = arrived;
  arrived = null;
  return taken;
}

/** Set parameters of the page's address without a new entry in the history; an empty value removes its parameter. @param {Record<string, string>} parameters */
export function showInAddress(parameters) {
  const page = new URL(location.href);
  for (const [name, value] of Object.entries(parameters)) {
    if (value) page.searchParams.set(name, value);
    else page.searchParams.delete(name);
  }
  if (page.href !== location.href) history.replaceState(history.state, "", page);
}

const ASKED = "tessera-share";

/**
 * Answer the press of *Share*: when the page has settled, `tell` resolves to the values for the address besides its
 * parameters.
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

/** Ask the page's live component for its payload; null if the page has none. @param {EventTarget} page @returns {Promise<Payload | null>} */
export async function askForPayload(page = document) {
  /** @type {{payload?: Promise<Payload>}} */
  const asked = {};
  page.dispatchEvent(new CustomEvent(ASKED, { detail: asked }));
  return (await asked.payload) ?? null;
}

/** The values in a link: a text, tokenizers, and choices by the names of their fields. @typedef {Record<string, any>} Said */

/** Names in old links, with the names that live components use today. */
const RENAMED = { template_name: "template", ids_text: "ids" };
/** Fields for tokenizers, with the names of their pickers. */
const PICKERS = { "tokenizers.race": "race", "tokenizer.merge_tree_other": "other", "formats.tokenizers": "tokenizers" };
/** Parameters of each page in share links older than version 1. @type {Record<string, string[]>} */
const OLD_PARAMETERS = { formats: ["data"], compare: ["text"], merge_tree: ["text", "step", "height"] };

/**
 * Return the address of a page, beginning with the page's name.
 * @param {string} page @param {Said} said
 */
export async function addressOf(page, said) {
  const { tokenizer, tokenizers, chosen, left_out: _leftOut, own_special: own, add_generation_prompt, variables, ...rest } = said;
  const query = new URLSearchParams();
  if (tokenizer) query.set("tokenizer", tokenizer);
  if (tokenizers?.length) query.set("tokenizers", tokenizers.join(","));
  if (own?.length) query.set("special", own.join("\n"));
  const isOfMerges = chosen?.["train.size_by"] === "Merges"; // merges have a field of their own
  for (const [name, value] of Object.entries(chosen ?? {})) {
    const picker = /** @type {Record<string, string>} */ (PICKERS)[name];
    if (picker) query.set(picker, [value].flat().join(","));
    else if (name === "train.n_merges") {
      if (isOfMerges) query.set("train.vocab_size", value);
    }
    else if (name === "train.pasted") query.set("text", value); // other long fields stay out of the address
    else for (const one of [value].flat()) query.append(name, one ?? "");
  }
  /** @type {Payload} */
  const payload = { page };
  for (const [name, value] of Object.entries(rest)) if (value !== null && value !== undefined) payload[/** @type {Record<string, string>} */ (RENAMED)[name] ?? name] = value;
  if (add_generation_prompt !== undefined) payload.options = { add_generation_prompt, variables: variables ?? "" };
  const hash = Object.keys(payload).length > 1 ? await packPayload(payload) : "";
  return `${page === "tokenize" ? "" : page}${query.size ? `?${query}` : ""}${hash}`;
}

/**
 * Return the values in an address of version 1; null for other addresses.
 * @param {string} page @param {URLSearchParams} query
 * @returns {Promise<Said | null>}
 */
export async function readOldLink(page, query) {
  const shared = query.get("share");
  try {
    if (shared !== null) return JSON.parse(await unpackOld(shared.replace(/^2\./, "")));
    if (!OLD_PARAMETERS[page]?.some((name) => query.has(name))) return null;
    const data = query.get("data"), step = query.get("step"), names = query.get("tokenizers");
    return {
      text: data === null ? query.get("text") : await unpackOld(data),
      tokenizer: query.get("tokenizer"),
      tokenizers: names?.split(","),
      ...(page === "merge_tree" && { step: Number(step) || 0, height_by: query.get("height") === "order" ? "order" : "depth" }),
    };
  } catch {
    return null;
  }
}

/** @param {string} packed */
const unpackOld = (packed) => inflate(fromBase64Url(packed.replace(/=+$/, "")), "deflate");

/**
 * Replace an address of version 1 by a current one. Resolves to a sentence if it is damaged, else to "".
 * @param {string} page
 */
export async function replaceOldLink(page) {
  const query = new URLSearchParams(location.search), said = await readOldLink(page, query);
  if (said === null) return query.has("share") || location.hash.startsWith(MARK) ? "This share link is damaged, so the page shows its example. Ask for a new link." : "";
  const base = location.pathname.replace(/[^/]*$/, ""), address = base + (await addressOf(page, said));
  location.replace(address);
  if (address.split("#")[0] === location.pathname + location.search) location.reload(); // a change behind # alone doesn't load the page
  return "";
}
