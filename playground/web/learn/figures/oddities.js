// Oddities: five cards with a question, which a step or a press opens to its number and its lesson.

import { button, element } from "../../shared/element.js";

/** @typedef {{cards: {title: string, asks: string, number: string, lesson: string}[], opened: string[]}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root, { change, open, has }) {
  return {
    /** @param {number} step @param {Data} data */
    show(step, { cards, opened }) {
      root.replaceChildren(...cards.map(({ title, asks, number, lesson }, n) => {
        const card = element("div", n === step - 1 ? "oddity now" : "oddity"), isOpen = n < step || opened.includes(title);
        card.append(element("span", "title", title), element("span", "asks-of", asks));
        if (isOpen) card.append(element("b", "number", number));
        else {
          const reveal = button("?", `Show the answer: ${asks}`, () => change({ opened: [...opened, title] }));
          reveal.className = "number reveal";
          card.append(reveal);
        }
        const link = button("Why?", `Open the lesson about it`, () => open(lesson));
        link.className = "why";
        link.disabled = !isOpen || !has(lesson);
        card.append(link);
        return card;
      }));
    },
  };
}
