// Links to pages of the app: from what a page shows to its address, for the links of lessons and for share links of version 1,
// which held everything in one parameter of the query.

import { fromBase64Url, inflate, packPayload } from "./address.js";

/** What a link says of a page: a text, tokenizers, and choices by the names of their fields. @typedef {Record<string, any>} Said */

/** Members of an old link that live components take under another name. */
const RENAMED = { template_name: "template", ids_text: "ids" };
/** Choices of tokenizers under the names of their pickers. */
const PICKERS = { "tokenizers.race": "race", "tokenizer.merge_tree_other": "other", "formats.tokenizers": "tokenizers" };
/** Parameters that share links had before they had one. @type {Record<string, string[]>} */
const OLD_PARAMETERS = { formats: ["data"], compare: ["text"], merge_tree: ["text", "step", "height"] };

/**
 * The address of a page, from the page's name on.
 * @param {string} page @param {Said} said
 */
export async function addressOf(page, said) {
  const { tokenizer, tokenizers, chosen, left_out: _leftOut, own_special: own, add_generation_prompt, variables, ...rest } = said;
  const query = new URLSearchParams();
  if (tokenizer) query.set("tokenizer", tokenizer);
  if (tokenizers?.length) query.set("tokenizers", tokenizers.join(","));
  if (own?.length) query.set("special", own.join("\n"));
  const isOfMerges = chosen?.["train.size_by"] === "Merges"; // whose number had a field of its own
  for (const [name, value] of Object.entries(chosen ?? {})) {
    const picker = /** @type {Record<string, string>} */ (PICKERS)[name];
    if (picker) query.set(picker, [value].flat().join(","));
    else if (name === "train.n_merges") {
      if (isOfMerges) query.set("train.vocab_size", value);
    }
    else if (name === "train.pasted") query.set("text", value); // long texts of fields stay out of the address otherwise
    else for (const one of [value].flat()) query.append(name, one ?? "");
  }
  /** @type {import("./address.js").Payload} */
  const payload = { page };
  for (const [name, value] of Object.entries(rest)) if (value !== null && value !== undefined) payload[/** @type {Record<string, string>} */ (RENAMED)[name] ?? name] = value;
  if (add_generation_prompt !== undefined) payload.options = { add_generation_prompt, variables: variables ?? "" };
  const hash = Object.keys(payload).length > 1 ? await packPayload(payload) : "";
  return `${page === "tokenize" ? "" : page}${query.size ? `?${query}` : ""}${hash}`;
}

/**
 * What an address of version 1 says, or null where it is none.
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

/** Replace an address of version 1 by one of today; resolves to whether the page is being replaced. @param {string} page */
export async function replaceOldLink(page) {
  const said = await readOldLink(page, new URLSearchParams(location.search));
  if (said === null) return false;
  const base = location.pathname.replace(/[^/]*$/, "");
  const address = base + (await addressOf(page, said));
  location.replace(address);
  if (address.split("#")[0] === location.pathname + location.search) location.reload(); // only what stands behind # is new
  return true;
}
