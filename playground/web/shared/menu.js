// Menu: a details element whose content stands over the page, closed by Escape, a press elsewhere, or leaving it by Tab.

/** @param {HTMLDetailsElement} details @param {AbortSignal} signal */
export function asMenu(details, signal) {
  const close = () => (details.open = false);
  const onPress = (/** @type {Event} */ event) => details.open && !event.composedPath().includes(details) && close();
  const onLeave = (/** @type {FocusEvent} */ event) => event.relatedTarget instanceof Node && !details.contains(event.relatedTarget) && close();
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape" || !details.open) return;
    event.stopPropagation(); // what else Escape closes stays open
    close();
    details.querySelector("summary")?.focus();
  };
  document.addEventListener("pointerdown", onPress, { signal, capture: true });
  details.addEventListener("focusout", onLeave, { signal });
  details.addEventListener("keydown", onKey, { signal });
}
