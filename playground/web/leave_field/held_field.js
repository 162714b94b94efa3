// A held field: what was typed into a field of Streamlit and not sent yet stands there again after a reload.

import { typeInto } from "./type_into.js";

const HELD = "tessera-typed";
/** How often is looked whether the page has come back whole, in ms, and how many times. */
const LOOK_MS = 100, LOOKS = 300, QUIET_LOOKS = 4;

/** A field's name and text, at an address. @typedef {{at: string, name: string | null, text: string}} Held */

/** @param {HTMLInputElement | HTMLTextAreaElement} field */
export function holdField(field) {
  /** @type {Held} */
  const held = { at: location.href, name: field.getAttribute("aria-label"), text: field.value };
  try {
    sessionStorage.setItem(HELD, JSON.stringify(held));
  } catch {
    // It has no room: what is as long as that is lost, as without this.
  }
}

/**
 * Type again what is held, once the page rests with what the browser keeps of it. What was held for another
 * address, or before something else than a reload, is forgotten, and so it is when someone types before that.
 * @param {() => (HTMLInputElement | HTMLTextAreaElement)[]} fields those on the page
 * @param {() => boolean} isComing whether the page is not yet whole
 * @param {AbortSignal} signal
 */
export function typeHeldAgain(fields, isComing, signal) {
  const text = sessionStorage.getItem(HELD);
  sessionStorage.removeItem(HELD);
  const [visit] = performance.getEntriesByType("navigation");
  if (text === null || !(visit instanceof PerformanceNavigationTiming) || visit.type !== "reload") return;
  /** @type {Held} */
  const held = JSON.parse(text);
  if (held.at !== location.href) return;
  let looks = 0, quiet = 0, isForgotten = false;
  document.addEventListener("input", (event) => isForgotten ||= event.isTrusted, { signal, capture: true });
  const look = () => {
    if (isForgotten) return;
    const field = fields().find((found) => found.getAttribute("aria-label") === held.name);
    quiet = field && !isComing() ? quiet + 1 : 0;
    if (field && quiet >= QUIET_LOOKS) return type(field, held.text);
    if (++looks < LOOKS && !signal.aborted) setTimeout(look, LOOK_MS);
  };
  look();
}

/** As a person types it and leaves the field. @param {HTMLInputElement | HTMLTextAreaElement} field @param {string} text */
function type(field, text) {
  if (field.value === text) return;
  const focused = document.activeElement;
  field.focus({ preventScroll: true });
  typeInto(field, text);
  field.blur();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
}
