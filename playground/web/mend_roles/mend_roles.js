// What a reading aid misses in Streamlit's own parts: menus and notices in no landmark, code that scrolls and takes no focus, an
// uploader that says it is decoration; and colours of a popover, which stands outside of the app and its scheme. Charts have the
// colours of the theme that their run was told, so another theme asks for a run. A tag shows no more than the name of what it has. And the list of
// pages that covers a narrow page closes once one of them was chosen: Streamlit does that on what it knows to be a telephone.

import { component } from "../shared/mount.js";

/** What the page gives, and what it hears. @typedef {import("../shared/wire_types.d.ts").MendRolesData} Data */
/** @typedef {import("../shared/wire_types.d.ts").MendRolesEvent} Said */

/** Parts, and what they get. @type {[selector: string, attributes: Record<string, string>][]} */
export const MENDED = [
  ['[data-testid="stFileUploaderDropzone"][role="presentation"]', { role: "group" }],
  [".stCode pre:not([tabindex])", { tabindex: "0", role: "group", "aria-label": "Code" }],
  ["#stFloatingOverlayPortal:not([role])", { role: "region", "aria-label": "Notices" }],
  ["body > :not(#root, script, style, [role]):has([role=listbox], [role=menu])", { role: "region", "aria-label": "Choices" }],
];

/** The widest window over whose page Streamlit lays its list of pages, in pixels. */
const WIDE = 768;

/** Light or dark colours (`light-dark` in frame/frame.css) are chosen by the app's scheme in popovers too. @returns {string} the scheme */
function followScheme() {
  const app = document.querySelector(".stApp");
  if (!app) return "";
  return (document.documentElement.style.colorScheme = getComputedStyle(app).colorScheme);
}

/** Tells whether a theme that is shown needs a run: it is not the one that was drawn, and was not asked for already. */
export class AskedTheme {
  #asked = "";

  /** @param {string} shown @param {string} drawn */
  isToBeAsked(shown, drawn) {
    const isNew = shown !== "" && shown !== drawn && shown !== this.#asked;
    this.#asked = shown === drawn ? "" : shown;
    return isNew;
  }
}

export default component(".mend-roles", (_root, signal) => {
  const theme = new AskedTheme();
  /** @type {() => void} */
  let followTheme = followScheme;
  let isAsked = false;
  const mendSoon = () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      if (signal.aborted) return;
      mend(document);
      followTheme();
    });
  };
  const observer = new MutationObserver(mendSoon);
  observer.observe(document.body, { childList: true, subtree: true });
  document.addEventListener("click", closeList, { signal });
  mendSoon();
  return {
    /** @param {import("../shared/mount.js").Given<Data, Said>} given */
    update({ data, setTriggerValue }) {
      followTheme = () => {
        const shown = followScheme();
        if (theme.isToBeAsked(shown, data.theme)) setTriggerValue("themed", shown);
      };
      mendSoon();
    },
    destroy: () => observer.disconnect(),
  };
});

/** @param {Event} event */
function closeList({ target }) {
  if (!(target instanceof Element && target.closest('.stSidebar :is([data-testid="stSidebarNavLink"], [data-testid="stLogoLink"])'))) return;
  const close = document.querySelector('[data-testid="stSidebarCollapseButton"] button');
  // Streamlit hears of the press first, and may have closed it.
  if (close instanceof HTMLElement && innerWidth <= WIDE) setTimeout(() => close.isConnected && close.click());
}

/** @param {ParentNode} page */
export function mend(page) {
  for (const [selector, attributes] of MENDED)
    for (const part of page.querySelectorAll(selector))
      for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, value);
  // A tag has the first line of its label, in a list that shows two.
  for (const label of page.querySelectorAll("[data-tag] > span[title]")) {
    const [name = "", ...below] = (label.getAttribute("title") ?? "").split("\n");
    if (below.length) label.setAttribute("data-name", name);
  }
}
