// Back to text: bytes in groups, each a character or invalid; the bit patterns of UTF-8; and each prefix of the bytes
// decoded by itself.

import { boxText, fillToFit } from "../boxes.js";
import { element, fillKept } from "../../shared/element.js";
import { nPrefixBits } from "./bytes.js";

/** @typedef {{bytes: number[], text: string, why: string}} Group */
/** @typedef {{groups: Group[], n_groups: number, prefixes: {bytes: number[], text: string, is_text: boolean}[]}} Data */

/** Bit patterns of a byte, and the length in bytes of the character that begins with it; 0 for a continuation. @type {[string, number][]} */
const FORMS = [["0xxxxxxx", 1], ["110xxxxx", 2], ["1110xxxx", 3], ["11110xxx", 4], ["10xxxxxx", 0]];

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const groups = element("div", "groups"), forms = element("div", "forms"), prefixes = element("div", "prefixes");
  root.append(groups, forms, prefixes);
  return {
    show(step, /** @type {Data} */ data) {
      /** @type {Set<number>} */
      const used = new Set(data.groups.flatMap((group) => group.bytes.map(formOf))), isFew = data.groups.flatMap((group) => group.bytes).length <= 4;
      groups.classList.toggle("few", isFew);
      forms.classList.toggle("later", step < 2);
      fillKept(forms, FORMS.map(([form, n], place) => ({ form, n, isUsed: used.has(place) })), makeForm);
      prefixes.classList.toggle("later", step < 3);
      fillToFit(groups, data.groups, { make: makeGroup, nAll: data.n_groups, unit: "group", variant: isFew ? "few" : "" });
      fillToFit(prefixes, data.prefixes, { make: makePrefix, nAll: data.prefixes.length, unit: "beginning" });
    },
  };
}

/** The index in FORMS of a byte's pattern. @param {number} byte @returns {number} */
export const formOf = (byte) => (byte < 0x80 ? 0 : byte < 0xc0 ? 4 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3);

/** @param {Group} group */
function makeGroup({ bytes, text, why }) {
  const box = element("div", why ? "group refused" : "group"), row = element("span", "row");
  row.append(...bytes.map(makeByte));
  box.append(row, element("span", "outcome t", why ? "�" : boxText(text)));
  if (why) box.append(element("span", "why", why));
  return box;
}

/** @param {number} byte */
function makeByte(byte) {
  const box = element("span", "byte"), bits = element("span", "bits"), text = byte.toString(2).padStart(8, "0");
  const n = nPrefixBits(byte);
  bits.append(element("b", "", text.slice(0, n)), text.slice(n));
  box.append(element("span", "value t", String(byte)), bits);
  return box;
}

/** @param {{form: string, n: number, isUsed: boolean}} form */
function makeForm({ form, n, isUsed }) {
  const row = element("div", isUsed ? "form used" : "form"), bits = element("span", "t"), nFixed = form.indexOf("x");
  bits.append(element("b", "", form.slice(0, nFixed)), form.slice(nFixed));
  row.append(bits, element("span", "", n ? String(n) : "continues"));
  return row;
}

/** @param {{bytes: number[], text: string, is_text: boolean}} prefix */
function makePrefix({ bytes, text, is_text }) {
  const box = element("div", is_text ? "prefix" : "prefix refused");
  box.append(element("span", "t", bytes.join(" ")), element("span", "", "→"), element("span", "t outcome", is_text ? [...text].map(boxText).join("") : text));
  return box;
}
