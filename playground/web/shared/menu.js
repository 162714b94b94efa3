// Menus: a button that opens a panel below it. Escape, a press elsewhere or the button closes the panel again.

const GAP = 4, EDGE = 8; // CSS pixels, to the button and to the window's sides

/**
 * Place the panel of each `button[popovertarget]` below `root` when the browser opens it, and give the focus back when it closes.
 * @param {HTMLElement} root @param {AbortSignal} signal
 */
export function placeMenus(root, signal) {
  for (const opener of /** @type {NodeListOf<HTMLButtonElement>} */ (root.querySelectorAll("button[popovertarget]"))) {
    const panel = opener.popoverTargetElement;
    if (!(panel instanceof HTMLElement)) continue;
    const onToggle = (/** @type {Event} */ event) => {
      if (/** @type {ToggleEvent} */ (event).newState === "open") place(panel, opener.getBoundingClientRect());
      // Escape within the panel: the browser does not give the focus back to a button in a shadow tree.
      else if (panel.contains(/** @type {ShadowRoot} */ (panel.getRootNode()).activeElement)) queueMicrotask(() => opener.focus());
    };
    panel.addEventListener("beforetoggle", onToggle, { signal });
    document.addEventListener("scroll", () => panel.matches(":popover-open") && place(panel, opener.getBoundingClientRect()), { signal, passive: true, capture: true });
  }
}

/** Put a panel below its button, aligned at the right. @param {HTMLElement} panel @param {DOMRect} box */
function place({ style }, box) {
  const top = Math.max(EDGE, box.bottom + GAP);
  style.top = `${top}px`;
  style.right = `${Math.max(EDGE, document.documentElement.clientWidth - box.right)}px`;
  style.maxHeight = `max(12rem, calc(100vh - ${top + EDGE}px))`;
}
