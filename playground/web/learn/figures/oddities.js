// Oddities: ten cards, each with a number and a link to its lesson.

import { element } from "../../shared/element.js";

/** @typedef {{cards: {title: string, number: string, lesson: string}[]}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root, { open, has }) {
  return {
    /** @param {number} step @param {Data} data */
    show(step, { cards }) {
      root.replaceChildren(...cards.map(({ title, number, lesson }, n) => {
        const card = element(has(lesson) ? "button" : "div", n === step - 1 ? "oddity now" : "oddity");
        if (card instanceof HTMLButtonElement) {
          card.type = "button";
          card.addEventListener("click", () => open(lesson));
        }
        card.append(element("b", "number", number), element("span", "title", title));
        return card;
      }));
    },
  };
}
