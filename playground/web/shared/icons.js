// Icons: small pictures drawn here, so that no font decides how they look. Whoever shows one names it.

import { svgElement } from "./element.js";

/** The shape of each icon, as a path in a box of 24 by 24. */
const PATHS = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
};

/** @typedef {keyof typeof PATHS} IconName */

/** An icon as an element, as large as the text beside it; reading aids pass it over. @param {IconName} name */
export function icon(name) {
  const made = svgElement("svg", { viewBox: "0 0 24 24", width: "1em", height: "1em", fill: "currentColor", "aria-hidden": "true" });
  made.classList.add("icon");
  made.dataset.icon = name;
  made.append(svgElement("path", { d: PATHS[name] }));
  return made;
}

/** A button shows an icon, and its name where there is room for it. @param {HTMLElement} button @param {IconName} name @param {string} [text] */
export function showIcon(button, name, text = "") {
  if (button.dataset.shows === `${name} ${text}`) return; // a press that has begun stays on its element
  button.dataset.shows = `${name} ${text}`;
  button.replaceChildren(icon(name), ...(text ? [` ${text}`] : []));
}
