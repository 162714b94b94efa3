// Final test: a question a step, its options, and after a choice why the right one is right.

import { button, element } from "../../shared/element.js";

/** @typedef {{asks: string, options: string[], right: number, because: string, lesson: string, title: string}} Asked */
/** @typedef {{questions: Asked[], chosen: number[]}} Data `chosen` is -1 for a question without a choice */

/** The number of questions whose right option was chosen. @param {Data} data */
export const nRight = ({ questions, chosen }) => questions.filter(({ right }, n) => chosen[n] === right).length;

/** @type {import("./table.js").Mount} */
export default function mount(root, { change, open }) {
  /** The questions whose answer a press has shown. @type {Set<number>} */
  const told = new Set();
  /** @type {Data | null} */
  let shown = null;
  return {
    /** A press of PageDown first shows the answer. @param {number} step */
    next(step) {
      const at = step - 1;
      if (!shown || at < 0 || shown.chosen[at] >= 0 || told.has(at)) return false;
      told.add(at);
      this.show(step, shown);
      return true;
    },
    show(step, /** @type {Data} */ data) {
      shown = data;
      const at = step - 1, { asks, options, right, because, lesson, title } = data.questions[at], chosen = data.chosen[at];
      const choices = element("div", "choices"), reply = element("div", "reply"), isAnswered = chosen >= 0 || told.has(at);
      choices.append(...options.map((option, n) => {
        const one = button(option, `Answer: ${option}`, () => change({ chosen: [...picksOf(data.chosen, at), `${at}.${n}`] }));
        one.setAttribute("aria-pressed", String(n === chosen));
        one.classList.toggle("right", isAnswered && n === right);
        one.classList.toggle("wrong", n === chosen && n !== right);
        return one;
      }));
      reply.setAttribute("role", "status");
      if (isAnswered) {
        reply.append(element("b", "", chosen < 0 ? `${options[right]}.` : chosen === right ? "✓ Yes." : `✗ No: ${options[right]}.`), element("span", "", because));
        reply.append(button(title, `Open the lesson ${title}`, () => open(lesson)));
      }
      const score = element("p", "score");
      score.append(element("b", "number", `${nRight(data)}`), element("span", "soft", `right of ${data.chosen.filter((one) => one >= 0).length}`));
      root.replaceChildren(element("p", "asked", asks), choices, reply, score);
    },
  };
}

/** The choices of the other questions, as the lesson's input has them. @param {number[]} chosen @param {number} without */
const picksOf = (chosen, without) => chosen.flatMap((option, question) => (option >= 0 && question !== without ? [`${question}.${option}`] : []));
