// What a reading aid misses in Streamlit's own parts: menus and notices in no landmark, code that scrolls and takes no focus, an
// uploader that says it is decoration; and colours of a popover, which stands outside of the app and its scheme.

import { component } from "../shared/mount.js";

/** Parts, and what they get. @type {[selector: string, attributes: Record<string, string>][]} */
export const MENDED = [
  ['[data-testid="stFileUploaderDropzone"][role="presentation"]', { role: "group" }],
  [".stCode pre:not([tabindex])", { tabindex: "0", role: "group", "aria-label": "Code" }],
  ["#stFloatingOverlayPortal:not([role])", { role: "region", "aria-label": "Notices" }],
  ["body > :not(#root, script, style, [role]):has([role=listbox], [role=menu])", { role: "region", "aria-label": "Choices" }],
];

/** Light or dark colours (`light-dark` in frame/frame.css) are chosen by the app's scheme in popovers too. */
function followScheme() {
  const app = document.querySelector(".stApp");
  if (app) document.documentElement.style.colorScheme = getComputedStyle(app).colorScheme;
}

export default component(".mend-roles", (_root, signal) => {
  let isAsked = false;
  const mendSoon = () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      if (signal.aborted) return;
      mend(document);
      followScheme();
    });
  };
  const observer = new MutationObserver(mendSoon);
  observer.observe(document.body, { childList: true, subtree: true });
  mendSoon();
  return { update: mendSoon, destroy: () => observer.disconnect() };
});

/** @param {ParentNode} page */
export function mend(page) {
  for (const [selector, attributes] of MENDED)
    for (const part of page.querySelectorAll(selector))
      for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, value);
}
