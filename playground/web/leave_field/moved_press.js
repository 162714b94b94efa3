// A press counts for what it began on. What is drawn while the mouse button is down can move that away, and the browser
// then presses nothing, or what has both around it. A hand that moved the mouse away meant to take the press back.

const PRESSED = "button, a[href], label, summary, [role=option], [role=menuitem]";
/** Pixels that a hand moves in a press. */
const STILL = 4;

/** @param {AbortSignal} signal */
export function pressWhatMoved(signal) {
  /** @type {{ control: HTMLElement, x: number, y: number } | null} */
  let began = null;
  globalThis.addEventListener("mousedown", (event) => {
    const [pressed] = event.composedPath(), control = pressed instanceof Element ? pressed.closest(PRESSED) : null;
    const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey);
    began = isPlain && control instanceof HTMLElement ? { control, x: event.clientX, y: event.clientY } : null;
  }, { signal, capture: true });
  globalThis.addEventListener("mouseup", (event) => {
    const press = began;
    began = null;
    if (!press || event.composedPath().includes(press.control)) return;
    if (Math.hypot(event.clientX - press.x, event.clientY - press.y) > STILL) return;
    setTimeout(() => press.control.isConnected && press.control.click()); // after the click of what it ended on
  }, { signal, capture: true });
}
