// What is around a film: its pace, its keys, and the names of its steps; on Train, and in a page saved from it.

import { fillSelect, find } from "../shared/element.js";
import { counted } from "../shared/wording.js";
import { stepName } from "./film.js";
import { SPEEDS } from "./playing.js";

/** Elements of the component that use the arrows to the left and right themselves. */
const TAKES_ARROWS = "input, textarea, select, [role=application]";

/** How fast a film plays, and the step at which it pauses. @typedef {{speed: import("./playing.js").Speed, pauseAt: number | null}} Pace */
/** @typedef {import("./film.js").Film} Film */

/**
 * The merge number in the field "pause at": null for an empty field, undefined for an invalid number.
 * @param {string} text
 */
export function pauseAt(text) {
  if (text.trim() === "") return null;
  const merge = Number(text);
  return Number.isInteger(merge) && merge >= 1 && merge <= 1e9 ? merge : undefined;
}

/**
 * Let the fields below `root` set the film's pace, which is `pace` at first; `onChange` gets each choice.
 * @param {HTMLElement} root @param {AbortSignal} signal @param {Film} film @param {Pace} pace @param {(pace: Pace) => void} onChange
 */
export function listenForPace(root, signal, film, pace, onChange) {
  const speed = find(root, ".speed", HTMLSelectElement), pause = find(root, ".pause-at", HTMLInputElement);
  fillSelect(speed, Object.keys(SPEEDS).map((name) => [name, name]));
  speed.value = pace.speed;
  pause.value = String(pace.pauseAt ?? "");
  film.setPace(pace.speed, pace.pauseAt);
  const change = () => {
    const wanted = pauseAt(pause.value), chosen = /** @type {Pace["speed"]} */ (speed.value);
    film.setPace(chosen, wanted === undefined ? film.pauseAt : wanted);
    onChange({ speed: film.speed, pauseAt: film.pauseAt });
  };
  for (const field of [speed, pause]) field.addEventListener("change", change, { signal });
}

/**
 * Let Space play or pause, and arrows go a step back or on, as in a presented lesson.
 * @param {HTMLElement} root @param {AbortSignal} signal @param {Film} film
 */
export function listenForKeys(root, signal, film) {
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const path = event.composedPath(), [target] = path, isFree = target instanceof Element && target.matches("html, body, main");
    if (event.ctrlKey || event.metaKey || event.altKey || !film.runs.length) return;
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const isOwn = path.includes(root) && target instanceof Element && !target.closest(TAKES_ARROWS);
    if (event.key === " " && isFree) film.togglePlay();
    else if (by && (isFree || isOwn)) film.stopAt(film.k + by);
    else return;
    event.preventDefault();
  };
  document.addEventListener("keydown", onKey, { signal });
}

/**
 * Name the steps as the runs' algorithm does, and make room for runs side by side.
 * @param {HTMLElement} root @param {import("./run_log.js").RunView[]} runs
 */
export function nameSteps(root, runs) {
  const name = stepName(runs);
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (root.querySelectorAll("[data-step]"))) button.title = `${counted(Number(button.dataset.step), `${name}`)} on`;
  find(root, ".pause-label").textContent = `Pause at ${name}`;
  find(root, ".step-head").textContent = runs[0]?.step ?? name;
  root.toggleAttribute("data-beside", runs.length > 1);
  root.style.setProperty("--runs", String(runs.length));
}
