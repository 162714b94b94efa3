// Streamlit sends a field's text when the field is left. A mouse leaves it as its button goes down, and what is drawn for
// that text moves the pressed thing away before the button comes up: so the field is left at the click, as with a finger.
// Escape takes a popover away with the field in it, and its text: so the field is left first.
// A press that does not move the focus, as by a finger or a reading aid, would act on the text of before: so the field is
// left first, before Streamlit sees the click. And a link that is followed at once can overtake the text on its way, and a
// file saved at once would be the one of before: so both wait until the page is drawn with it. A reload is not waited for:
// what it meets in a field is typed there again.
// Nor may a link, or Back, overtake what the page has just said: Streamlit sends that in a task of its own, and a
// browser hears a press before such a task. That answer may bring its address back first: Back goes where it went.

import { allHeard, nHeard, nSaid, onceSent } from "../shared/hearing.js";
import { leavingNow } from "../shared/leaving.js";
import { component } from "../shared/mount.js";
import { holdField, typeHeldAgain } from "./held_field.js";
import { pressWhatMoved } from "./moved_press.js";
import { keepTypedName } from "./typed_name.js";
import { TypedText } from "./typed_text.js";
import { focusedIn, takeComma, writeOut } from "./written_number.js";

const FIELDS = ":is(.stTextArea, .stTextInput, .stNumberInput) :is(input, textarea)";
const IN_POPOVER = `[data-testid=stPopoverBody] ${FIELDS}`;
const BUTTON = "[data-testid=stButton] button";
const WAITING = ":is([data-testid=stTopNavLink], [data-testid=stSidebarNavLink], [data-testid=stDownloadButton] button, .save-text button)";
/** A number is typed by these, too. */
const STEPS = ".stNumberInput button";
/** These save what a run of the page gave: they wait for the run of what was said last. */
const OF_RUN = ".save-text button";

export default component(".leave-field", (_root, signal) => {
  pressWhatMoved(signal);
  keepTypedName(signal);
  const typed = new TypedText();
  if (document.activeElement?.matches(FIELDS)) typed.type(); // maybe, before this came
  /** @type {HTMLElement | null} the link or button whose time has come */
  let followed = null;
  document.addEventListener("input", (event) => isField(event) && typed.type(), { signal, capture: true });
  document.addEventListener("focusout", (event) => isField(event) && typed.leave(), { signal, capture: true });
  document.addEventListener("keydown", (event) => event.key === "Enter" && isField(event) && typed.leave(), { signal, capture: true });
  // Before the field is left or sent, and in an event of its own: React knows of it when that comes.
  document.addEventListener("keydown", (event) => ["Enter", "Tab"].includes(event.key) && writeOut(focusedIn(document)), { signal, capture: true });
  document.addEventListener("beforeinput", takeComma, { signal, capture: true });
  document.addEventListener("pointerdown", () => writeOut(focusedIn(document)), { signal, capture: true });
  document.addEventListener("keydown", (event) => {
    const [field] = event.composedPath();
    if (event.key === "Escape" && field instanceof HTMLElement && field.matches(IN_POPOVER)) field.blur();
  }, { signal, capture: true });
  globalThis.addEventListener("mousedown", (event) => {
    const [pressed] = event.composedPath(), isButton = pressed instanceof Element && pressed.closest(`${BUTTON}, ${WAITING}`);
    if (event.button === 0 && isButton && document.activeElement?.matches(FIELDS) && typed.isOnItsWay) event.preventDefault();
  }, { signal, capture: true });
  // At the window, before anyone else hears that the page is left.
  globalThis.addEventListener("click", (event) => {
    const [pressed] = event.composedPath(), link = pressed instanceof Element ? pressed.closest(WAITING) : null; // also in a component
    if (pressed instanceof Element && pressed.closest(STEPS)) {
      typed.type();
      typed.leave();
    }
    if (!(link instanceof HTMLElement) || link === followed) return leaveField(event);
    const isLink = !link.matches("button"), isDue = typed.isOnItsWay || link.matches(OF_RUN);
    if (event.ctrlKey || event.metaKey || event.shiftKey || !(isLink || isDue)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (document.activeElement?.matches(FIELDS)) /** @type {HTMLElement} */ (document.activeElement).blur();
    const follow = () => {
      followed = link;
      link.click();
      followed = null;
    };
    leavingNow.follow(event);
    if (isDue) void allHeard().then(follow);
    else onceSent(follow);
  }, { signal, capture: true });
  globalThis.addEventListener("tessera:popstate", (event) => {
    const { state } = /** @type {PopStateEvent} */ (event), address = location.href;
    leavingNow.goBack();
    if (!leavingNow.isLeaving) return;
    event.preventDefault();
    onceSent(() => {
      if (location.href !== address) history.replaceState(state, "", address);
      globalThis.dispatchEvent(new PopStateEvent("popstate", { state }));
    });
  }, { signal });
  const fields = () => [...document.querySelectorAll(FIELDS)].filter(isInput);
  typeHeldAgain(fields, () => nHeard() < nSaid() || document.documentElement.hasAttribute("data-comes-back"), signal);
  globalThis.addEventListener("pagehide", () => {
    const field = document.activeElement;
    if (typed.isOnItsWay && isInput(field) && field.matches(FIELDS)) holdField(field);
  }, { signal });
  return { update() {} };
});

/** @param {Event} event */
const isField = (event) => event.target instanceof Element && event.target.matches(FIELDS);

/** @param {Element | null} field @returns {field is HTMLInputElement | HTMLTextAreaElement} */
const isInput = (field) => field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;

/** @param {MouseEvent} event */
function leaveField(event) {
  const field = document.activeElement;
  const button = event.target instanceof Element ? event.target.closest(BUTTON) : null;
  if (!(button instanceof HTMLElement && field instanceof HTMLElement && field.matches("input, textarea"))) return;
  field.blur();
  button.focus({ preventScroll: true });
  event.preventDefault();
  event.stopImmediatePropagation();
  setTimeout(() => button.click()); // once Streamlit has taken the text
}
